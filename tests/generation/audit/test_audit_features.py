import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.generation.audit.features import FEATURES, MODEL_CALLS, feature_differences, features
from tests.generation.audit.made_up import pair, turned_round

ANY_TEXT = st.one_of(
    st.text(st.characters(codec=None, exclude_categories=())),  # with lone surrogates
    st.text(st.sampled_from("aI' .,!?-–—*#1)\n\"’…私。？🍞_\u200d")),
)


def of(text: str, name: str) -> float:
    return dict(zip(FEATURES, features(text), strict=True))[name]


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("words", "A well-known route of 1,000 km.", 6),
        ("words", "私は犬", 3),
        ("characters", "ab c", 4),
        ("sentences", 'Stop! "Why?" he asked. It is 3.5 km', 3),
        ("sentences", "no end mark", 1),
        ("sentences", "犬です。猫？", 2),
        ("words a sentence", "One two three. Four.", 2),
        ("words a sentence", "", 0),
        ("paragraphs", "One\nline\n\nTwo\n \n\nThree\n", 3),
        ("list items", "Buy:\n- milk\n* eggs\n  1. bread\n2) jam\na) tea\n-no\n3.5 km", 5),
        ("headings", "# One\n## Two\n#no\ntext # no", 2),
        ("bold", "**One** and __two words__, not ** this ** or 2**3", 2),
        ("commas", "a, b、c", 2),
        ("full stops", "One. Two... 3.5", 2),
        ("exclamation marks", "No! Never!!", 3),
        ("question marks", "Why? 何？", 2),
        ("colons", "this: that", 1),
        ("semicolons", "this; that", 1),
        ("dashes", "one – two—three - four -- five--six, well-known", 5),
        ("hyphens", "a well-known two-to-three - no", 3),
        ("apostrophes", "don't, it’s, 'no'", 2),
        ("quotation marks", "\"one\" and “two”, 'three' but not don't", 5),
        ("brackets", "(one) [two]", 2),
        ("ellipses", "well... yes… no..", 2),
        ("digits", "In 1999, 3 of 4", 6),
        ("capitals", "The BBC and Émile", 5),
        ("emoji", "bread 🍞 and sun ☀ and 🚀", 3),
        ("first person", "I know my dog; we're fine. Mine IS. Ideas", 4),
        ("second person", "You know your dog, don't you? Young", 3),
        ("hedges", "Perhaps it might seem so. Mighty", 3),
        ("ends with a question", 'Is it? Yes. "Is it?"\n', 1),
        ("ends with a question", "Is it? Yes.", 0),
    ],
)
def test_a_feature_counts_what_its_name_says(name: str, text: str, count: float) -> None:
    assert of(text, name) == count


def test_a_difference_is_chosen_minus_rejected() -> None:
    names, matrix = feature_differences([pair(0, "One, two.", "One.", "a"), pair(1, "", "So?", "b")])
    assert names == tuple(FEATURES)
    assert matrix.shape == (2, len(names))
    columns = dict(zip(names, matrix.T.tolist(), strict=True))
    assert columns["words"] == [1, -1]
    assert columns["commas"] == [1, 0]
    assert columns["ends with a question"] == [0, -1]


def test_model_calls_count_only_where_all_pairs_tell_them() -> None:
    told = [pair(0, "a", "b", "a", calls=(3, 1)), pair(1, "a", "b", "b", calls=(1, 2))]
    names, matrix = feature_differences(told)
    assert names[-1] == MODEL_CALLS
    assert matrix[:, -1].tolist() == [2, -1]
    assert MODEL_CALLS not in feature_differences([*told, pair(2, "a", "b", "c")])[0]


def test_no_pairs_give_no_rows() -> None:
    names, matrix = feature_differences([])
    assert matrix.shape == (0, len(names))


@given(ANY_TEXT)
def test_any_text_has_features_that_are_finite_and_not_negative(text: str) -> None:
    assert all(math.isfinite(value) and value >= 0 for value in features(text))


@given(ANY_TEXT, ANY_TEXT)
def test_turning_a_pair_round_turns_the_sign_of_its_differences(one: str, other: str) -> None:
    given_pair = pair(0, one, other, "a", calls=(1, 2))
    _, matrix = feature_differences([given_pair, turned_round(given_pair)])
    assert (matrix[0] == -matrix[1]).all()


@given(ANY_TEXT, ANY_TEXT)
def test_counts_of_marks_add_up_over_paragraphs(one: str, other: str) -> None:
    both = f"{one}\n\n{other}"
    for name in ("commas", "question marks", "digits", "capitals", "emoji", "brackets"):
        assert of(both, name) == of(one, name) + of(other, name)
