import re
import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from prbgen.text import (
    count_words,
    cut_at_sentence_end,
    find_quote,
    is_unicode,
    middle_out,
    one_line,
    storable,
    storable_and_count,
)

# Texts with many sentence ends, quotation marks, accents, unspaced scripts and odd white space.
TEXTS = (
    st.text(alphabet=st.sampled_from("ab .!?\n\t'’\"“”)-,日。」1\u00e9\u0301\u00a0\u200d_*"), max_size=200) | st.text()
)


@given(TEXTS, st.integers(1, 30))
def test_a_cut_text_is_a_beginning_within_the_limit_and_not_too_short(text: str, words: int) -> None:
    cut = cut_at_sentence_end(text, words)
    if cut is not None:
        assert text.startswith(cut)
        assert count_words(cut) <= words
        assert cut == text or count_words(cut) * 2 >= words


@given(TEXTS, st.integers(1, 30))
def test_no_more_sentences_would_have_fitted(text: str, words: int) -> None:
    cut = cut_at_sentence_end(text + " too many" * words, words)
    if cut is not None:
        rest = text[len(cut) :]
        following = re.search(r"[.!?…](?=\s|$)|[。！？]", rest)
        if following and not re.search(r"\d\.$|[A-Za-z]\.$", text[: len(cut) + following.end()]):
            assert count_words(cut + rest[: following.end()]) > words


@pytest.mark.parametrize(
    ("text", "words", "kept"),
    [
        ("One two three. Four five six. Seven.", 6, "One two three. Four five six."),
        ("One two three. Four five six. Seven.", 7, "One two three. Four five six. Seven."),
        ('She said "go on." Then she left us there', 5, 'She said "go on."'),
        ("**One two three.** Four five six seven", 5, "**One two three.**"),
        ("私は犬です。彼は猫です。", 6, "私は犬です。"),
        ("One. Two three four five six seven eight nine ten.", 8, None),
        ("no end of a sentence anywhere in here", 5, None),
        ("short and without an end", 5, "short and without an end"),
        # What looks like an end but is none.
        ("Ask around first. Then see Dr. Who about the rest of it", 6, "Ask around first."),
        ("Buy fresh herbs today.\n2. Chop them all finely for us", 5, "Buy fresh herbs today."),
        ("It costs 3.50 a piece. Buy two of them now", 6, "It costs 3.50 a piece."),
        ("It opened in 1990. Then it was closed again", 5, "It opened in 1990."),
        ("Bring herbs, e.g. basil or mint or thyme", 4, None),
    ],
)
def test_answers_are_cut_where_a_sentence_ends(text: str, words: int, kept: str | None) -> None:
    assert cut_at_sentence_end(text, words) == kept


def test_a_model_that_loops_is_cut_quickly() -> None:
    start = time.perf_counter()
    assert cut_at_sentence_end("So. " * 100_000, 100) == ("So. " * 100).strip()
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("... -- !?", 0),
        ("It's a well-known 1,000 km route.", 6),
        ("It’s well\u2011known", 2),
        ("e.g. this", 2),
        ("naïve and nai\u0308ve, re\u0301sume\u0301", 4),
        ("हिन्दी में", 2),
        ("שָׁלוֹם עולם", 2),
        ("می\u200cخواهم", 1),
        ("hy\u00adphen", 1),
        ("私は犬", 3),
        ("iPhoneを買う", 4),
        ("👍🏽 good", 1),
    ],
)
def test_words_are_counted_as_people_count_them(text: str, count: int) -> None:
    assert count_words(text) == count


@given(TEXTS, TEXTS)
def test_words_of_two_paragraphs_add_up(one: str, other: str) -> None:
    assert count_words(f"{one}\n{other}") == count_words(one) + count_words(other)


@given(st.text(alphabet=st.characters()))  # lone surrogates and NUL included
def test_stored_text_is_valid_and_changes_nothing_else(text: str) -> None:
    kept = storable(text)
    kept.encode()
    assert "\0" not in kept
    assert len(kept) == len(text)
    assert all(a == b or b == "\ufffd" for a, b in zip(text, kept, strict=True))


@given(st.text(), st.integers(1, 50))
def test_one_line_is_one_line_within_the_limit(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1


WORD = st.text(alphabet=st.sampled_from("abc.*+?()[]\\^$|é日'’\"“”-"), min_size=1, max_size=6)
SPACE = st.text(alphabet=st.sampled_from(" \n\t\r\u00a0\u2003"), min_size=1, max_size=3)


@given(st.lists(st.tuples(WORD, SPACE), min_size=1, max_size=12), st.data())
def test_a_passage_is_found_whatever_happened_to_its_white_space(
    words: list[tuple[str, str]], data: st.DataObject
) -> None:
    text = "".join(word + space for word, space in words)
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    passage = [word for word, _ in words[first : last + 1]]
    quote = "".join(word + data.draw(SPACE) for word in passage)
    assume(re.search(r"[^\s'’\"“”]", quote))
    found = find_quote(text, data.draw(SPACE) + quote)
    assert found is not None
    assert found in text
    assert "".join(found.split()).strip("'’\"“”") in "".join(passage)


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("He said “it’s fine” today", "it's fine", "it’s fine"),
        ("He said “it’s fine” today", "\r\n“it’s fine”\n", "it’s fine"),
        ("one  two\nthree", "one two three", "one  two\nthree"),
        ("one two three", "one three", None),
        ("one two three", "One two", None),
        ("one two three", "", None),
        ("one two three", " ' ", None),
        ("a.b", "a+b", None),
    ],
)
def test_a_quote_is_given_as_it_stands_in_the_text(text: str, quote: str, found: str | None) -> None:
    assert find_quote(text, quote) == found


WILD = st.text(st.characters() | st.sampled_from("\0\ud800\udc00\udfff"))


@given(WILD)
def test_what_is_stored_differs_only_where_it_must(text: str) -> None:
    stored, replaced = storable_and_count(text)
    assert "\0" not in stored
    assert is_unicode(stored)
    assert len(stored) == len(text)
    changed = [old for old, new in zip(text, stored, strict=True) if old != new]
    assert len(changed) == replaced
    assert all(old == "\0" or "\ud800" <= old <= "\udfff" for old in changed)


@given(st.text(), st.integers(4, 60))
def test_a_shortened_name_keeps_its_beginning_and_its_end(name: str, limit: int) -> None:
    line, short = one_line(name, 10_000), middle_out(name, limit)
    assert len(short) <= limit
    if short != line:
        assert len(short) == limit < len(line)
        beginning, end = short[: limit // 3], short[limit // 3 + 1 :]
        assert line.startswith(beginning)
        assert line.endswith(end)
