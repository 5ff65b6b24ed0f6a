"""Pictures by matplotlib: the same bytes each time, ids of their own, and words for who cannot see them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from prbgen.drawing.by_matplotlib import ALONE, looking, svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _draw(figure: Figure) -> None:
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], clip_on=True)
    axes.set_title("$x_1$ 问题")


def _drawn(salt: str = "one", label: str = "a line") -> str:
    with looking():
        return svg(_draw, (3, 2), label, salt, ALONE)


@pytest.mark.filterwarnings("error::UserWarning")
def test_the_same_figure_is_the_same_text() -> None:
    assert _drawn() == _drawn()


def test_plots_of_one_page_share_no_ids_but_those_of_groups() -> None:
    ids = [set(re.findall(r'<(?:clipPath|path) id="([^"]+)"', _drawn(salt))) for salt in ("one", "two")]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_it_stands_alone_with_its_label_whatever_that_holds() -> None:
    root = ElementTree.fromstring(_drawn(label='</svg><script>"&'))
    assert root.get("aria-label") == '</svg><script>"&'


def test_text_stays_text_and_dollars_are_no_formulas() -> None:
    assert "$x_1$ 问题" in _drawn()
