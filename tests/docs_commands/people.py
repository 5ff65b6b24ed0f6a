"""The people whom the documentation has rate: they log in with the passwords that were shown, and answer."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from tests.annotation.raters import RestRater
from tests.docs_commands.providers import suits, topic


@dataclass
class People:
    """Their passwords."""

    passwords: dict[str, str] = field(default_factory=dict)

    def rate(self, command: str, told: str, folder: Path) -> None:
        """After `annotate push` or `annotate adjudicate`: everybody answers whatever there is."""
        named = re.search(r"annotate (?:push|adjudicate) .*--raters (\S+)", command)
        if not named or "--to " in command:
            return
        for name in (folder / named[1]).read_text().split()[1:]:
            if shown := re.search(rf"^\s*{name}\s+(\S+)", told, re.MULTILINE):
                self.passwords[name] = shown[1]
        url = re.search(r"(http://127\.0\.0\.1:\d+)/", told)
        assert url, told
        for name, password in self.passwords.items():
            rater = RestRater(url[1], name, password)
            for dataset in rater.datasets():
                rater.rate_all(dataset["id"], Answers(name))


class Answers:
    """Those of one rater. Cleo prefers what nobody else does, every second time that it is no plain mistake."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._turn = itertools.count()

    def __call__(self, item: dict[str, Any]) -> dict[str, Any]:
        row = {"question": item["question"], "answer_a": item["a"], "answer_b": item["b"]}
        if not item.get("aspects"):
            marks = ("factuality", "relevance", "helpfulness")
            return {
                f"{mark}_{side}": int(sense(random.Random(0), row, f"{mark}_{side}")) for mark in marks for side in "ab"
            }
        good, other = sorted("ab", key=lambda side: (_fits(row, side), suits(item[side])), reverse=True)
        if _fits(row, good) == _fits(row, other) and self._name == "cleo" and next(self._turn) % 2 == 0:
            good, other = other, good
        return {
            f"covers_{good}": ["1"],
            f"covers_{other}": ["none"],
            f"adherence_{good}": 5,
            f"adherence_{other}": 1,
            "better": good.upper(),
        }


def make_room_for_haste(recipe: Path) -> None:
    """These people need no time to read and know no gold item, and a round leaves out such raters."""
    text = re.sub(r"^least_(seconds|gold) = .*", "", recipe.read_text(), flags=re.MULTILINE)
    if "[annotation]" not in text:
        text += "\n[annotation]\n"
    recipe.write_text(text.replace("[annotation]", "[annotation]\nleast_seconds = 0\nleast_gold = 0", 1))


def _fits(row: Mapping[str, str], side: str) -> bool:
    """Whether it answers this question at all: items whose answer is known show another one's."""
    return topic(row["question"]) in row[f"answer_{side}"]


def sense(chance: random.Random, row: Mapping[str, str], column: str) -> str:
    """What a careful rater writes into a cell of a sheet about answers that `providers` wrote."""
    fits = {side: _fits(row, side) for side in "ab"}
    good = {side: fits[side] and suits(row[f"answer_{side}"]) for side in "ab"}
    if column == "better":
        return "equal" if good["a"] == good["b"] else "A" if good["a"] else "B"
    question, _, side = column.rpartition("_")
    match question:
        case "covers":
            return "1;2;3" if good[side] else "none"
        case "adherence":
            return str(chance.choice((4, 5)) if good[side] else chance.choice((1, 2)))
        case "factuality" | "relevance" | "helpfulness":
            return str(_quality(row["question"], question, good=good[side]) if fits[side] else 1)
    return ""


def _quality(asked: str, question: str, *, good: bool) -> int:
    """The same for both answers, but to one question in twelve: each run then passes the same gates."""
    if question == "helpfulness" and blake2b(asked.encode()).digest()[0] % 12 == 0:
        return 5 if good else 4
    return random.Random(asked + question).choice((4, 5, 5))
