"""What a reward model is told of the asker."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from prbgen.errors import InputError
from prbgen.evaluation.conditions.message import asked, message
from prbgen.evaluation.conditions.pair import PreparedPair
from prbgen.evaluation.settings import CONDITIONS, Condition
from prbgen.llm.templates import Prompts
from prbgen.schema import Post, PreferencePair, RubricAspect
from tests.evaluation.asking_rows import pair_row

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ["{{ x }}", " \n", "[1] {number}"]
)
FILLED = TEXT.filter(str.strip)


def preference(row: dict[str, Any]) -> PreferencePair:
    return PreferencePair.model_validate({"subset": "s", "split": ""} | row)


def prepared_pair(**changes: Any) -> PreparedPair:
    return PreparedPair.of(preference(pair_row(0)), "none", 0).model_copy(update=changes)


def posts(*texts: str) -> tuple[Post, ...]:
    return tuple(Post(category=None, id=str(at), text=text) for at, text in enumerate(texts))


@given(
    question=FILLED,
    texts=st.none() | st.lists(TEXT, max_size=4),
    aspects=st.lists(FILLED, min_size=1, max_size=3),
    most=st.integers(0, 5),
)
@example(question=" a\r\nb\n\n", texts=["\n", "", " x\n"], aspects=[" one\n", "\ttwo"], most=3)
def test_its_words_are_those_of_the_published_script(
    script: ModuleType, prompts: Prompts, question: str, texts: list[str] | None, aspects: list[str], most: int
) -> None:
    profile = None if texts is None else [{"category": None, "id": "p", "text": text} for text in texts]
    rubric = [{"aspect": aspect, "evidence": None, "reason": None} for aspect in aspects]
    row = pair_row(0, question=question, profile=profile, rubric_aspects=rubric)
    conditions: tuple[Condition, ...] = ("none", "profile", "oracle")
    for condition in conditions:
        pair = PreparedPair.of(preference(row), condition, most)
        assert message(pair, condition, most, prompts) == script.user_message(row, condition, most)


@given(texts=st.lists(FILLED, max_size=4), most=st.integers(0, 4))
def test_a_strangers_posts_and_an_inferred_rubric_are_told_in_the_same_words(
    script: ModuleType, prompts: Prompts, texts: list[str], most: int
) -> None:
    row = pair_row(0, profile=[{"text": text} for text in texts])
    shuffled = prepared_pair(posts=posts(*texts))
    assert message(shuffled, "shuffled", most, prompts) == script.user_message(row, "profile", most)
    planned = prepared_pair(aspects=tuple(texts) or ("one",))
    row["rubric_aspects"] = [{"aspect": aspect} for aspect in planned.aspects or ()]
    assert message(planned, "planner", most, prompts) == script.user_message(row, "oracle", most)


MARKS = [f"{word}-{number}" for word in ("NARRATIVE", "ASPECT", "EVIDENCE", "REASON") for number in range(2)]


@given(
    question=FILLED,
    texts=st.lists(TEXT, max_size=3),
    marks=st.permutations(MARKS),
    condition=st.sampled_from(CONDITIONS),
    most=st.integers(0, 3),
)
def test_the_scoring_standard_is_told_under_oracle_alone_and_there_no_more_than_the_aspects(
    prompts: Prompts, question: str, texts: list[str], marks: list[str], condition: Condition, most: int
) -> None:
    narrative, *rest = marks
    gold = tuple(
        RubricAspect(aspect=aspect, evidence=evidence, reason=reason)
        for aspect, evidence, reason in zip(rest[0::3], rest[1::3], rest[2::3], strict=False)
    )
    row = pair_row(0, question=question, rubric_aspects=None, narrative=narrative, profile=posts(*texts))
    pair = preference(row).model_copy(update={"rubric_aspects": gold})
    kept = PreparedPair.of(pair, condition, most)
    everything = kept.model_dump_json() + message(kept, condition, most, prompts)
    allowed = {each.aspect for each in gold} if condition == "oracle" else set()
    assert {mark for mark in MARKS if mark in everything} == allowed


def test_a_condition_says_what_it_is_about_and_nothing_of_the_others(prompts: Prompts) -> None:
    pair = prepared_pair(posts=posts("I bake."), aspects=("No eggs",))
    told = {condition: message(pair, condition, 1, prompts) for condition in CONDITIONS}
    assert told["none"] == pair.question
    assert told["profile"] == told["shuffled"]
    assert told["planner"] == told["oracle"]
    assert ("I bake." in told["profile"], "No eggs" in told["profile"]) == (True, False)
    assert ("I bake." in told["oracle"], "No eggs" in told["oracle"]) == (False, True)


def test_a_scorer_can_ask_for_any_number_of_posts(prompts: Prompts) -> None:
    pair = prepared_pair(posts=posts("one", "two"))
    ask = asked(7, pair, "profile", prompts)
    assert (ask.place, ask.item, ask.answers, ask.most) == (7, "p0", (pair.chosen, pair.rejected), 2)
    assert [("[1] one" in ask.message(n), "[2] two" in ask.message(n)) for n in range(3)] == [
        (False, False),
        (True, False),
        (True, True),
    ]
    assert [asked(0, pair, condition, prompts).most for condition in CONDITIONS] == [0, 2, 0, 2, 0]
    assert asked(0, prepared_pair(pair_id=None), "none", prompts).item == "s/q0"


def test_a_template_of_the_user_is_used_and_refused_where_it_has_words_that_no_reward_model_takes(
    tmp_path: Path,
) -> None:
    own = tmp_path / "asker.j2"
    own.write_text("{% block user %}Q: {{ question }}{% endblock %}")
    assert message(prepared_pair(), "none", 0, Prompts(tmp_path)) == "Q: What now, number 0?"
    own.write_text("{% block system %}Be fair.{% endblock %}{% block user %}Q{% endblock %}")
    with pytest.raises(InputError, match=r"^prompts/asker.j2: has a block named system, which reward models do not"):
        message(prepared_pair(), "none", 0, Prompts(tmp_path))
