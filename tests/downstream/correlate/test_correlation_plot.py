"""The scatter plot: well-formed, whole, the same each time, with names that cover no point and no other name."""

from __future__ import annotations

import random
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.downstream.correlate.axes import Scale
from prbgen.downstream.correlate.correlate import correlate
from prbgen.downstream.correlate.labels import Box, placed, width
from prbgen.downstream.correlate.plot import plot
from prbgen.downstream.correlate.side import Side, told_apart
from tests.downstream.correlate.side_samples import items, scores

SVG = "{http://www.w3.org/2000/svg}"
FIELD = Box(84, 696, 56, 386)


def texts(drawn: str) -> list[str]:
    return ["".join(each.itertext()) for each in ElementTree.fromstring(drawn).iter(f"{SVG}text")]


@pytest.mark.parametrize("n", [2, 5, 14, 15, 40])
def test_every_model_has_a_point_and_a_name(n: int) -> None:
    luck = random.Random(n)
    values = {f"scalar:organisation/Reward-Model-{at}-8B": luck.gauss(0.6, 0.1) for at in range(n)}
    other = {name: value + luck.gauss(0, 0.05) for name, value in values.items()}
    found = correlate([Side.of_scores("a", values)], [Side.of_scores("d", other)]).comparisons
    drawn = plot(found)
    assert len(list(ElementTree.fromstring(drawn).iter(f"{SVG}circle"))) == n
    assert set(values) <= set(texts(drawn))
    assert plot(found) == drawn


def test_intervals_are_drawn_both_ways() -> None:
    sides = items("a", [0.2, 0.5, 0.8]), items("d", [0.1, 0.3, 0.9], seed=1)
    drawn = plot(correlate([sides[0]], [sides[1]], resamples=100).comparisons)
    lines = [each for each in ElementTree.fromstring(drawn).iter(f"{SVG}line") if each.get("class") == "reach"]
    assert len(lines) == 6
    assert sum(line.get("x1") == line.get("x2") for line in lines) == 3


def test_names_are_data_and_nothing_else() -> None:
    values = {'scalar:<script>alert("x")</script>': 1.0, "scalar:a&b": 2.0}
    drawn = plot(correlate([Side.of_scores("<a>", values)], [Side.of_scores("&d", values)]).comparisons)
    assert "<script" not in drawn
    assert set(values) <= set(texts(drawn))


def test_a_label_with_signs_that_no_xml_holds_is_still_drawn() -> None:
    (side,) = told_apart([Side.of_scores("a\x00\x1b[31m\ud800", {"x": 1.0, "y": 2.0})])
    plot(correlate([side], [side]).comparisons).encode()
    ElementTree.fromstring(plot(correlate([side], [side]).comparisons))


def test_constant_scores_are_drawn_too() -> None:
    assert "–" in plot(correlate([scores("a", [1, 1])], [scores("d", [1, 2])]).comparisons)


def test_each_comparison_has_its_panel() -> None:
    found = correlate([scores("a", [1, 2]), scores("b", [2, 1])], [scores("d", [1, 2])])
    assert sum(text.startswith("Spearman") for text in texts(plot(found.comparisons))) == 2


@given(
    st.lists(
        st.tuples(st.floats(84, 696), st.floats(56, 386), st.integers(1, 44)), min_size=1, max_size=14
    )
)  # fmt: skip
def test_names_lie_in_the_field_and_over_no_point_and_no_other_name(drawn: list[tuple[float, float, int]]) -> None:
    points, names = [(x, y) for x, y, _ in drawn], ["x" * letters for *_, letters in drawn]
    found = placed(names, points, FIELD)
    if found is None:
        return
    assert sorted(each.name for each in found) == sorted(names)
    boxes = []
    for each in found:
        left = each.x if each.anchor == "start" else each.x - width(each.name)
        # A little less than all of it: the base line is where letters end.
        boxes.append(Box(left, left + width(each.name), each.y - 10, each.y + 3))
    for place, box in enumerate(boxes):
        assert box.within(FIELD)
        assert not any(box.meets(other) for other in boxes[:place])
        assert not any(box.left < x < box.right and box.top < y < box.bottom for x, y in points)


@given(st.lists(st.floats(-1e100, 1e100), min_size=1, max_size=5), st.booleans())
def test_axes_have_a_few_ticks_that_differ_whatever_the_scores(values: list[float], tiny: bool) -> None:
    if tiny:
        values = [1 + value / 1e108 for value in values]
    scale = Scale.over(values, 0, 100)
    ticks = list(scale.ticks())
    assert 1 <= len(ticks) <= 8
    assert all(-1e-6 <= at <= 100 + 1e-6 for at, _ in ticks)
    assert len({text for _, text in ticks}) == len(ticks)
    assert all(0 <= scale.at(value) <= 100 for value in values)
