from hypothesis import given
from hypothesis import strategies as st

from prbgen.once import OncePerText


@given(st.lists(st.text("ab1", max_size=3)))
def test_each_text_is_looked_at_once_and_answered_every_time(texts: list[str]) -> None:
    seen: list[str] = []

    def digits(text: str) -> tuple[str, ...]:
        seen.append(text)
        return tuple(sign for sign in text if sign.isdigit())

    look = OncePerText(digits)
    assert [look(text) for text in texts] == [("1",) * text.count("1") for text in texts]
    assert seen == list(dict.fromkeys(texts))
