"""What the documentation says beside its commands (flags, links, settings), and whether our tables still fit it."""

from __future__ import annotations

import argparse
import importlib
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from prbgen.cli import COMMANDS
from prbgen.recipe import load_recipe, shipped_recipe
from tests.docs_commands import tables
from tests.docs_commands.chains import AFTER_RATING, AT_LENGTH, FIRST
from tests.docs_commands.pages import ROOT, Section, all_commands, all_sections, pages, sections

PAGES = pages()
NAMES = [path.relative_to(ROOT).as_posix() for path in PAGES]
# Flags of other programs, as the text names them.
OTHERS = {"--help", "--head", "--gpus-per-node"}
_CODE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """All flags of a command and its actions."""
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from options(each)


@pytest.fixture(scope="module")
def flags() -> set[str]:
    found = set(OTHERS)
    for name in COMMANDS:
        parser = argparse.ArgumentParser()
        importlib.import_module(f"prbgen.cli.{name}").add_arguments(parser)
        found |= set(options(parser))
    return found


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_flag_that_the_prose_names_is_one(page: Path, flags: set[str]) -> None:
    code = [each for section in sections(page) for each in _CODE.findall("\n".join(section.prose))]
    named = {flag for each in code for flag in re.findall(r"(?:^|[\s(])(--[a-z][a-z-]*)", each)}
    assert sorted(named - flags) == []


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_link_to_a_file_leads_to_one(page: Path) -> None:
    prose = "\n".join(line for section in sections(page) for line in section.prose)
    links = [link.partition("#")[0] for link in _LINK.findall(prose) if "://" not in link and "mailto:" not in link]
    assert [link for link in links if link and not (page.parent / link).exists()] == []


def data_blocks() -> list[tuple[Section, str, str]]:
    languages = ("toml", "json", "yaml")
    return [(each, b.language, b.text) for each in all_sections() for b in each.blocks if b.language in languages]


@pytest.mark.parametrize(("section", "language", "text"), data_blocks(), ids=lambda value: getattr(value, "name", ""))
def test_settings_that_are_shown_can_be_read(section: Section, language: str, text: str, tmp_path: Path) -> None:
    if language == "json":
        json.loads(text)
    elif language == "yaml":
        list(yaml.safe_load_all(text))
    elif set(shown := tomllib.loads(text)) <= set(tomllib.loads(shipped_recipe("default").read_text())):
        # In place of the shipped recipe's tables of the same names.
        recipe = shipped_recipe("default").read_text()
        for table in shown:
            recipe = re.sub(rf"^\[{table}\].*?(?=^\[|\Z)", "", recipe, flags=re.MULTILINE | re.DOTALL)
        (tmp_path / "recipe.toml").write_text(f"{recipe}\n{text}")
        load_recipe(tmp_path / "recipe.toml", {})


def test_what_a_reader_sets_up_exists() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    makefile = (ROOT / "Makefile").read_text()
    for command in all_commands():
        if command.text.startswith("make "):
            assert re.search(rf"^{command.text.split()[1]}:", makefile, re.MULTILINE), command
        for named in re.findall(r"(?:\.|prbgen)\[([\w,]+)\]", command.text + command.comment):
            assert set(named.split(",")) <= set(extras), command


def test_the_demo_of_the_makefile_is_the_one_that_runs_here() -> None:
    words = tables.INSTEAD["make demo"].split(maxsplit=1)[1]
    assert f"prbgen {words}\n" in (ROOT / "Makefile").read_text()


def test_the_tables_hold_nothing_that_the_text_no_longer_has() -> None:
    typed = "\n".join(command.text for command in all_commands())
    named = (tables.NOT_RUN, tables.INSTEAD, tables.STAYS, tables.ENDS_WITH_1, tables.STANDS_FOR, tables.SETS_UP)
    assert [text for table in named for text in table if text not in typed] == []
    titles = {section.title for section in sections(PAGES[0])}
    assert {*FIRST, *AFTER_RATING, *AT_LENGTH} <= titles
