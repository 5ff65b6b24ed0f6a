import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from prbgen.annotation.form.asked import Asked
from prbgen.annotation.form.questions import read_questions
from prbgen.annotation.form.wording import described
from prbgen.errors import InputError
from prbgen.resources import resource
from prbgen.schema import Round


def shipped(round_: Round) -> dict[str, Any]:
    return tomllib.loads((resource("annotation/questions") / f"{round_}.toml").read_text(encoding="utf-8"))


def read(tables: dict[str, Any], round_: Round = "rubric", aspects: int = 5) -> tuple[Asked, ...]:
    return read_questions(tomli_w.dumps(tables), "mine.toml", round_, aspects)


def changed(round_: Round, question: str, **values: Any) -> dict[str, Any]:
    tables = shipped(round_)
    table = next(table for table in tables["question"] if table["name"] == question)
    for key, value in values.items():
        if value is None:
            del table[key]
        else:
            table[key] = value
    return tables


@pytest.mark.parametrize(
    ("round_", "names"),
    [
        ("quality", "factuality_a relevance_a helpfulness_a factuality_b relevance_b helpfulness_b"),
        ("rubric", "covers_a covers_b adherence_a adherence_b better comment"),
        ("blind", "adherence_a adherence_b better comment"),
    ],
)
def test_the_shipped_rounds_ask_what_they_should_in_this_order(round_: Round, names: str) -> None:
    assert [asked.name for asked in read(shipped(round_), round_)] == names.split()


def test_a_question_about_each_answer_names_it() -> None:
    a, b = (one for one in read(shipped("quality"), "quality") if one.question == "relevance")
    assert (a.shown, a.title, a.unknown) == ("A", "A: relevance", 0)
    assert (b.shown, b.title) == ("B", "B: relevance")
    assert [value for value, _ in a.options] == ["0", "1", "2", "3", "4", "5"]
    assert described(b).splitlines()[:2] == ["Does answer B answer this question?", "5: all of it is to the point"]


@pytest.mark.parametrize(("aspects", "labels"), [(0, 10), (10, 10), (13, 13)])
def test_there_are_as_many_labels_as_any_pair_has_aspects_and_at_least_ten(aspects: int, labels: int) -> None:
    covers = read(shipped("rubric"), aspects=aspects)[0]
    assert [value for value, _ in covers.options] == [*map(str, range(1, labels + 1)), "none"]


