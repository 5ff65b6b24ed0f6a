from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from prbgen.words.runs import longest_shared
from prbgen.words.tokens import tokens

WORDS = st.lists(st.sampled_from("abc"), max_size=12)


@given(WORDS, st.lists(WORDS, max_size=3), WORDS)
@example(list("abcbc"), [list("bcbc")], list("bc"))
def test_the_run_is_that_of_trying_every_one(text: list[str], others: list[list[str]], excused: list[str]) -> None:
    def runs(words: list[str]) -> set[tuple[str, ...]]:
        return {tuple(words[i:j]) for i in range(len(words)) for j in range(i + 1, len(words) + 1)}

    shared = runs(text) & {run for other in others for run in runs(other)} - runs(excused)
    found = longest_shared(text, others, excused=excused)
    assert found.length == max(map(len, shared), default=0)
    assert len(found.words) == found.length
    assert not found.words or found.words in shared


def test_of_two_runs_of_one_length_the_first_is_given_whatever_the_order_of_the_texts() -> None:
    texts = [["c", "d"], ["a", "b"]]
    for each in (texts, texts[::-1]):
        assert longest_shared(list("abxcd"), each, excused=[]).words == ("a", "b")


def test_two_characters_of_a_script_without_spaces_count_as_a_word() -> None:
    found = longest_shared(tokens("去年春天坏了"), [tokens("烤箱去年春天坏")], excused=[])
    assert (found.length, "".join(found.words)) == (2.5, "去年春天坏")
