"""Write rubrics and pairs as a recipe says. The same command goes on where an earlier one stopped."""

from __future__ import annotations

import argparse
import asyncio
import shutil
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.errors import InputError, InterruptError
from prbgen.recipe import LAMP_QA, SAMPLES, Recipe, load_recipe
from prbgen.run import Run, read_records, whole_file

if TYPE_CHECKING:
    from prbgen.publish.card import Origin


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`generate RECIPE [...]`."""
    parser.add_argument("recipe", metavar="RECIPE", type=Path, help="recipe.toml; `prbgen init DIR` writes one")
    parser.add_argument("--run", metavar="DIR", type=Path, help="the run folder (default: runs/NAME beside the recipe)")
    parser.add_argument("--limit", metavar="N", type=int, help="only the first N questions; 0: all")
    parser.add_argument("--subset", metavar="NAME", action="append", help="only this subset (may be repeated)")
    parser.add_argument("--ids", metavar="ID,ID|@FILE", help="only these questions; a file has one id a line")
    parser.add_argument("--strict", action="store_true", help="stop at the first faulty row instead of rejecting it")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Generate, stage the dataset, and say what came out. Returns 1 if anything was rejected."""
    path: Path = arguments.recipe
    recipe = load_recipe(path, {"source": _overrides(arguments)})
    run_folder = Run(arguments.run or path.parent / "runs" / path.stem)
    result = generate_and_stage(recipe, run_folder, beside=path.parent, strict=arguments.strict)
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(result)
    else:
        _show(result)
    return 1 if result["rejects"] or not result["pairs"] else 0


def generate_and_stage(recipe: Recipe, run: Run, *, beside: Path, strict: bool = False) -> dict[str, Any]:
    """Build the pairs of a recipe, then the dataset from them; `beside` may hold the user's own prompts and card."""
    from prbgen.cli.interrupts import run_until_interrupted
    from prbgen.cli.progress import showing
    from prbgen.generate import Tally, generate
    from prbgen.llm.ledger import Ledger
    from prbgen.llm.secrets import load_env_file
    from prbgen.llm.templates import Prompts
    from prbgen.publish.stage import stage
    from prbgen.sources import check_source
    from prbgen.terminal import stderr

    load_env_file()
    # Before anything of an earlier build is touched.
    check_source(recipe.source)
    console = stderr()
    tally = Tally()
    before = _lines(run.pairs)
    with run.locked():
        run.adopt(beside)
        with whole_file(run.recipe) as file:
            file.write(recipe.to_toml())
        prompts = Prompts(run.own("prompts"))

        async def work(stop: asyncio.Event) -> None:
            await generate(recipe, run, prompts, strict=strict, stop=stop, tally=tally)

        with showing(tally, console):
            try:
                run_until_interrupted(work, console)
            except InterruptError:
                done = tally.pairs + tally.rejects
                raise InterruptError(
                    f"interrupted after {done} questions; all replies are in {run.ledger}, the same command goes on"
                ) from None
        if tally.pairs:
            card = run.own("data_cards") / "dataset_card.md.j2"
            stage(run.pairs, run.dataset, card=card if card.is_file() else None, origin=_origin(recipe))
        else:
            shutil.rmtree(run.dataset, ignore_errors=True)
    if tally.pairs < before:
        console.print(
            f"{run.pairs} held {before} pairs and now holds {tally.pairs}; the command that made the others"
            " brings them back without a call",
            soft_wrap=True,
            markup=False,
        )
    with Ledger(run.ledger, read_only=True) as ledger:
        spent = ledger.spent()
    return {
        "run": str(run.folder),
        "pairs": tally.pairs,
        "rejects": tally.rejects,
        "reasons": _reasons(run),
        "dataset": str(run.dataset) if tally.pairs else None,
        "source": asdict(tally.source),
        "calls": asdict(tally.calls),
        "spent": [asdict(each) for each in spent],
    }


def _origin(recipe: Recipe) -> Origin:
    """Where the questions come from, as far as the name of the source tells."""
    if recipe.source.path == SAMPLES:
        return "samples"
    return "lamp-qa" if recipe.source.path in (LAMP_QA, f"hub:{LAMP_QA}") else "other"


def _overrides(arguments: argparse.Namespace) -> dict[str, Any]:
    overrides: dict[str, Any] = {}
    if arguments.limit is not None:
        overrides["limit"] = arguments.limit
    if arguments.subset:
        overrides["subsets"] = arguments.subset
    if arguments.ids is not None:
        overrides["ids"] = _ids(arguments.ids)
        if not overrides["ids"]:
            raise InputError("--ids names no question")
    return overrides


def _ids(text: str) -> list[str]:
    if not text.startswith("@"):
        return [part.strip() for part in text.split(",") if part.strip()]
    file = Path(text[1:])
    try:
        return [line.strip() for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--ids: {file}: {getattr(error, 'strerror', None) or error}") from None


def _lines(path: Path) -> int:
    if not path.is_file():
        return 0
    with path.open("rb") as file:
        return sum(1 for _ in file)


def _reasons(run: Run) -> dict[str, int]:
    from prbgen.schema import Reject

    counts = Counter(f"{each.stage}: {reason}" for each in read_records(run.rejects, Reject) for reason in each.reasons)
    return dict(counts.most_common())


def _show(result: dict[str, Any]) -> None:
    from rich.markup import escape

    from prbgen.cli.console import stdout
    from prbgen.terminal import stderr

    out, remarks = stdout(), stderr()
    for reason, count in list(result["reasons"].items())[:10]:
        remarks.print(f"[yellow]rejected {count} x[/] {escape(reason)}", soft_wrap=True)
    remarks.print(_source_line(result["source"]), soft_wrap=True)
    out.print(f"{result['pairs']} pairs, {result['rejects']} rejected")
    out.print(f"run      {escape(result['run'])}", soft_wrap=True)
    if result["dataset"]:
        out.print(f"dataset  {escape(result['dataset'])}", soft_wrap=True)
    elif not result["pairs"]:
        out.print("no pair came out, so there is no dataset")


def _source_line(source: dict[str, int]) -> str:
    parts = [f"{source['questions']} questions by {source['users']} users; {source['rejected']} faulty rows"]
    if source["own_posts_dropped"]:
        parts.append(f"{source['own_posts_dropped']} posts that repeat their own question were left out")
    if source["characters_replaced"]:
        parts.append(f"{source['characters_replaced']} characters that cannot be stored became U+FFFD")
    return "; ".join(parts)
