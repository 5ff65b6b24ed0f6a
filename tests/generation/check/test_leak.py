import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from prbgen.generation.check.base import Given
from prbgen.generation.check.leak import check
from prbgen.recipe import CheckSettings

NARRATIVE = "My oven broke last spring, and since then I have baked everything in a pan with a lid on top."


def of(answer: str, *guarded: str, question: str = "How do I bake?", words: int = 8) -> tuple[str, float | None]:
    finding = check(answer, Given(question, 100, guarded, CheckSettings(leaked_words=words)))
    return finding.outcome, finding.figure


def test_eight_words_in_a_row_leak_and_seven_do_not() -> None:
    assert of("So I have baked everything in a pan.", NARRATIVE) == ("pass", 7)
    assert of("Then I have baked everything in a pan.", NARRATIVE) == ("fail", 8)


def test_the_passage_is_quoted() -> None:
    detail = check("Ah: MY OVEN BROKE — last spring and since then, Jo!", Given("How?", 100, (NARRATIVE,))).detail
    expected = 'repeats 8 words in a row of a text that it may not quote: "my oven broke last spring and since then"'
    assert detail == expected


def test_case_punctuation_and_forms_of_characters_do_not_hide_a_run() -> None:
    assert of("don’t ｆｉｎｄ, café — “IT” 1 2 3 4!", "Don't find cafe\u0301 it 1 2 3 4") == ("fail", 8)
    assert of("my _oven_ **broke** `last` spr\u200bing, and _since_ then!", NARRATIVE) == ("fail", 8)


def test_a_run_that_the_question_has_is_no_leak() -> None:
    question = "My oven broke last spring, and since then I have no idea. Help?"
    assert of("My oven broke last spring and since then.", NARRATIVE, question=question) == ("pass", 0)
    longer = "My oven broke last spring and since then I have baked."
    assert of(longer, NARRATIVE, question=question) == ("fail", 11)


def test_the_longest_run_of_all_texts_counts() -> None:
    texts = ("one two three", "three four five six", "five six seven eight nine")
    assert of("one two three four five six seven eight nine", *texts, words=5) == ("fail", 5)
    assert of("one two three four five six seven eight nine", *texts, words=6) == ("pass", 5)


def test_runs_do_not_reach_from_one_text_into_the_next() -> None:
    assert of("one two three four", "one two", "three four", words=3) == ("pass", 2)


def test_two_characters_of_chinese_count_as_a_word() -> None:
    narrative = "我住在四楼没有电梯去年春天烤箱坏了"
    assert of("如果烤箱坏了可以用锅。", narrative) == ("pass", 2)
    assert of("我住在四楼，没有电梯，去年春天烤箱坏。", narrative) == ("fail", 8)


def test_a_hyphen_joins_no_words() -> None:
    assert of("a well known cake", "a well-known cake", words=4) == ("fail", 4)


@pytest.mark.parametrize("guarded", [(), ("",), ("!?",)])
def test_nothing_guarded_cannot_leak(guarded: tuple[str, ...]) -> None:
    assert of(NARRATIVE, *guarded) == ("pass", 0)


WORDS = st.lists(st.sampled_from("abc"), max_size=12)


@given(WORDS, st.lists(WORDS, max_size=3), WORDS)
@example(list("abcbc"), [list("bcbc")], list("bc"))
def test_the_figure_is_that_of_trying_every_run(answer: list[str], texts: list[list[str]], question: list[str]) -> None:
    def runs(words: list[str]) -> set[str]:
        return {" ".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, len(words) + 1)}

    shared = runs(answer) & {run for text in texts for run in runs(text)} - runs(question)
    longest = max((len(run.split()) for run in shared), default=0)
    guarded = tuple(" ".join(text) for text in texts)
    assert of(" ".join(answer), *guarded, question=" ".join(question))[1] == longest
