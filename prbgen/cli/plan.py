"""`prbgen validate RUN --plan`: how many pairs and raters a study needs."""

from __future__ import annotations

import argparse
from dataclasses import asdict, fields
from math import sqrt
from typing import TYPE_CHECKING

from prbgen.errors import InputError
from prbgen.run import Run
from prbgen.validation.planning import Plan, Wanted

if TYPE_CHECKING:
    from prbgen.validation.report import Figure

_FLAGS = {
    "sd": "standard deviation of chosen less rejected in general quality, in marks (that of the ratings, else {})",
    "margin": "difference in general quality that counts as none, in marks (the recipe's)",
    "power": "chance to find equal quality where it is equal ({})",
    "half_width": "how closely shares are to be known, at the 95 %% level ({})",
    "accuracy": "about what share of pairs is got right ({}, the worst case)",
    "agreement": "about what share of raters say the same ({}, the worst case)",
    "pairs_per_user": "pairs a user, on average (that of the run)",
    "icc": "how far outcomes of one user's pairs correlate ({})",
    "raters": "how many raters there are (as many as it takes)",
    "hours": "hours that a rater can give ({})",
    "seconds": "seconds an item ({})",
    "rounds": "rounds that are rated ({})",
}


def add_plan_flags(parser: argparse.ArgumentParser) -> None:
    """`--plan`, and what is wanted of it."""
    parser.add_argument("--plan", action="store_true", help="say how many pairs and raters are needed instead")
    group = parser.add_argument_group("with --plan")
    for field in fields(Wanted):
        kind = int if field.name in ("raters", "rounds") else float
        shown = _FLAGS[field.name].replace("{}", f"{field.default:g}" if field.default is not None else "")
        group.add_argument(f"--{field.name.replace('_', '-')}", metavar="N", type=kind, help=shown)


def refuse_plan_flags(arguments: argparse.Namespace) -> None:
    """Refuse what only a plan is asked for.

    Raises:
        InputError: there is such a flag.
    """
    for field in fields(Wanted):
        if getattr(arguments, field.name) is not None:
            raise InputError(f"--{field.name.replace('_', '-')} goes with --plan; thresholds stand in [validation]")


def show_plan(run: Run, arguments: argparse.Namespace) -> int:
    """Print what it takes. The power is checked by simulation."""
    from prbgen.cli.console import print_json, stdout
    from prbgen.recipe import load_recipe
    from prbgen.validation.planning import plan
    from prbgen.validation.power import simulated_power

    recipe = load_recipe(arguments.recipe or run.recipe)
    given = {field.name: value for field in fields(Wanted) if (value := getattr(arguments, field.name)) is not None}
    known = {"margin": recipe.validation.margin, "pairs_per_user": _pairs_per_user(run), **_measured(run)}
    wanted = Wanted(**known | given)
    found = plan(wanted, recipe.annotation)
    check = simulated_power(
        found.pairs_for_power,
        wanted.sd,
        wanted.margin,
        users=max(2, round(found.pairs_for_power / wanted.pairs_per_user)),
        icc=wanted.icc,
    )
    if arguments.json:
        print_json({"wanted": asdict(wanted), "plan": asdict(found), "simulated_power": check.model_dump()})
        return 0
    out = stdout()
    for line in _lines(wanted, found, check):
        out.print(line, markup=False, soft_wrap=True)
    return 0


def _pairs_per_user(run: Run) -> float:
    """Of the pairs that the run has; 1 where it has none yet."""
    from prbgen.validation.pairs import rated_pairs

    if not run.pairs.is_file():
        return 1.0
    users = [pair.user_key for pair in rated_pairs(run.pairs)]
    return len(users) / len(set(users)) if users else 1.0


def _measured(run: Run) -> dict[str, float]:
    """The standard deviation that the latest validation found; empty where there was none."""
    from scipy.stats import t

    from prbgen.validation.files import read_report

    report = read_report(run)
    gap = report.rated.quality_gap if report else None
    if report is None or gap is None or gap.ci95 is None:
        return {}
    error = (gap.ci95[1] - gap.ci95[0]) / 2 / float(t.ppf(0.975, report.rated.equivalence.users - 1))
    # As of independent pairs: how far those of a user go together is in it.
    return {"sd": error * sqrt(gap.n)}


def _lines(wanted: Wanted, found: Plan, check: Figure) -> list[str]:
    simulated = "unknown" if check.value is None or check.ci95 is None else f"{check.value:.3f}"
    within = f" ({check.ci95[0]:.3f} to {check.ci95[1]:.3f})" if check.ci95 else ""
    return [
        f"{found.pairs_for_power:,} pairs: equal quality within {wanted.margin:g} marks is found with a chance of"
        f" {wanted.power:.0%}, if chosen less rejected has a standard deviation of {wanted.sd:.2f}",
        f"    in {check.n:,} simulated studies of so many: {simulated}{within}",
        f"{found.pairs_for_accuracy:,} pairs: a reward model's accuracy of about {wanted.accuracy:g} is known within"
        f" +-{wanted.half_width:g} (95 %)",
        f"{found.pairs_for_agreement:,} pairs: agreement of about {wanted.agreement:g} is known within"
        f" +-{wanted.half_width:g} (95 %)",
        *_shared(wanted, found),
        "",
        f"for all of it: {found.pairs:,} pairs of {found.users:,} users; {found.items:,} items a round with gold and"
        f" repeated ones, {found.ratings:,} forms over {wanted.rounds} rounds",
        f"{found.raters:,} raters, {found.hours:.1f} hours each at {wanted.seconds:g} seconds an item; have more at"
        " hand, as some may be left out",
    ]


def _shared(wanted: Wanted, found: Plan) -> list[str]:
    if found.design_effect == 1:
        return []
    told = f"{wanted.pairs_per_user:.2f} pairs a user, with outcomes that correlate by {wanted.icc:g}, want"
    return [f"{told} {found.design_effect:.2f} times as many pairs (counted in)"]
