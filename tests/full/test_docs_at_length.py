"""What of the documentation takes minutes, and whether all files that its prose names came of its commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs_commands.chains import Chain, chains
from tests.docs_commands.conftest import came_of, outside, prepared  # noqa: F401 - fixtures
from tests.docs_commands.pages import ROOT, Section, pages, sections
from tests.docs_commands.reader import FILES
from tests.docs_commands.tables import NOT_HERE
from tests.docs_commands.test_docs_commands import SECTIONS, CameOf, check

LONG = [each for each in SECTIONS if each[0].at_length]


@pytest.mark.parametrize(("chain", "section"), LONG, ids=[section.name for _, section in LONG])
def test_the_commands_of_a_long_section_do_what_it_says(chain: Chain, section: Section, came_of: CameOf) -> None:  # noqa: F811
    check(chain, section, came_of)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_file_that_the_prose_names_is_one_that_came_of_it(page: Path, came_of: CameOf) -> None:  # noqa: F811
    prose = "\n".join(line for section in sections(page) for line in section.prose)
    named = {name for code in re.findall(r"`([^`]+)`", prose) for name in FILES.findall(code) if name == code}
    ours = [ROOT / name for name in ("prbgen", "prompts", "annotation", "data_cards", "docs")]
    folders = [*ours, *(came_of(chain)[0] for chain in chains())]
    there = {path.name for folder in folders for path in folder.rglob("*.*")}
    assert sorted(name for name in named if Path(name).name not in there) == sorted(named & NOT_HERE.keys())
