"""What holds for every check, whatever the texts are."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prbgen.generation.check import ANSWER_CHECKS, PAIR_CHECKS, check_answer, check_pair
from prbgen.generation.check.base import Given

# Lone surrogates and NUL are among the characters; marks of all kinds are frequent.
ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=())) | st.text(
    alphabet=st.sampled_from("ab1 \n\t*_`~#-.,:|()[]$\"'“”。、€\u0301\u200d\ud800\0你ไ😀")
)


# The first call loads the model of languages.
@settings(deadline=None)
@given(ANY_TEXT, ANY_TEXT, st.lists(ANY_TEXT, max_size=2))
def test_no_text_raises_and_the_same_text_gives_the_same(answer: str, question: str, guarded: list[str]) -> None:
    given = Given(question, 10, tuple(guarded))
    found = check_answer(answer, "chosen", given)
    assert found == check_answer(answer, "chosen", given)
    assert all(check.detail for check in found if check.outcome != "pass")
    assert all("\n" not in check.detail for check in found if check.detail)


@given(ANY_TEXT, ANY_TEXT)
def test_a_pair_check_finds_the_same_either_way_round(one: str, other: str) -> None:
    given = Given("Which tea?", 10)
    assert check_pair(one, other, given) == check_pair(other, one, given)


def test_a_finding_bears_the_name_of_its_check_and_the_side() -> None:
    given = Given("Which tea?", 10)
    assert [(check.name, check.side) for check in check_answer("Mint.", "rejected", given)] == [
        (name, "rejected") for name in ANSWER_CHECKS
    ]
    assert [(check.name, check.side) for check in check_pair("Mint.", "Sage.", given)] == [
        (name, None) for name in PAIR_CHECKS
    ]


HOSTILE = {
    "a letter": "a" * 100_000,
    "brackets": "[(" * 25_000 + ")]" * 25_000,
    "NUL": "\0" * 100_000,
    "surrogates": "\ud800" * 100_000,
    "right to left": "\u202eשלום " * 15_000,
    "accents": "a" + "\u0301\u0316" * 30_000,
    "asterisks": "**a" * 33_000,
    "underscores": "_a " * 33_000,
    "fences": "```\n" * 25_000,
    "dots": "." * 100_000,
    "line ends": "\n" * 100_000,
    "spaces": " " * 100_000 + "x",
    "at signs": "a@" * 50_000,
    "table": "|--" * 33_000,
    "apologies": "I'm sorry, but I " * 6_000,
    "remarks": "you mentioned the given your other " * 3_000,
    "apologies in Chinese": "抱歉" * 50_000,
    "emoji": "👩‍👩‍👧" * 20_000,
    "many words": " ".join(map(str, range(17_000))),
    "quotation marks": '"a ' * 33_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_hostile_text_takes_long(text: str) -> None:
    # Processor time: what other programs do does not count. A quadratic expression takes minutes for such texts.
    check_answer("Warm up.", "chosen", Given("Which tea is it?", 10))
    start = time.process_time()
    given = Given(text[:1000], 100, (text,))
    check_answer(text, "chosen", given)
    check_pair(text, text[:-7], given)
    assert time.process_time() - start < 5
