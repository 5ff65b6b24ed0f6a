"""Markdown as its reader sees it: sections with their blocks, and what stands between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^(\s*)(`{3,})\s*(\w*)(.*)$")
_HEADING = re.compile(r"^(#{1,6}) +(.+?)\s*#*$")
_COMMENT = re.compile(r"\s{2,}#\s+(.*)$")


@dataclass(frozen=True)
class Command:
    """What stands behind a `$ `, without its comment; `line` is its place on the page."""

    text: str
    comment: str
    line: int


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int

    def commands(self) -> Iterator[Command]:
        """The commands of a console block; what they print is no command."""
        lines = iter(enumerate(self.text.splitlines(), start=self.line + 1))
        for number, line in lines:
            if not line.startswith("$ "):
                continue
            typed = line[2:]
            while typed.endswith("\\"):
                typed = typed[:-1] + next(lines)[1].removeprefix("> ")
            comment = _COMMENT.search(typed)
            yield Command(_COMMENT.sub("", typed).strip(), comment[1] if comment else "", number)


@dataclass
class Section:
    """A heading of a page with what stands below it, up to the next heading."""

    page: str
    title: str
    level: int
    line: int
    blocks: list[Block] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.page}: {self.title}"

    @property
    def runs(self) -> list[Block]:
        """The blocks that a reader runs."""
        return [block for block in self.blocks if block.language in ("console", "python")]


def pages() -> list[Path]:
    """README.md, and whatever the documentation holds."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def sections(path: Path) -> list[Section]:
    """The sections of a page, in order."""
    page = path.relative_to(ROOT).as_posix()
    found = [Section(page, path.stem, 0, 0)]
    lines = iter(enumerate(path.read_text(encoding="utf-8").splitlines(), start=1))
    for number, line in lines:
        if fence := _FENCE.match(line):
            found[-1].blocks.append(_block(lines, number, fence))
        elif heading := _HEADING.match(line):
            found.append(Section(page, heading[2].replace("`", ""), len(heading[1]), number))
        else:
            found[-1].prose.append(line)
    return found


def _block(lines: Iterator[tuple[int, str]], number: int, fence: re.Match[str]) -> Block:
    indent, ticks, language, _ = fence.groups()
    inside = []
    for _, line in lines:
        if line.strip().startswith(ticks) and not line.strip().strip("`"):
            break
        inside.append(line.removeprefix(indent))
    return Block(language, "\n".join(inside) + "\n", number)


def all_sections() -> list[Section]:
    """Of all pages."""
    return [section for path in pages() for section in sections(path)]


def all_commands() -> list[Command]:
    """Of all pages, in order."""
    blocks = (block for section in all_sections() for block in section.blocks if block.language == "console")
    return [command for block in blocks for command in block.commands()]
