"""The course of an evaluation: every pair that has no score yet is asked about, and each score kept as it comes."""

from __future__ import annotations

import asyncio
import platform
import time
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import dataclass, field

from prbgen import __version__
from prbgen.digest import text_hash
from prbgen.errors import InterruptError, PrbgenError
from prbgen.evaluate.conditions.message import asked
from prbgen.evaluate.conditions.pair import SHOW_POSTS
from prbgen.evaluate.conditions.prepared import Prepared
from prbgen.evaluate.item import ScoredItem
from prbgen.evaluate.journal import Journal
from prbgen.evaluate.outcome import item_of, lacking_item, outcome_of
from prbgen.evaluate.results import Results
from prbgen.evaluate.scorers.scorer import Asked, Found, Scorer
from prbgen.evaluate.settings import Evaluation
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic

# So many pairs on which a model fails, with none scored, show that it will not come right.
TRIAL = 10
_EXAMPLES = 3


@dataclass
class Tally:
    """How far an evaluation is, for a progress display. Scoring `began` at so many seconds of `time.monotonic`; before
    that `stage` says what is done. `known` pairs had been scored earlier.
    """

    stage: str = ""
    pairs: int = 0
    known: int = 0
    wins: int = 0
    scored: int = 0
    unscored: int = 0
    began: float | None = None
    traffic: Traffic = field(default_factory=Traffic)

    def count(self, found: Found) -> None:
        """One more pair, scored or not."""
        outcome = outcome_of(found)
        self.unscored += outcome == "unscored"
        self.scored += outcome != "unscored"
        self.wins += outcome == "win"


class Scoring:
    """Scores what is missing in the journal, and knows why the rest is unscored."""

    def __init__(
        self, evaluation: Evaluation, prompts: Prompts, pairs: Prepared, scorer: Scorer, journal: Journal, tally: Tally
    ) -> None:
        self._evaluation = evaluation
        self._prompts = prompts
        self._pairs = pairs
        self._scorer = scorer
        self._journal = journal
        self._tally = tally
        # The work of each pair, in their order; null where there is nothing to ask.
        self._works: list[str | None] = []
        self._unscored: dict[int, Found] = {}
        self._failed = 0
        self._examples: dict[str, None] = {}

    async def run(self, stop: asyncio.Event) -> None:
        """Score every pair that is not scored yet.

        Raises:
            PrbgenError: the model cannot be used, or failed on all of the first pairs.
            InterruptError: `stop` was set.
        """
        tally, before = self._tally, self._journal.seconds
        tally.pairs, tally.began = self._pairs.count, time.monotonic()
        try:
            async with aclosing(self._scorer.score(self._missing(), stop)) as scored:
                async for found in scored:
                    self._take(found, before + time.monotonic() - tally.began)
        except InterruptError:
            there = f"{tally.scored:,} of {tally.pairs:,} pairs are scored ({self._journal.path})"
            raise InterruptError(f"interrupted: {there}; the same command goes on") from None
        finally:
            versions = {"python": platform.python_version(), "prbgen": __version__, **self._scorer.versions}
            self._journal.add_versions(versions)

    def items(self) -> Iterator[ScoredItem]:
        """What each pair came to, in their order, once all have been asked about."""
        for place, pair in enumerate(self._pairs):
            work = self._works[place]
            if work is None:
                yield lacking_item(pair)
                continue
            most = len(pair.posts) if self._evaluation.condition in SHOW_POSTS else 0
            yield item_of(pair, self._journal.get(work, place) or self._unscored[place], most)

    def _missing(self) -> Iterator[Asked]:
        """What has not been scored yet."""
        for place, pair in enumerate(self._pairs):
            if pair.lacking:
                self._works.append(None)
                self._tally.unscored += 1
                continue
            each = asked(place, pair, self._evaluation.condition, self._prompts)
            work = self._work(each)
            self._works.append(work)
            if known := self._journal.get(work, place):
                self._tally.known += 1
                self._tally.count(known)
            else:
                yield each

    def _work(self, each: Asked) -> str:
        # In the released protocol the place decides which order is asked for.
        place = str(each.place) if self._evaluation.scorer.protocol == "released" else ""
        return text_hash(self._scorer.fingerprint, each.message(each.most), each.chosen, each.rejected, place)

    def _take(self, found: Found, seconds: float) -> None:
        self._tally.count(found)
        if found.reason is None:
            work = self._works[found.place]
            assert work  # noqa: S101
            self._journal.add(work, found, seconds)
        else:
            self._unscored[found.place] = found
            self._give_up_if_hopeless(found.reason, faulty=found.faulty)

    def _give_up_if_hopeless(self, reason: str, *, faulty: bool) -> None:
        if not faulty or self._tally.scored:
            return
        self._failed += 1
        if len(self._examples) < _EXAMPLES:
            self._examples[reason] = None
        if self._failed >= TRIAL:
            examples, name = "; ".join(self._examples), self._evaluation.scorer.name
            kept = Results(self._journal.path.parent).ledger
            again = f" (replies are on record in {kept}: move it away to ask anew)" if kept.exists() else ""
            raise PrbgenError(f"{name}: none of {self._failed} pairs could be scored; given up, as: {examples}{again}")
