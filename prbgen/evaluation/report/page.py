"""A report as a page that opens anywhere: one file, no network; a small script sorts tables, and none is needed."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from prbgen import formatting
from prbgen.evaluation.report import wording
from prbgen.evaluation.report.boards import Board
from prbgen.evaluation.report.plots import Axis, axis_plot, interval_plot, margins_plot, tone
from prbgen.evaluation.report.report import Evaluated, Report
from prbgen.evaluation.report.scatter import parameters_plot
from prbgen.evaluation.summary import Group

_HERE = Path(__file__).parent
# More of them are sets of ids, not of kinds.
_MOST_GROUPS = 60


def render_page(report: Report) -> str:
    """The page as HTML. Equal reports give equal bytes."""
    return rendered("page.html.j2", report)


def rendered(template: str, report: Report, *folders: Path, **inputs: object) -> str:
    """A page that shows a report, by a template of these folders, which may extend "page.html.j2", or of the report's
    own; `inputs` are what else it shows.
    """
    from markupsafe import Markup

    from prbgen.pages.environment import page_environment

    environment = page_environment(*folders, _HERE)
    environment.filters.update(
        figure=formatting.number,
        signed=formatting.signed,
        ends=formatting.interval,
        chance=formatting.chance,
        parameters=wording.parameters,
        cost=wording.cost,
        outcome=wording.outcome,
        ranged=wording.ranged,
        repeat=wording.repeat,
        tone=tone,
    )
    environment.globals.update(
        axis_plot=axis_plot,
        interval_plot=interval_plot,
        margins_plot=margins_plot,
        parameters_plot=parameters_plot,
        accuracy_axis=_accuracy_axis,
        difference_axis=_difference_axis,
        breakdowns=_breakdowns,
        counted=wording.counted,
    )
    script = (_HERE / "sort.js").read_text(encoding="utf-8")
    return environment.get_template(template).render(
        report=report,
        script=Markup(script),  # noqa: S704  # our own file
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
        **inputs,
    )


def _accuracy_axis(evaluated: Evaluated, board: Board) -> Axis:
    """One for all conditions, so that their leaderboards can be compared; the upper bound has its own."""
    bound = board.condition == "oracle"
    summaries = [entry.summary for entry in evaluated.entries]
    found = [each.accuracy for each in summaries if (each.condition == "oracle") == bound]
    reach = [each.ci95 or (each.value, each.value) for each in found if each.value is not None]
    return Axis.over(reach, 0.5)


def _difference_axis(evaluated: Evaluated) -> Axis:
    gains = [gain.tested.paired.difference for contrast in evaluated.contrasts for gain in contrast.gains]
    return Axis.over([each.ci95 or (each.value, each.value) for each in gains if each.value is not None], 0.0)


def _breakdowns(evaluated: Evaluated) -> list[tuple[str, str, tuple[str, ...], int]]:
    """By what accuracies can be broken down, in words and as a field, with the names of the groups that are shown, and
    how many more there are; of one group there is nothing to say.
    """
    kinds = (
        ("subset", "by_subset"),
        ("strategy", "by_strategy"),
        ("category", "by_category"),
        ("generator", "by_generator"),
    )
    found = []
    for word, field in kinds:
        sizes: dict[str, int] = {}
        for entry in evaluated.entries:
            groups: dict[str, Group] = getattr(entry.summary, field)
            for name, group in groups.items():
                sizes[name] = max(sizes.get(name, 0), group.n)
        if len(sizes) > 1:
            names = sorted(sizes, key=lambda name: (-sizes[name], name))
            unlisted = max(entry.summary.unlisted.get(word, 0) for entry in evaluated.entries)
            found.append((word, field, tuple(names[:_MOST_GROUPS]), unlisted + len(names[_MOST_GROUPS:])))
    return found
