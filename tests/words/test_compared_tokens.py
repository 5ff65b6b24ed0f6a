from prbgen.words.tokens import quoted, tokens


def test_a_word_has_one_spelling() -> None:
    assert tokens("Don’t don't ＤＯＮ'Ｔ — well-known, cafe\u0301!") == [
        "dont",
        "dont",
        "dont",
        "well",
        "known",
        "café",
    ]


def test_words_are_put_together_as_their_script_does() -> None:
    assert quoted(tokens("今天 drink 绿茶, please!")) == "今天 drink 绿茶 please"


def test_hundreds_of_accents_on_a_letter_are_cut_and_three_are_kept() -> None:
    assert tokens("a\u0316\u0323\u0301b") == ["á\u0316\u0323b"]
    assert len(tokens("a" + "\u0316\u0301" * 500)[0]) < 40
