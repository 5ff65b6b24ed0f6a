"""Show what reward models bring when they choose the best of k answers, beside random choice and the judge's best."""

from __future__ import annotations

import argparse

from prbgen.cli.bon.flags import add_candidates_flag, add_data, answers_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`curve DATA [--candidates DIR] [--judge MODEL]`."""
    add_data(parser)
    add_candidates_flag(parser)
    parser.add_argument(
        "--judge", metavar="MODEL", default="", help="whose qualities count (default: the only judge's)"
    )
    parser.add_argument("--json", action="store_true", help="print curve.json")


def run(arguments: argparse.Namespace) -> int:
    """Compute the curves, write them, and show them. Returns 1 if a reward model has no point, or is not done."""
    from prbgen.cli.showing import Terminal
    from prbgen.downstream.best_of_n.curve import draw_curves, judge_of, scorers_of
    from prbgen.terminal import stderr

    answers = answers_of(arguments)
    judged_by = judge_of(answers, arguments.judge)
    unfinished = scorers_of(answers).unfinished
    with Terminal().saying("Reading ...") as say:
        curves = draw_curves(answers, judged_by, say=say)
    for folder in unfinished:
        why = "its scores are not complete, or of other answers than there are now; run `prbgen bon score` again"
        line = f"{folder}: left out, as {why}"
        stderr().print(line, markup=False, soft_wrap=True)
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(curves.model_dump(mode="json"))
    else:
        from prbgen.cli.bon.curve_table import show

        show(curves, judged_by)
    known = all(curve.points[0].quality.value is not None for curve in curves.models.values())
    return 0 if known and not unfinished else 1
