"""Forms, campaigns, items and responses as the tests of rating rounds need them."""

from __future__ import annotations

from typing import Any

from prbgen.annotation.campaign import Campaign
from prbgen.annotation.form.asked import Asked, AskedKind, Form
from prbgen.annotation.items import Bound, Content, Item, ShownAspect, ShownPost
from prbgen.annotation.response import Response
from prbgen.recipe import AnnotationSettings
from prbgen.schema import ItemKind, Round, Shown

SIDES: tuple[Shown, ...] = ("A", "B")
MARKS = tuple((str(mark), str(mark)) for mark in range(1, 6))
CHOICE = Asked(
    "better",
    "better",
    None,
    "choice",
    "Which is better?",
    "",
    True,
    (("A", "A"), ("B", "B"), ("equal", "equally good")),
)
COMMENT = Asked("comment", "comment", None, "text", "Comment", "", False)


def _of_side(
    question: str, shown: Shown, kind: AskedKind, options: tuple[tuple[str, str], ...], unknown: int | None = None
) -> Asked:
    name = f"{question}_{shown.lower()}"
    return Asked(name, question, shown, kind, f"{question.capitalize()} of {shown}", "", True, options, unknown)


def form_of(round_: Round = "quality") -> Form:
    """A form with the questions of a round."""
    aspects = (*((str(number), str(number)) for number in range(1, 10)), ("none", "none of them"))
    quality = tuple(
        _of_side(question, side, "rating", (*MARKS, ("0", "can't tell")), 0)
        for side in SIDES
        for question in ("factuality", "relevance", "helpfulness")
    )
    covers = tuple(_of_side("covers", side, "aspects", aspects) for side in SIDES)
    adherence = tuple(_of_side("adherence", side, "rating", MARKS) for side in SIDES)
    asked = {
        "quality": quality,
        "rubric": (*covers, *adherence, CHOICE, COMMENT),
        "blind": (*adherence, CHOICE, COMMENT),
    }[round_]
    return Form(round_, f"# Guidelines of {round_}\n", asked, "<div></div>")


def campaign_of(round_: Round = "quality", **changes: Any) -> Campaign:
    """A campaign with the raters r1, r2 and r3; settings may be among the changes by their own names."""
    settings = {name: changes.pop(name) for name in AnnotationSettings.model_fields if name in changes}
    values: dict[str, Any] = {
        "id": "0a1b2c3d", "round": round_, "senior": False, "way": "argilla", "workspace": "w", "dataset": "d",
        "salt": "salt", "key_check": "check", "raters": ("r1", "r2", "r3"), "server": None,
        "opened_at": "2026-01-01T00:00:00.000000Z",
    }  # fmt: skip
    return Campaign(settings=AnnotationSettings(**settings), **(values | changes))


def item_of(
    name: str,
    kind: ItemKind = "pair",
    chosen: Shown | None = "A",
    subset: str = "Society_and_Culture",
    aspects: int = 5,
    repeats: str | None = None,
    gold: tuple[Bound, ...] = (),
) -> Item:
    """An item; a gold one has no chosen side."""
    return Item(
        id=name, pair_id=f"pair-{name}", kind=kind, subset=subset, strategy="avoid", aspects=aspects,
        chosen=None if kind == "gold" else chosen, content_hash="hash", repeats=repeats, gold=gold,
    )  # fmt: skip


def response_of(
    item: str,
    rater: str = "r1",
    status: str = "submitted",
    at: str | None = "2026-01-01T10:00:00.000000Z",
    **values: Any,
) -> Response:
    """A response; all but its item, rater, status and time are its values."""
    return Response.model_validate(
        {"item": item, "rater": rater, "status": status, "values": values, "begun_at": None, "submitted_at": at}
    )


def content_of(name: str, round_: Round = "rubric", aspects: int = 5) -> Content:
    """What is shown of an item, with the characters that tables trip over."""
    posts = (
        ShownPost(category="gardening", text='A "quoted", post;\nof two lines'),
        ShownPost(category=None, text="猫と植物"),
    )
    shown = tuple(
        ShownAspect(aspect=f"aspect {number}", reason="a reason" if number % 2 else None) for number in range(aspects)
    )
    return Content(
        question=f"=Question {name}, what; else?\tتجربة",
        a="-first\r\nsecond line",
        b="@b",
        posts=() if round_ == "quality" else posts,
        aspects=shown if round_ == "rubric" else (),
    )
