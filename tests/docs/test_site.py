"""The documentation as a site: built without a warning, whole, and readable without a network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from mkdocs.config import load_config

from prbgen.cli import COMMANDS

ROOT = Path(__file__).parents[2]
# What makes a browser fetch something, by element. Other links are followed by people.
FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href", "object": "data"}
_ELSEWHERE = re.compile(r"^(?:[a-z]+:)?//", re.IGNORECASE)


@dataclass
class Page(HTMLParser):
    """What a page of the site links to, has, and loads."""

    file: Path
    links: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    loaded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.file.read_text(encoding="utf-8"))

    def __hash__(self) -> int:
        return hash(self.file)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.ids.add(given["id"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in FETCHED and FETCHED[tag] in given and given.get("rel") != "canonical":
            self.loaded.append(given[FETCHED[tag]])


@dataclass
class Site:
    folder: Path
    printed: str

    def __post_init__(self) -> None:
        files = sorted(file for file in self.folder.rglob("*.html") if file.name != "404.html")
        self.pages = {file: Page(file) for file in files}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("docs") / "site"
    # As the Makefile does; what mkdocs-material says about its future is no warning about our pages.
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return Site(folder, done.stdout + done.stderr)


def test_the_site_is_built_without_a_warning(site: Site) -> None:
    assert "WARNING" not in site.printed
    assert "ERROR" not in site.printed
    assert "Documentation built" in site.printed


def test_every_page_is_in_the_navigation() -> None:
    named = set(_named(load_config(str(ROOT / "mkdocs.yml"))["nav"]))
    there = {str(file.relative_to(ROOT / "docs")) for file in (ROOT / "docs").rglob("*.md")}
    assert there - named == set()


def _named(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    return [page for each in (nav.values() if isinstance(nav, dict) else nav) for page in _named(each)]


def test_no_internal_link_and_no_anchor_is_broken(site: Site) -> None:
    broken = [
        f"{page.file.relative_to(site.folder)}: {link}"
        for page in site.pages.values()
        for link in page.links
        if not urlsplit(link).scheme and not _ELSEWHERE.match(link) and not _found(site, page, link)
    ]
    assert broken == []


def _found(site: Site, page: Page, link: str) -> bool:
    parts = urlsplit(link)
    target = (page.file.parent / unquote(parts.path)).resolve() if parts.path else page.file
    target = target / "index.html" if target.is_dir() else target
    if not parts.fragment:
        return target.is_file()
    return target in site.pages and unquote(parts.fragment) in site.pages[target].ids | {"__top"}


def test_no_page_loads_anything_from_another_host(site: Site) -> None:
    assert len(site.pages) > 10
    for page in site.pages.values():
        assert page.loaded, page.file
        assert [url for url in page.loaded if _ELSEWHERE.match(url)] == [], page.file
        # The theme fetches a program for these from elsewhere.
        assert 'class="mermaid"' not in page.file.read_text(encoding="utf-8")
    for style in site.folder.rglob("*.css"):
        assert re.findall(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//[^)'\"]+", style.read_text(encoding="utf-8")) == []


def test_search_needs_no_server_of_others(site: Site) -> None:
    index = (site.folder / "search" / "search_index.json").read_text(encoding="utf-8")
    assert "personalised reward" in index


def test_every_command_and_action_has_its_help_on_the_page(site: Site) -> None:
    ids = site.pages[site.folder / "reference" / "commands.html"].ids
    assert {f"prbgen-{name}" for name in COMMANDS} <= ids
    assert {"prbgen-annotate-push", "prbgen-bon-sample", "prbgen-ppo-serve", "prbgen-ledger-export"} <= ids


def test_the_manual_is_the_readme_with_its_image(site: Site) -> None:
    manual = site.pages[site.folder / "manual.html"]
    assert {"two-commands", "publish", "evaluate-a-reward-model"} <= manual.ids
    image = next(url for url in manual.loaded if url.endswith("rating.png"))
    assert (manual.file.parent / image).is_file()
