from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.image
import pytest

from prbgen.publication.plots import Plot, draw_plots
from tests.publication.reports import UNKNOWN, build_agreement, build_report, build_validation, build_verdict

WORDS = ({80: 3, 96: 1}, {90: 4})


def drawn(folder: Path, **fields: Any) -> dict[str, str]:
    folder.mkdir(exist_ok=True)
    plots = draw_plots(folder, WORDS, build_validation([], **fields) if fields else None)
    return {plot.file: plot.alt for plot in plots}


def test_without_ratings_there_are_the_words_alone(tmp_path: Path) -> None:
    assert draw_plots(tmp_path, WORDS, None) == (
        Plot("plots/words.png", "Histogram of lengths: on average 84.0 words in chosen, 90.0 in rejected answers"),
    )
    assert [path.name for path in (tmp_path / "plots").iterdir()] == ["words.png"]


def test_every_plot_is_a_picture_and_its_words_say_what_it_shows(tmp_path: Path) -> None:
    verdicts = {
        "p": build_verdict("p"),
        "q": build_verdict("q", validated=False, quality_rejected=3.5, adherence_rejected=4.5),
    }
    plots = drawn(tmp_path, verdicts=verdicts)
    assert {file: alt for file, alt in plots.items() if file != "plots/words.png"} == {
        "plots/agreement.png": "Krippendorff's alpha by round and question: quality: factuality 0.61 (0.51 to 0.71)",
        "plots/quality.png": (
            "General quality, chosen less rejected: mean 0.75 over the 2 rated pairs,"
            " mean 0.50 over the 1 validated ones"
        ),
        "plots/adherence.png": (
            "Adherence to the rubric, chosen less rejected: mean 1.25 over the 2 rated pairs,"
            " mean 2.50 over the 1 validated ones"
        ),
    }
    for file in plots:
        picture = matplotlib.image.imread(tmp_path / file)
        assert picture.shape[1] > 800
        assert picture.min() < 0.5 < picture.max()


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"quality_chosen": None}, "plots/quality.png"),
        ({"adherence_rejected": None}, "plots/adherence.png"),
    ],
)
def test_what_nobody_rated_is_not_drawn(tmp_path: Path, changes: dict[str, None], missing: str) -> None:
    plots = drawn(tmp_path, verdicts={"p": build_verdict("p", **changes)})
    assert missing not in plots
    assert len(plots) == 3


def test_agreement_that_is_not_known_is_not_drawn(tmp_path: Path) -> None:
    each = build_agreement().counted
    unknown = build_agreement(counted=each.model_copy(update={"alpha": UNKNOWN}))
    known = build_agreement(question="Ясность $x$ 明确", counted=each.model_copy(update={"alpha": each.alpha}))
    assert "plots/agreement.png" not in drawn(tmp_path / "a", report=build_report(agreement=(unknown,)))
    both = drawn(tmp_path / "b", report=build_report(agreement=(unknown, known)))
    assert "factuality" not in both["plots/agreement.png"]
    assert "Ясность $x$ 明确" in both["plots/agreement.png"]


def test_the_same_data_gives_the_same_bytes_and_other_data_others(tmp_path: Path) -> None:
    for name, quality in (("one", 4.0), ("two", 4.0), ("other", 2.0)):
        drawn(tmp_path / name, verdicts={"p": build_verdict("p", quality_rejected=quality)})
    pictures = [(tmp_path / name / "plots/quality.png").read_bytes() for name in ("one", "two", "other")]
    assert pictures[0] == pictures[1] != pictures[2]
