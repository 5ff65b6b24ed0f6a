"""How a run gets the replies that are not on record yet: asked now, with a provider's batches, or never."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.errors import InputError
from prbgen.llm.budget import Budget
from prbgen.llm.ledger import Ledger, committed, on_the_way
from prbgen.llm.route import Route
from prbgen.llm.traffic import Traffic
from prbgen.recipe import LimitSettings

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster


@dataclass(frozen=True)
class Way:
    """`batch`: with provider batches, at half the price. `replay`: from another ledger alone, and nothing is sent.
    `cluster`: calls that go out at once do so from its workers.
    """

    batch: bool = False
    replay: Path | None = None
    cluster: Cluster | None = None

    def open(self, ledger: Ledger, limits: LimitSettings, *, stop: asyncio.Event, traffic: Traffic) -> Route:
        """The route of a run.

        Raises:
            InputError: the ledger to replay cannot be read, or calls would be paid for that are with a batch already.
        """
        if self.replay:
            if ledger.query("SELECT 1 FROM attempts LIMIT 1"):
                raise InputError(
                    f"{ledger.path.parent}: has calls of its own; name a new folder for the replay with --run"
                )
            from prbgen.llm.replay import Replayed

            return Replayed(self.replay, traffic)
        budget = Budget(limits, *committed(ledger))
        if self.batch:
            from prbgen.llm.batch import Batched

            folder = ledger.path.with_name("batches")
            return Batched(ledger, folder, stop=stop, budget=budget, traffic=traffic)
        if posted := on_the_way(ledger):
            raise InputError(f"{posted} calls of this run are with a provider's batches: add --batch to collect them")
        from prbgen.llm.online import Online

        return Online(ledger, limits, stop=stop, budget=budget, traffic=traffic, cluster=self.cluster)
