"""What is said about this repository is so: paths, version, pins, checks before a commit, Pythons."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from prbgen import __version__, registry

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
BIN = Path(sys.executable).parent
# Gone from the standard library in 3.12 and 3.13, or about to go.
REMOVED = {
    "aifc", "asynchat", "asyncore", "audioop", "cgi", "cgitb", "chunk", "crypt", "distutils", "imghdr", "imp",
    "lib2to3", "mailcap", "msilib", "nis", "nntplib", "ossaudiodev", "pipes", "pkg_resources", "smtpd", "sndhdr",
    "spwd", "sunau", "telnetlib", "uu", "xdrlib",
}  # fmt: skip


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_path_in_contributing_is_there_and_it_fits_a_page() -> None:
    page = text("CONTRIBUTING.md")
    named = {word for word in re.findall(r"`([^`\s]+)`", page) if re.search(r"/|\.(py|md|toml|txt)$", word)}
    ours = {word for word in named if not word.startswith((".venv/", "dist/"))}
    assert len(ours) > 25
    assert [word for word in sorted(ours) if not (ROOT / word).exists()] == []
    assert len(page.splitlines()) <= 80


def test_every_table_and_target_in_contributing_is_there() -> None:
    page = text("CONTRIBUTING.md")
    tables = [name for name, value in vars(registry).items() if isinstance(value, dict) and name.isupper()]
    assert len(tables) == 7
    assert [name for name in tables if f"`{name}`" not in page] == []
    targets = set(re.findall(r"`make ([a-z-]+)", page))
    assert targets >= {"demo", "test", "test-full", "lint", "docs", "constraints", "audit", "wheels"}
    assert [each for each in sorted(targets) if not re.search(rf"^{each}:", text("Makefile"), re.MULTILINE)] == []


def test_the_version_stands_in_one_place_and_the_changelog_begins_with_it() -> None:
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "prbgen/__init__.py"
    assert "version" not in PROJECT["project"]
    newest = re.search(r"^## \[(.+?)\] - (unreleased|\d{4}-\d\d-\d\d)$", text("CHANGELOG.md"), re.MULTILINE)
    assert newest
    assert newest[1] == __version__
    pattern = re.compile(rf"(?<![\d.]){re.escape(__version__)}(?![\d.])")
    folders = ("prbgen", "prompts", "annotation", "data_cards", "docs")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*")]
    files += [ROOT / "README.md", ROOT / "pyproject.toml", ROOT / "Makefile", ROOT / "CONTRIBUTING.md"]
    stated = [
        str(file.relative_to(ROOT))
        for file in files
        if file.suffix in (".py", ".md", ".toml", ".j2", ".yaml", ".html", "") and file.is_file()
        if pattern.search(file.read_text(encoding="utf-8"))
    ]
    assert stated == ["prbgen/__init__.py"]


def test_pins_are_versions_alone_and_cover_what_is_asked_for() -> None:
    pins = dict(line.split("==") for line in text("constraints.txt").splitlines())
    assert all(re.fullmatch(r"[\w.-]+", name + version) for name, version in pins.items())
    known = {normal(name) for name in pins}
    extras = PROJECT["project"]["optional-dependencies"]
    wanted = [*PROJECT["project"]["dependencies"], *(each for extra in extras.values() for each in extra)]
    names = {normal(re.match(r"[\w.-]+", each)[0]) for each in wanted}  # type: ignore[index]
    assert names - known == set()
    assert set(re.search(r"^EXTRAS := (.+)$", text("Makefile"), re.MULTILINE)[1].split(",")) == set(extras)  # type: ignore[index]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_what_runs_before_a_commit_comes_from_here_alone() -> None:
    config = ROOT / ".pre-commit-config.yaml"
    subprocess.run([BIN / "pre-commit", "validate-config", config], check=True, timeout=60)
    (repo,) = yaml.safe_load(config.read_text())["repos"]
    assert repo["repo"] == "local"
    assert {hook["language"] for hook in repo["hooks"]} == {"system"}
    programs = [hook["entry"].split()[0] for hook in repo["hooks"]]
    assert all((BIN / program.removeprefix(".venv/bin/")).is_file() for program in programs)
    assert "pre-commit run --all-files" in text("Makefile")


@pytest.mark.parametrize(
    ("hook", "content"),
    [("large-files", "x" * 600_000), ("secrets", "ghp_" + "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX")],
)
def test_large_files_and_keys_are_kept_out(hook: str, content: str, tmp_path: Path) -> None:
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(BIN)
    (tmp_path / ".pre-commit-config.yaml").write_text(text(".pre-commit-config.yaml"))
    (tmp_path / "notes.txt").write_text("Nothing.\n")
    git = ["git", "-C", str(tmp_path), "-c", "init.defaultBranch=main"]
    subprocess.run([*git, "init", "--quiet"], check=True, timeout=60)
    subprocess.run([*git, "add", "notes.txt", ".pre-commit-config.yaml"], check=True, timeout=60)
    run: list[str | Path] = [BIN / "pre-commit", "run", hook, "--all-files"]
    home = {"PRE_COMMIT_HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    clean = subprocess.run(run, cwd=tmp_path, env=home, capture_output=True, text=True, timeout=60)
    assert clean.returncode == 0, clean.stdout + clean.stderr
    (tmp_path / "notes.txt").write_text(content)
    subprocess.run([*git, "add", "notes.txt"], check=True, timeout=60)
    kept_out = subprocess.run(run, cwd=tmp_path, env=home, capture_output=True, text=True, timeout=60)
    assert kept_out.returncode == 1
    assert "notes.txt" in kept_out.stdout


def test_nothing_is_used_that_newer_pythons_do_not_have() -> None:
    found = []
    for file in sorted((ROOT / "prbgen").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            if isinstance(node, ast.Attribute) and node.attr in ("utcnow", "utcfromtimestamp"):
                names = ["imp"]
            found += [f"{file.name}:{node.lineno}" for name in names if name.partition(".")[0] in REMOVED]  # type: ignore[attr-defined]
    assert found == []
    versions = [each.rpartition(" ")[2] for each in PROJECT["project"]["classifiers"] if ":: Python :: 3." in each]
    assert versions == ["3.11", "3.12", "3.13"]
