"""A route that sends nothing: it counts what a run would ask for, and answers with replies as they may come."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from prbgen.llm.ledger import Ledger
from prbgen.llm.model import Call
from prbgen.llm.prices import most_reply_tokens
from prbgen.llm.route import Ending
from prbgen.llm.tokens import tokenizer_of
from prbgen.model_settings import ModelSettings

# Tokens of the template that asks for a correction; at most, with the faults that it names.
CORRECTION, _LONG_CORRECTION = 60, 500


@dataclass
class Tally:
    """What one stage asks of one model, all in tokens as counted.

    `calls` and their `prompt_tokens` are by how many more attempts may follow; `corrections` of replies on record, with
    their `correction_tokens`, are apart; `reply_tokens` are those of all assumed replies, of which a call asks for
    up to `replies`. Of `failable` recorded calls
    that another attempt could follow (a stage makes up to `attempts`), `failed` had one. `shared_tokens` of the prompts
    come again in another call. `most_...`: every attempt that is left, with its correction, at the greatest length
    (infinite where nobody knows it). `correctable`: whether replies are asked for once more if they are faulty.
    """

    model: ModelSettings
    calls: Counter[int] = field(default_factory=Counter)
    prompt_tokens: Counter[int] = field(default_factory=Counter)
    corrections: int = 0
    correction_tokens: int = 0
    reply_tokens: int = 0
    replies: int = 1
    attempts: int = 1
    correctable: bool = True
    failable: int = 0
    failed: int = 0
    shared_tokens: int = 0
    most_calls: int = 0
    most_prompt_tokens: float = 0
    most_reply_tokens: float = 0

    @property
    def new(self) -> int:
        """How many calls have no reply on record."""
        return self.calls.total() + self.corrections


@dataclass(frozen=True)
class _Asked:
    call: Call
    recorded: bool


class Counting:
    """Tallies calls by stage and model (its label); `recorded` counts those with a reply in the ledger, which cost
    nothing more.
    """

    waits = True

    def __init__(self, ledger: Ledger | None) -> None:
        """`ledger`: of the run to go on with, or null."""
        self.tallies: dict[tuple[str, str], Tally] = {}
        self.recorded = 0
        self._ledger = ledger
        self._asked: list[_Asked] = []
        # Half a key: a run of 100,000 questions has some hundred thousand of them.
        self._seen: set[int] = set()

    async def send(self, call: Call, key: str) -> tuple[str, Ending]:
        """The reply on record, or the assumed one."""
        reply = self._ledger.reply(key) if self._ledger else None
        name = int(key[:16], 16)
        # Asked for again, a call would find its reply on record.
        if name not in self._seen:
            self._seen.add(name)
            self.recorded += reply is not None
            self._asked.append(_Asked(call, reply is not None))
        return reply or (call.assumed, "assumed")

    async def exchange(self) -> None:
        """Nothing is postponed."""

    async def close(self) -> None:
        """Nothing is held."""

    def settle(self) -> None:
        """Add what was asked for since the last time: all calls of one item, and of no other."""
        stages: dict[tuple[str, str], list[_Asked]] = {}
        for asked in self._asked:
            stages.setdefault((asked.call.stage, asked.call.model.label), []).append(asked)
        self._asked = []
        # What earlier stages reply may stand in the prompts of later ones.
        quoted = 0.0
        for name, calls in stages.items():
            tally = self.tallies.setdefault(name, Tally(calls[0].call.model))
            _add(tally, calls, quoted)
            quoted += sum(_longest_reply(each.call) for each in calls if not each.recorded)


def _add(tally: Tally, asked: Sequence[_Asked], quoted: float) -> None:
    firsts = [each for each in asked if not each.call.corrective]
    tally.attempts = max(tally.attempts, *(each.call.attempts for each in asked))
    tally.correctable = asked[0].call.correctable
    tally.failable += sum(each.recorded and each.call.attempt < each.call.attempts for each in firsts)
    tally.failed += sum(each.call.attempt > 1 for each in firsts)
    new = [each.call for each in asked if not each.recorded]
    last = max((call.attempt for call in new), default=0)
    for call in new:
        tokens = tokenizer_of(call.model.name)
        size = tokens.prompt(call)
        # Of several attempts the earlier ones are known to fail.
        left = call.attempts - last if call.attempt == last else 0
        if call.corrective:
            tally.corrections += 1
            tally.correction_tokens += size
        else:
            tally.calls[left] += 1
            tally.prompt_tokens[left] += size
        tally.reply_tokens += tokens.count(call.assumed) * call.n
        tally.replies = max(tally.replies, call.n)
        tally.shared_tokens += tokens.count(call.messages[-1].content[: call.shared])
        _add_most(tally, call, size + quoted, 0 if call.corrective else 1 + left)
    for each in firsts:
        # The other answer of a pair, say: if one fails, both are written afresh.
        if each.recorded and each.call.attempt == last:
            size = tokenizer_of(each.call.model.name).prompt(each.call)
            _add_most(tally, each.call, size + quoted, each.call.attempts - last)


def _add_most(tally: Tally, call: Call, size: float, attempts: int) -> None:
    """So many attempts at a call of this size (0: it is a correction), each with its own correction where there is one,
    which shows the model its reply and the faults.
    """
    reply = _longest_reply(call)
    corrections = attempts if call.correctable else 0
    asks = attempts + corrections or call.corrective
    if not asks:
        return
    tally.most_calls += asks
    tally.most_prompt_tokens += asks * size
    if corrections:
        tally.most_prompt_tokens += corrections * (2 * reply + _LONG_CORRECTION)
    tally.most_reply_tokens += asks * reply


def _longest_reply(call: Call) -> float:
    most = most_reply_tokens(call.model)
    return math.inf if most is None else most * call.n
