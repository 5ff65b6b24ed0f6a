from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from prbgen.errors import InputError
from prbgen.recipe import SourceSettings
from prbgen.sources.declared import declared_files, readme_header
from prbgen.sources.names import Selection

ANY = Selection.of(SourceSettings(path="x"))
NAMES = ["data/test-0.parquet", "data/test-1.parquet", "data/deep/test-2.parquet", "data/readme.txt", "top.json"]


def declared(config: Any) -> list[tuple[str, str | None, str | None]]:
    return list(declared_files([config], NAMES, ANY, "PLACE"))


@pytest.mark.parametrize(
    ("config", "files"),
    [
        ({"data_files": [{"split": "test", "path": "data/test-*"}]}, NAMES[:2]),
        ({"data_files": [{"split": "test", "path": ["./data/test-?.parquet", "top.json"]}]}, [*NAMES[:2], "top.json"]),
        ({"data_files": {"test": "data/**/test-*"}}, NAMES[:3]),
        ({"data_dir": "data", "data_files": [{"split": "test", "path": "deep/**"}]}, ["data/deep/test-2.parquet"]),
    ],
)
def test_patterns_say_which_files_hold_a_split(config: dict[str, Any], files: list[str]) -> None:
    assert declared(config) == [(name, None, "test") for name in files]


@pytest.mark.parametrize(
    ("config", "files"),
    [
        ({}, [*NAMES[:3], "top.json"]),
        ({"data_files": "*.json"}, ["top.json"]),
        ({"data_files": ["*.json", "data/deep/*"]}, ["top.json", "data/deep/test-2.parquet"]),
        ({"data_dir": "data/deep/"}, ["data/deep/test-2.parquet"]),
    ],
)
def test_files_may_be_declared_without_a_split(config: dict[str, Any], files: list[str]) -> None:
    assert declared(config) == [(name, None, None) for name in files]


def test_a_config_name_is_a_subset_and_is_spelt_as_one() -> None:
    assert declared({"config_name": "society-and-culture", "data_files": "*.json"})[0][1] == "Society_and_Culture"
    assert declared({"config_name": "cooking", "data_files": "*.json"})[0][1] == "cooking"


@pytest.mark.parametrize(
    ("configs", "where"),
    [("x", "configs"), ([{"data_files": 3}], "configs.0.data_files"), ([{"config_name": []}], "configs.0.config_name")],
)
def test_what_cannot_be_understood_is_refused(configs: Any, where: str) -> None:
    with pytest.raises(InputError, match=f"PLACE: README.md declares its files in an unknown way: {where}"):
        list(declared_files(configs, NAMES, ANY, "PLACE"))


def test_the_header_of_a_readme(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    assert readme_header(readme) == {}
    readme.write_text("# No header\n")
    assert readme_header(readme) == {}
    readme.write_text("---\nlicense: mit\n---\n# A header\n")
    assert readme_header(readme) == {"license": "mit"}


def test_a_header_that_is_no_yaml_is_refused(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("---\nconfigs: [\n---\n")
    with pytest.raises(InputError, match=r"README\.md: its header is no valid YAML: ") as caught:
        readme_header(readme)
    assert "\n" not in str(caught.value)
