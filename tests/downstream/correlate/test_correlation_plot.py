"""The scatter plot: well-formed, whole, the same each time, with every model."""

from __future__ import annotations

import random
from xml.etree import ElementTree

import pytest

from prbgen.downstream.correlate.correlate import correlate
from prbgen.downstream.correlate.plot import plot
from prbgen.downstream.correlate.side import Side, told_apart
from tests.downstream.correlate.side_samples import items, scores

SVG = "{http://www.w3.org/2000/svg}"


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
