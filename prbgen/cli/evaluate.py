"""How often does a reward model prefer the answer that suits this person? Scores every pair of a dataset.

A scorer is scalar:MODEL (a transformers sequence classifier: Hub id or folder), judge:MODEL (an LLM that compares two
answers, in both orders), rate:MODEL (an LLM that gives an answer 0 to 10), http:URL (a reward server) or pooling:MODEL
(a vLLM server, with --api-base). What has been scored is kept, and the same command goes on.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.cli.evaluate_flags import add_evaluate_flags, evaluation_of
from prbgen.cli.scoring_line import scoring_line

if TYPE_CHECKING:
    from prbgen.evaluate.evaluate import PairTally
    from prbgen.evaluate.results import Results
    from prbgen.evaluate.settings import Evaluation
    from prbgen.evaluate.summary import Summary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`evaluate DATA --scorer KIND:MODEL --condition C [...]`."""
    add_evaluate_flags(parser)
    default = "for items.jsonl and summary.json (default: results/DATA/KIND-MODEL-CONDITION)"
    parser.add_argument("--out", metavar="DIR", type=Path, help=default)
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Evaluate and show the figures. Returns 1 if not every pair could be scored."""
    from prbgen.evaluate.results import Results

    evaluation, folder = evaluation_of(arguments)
    results = Results(folder)
    _warn_of_unvalidated(arguments.data)
    summary = _evaluated(evaluation, results, arguments.prompts)
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(summary.model_dump(mode="json"))
    else:
        from prbgen.cli.evaluate_tables import show

        show(summary, results)
    return 1 if summary.unscored else 0


def _warn_of_unvalidated(data: str) -> None:
    from prbgen.run import Run
    from prbgen.terminal import stderr

    run = Run(Path(data))
    if run.recipe.is_file() and run.pairs.is_file():
        what = f"{data} is a run: all its pairs are evaluated, whether people have validated them or not"
        stderr().print(f"{what} (what they have is in {run.dataset})", markup=False, soft_wrap=True)


def _evaluated(evaluation: Evaluation, results: Results, own_prompts: Path | None) -> Summary:
    from prbgen.cli.working import Say, worked
    from prbgen.evaluate.evaluate import PairTally, evaluate
    from prbgen.llm.templates import Prompts

    tally, prompts = PairTally(), Prompts(own_prompts)

    async def work(stop: asyncio.Event, say: Say) -> Summary:
        return await evaluate(evaluation, results, prompts, stop=stop, tally=tally, say=say)

    return worked(work, lambda: _progress(tally))


def _progress(tally: PairTally) -> str:
    so_far = [f"accuracy so far {tally.wins / tally.scored:.3f}"] if tally.scored else []
    return scoring_line(tally, *so_far)
