"""What posted calls may take and did take, and which of them are not to be posted again."""

from __future__ import annotations

from collections import Counter

from prbgen.errors import ModelError, PrbgenError
from prbgen.llm.batch.record import Settled
from prbgen.llm.budget import Budget, taken
from prbgen.llm.model import FATAL, MAYBE_BILLED, RETRYABLE
from prbgen.llm.prices import AtMost
from prbgen.llm.route import UnansweredError
from prbgen.llm.traffic import Traffic

# So often a call is posted again whose fault may pass.
MOST_REPEATS = 3


class Accounts:
    """The balance of one process. `short` is the budget's error where a call did not fit into it."""

    def __init__(self, budget: Budget, traffic: Traffic) -> None:
        self.short: PrbgenError | None = None
        self.fault: PrbgenError | None = None
        self._budget = budget
        self._traffic = traffic
        self._failed: dict[str, tuple[str, int]] = {}
        self._repeats: Counter[str] = Counter()

    def refuse_failed(self, key: str) -> None:
        """Refuse a call that failed for good.

        Raises:
            UnansweredError: it did.
        """
        if key in self._failed:
            raise UnansweredError(*self._failed[key])

    def take(self, bound: AtMost) -> bool:
        """Take out of the budget what a call may take at most; whether it fits in now."""
        if self._budget.take(bound):
            return True
        # What is on its way may turn out to take less.
        self.short = self._budget.used_up(bound)
        return False

    def settle(self, settled: list[Settled]) -> None:
        """Count what came of calls, and note which are not to be posted again."""
        self.give_back(settled)
        for each in settled:
            result = each.result
            self._traffic.usd += result.cost_usd or 0
            if result.reply is not None:
                continue
            kind = result.outcome.replace("_", " ")
            if result.outcome in FATAL:
                self.fault = self.fault or ModelError(f"{each.model} cannot be used ({kind}): {result.error}")
            self._repeats[each.key] += 1
            if (result.outcome not in RETRYABLE and result.outcome != "lost") or self._repeats[each.key] > MOST_REPEATS:
                self._failed[each.key] = f"no reply ({kind}): {result.error}", self._repeats[each.key]

    def give_back(self, settled: list[Settled]) -> None:
        """Give back to the budget what calls did not take."""
        for each in settled:
            outcome = each.result.outcome
            maybe_billed = outcome in MAYBE_BILLED or (outcome == "lost" and each.taken)
            self._budget.correct(each.at_most, taken(each.result, each.at_most, maybe_billed=maybe_billed))
