"""How the pairs of a run came about: attempts, checks, coverage and cost."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from statistics import fmean

from prbgen.generation.audit.results import Cost, Making
from prbgen.generation.rates import Rates
from prbgen.llm.ledger import Ledger, Spent, spent
from prbgen.run import Run, read_records
from prbgen.schema import Pair, Reject


@dataclass(frozen=True)
class MadeBy:
    """By which strategy and generator a pair was made; null: the data does not say."""

    strategy: str | None
    generator: str | None


class History:
    """What the files of a run say about the making of its pairs."""

    def __init__(self, run: Run) -> None:
        """Read pairs, rejects and ledger.

        Raises:
            InputError: one of them cannot be read.
        """
        self._rates = Rates()
        self._pairs: Counter[MadeBy] = Counter()
        self._gaps: defaultdict[MadeBy, list[float]] = defaultdict(list)
        for pair in read_records(run.pairs, Pair):
            made_by = MadeBy(pair.strategy, pair.generator)
            self._rates.add(pair)
            self._pairs[made_by] += 1
            self._gaps[made_by] += [
                each.figure for each in pair.checks if each.name == "coverage_gap" and each.figure is not None
            ]
        if run.rejects.is_file():
            for reject in read_records(run.rejects, Reject):
                self._rates.add(reject)
        self._spent: list[Spent] = []
        if run.ledger.is_file():
            with Ledger(run.ledger, read_only=True) as ledger:
                self._spent = spent(ledger)

    def making(self, made_by: MadeBy | None = None) -> Making:
        """How the pairs of one strategy and generator (null: of all) were made."""
        tried = {place: MadeBy(place.strategy, place.generator) for place in self._rates.places}
        wanted = {made_by} if made_by else {*self._pairs, *tried.values()}
        places = [place for place, made_by in tried.items() if made_by in wanted]
        attempts = self._rates.attempts(places)
        gaps = [gap for each in self._gaps if each in wanted for gap in self._gaps[each]]
        return Making(
            attempts=attempts.attempts,
            passed=attempts.passed,
            undecided=attempts.undecided,
            pass_rates={
                f"{each.check} ({each.side})" if each.side else each.check: each.rate
                for each in self._rates.checks(places)
            },
            coverage_gap=round(fmean(gaps), 4) if gaps else None,
            cost=self._cost(alone=wanted == {*self._pairs, *tried.values()}),
        )

    def _cost(self, *, alone: bool) -> Cost:
        if not alone:
            return Cost(None, "the cost of a pair is not known: strategies or generators share the calls of the run")
        known = [each.cost_usd for each in self._spent if each.cost_usd is not None]
        if not known or any(each.unpriced for each in self._spent) or not self._pairs:
            return Cost(None, "the cost of a pair is not known: the price of some calls is not")
        return Cost(round(sum(known) / self._pairs.total(), 6))
