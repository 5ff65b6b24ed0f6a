"""What a recipe would ask for: `prbgen estimate`."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.api.display import QUIET, Display
from prbgen.api.given import Place
from prbgen.api.recipes import beside, recipe_of, run_of
from prbgen.generation.estimate import Estimate
from prbgen.recipe import Recipe

if TYPE_CHECKING:
    from prbgen.sources import SourceReport


@dataclass(frozen=True)
class Estimated(Estimate):
    """An estimate, what it rests on (`assumptions`), and what to know before money is spent (`remarks`).

    `run`: the run that would go on, null where it has not begun. `batch`: by the price of providers' batches.
    """

    batch: bool
    run: Path | None
    assumptions: tuple[str, ...]
    remarks: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """What JSON can hold: what `prbgen estimate --json` prints."""
        return asdict(self) | {"run": str(self.run) if self.run else None}


def estimate(
    recipe: Recipe | Place,
    *,
    run: Place | None = None,
    limit: int | None = None,
    subset: str | Iterable[str] | None = None,
    ids: str | Iterable[str] | None = None,
    batch: bool = False,
    display: Display = QUIET,
) -> Estimated:
    """Count what `generate` would ask for: calls, tokens and USD. Nothing is sent or written, no key is needed.

    Args:
        recipe: recipe.toml, or a recipe.
        run: The run folder (runs/NAME beside the recipe's file); what it has on record costs nothing more.
        limit: Only the first so many questions, 0: all (what the recipe says).
        subset: Only this subset, or these.
        ids: Only these questions: ids, or "ID,ID", or "@FILE" with one a line.
        batch: By the price of providers' batches, which is half.
        display: Is told how it goes.

    Raises:
        InputError: recipe, source or settings are wrong.
        PrbgenError: something else cannot be used.
    """
    from prbgen.api.running import run_at_once
    from prbgen.generation.estimate import estimate as counted
    from prbgen.generation.remarks import assumptions, no_judge, partial_judge, remarks
    from prbgen.llm.ledger import Ledger, committed
    from prbgen.llm.templates import Prompts
    from prbgen.sources import SourceReport

    resolved, folder = recipe_of(recipe, limit=limit, subset=subset, ids=ids), run_of(recipe, run)
    begun, report = folder.ledger.is_file(), SourceReport()

    async def work() -> tuple[Estimate, tuple[int, float]]:
        with Ledger(folder.ledger, read_only=True) if begun else nullcontext() as ledger:
            # The run takes over what lies beside the recipe, and that alone.
            prompts = Prompts(beside(recipe, folder) / "prompts")
            found = await counted(resolved, prompts, ledger, batch=batch, report=report)
            return found, committed(ledger) if ledger else (0, 0.0)

    with display.progress(lambda: _progress(report)):
        found, before = run_at_once(work)
    told = [*filter(None, (partial_judge(resolved), no_judge(resolved))), *remarks(found, resolved.limits, before)]
    return Estimated(
        **vars(found),
        batch=batch,
        run=folder.folder if begun else None,
        assumptions=tuple(assumptions(found)),
        remarks=tuple(told),
    )


def _progress(report: SourceReport) -> str:
    return f"{report.questions:,} questions counted" if report.questions else "Reading the source ..."
