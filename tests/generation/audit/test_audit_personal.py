from __future__ import annotations

from typing import Any

from prbgen.generation.audit.personal import PersonalData
from prbgen.generation.audit.results import Personal
from prbgen.schema import Post, PreferencePair

EMAILS = [
    "Write to jane.doe@gmail.com if you want the pattern.",
    "<bob@mail.uni-koeln.de>",
    "(me: k9@proton.me)",
    "anna@posteo.de",
]
PHONES = ["Call (212) 664-7665 today", "Tel: 664 7665"]
ADDRESSES = ["I live at 22 Elm Street and the noise is bad"]


def row(number: str, profile: tuple[str, ...] | None = None, **texts: Any) -> PreferencePair:
    posts = None if profile is None else tuple(Post(category=None, id=str(n), text=t) for n, t in enumerate(profile))
    given: dict[str, Any] = {"question": "Why?", "chosen": "So.", "rejected": "No.", "narrative": None, **texts}
    rest: dict[str, Any] = {"pair_id": None, "rubric_aspects": None, "category": None, "subset": "", "split": "test"}
    return PreferencePair(id=number, profile=posts, user_key=number, **given, **rest)


def found(*rows: PreferencePair) -> tuple[Personal, ...]:
    looked = PersonalData()
    for each in rows:
        looked.add(each)
    return looked.found()


def test_rows_are_counted_by_kind_and_column() -> None:
    assert found(
        row("a", question=EMAILS[0], narrative=PHONES[0]),
        row("b", chosen=EMAILS[1] + PHONES[1], rejected=ADDRESSES[0]),
        row("c", question=EMAILS[2] + EMAILS[3], profile=(EMAILS[0], "fine", EMAILS[1])),
    ) == (
        Personal("e-mail", "question", 2, ("a", "c")),
        Personal("e-mail", "chosen", 1, ("b",)),
        Personal("e-mail", "profile", 1, ("c",)),
        Personal("phone", "chosen", 1, ("b",)),
        Personal("phone", "narrative", 1, ("a",)),
        Personal("address", "rejected", 1, ("b",)),
    )


def test_a_post_that_comes_again_counts_in_each_of_its_rows() -> None:
    profile = (PHONES[0], "nothing here")
    assert found(row("a", profile), row("b", profile), row("c", profile[1:]), row("d", ()), row("e")) == (
        Personal("phone", "profile", 2, ("a", "b")),
    )


def test_five_ids_are_named_each_once_and_no_text_is() -> None:
    rows = [row(f"id{number // 2}", question=EMAILS[0]) for number in range(20)]
    assert found(*rows) == (Personal("e-mail", "question", 20, ("id0", "id1", "id2", "id3", "id4")),)
    assert "jane" not in repr(found(*rows))
