"""What a reward model is asked about together, and what each candidate scores then."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.downstream.best_of_n.groups import groups, scores_of
from prbgen.evaluation.scorers.scorer import Found
from prbgen.evaluation.settings import Kind

TEXTS = st.lists(st.one_of(st.none(), st.sampled_from("abcdefgh")), max_size=12)
WHOLE = ("scalar", "http", "pooling")


def distinct(texts: list[str | None]) -> list[str]:
    return [text for text in dict.fromkeys(texts) if text is not None]


@given(TEXTS)
@pytest.mark.parametrize("kind", WHOLE)
def test_all_answers_are_asked_about_at_once_equal_ones_once(kind: Kind, texts: list[str | None]) -> None:
    asked = groups(kind, texts, 4)
    assert [[texts[place] for place in group.places] for group in asked] == ([distinct(texts)] if any(texts) else [])


@given(TEXTS)
def test_an_llm_that_rates_is_asked_about_each_answer(texts: list[str | None]) -> None:
    assert [[texts[place] for place in group.places] for group in groups("rate", texts, 4)] == [
        [each] for each in distinct(texts)
    ]


@given(TEXTS, st.sampled_from((2, 4, 6, 20)))
def test_a_judge_compares_each_answer_with_as_many_others_as_was_said_or_with_all(
    texts: list[str | None], opponents: int
) -> None:
    asked = [tuple(texts[place] for place in group.places) for group in groups("judge", texts, opponents)]
    assert len({frozenset(pair) for pair in asked}) == len(asked)
    assert all(len(set(pair)) == 2 for pair in asked)
    met = Counter(text for pair in asked for text in pair)
    there = distinct(texts)
    assert all(met[text] == min(opponents, len(there) - 1) for text in there)


@given(TEXTS)
@pytest.mark.parametrize("kind", [*WHOLE, "rate"])
def test_every_answer_gets_its_own_score_and_equal_ones_the_same(kind: Kind, texts: list[str | None]) -> None:
    asked = groups(kind, texts, 4)
    found = [
        Found(at, 0, tuple(float(ord(texts[place] or "")) for place in group.places)) for at, group in enumerate(asked)
    ]
    scores, reasons = scores_of(kind, texts, asked, found)
    assert scores == tuple(None if text is None else float(ord(text)) for text in texts)
    assert reasons == (None,) * len(texts)


@given(TEXTS)
def test_a_judge_that_knows_an_order_ranks_by_it(texts: list[str | None]) -> None:
    asked = groups("judge", texts, 20)
    found = []
    for at, group in enumerate(asked):
        first, second = (texts[place] or "" for place in group.places)
        found.append(Found(at, 0, verdict_ab="A" if first > second else "B", verdict_ba="B" if first > second else "A"))
    scores, reasons = scores_of("judge", texts, asked, found)
    there = sorted(distinct(texts))
    for text, score, reason in zip(texts, scores, reasons, strict=True):
        if text is None:
            assert (score, reason) == (None, None)
        elif len(there) == 1:
            assert (score, reason) == (None, "there is no other answer to compare with")
        else:
            assert score == pytest.approx(there.index(text) / (len(there) - 1))


def test_orders_that_disagree_are_half_a_point_each() -> None:
    asked = groups("judge", ["a", "b"], 4)
    assert scores_of("judge", ["a", "b"], asked, [Found(0, 0, verdict_ab="A", verdict_ba="A")]) == (
        (0.5, 0.5),
        (None, None),
    )


@given(st.lists(st.sampled_from("abcdef"), min_size=3, max_size=6, unique=True), st.data())
def test_what_failed_leaves_its_answers_without_a_score_and_says_why(texts: list[str], data: st.DataObject) -> None:
    for kind in ("scalar", "rate", "judge"):
        asked = groups(kind, texts, 20)
        broken = data.draw(st.integers(0, len(asked) - 1))
        found = [
            Found(at, 0, reason="no reply", faulty=True)
            if at == broken
            else Found(at, 0, verdict_ab="A", verdict_ba="B")
            if kind == "judge"
            else Found(at, 0, (1.0,) * len(group.places))
            for at, group in enumerate(asked)
        ]
        scores, reasons = scores_of(kind, list(texts), asked, found)
        hit = set(asked[broken].places)
        assert {place for place, score in enumerate(scores) if score is None} == hit
        assert {place for place, reason in enumerate(reasons) if reason == "no reply"} == hit
