from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.publication.leaving.leaks import leak_gate, leaking_columns
from prbgen.schema import Pair, RubricAspect
from tests.publication.conftest import build_pair

Make = Callable[..., Pair]
SECRET = [f"guarded{number}" for number in range(30)]
FILLER = st.lists(st.sampled_from(["well", "so", "perhaps", "one", "two"]), max_size=10).map(" ".join)


def guarding(source: str, text: str, **columns: str) -> Pair:
    """A pair whose narrative, evidence or reason is `text`."""
    evidence, reason = (text if source == name else None for name in ("evidence", "reason"))
    aspect = RubricAspect(aspect="Short", evidence=evidence, reason=reason)
    return build_pair(0, narrative=text if source == "narrative" else None, rubric_aspects=(aspect,), **columns)


@given(
    st.sampled_from(["narrative", "evidence", "reason"]),
    st.sampled_from(["question", "chosen", "rejected"]),
    st.integers(0, 22),
    FILLER,
    FILLER,
)
def test_eight_words_are_found_wherever_they_stand_and_seven_never(
    source: str, column: str, start: int, before: str, after: str
) -> None:
    for count, expected in ((8, (column,)), (7, ())):
        planted = " ".join(SECRET[start : start + count]).upper()
        pair = guarding(source, " ".join(SECRET), **{column: f"{before}, {planted}! {after}"})
        assert leaking_columns(pair) == expected


@given(st.integers(0, 14), st.integers(0, 8), st.integers(8, 16))
def test_an_answer_may_say_what_the_question_says_and_no_more(start: int, shorter: int, count: int) -> None:
    said = SECRET[start : start + count]
    pair = guarding("evidence", " ".join(SECRET), question=" ".join(said), chosen=" ".join(said[: count - shorter]))
    assert leaking_columns(pair) == ("question",)
    longer = guarding("evidence", " ".join(SECRET), question=" ".join(said[1:]), chosen=" ".join(said))
    assert "chosen" in leaking_columns(longer)


def test_an_aspect_itself_and_the_posts_may_be_repeated(make_pair: Make) -> None:
    text = " ".join(SECRET)
    aspect = RubricAspect(aspect=text, evidence=None, reason=None)
    assert leaking_columns(make_pair(0, narrative=None, rubric_aspects=(aspect,), chosen=text)) == ()


def test_the_rubric_that_only_the_rejected_answer_had_counts_too(make_pair: Make) -> None:
    text = " ".join(SECRET)
    aspect = RubricAspect(aspect="Long", evidence=text, reason=None)
    pair = make_pair(0, rejected=text, made={"rejected_aspects": (aspect,)})
    assert leaking_columns(pair) == ("rejected",)


def test_the_gate_counts_by_column_and_names_the_first_places(make_pair: Make) -> None:
    text = " ".join(SECRET)
    leaking = [guarding("reason", text, chosen=text, question=text), *(make_pair(n, narrative=text) for n in (1, 2))]
    gate = leak_gate(iter(leaking))
    assert (gate.name, gate.state) == ("leak", "fail")
    assert gate.said == (
        "of 3 pairs some repeat 8 words in a row of a narrative, an evidence or a reason (question 1, chosen 0,"
        f" rejected 0; not counting words of the question in the answers): pair {leaking[0].pair_id} (question)"
    )
    many = [make_pair(number, narrative=text, rejected=text) for number in range(7)]
    said = leak_gate(many).said
    assert "(question 0, chosen 0, rejected 7;" in said
    assert [pair.pair_id in said for pair in many] == [True] * 5 + [False] * 2
    assert "guarded1" not in said


@pytest.mark.parametrize("count", [0, 3])
def test_nothing_repeated_passes(make_pair: Make, count: int) -> None:
    gate = leak_gate(make_pair(number) for number in range(count))
    assert (gate.name, gate.state) == ("leak", "pass")
    assert f"{count} pairs" in gate.said
