"""Write rubrics and pairs as a recipe says. The same command goes on where an earlier one stopped."""

from __future__ import annotations

import argparse
import asyncio
import shutil
from collections import Counter
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.cli.source_flags import add_source_flags, recipe_of, run_of
from prbgen.errors import InterruptError
from prbgen.llm.way import Way
from prbgen.recipe import Recipe
from prbgen.run import Run, read_records, whole_file

if TYPE_CHECKING:
    from prbgen.generate import Tally


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`generate RECIPE [...]`."""
    add_source_flags(parser)
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--batch", action="store_true", help="send the calls as provider batches, at half the price")
    way.add_argument("--replay", metavar="LEDGER", type=Path, help="build from these recorded replies, without a call")
    parser.add_argument("--strict", action="store_true", help="stop at the first faulty row instead of rejecting it")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Generate, stage the dataset, and say what came out. Returns 1 if anything was rejected or not judged."""
    from prbgen.generate.remarks import no_judge

    way = Way(batch=arguments.batch, replay=arguments.replay)
    recipe, beside = recipe_of(arguments), arguments.recipe.parent
    result = generate_and_stage(recipe, run_of(arguments), beside=beside, way=way, strict=arguments.strict)
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(result)
    else:
        _show(result, no_judge(recipe))
    return 1 if result["rejects"] or result["unjudged"] or not result["pairs"] else 0


def generate_and_stage(
    recipe: Recipe,
    run: Run,
    *,
    beside: Path,
    way: Way | None = None,
    strict: bool = False,
) -> dict[str, Any]:
    """Build the pairs of a recipe, then the dataset from them; `beside` may hold the user's own prompts and card."""
    from prbgen.cli.interrupts import run_until_interrupted
    from prbgen.cli.progress import showing
    from prbgen.generate import Tally, generate
    from prbgen.llm.budget import refuse_unknown
    from prbgen.llm.ledger import Ledger, spent
    from prbgen.llm.secrets import load_env_file
    from prbgen.llm.templates import Prompts
    from prbgen.publish.of_run import restage
    from prbgen.sources import check_source
    from prbgen.terminal import stderr

    load_env_file()
    # Before anything of an earlier build is touched.
    check_source(recipe.source)
    refuse_unknown(recipe.limits, {f"[models] {role}": model for role, model in recipe.called.items()})
    console = stderr()
    tally = Tally()
    with run.locked():
        run.adopt(beside)
        with whole_file(run.recipe) as file:
            file.write(recipe.to_toml())
        prompts = Prompts(run.own("prompts"))

        def say(remark: str) -> None:
            console.print(remark, soft_wrap=True, markup=False)

        async def work(stop: asyncio.Event) -> None:
            await generate(recipe, run, prompts, way=way or Way(), say=say, strict=strict, stop=stop, tally=tally)

        with showing(tally, console):
            try:
                run_until_interrupted(work, console)
            except InterruptError:
                raise InterruptError(_interrupted(tally, run)) from None
        pairs = _lines(run.pairs)
        if pairs:
            restage(run, recipe, partial(console.print, markup=False, soft_wrap=True))
        else:
            shutil.rmtree(run.dataset, ignore_errors=True)
    with Ledger(run.ledger, read_only=True) as ledger:
        costs = spent(ledger)
    return {
        "run": str(run.folder),
        "pairs": tally.pairs,
        "pairs_in_run": pairs,
        "rejects": tally.rejects,
        "unjudged": _unjudged(run, recipe),
        "reasons": _reasons(run, recipe),
        "dataset": str(run.dataset) if pairs else None,
        "source": asdict(tally.source),
        "calls": {"sent": tally.traffic.sent, "recorded": tally.traffic.recorded},
        "spent": [asdict(each) for each in costs],
    }


def _interrupted(tally: Tally, run: Run) -> str:
    done = f"{tally.pairs} pairs are in {run.pairs}, " if tally.pairs else ""
    batches = len(tally.traffic.batches)
    there = f"{batches} batches go on at their provider, " if batches else ""
    return f"interrupted: {done}{there}all replies are in {run.ledger}; the same command goes on"


def _lines(path: Path) -> int:
    if not path.is_file():
        return 0
    with path.open("rb") as file:
        return sum(1 for _ in file)


def _unjudged(run: Run, recipe: Recipe) -> int:
    """How many pairs of this recipe the judge could not judge, or not in all."""
    from prbgen.generate.build import variant
    from prbgen.generate.judge import JUDGE_CHECKS
    from prbgen.schema import Pair

    if recipe.judge is None or not run.pairs.is_file():
        return 0
    ours = (each for each in read_records(run.pairs, Pair) if (each.strategy, each.generator) == variant(recipe))
    return sum(any(each.outcome == "unknown" and each.name in JUDGE_CHECKS for each in pair.checks) for pair in ours)


def _reasons(run: Run, recipe: Recipe) -> dict[str, int]:
    """Why items of this recipe were rejected, the most frequent first."""
    from prbgen.generate.build import variant
    from prbgen.schema import Reject

    ours = ((None, None), variant(recipe))
    rejects = [each for each in read_records(run.rejects, Reject) if (each.strategy, each.generator) in ours]
    counts = Counter(f"{each.stage}: {reason}" for each in rejects for reason in each.reasons)
    return dict(counts.most_common())


def _show(result: dict[str, Any], remark: str | None) -> None:
    from rich.markup import escape

    from prbgen.cli.console import stdout
    from prbgen.terminal import stderr

    out, remarks = stdout(), stderr()
    for reason, count in list(result["reasons"].items())[:10]:
        remarks.print(f"[yellow]rejected {count} x[/] {escape(reason)}", soft_wrap=True)
    remarks.print(_source_line(result["source"]), soft_wrap=True)
    if remark:
        remarks.print(remark, soft_wrap=True, markup=False)
    if result["unjudged"]:
        what = "could not be judged in all: those checks are unknown in pairs.jsonl, with the reason"
        remarks.print(f"{result['unjudged']} of {result['pairs']} pairs {what}", soft_wrap=True, markup=False)
    beside = f" ({more} more in the run)" if (more := result["pairs_in_run"] - result["pairs"]) > 0 else ""
    out.print(f"{result['pairs']} pairs, {result['rejects']} rejected{beside}")
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
