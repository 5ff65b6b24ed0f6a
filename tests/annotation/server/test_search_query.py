"""What people type into the search box."""

import pytest
from embedded_argilla.query import MOST_TERMS, Either, Every, Query, Term, Without, looked_for, parse
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("tofu", Term("tofu")),
        ("tofu rice", Every((Term("tofu"), Term("rice")))),
        ("+tofu +rice", Every((Term("tofu"), Term("rice")))),
        ("tofu | rice", Either((Term("tofu"), Term("rice")))),
        ("a b | c", Either((Every((Term("a"), Term("b"))), Term("c")))),
        ("a (b | c)", Every((Term("a"), Either((Term("b"), Term("c")))))),
        ('"brown rice" -tofu', Every((Term("brown rice"), Without(Term("tofu"))))),
        ("-(a | b)", Without(Either((Term("a"), Term("b"))))),
        ("--a", Term("a")),
        ("ric*", Term("ric", prefix=True)),
        ('"ric*"', Term("ric")),
        ("well-known", Term("well-known")),
        ("C++ 5-10", Every((Term("C++"), Term("5-10")))),
        ('"never closed', Term("never closed")),
        (") a ( b", Every((Term("a"), Term("b")))),
        ("| a |", Term("a")),
        ("", None),
        ("? ! _ - ()", None),
        ("豆腐 🙂", Term("豆腐")),
    ],
)
def test_a_query_is_understood(text: str, query: Query | None) -> None:
    assert parse(text) == query


words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)
queries = st.recursive(
    words.map(Term),
    lambda parts: (
        parts.filter(lambda part: not isinstance(part, Without)).map(Without)
        | st.lists(parts, min_size=2, max_size=3).map(lambda several: Every(tuple(several)))
        | st.lists(parts, min_size=2, max_size=3).map(lambda several: Either(tuple(several)))
    ),
    max_leaves=8,
)


def _written(query: Query) -> str:
    match query:
        case Term(text):
            return text
        case Without(part):
            return f"-({_written(part)})"
        case Every(parts):
            return "(" + " ".join(map(_written, parts)) + ")"
        case Either(parts):
            return "(" + "|".join(map(_written, parts)) + ")"


@given(queries)
def test_a_query_written_out_is_read_as_itself(query: Query) -> None:
    assert parse(_written(query)) == query


@given(st.text() | st.text('()|-+"* a'))
def test_nothing_typed_is_an_error(text: str) -> None:
    query = parse(text)
    assert query is None or all(term.text for term in looked_for(query))


def test_a_monstrous_query_is_cut_not_refused() -> None:
    assert len(list(looked_for(parse("word " * 5_000) or Term("none")))) == MOST_TERMS
    assert parse("(" * 5_000 + "word") is not None
