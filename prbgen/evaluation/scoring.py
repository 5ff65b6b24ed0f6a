"""The course of scoring: whatever has no score yet is asked about, and each score is kept as it comes."""

from __future__ import annotations

import asyncio
import platform
import time
from collections.abc import Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field

from prbgen import __version__
from prbgen.digest import text_hash
from prbgen.errors import InterruptError
from prbgen.evaluation.journal import Journal
from prbgen.evaluation.results import Results
from prbgen.evaluation.scorers.scorer import Asked, Found, Scorer
from prbgen.evaluation.settings import ScorerSettings
from prbgen.evaluation.trial import Trial
from prbgen.llm.traffic import Traffic

# Bytes of a hash that says what the work at a place is.
_HASH = 16


@dataclass
class Tally:
    """How far scoring of `what` is, for a progress display. It `began` at so many seconds of `time.monotonic`; before
    that `stage` says what is done. There are `total` things to score, of which `known` had been scored earlier.
    """

    what: str = "pairs"
    stage: str = ""
    total: int = 0
    known: int = 0
    scored: int = 0
    unscored: int = 0
    began: float | None = None
    traffic: Traffic = field(default_factory=Traffic)

    def count(self, found: Found) -> None:
        """One more, scored or not."""
        self.unscored += found.reason is not None
        self.scored += found.reason is None


class Scoring:
    """Scores what is missing in the journal, and knows why the rest is `unscored`, by its place."""

    def __init__(
        self,
        settings: ScorerSettings,
        scorer: Scorer,
        journal: Journal,
        tally: Tally,
        *,
        last: bool = True,
        trial: Trial | None = None,
    ) -> None:
        """A failure says nothing of the model unless this is the `last` time that it is asked; `trial` is what is known
        of it so far.
        """
        self._settings = settings
        self._scorer = scorer
        self._journal = journal
        self._tally = tally
        # The work at each place; nothing but zeros where there is nothing to ask.
        self._works = bytearray()
        self._last = last
        self.unscored: dict[int, Found] = {}
        self.trial = trial or Trial(settings.name, Results(journal.path.parent).ledger, f"{tally.what} could be scored")

    async def run(self, asked: Iterable[Asked], stop: asyncio.Event) -> None:
        """Score all that is not scored yet; places ascend, also from one call to the next.

        Raises:
            PrbgenError: the model cannot be used, or failed on all of the first ones.
            InterruptError: `stop` was set.
        """
        tally, before, began = self._tally, self._journal.seconds, time.monotonic()
        tally.began = tally.began or began
        try:
            async with aclosing(self._scorer.score(self._missing(asked), stop)) as scored:
                async for found in scored:
                    self._take(found, before + time.monotonic() - began)
        except InterruptError:
            there = f"{tally.scored:,} of {tally.total:,} {tally.what} are scored ({self._journal.path})"
            raise InterruptError(f"interrupted: {there}; the same command goes on") from None
        finally:
            versions = {"python": platform.python_version(), "prbgen": __version__, **self._scorer.versions}
            self._journal.add_versions(versions)

    def found(self, place: int) -> Found:
        """What was asked about at this place came to, once all has been asked about."""
        return self._journal.get(self._work_at(place), place) or self.unscored[place]

    def _missing(self, asked: Iterable[Asked]) -> Iterator[Asked]:
        """What has not been scored yet."""
        for each in asked:
            work = self._work(each)
            self._works.extend(bytes(_HASH * each.place - len(self._works)))
            self._works += bytes.fromhex(work)
            if known := self._journal.get(work, each.place):
                self._tally.known += 1
                self._tally.count(known)
                self.trial.worked()
            else:
                yield each

    def _work_at(self, place: int) -> str:
        return self._works[_HASH * place : _HASH * (place + 1)].hex()

    def _work(self, each: Asked) -> str:
        # In the released protocol the place decides which order is asked for.
        place = str(each.place) if self._settings.protocol == "released" else ""
        return text_hash(self._scorer.fingerprint, each.message(each.most), *each.answers, place)

    def _take(self, found: Found, seconds: float) -> None:
        self._tally.count(found)
        if found.reason is None:
            self._journal.add(self._work_at(found.place), found, seconds)
            self.trial.worked()
            return
        self.unscored[found.place] = found
        if found.faulty and self._last:
            self.trial.failed(found.reason)
