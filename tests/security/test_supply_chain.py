"""Packages that were taken over once are not installed."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]
MALICIOUS = ("1.82.7", "1.82.8", "1.106.0", "1.106.1", "1.106.2", "1.107.0")


def requirements() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [each for extra in project["optional-dependencies"].values() for each in extra]
    script = re.search(r"# dependencies = (\[.*\])", (ROOT / "data_cards" / "evaluate.py").read_text())
    assert script
    pins = (ROOT / "constraints.txt").read_text().splitlines()
    return [Requirement(each) for each in (*project["dependencies"], *extras, *re.findall('"(.*?)"', script[1]), *pins)]


def test_no_malicious_release_of_litellm_can_be_installed() -> None:
    wanted = [each for each in requirements() if each.name == "litellm"]
    assert len(wanted) == 3  # the project, the published script, the constraints
    for each in wanted:
        assert not [version for version in MALICIOUS if Version(version) in each.specifier]


def test_nothing_is_installed_from_an_address() -> None:
    assert [each.name for each in requirements() if each.url] == []
