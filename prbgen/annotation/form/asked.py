"""What a rater is asked about an item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from prbgen.schema import Round, Shown

AskedKind = Literal["rating", "aspects", "choice", "text"]
NONE = "none"  # the option of an "aspects" question for an answer that covers none of them
EQUAL = "equal"  # the option of a "choice" question for two answers that are equally good


@dataclass(frozen=True)
class Asked:
    """One question to the rater, as Argilla knows it.

    `name` is unique in its round ("factuality_a"); `question` is the name without the answer that it asks about
    ("factuality"), `shown` that answer ("A"; null: neither or both). `options` are (value, text), the value as Argilla
    stores it: "1" to "5" for ratings (integers there), aspect numbers from "1" and "none", "A" / "B" / "equal"; none
    for free text. `unknown` is the value that means "can't tell".
    """

    name: str
    question: str
    shown: Shown | None
    kind: AskedKind
    title: str
    description: str
    required: bool
    options: tuple[tuple[str, str], ...] = ()
    unknown: int | None = None


@dataclass(frozen=True)
class Form:
    """All that a round shows beside the items themselves: `guidelines` in Markdown, `layout` an HTML template.

    `gold` is the template of what ends a gold item's better answer (see plan.wording), null but for round rubric.
    `sources` are the texts of the files that it was made of, by their places in a form's folder ("layout/blind.html");
    forms that say the same are equal whatever their files look like.
    """

    round: Round
    guidelines: str
    asked: tuple[Asked, ...]
    layout: str
    gold: str | None = None
    sources: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
