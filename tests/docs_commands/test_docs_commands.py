"""Whoever follows README.md or a page of the documentation from top to bottom gets what it says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.docs_commands.chains import Chain, chains
from tests.docs_commands.pages import Section
from tests.docs_commands.reader import Done

CameOf = Callable[[Chain], tuple[Path, list[Done]]]
SECTIONS = [(chain, section) for chain in chains() for section in chain.sections if section.runs]
SHORT = [each for each in SECTIONS if not each[0].at_length]


@pytest.mark.parametrize(("chain", "section"), SHORT, ids=[section.name for _, section in SHORT])
def test_the_commands_of_a_section_do_what_it_says(chain: Chain, section: Section, came_of: CameOf) -> None:
    check(chain, section, came_of)


def check(chain: Chain, section: Section, came_of: CameOf) -> None:
    """All commands of the section were run, and none was at fault."""
    _, found = came_of(chain)
    faults = [f"{done.section}, line {done.line}: {done.command}\n{done.fault}" for done in found if done.fault]
    mine = [done for done in found if done.section == section.name]
    assert not any(done.fault for done in mine), faults[0]
    steps = sum(1 if block.language == "python" else len(list(block.commands())) for block in section.runs)
    assert len(mine) >= steps, f"was not reached: {faults}"
