"""Which sections are read one after the other in one working folder, and what lies there at the beginning."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tests.docs_commands.pages import Section, pages, sections

# The sections of README.md that all others build on.
FIRST = ("Two commands", "Build a dataset with your own choice of LLMs")
RATED = {"demo-run": "demo-run", "my-bench": "rated"}
EITHER = {"demo-run": "demo-run", "my-bench": "my-bench"}
# README.md's sections whose run people have rated.
AFTER_RATING = ("Weigh the ratings", "Publish")
# Those that train and sample for minutes: tests/full reads them.
AT_LENGTH = ("Does the benchmark predict what it is for?",)


@dataclass(frozen=True)
class Chain:
    """`begins_with`: folders, and what of the prepared ones they are copies of."""

    name: str
    sections: list[Section]
    begins_with: Mapping[str, str]
    first: bool = False
    at_length: bool = False


def chains() -> list[Chain]:
    """Of README.md: the first two sections, and each other one with those below it; any other page is one."""
    readme, *others = pages()
    parts: list[list[Section]] = []
    for section in sections(readme):
        if section.level <= 2 and section.title != FIRST[1]:
            parts.append([])
        parts[-1].append(section)
    found = [_of_readme(part) for part in parts]
    # A page that makes the demo itself finds what it would have to be computed again.
    found += [Chain(_slug(path.stem), sections(path), {"demo-run": "demo-run"}) for path in others]
    return [chain for chain in found if any(section.runs for section in chain.sections)]


def _of_readme(part: list[Section]) -> Chain:
    title = part[0].title
    begins_with = RATED if title in AFTER_RATING else EITHER
    return Chain(_slug(title), part, {} if title == FIRST[0] else begins_with, title == FIRST[0], title in AT_LENGTH)


def _slug(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower()).strip("-")
