import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prbgen.words.words import is_character_end, is_word_end, words

any_text = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, WORLD: it's a_test (v2)", ["hello", "world", "it", "s", "a_test", "v2"]),
        ("", []),
        (" \n\x00\t—…", []),
        ("Straße ＦＵＬＬ ﬁne", ["strasse", "full", "fine"]),
        ("cafe\u0301 na\u00efve", ["caf\u00e9", "na\u00efve"]),
        ("東京のラーメン・高い?", list("東京のラーメン高い")),
        ("用Python写", ["用", "python", "写"]),
        ("สวัส", list("สวัส")),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("שלום עולם", ["שלום", "עולם"]),
        ("I ❤\ufe0f 👩🏽\u200d🔬 it", ["i", "it"]),
        ("lone\ud800surrogate", ["lone", "surrogate"]),
    ],
)
def test_words_of(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@settings(deadline=None)
@given(any_text, any_text)
def test_words_are_the_same_in_company(first: str, second: str) -> None:
    assert words(f"{first} . {second}") == words(first) + words(second)


@settings(deadline=None)
@given(any_text)
def test_words_are_not_empty_and_case_does_not_count(text: str) -> None:
    found = words(text)
    assert all(found)
    assert words(" ".join(found)) == found
    assert not any(word.isspace() for word in found)


@pytest.mark.parametrize(
    ("before", "after", "ends"),
    [
        ("one", " two", True),
        ("one ", "two", True),
        ("on", "e", False),
        ("one,", "two", False),
        ("日", "本", True),
        ("日", "x", True),
        ("か", "\u3099", False),
        ("ว", "ั", False),
        ("", "x", True),
        ("x", "", True),
    ],
)
def test_where_a_word_ends(before: str, after: str, ends: bool) -> None:
    assert is_word_end(before + after, len(before)) is ends


@pytest.mark.parametrize(
    ("before", "after", "ends"),
    [
        ("a", "b", True),
        ("e", "\u0301", False),
        ("👩", "\u200d🔬", False),
        ("👩\u200d", "🔬", False),
        ("👍", "🏽", False),
        ("❤", "\ufe0f", False),
        ("👍", "👍", True),
    ],
)
def test_where_a_character_ends(before: str, after: str, ends: bool) -> None:
    assert is_character_end(before + after, len(before)) is ends