@pytest.mark.parametrize(
    ("tables", "round_", "what"),
    [
        ({}, "rubric", "'question' is missing"),
        ({"question": "covers"}, "rubric", r"'question' must be tables, each with the heading [[question]]"),
        (shipped("rubric") | {"qestions": 1}, "rubric", "'qestions' is not known here; is it question?"),
        (shipped("rubric") | {"aspects": 0}, "rubric", "'aspects' must be from 1 to 499"),
        (shipped("rubric") | {"order": "A"}, "rubric", "'order' must be 'question'"),
        (
            changed("rubric", "better", titel="x"),
            "rubric",
            "question 3 ('better'): 'titel' is not known here; is it title?",
        ),
        (changed("rubric", "better", title=None), "rubric", "question 3 ('better'): 'title' is missing"),
        (changed("rubric", "better", title="  "), "rubric", "'title' is empty"),
        (changed("rubric", "better", title="x" * 501), "rubric", "'title' has 501 characters; 500 are allowed"),
        (changed("rubric", "better", kind="pick"), "rubric", "'kind' must be one of rating, aspects, choice, text"),
        (changed("rubric", "better", required="yes"), "rubric", "'required' must be true or false"),
        (changed("rubric", "better", name="adherence"), "rubric", "'name' 'adherence' is used twice"),
        (changed("rubric", "comment", name="covers_a"), "rubric", "'name' 'covers_a' is used twice"),
        (changed("rubric", "better", name="Better one"), "rubric", "'name' must be up to 40 lower-case letters"),
        (changed("rubric", "better", name="best"), "rubric", "question 'better' is missing; round rubric needs it"),
        (changed("rubric", "better", options={"A": "A", "B": "B"}), "rubric", "'options' must be A, B and equal"),
        (changed("rubric", "better", options={"A": "A", "B": "A"}), "rubric", "'options' must be two or more"),
        (changed("rubric", "better", scale={"1": "x"}), "rubric", "'scale' is not known here"),
        (changed("rubric", "covers", none=None), "rubric", "'none' is missing"),
        (changed("rubric", "covers", each_answer=False), "rubric", "must have kind = 'aspects' and each_answer = true"),
        (changed("rubric", "covers", title="Covered?"), "rubric", "'title' must have {answer}"),
        (changed("blind", "comment", kind="aspects", none="none"), "blind", "is for round rubric"),
        (
            changed("quality", "relevance", scale={"1": "bad", "11": "good"}),
            "quality",
            "has a mark '11'; marks are whole",
        ),
        (changed("quality", "relevance", scale={"1": "bad", "2.5": "good"}), "quality", "has a mark '2.5'"),
        (changed("quality", "relevance", scale={"01": "bad", "2": "good"}), "quality", "has a mark '01'"),
        (changed("quality", "relevance", scale={"1": "bad"}), "quality", "must have two marks or more"),
        (changed("quality", "relevance", scale=5), "quality", "'scale' must be a table of texts"),
        (
            changed("quality", "relevance", scale={"0": "a", "1": 7}),
            "quality",
            "relevance'), scale: '1' must be a text",
        ),
        (
            changed("quality", "relevance", scale={"0": "a", "1": "b"}),
            "quality",
            "two marks or more beside the unknown",
        ),
        (
            changed("quality", "relevance", scale={"0": "a" * 500, "1": "b" * 500}, unknown=None),
            "quality",
            "1000 characters",
        ),
        (
            changed("quality", "relevance", unknown=7),
            "quality",
            "'unknown' must be a mark of the scale: 0, 1, 2, 3, 4, 5",
        ),
        (changed("quality", "relevance", unknown=True), "quality", "'unknown' must be a whole number"),
        (
            {"question": [table | {"required": False} for table in shipped("blind")["question"]]},
            "blind",
            "no question has required = true",
        ),
    ],
)
def test_a_fault_is_named_with_what_would_be_right(tables: dict[str, Any], round_: Round, what: str) -> None:
    with pytest.raises(InputError, match=re.escape(what)) as raised:
        read(tables, round_)
    assert str(raised.value).startswith("mine.toml: ")
    assert "\n" not in str(raised.value)


def test_a_question_of_ones_own_can_be_added() -> None:
    tables = shipped("quality")
    own = {"name": "fluent", "kind": "choice", "title": "Which reads better?", "options": {"a": "A", "b": "B"}}
    tables["question"].append(own)
    fluent = read(tables, "quality")[-1]
    assert (fluent.name, fluent.shown, fluent.required) == ("fluent", None, True)


def test_what_is_no_toml_is_said_with_its_line() -> None:
    with pytest.raises(InputError, match=r"mine.toml: not a TOML file: .*line 2"):
        read_questions("[[question]]\nname == 1", "mine.toml", "blind", 5)


_anything = st.recursive(
    st.text(max_size=8) | st.integers(-3, 12) | st.booleans() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
_keys = st.sampled_from(
    ["name", "kind", "title", "description", "required", "each_answer", "scale", "unknown", "options", "none", "other"]
)


@given(st.sampled_from(range(4)), st.dictionaries(_keys, _anything, min_size=1, max_size=3))
def test_whatever_stands_in_a_table_it_is_read_or_refused_in_one_line(which: int, values: dict[str, Any]) -> None:
    tables = shipped("rubric")
    tables["question"][which] |= values
    asked: tuple[Asked, ...] = ()
    said = ""
    try:
        asked = read(tables)
    except InputError as error:
        said = str(error)
    assert "\n" not in said
    assert len({one.name for one in asked}) == len(asked)
    assert all(len(described(one)) <= 1000 and 1 <= len(one.title) <= 500 for one in asked)


def test_shipped_files_say_what_may_be_changed() -> None:
    for path in Path(resource("annotation/questions")).glob("*.toml"):
        assert path.read_text(encoding="utf-8").startswith("# What raters are asked in round")
