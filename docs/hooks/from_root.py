"""Shows files of the project's top level as pages, so that they stand in one place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
PAGES = {"manual.md": "README.md", "contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
_IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
# What a page of the site can't link to: the project's own folders.
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#|docs/)([^)\s]+)\)")

_FROM_DOCS = re.compile(r"\]\(((?:\.\./)*)\.\./(README\.md|CONTRIBUTING\.md|CHANGELOG\.md)")


def on_files(files: Files, config: Any, **_: Any) -> Files:
    """Called by MkDocs: adds the pages that the navigation names, and the images that they show."""
    named = _named(config["nav"])
    for page, source in PAGES.items():
        if page not in named or not (ROOT / source).is_file():
            continue
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=as_page(text)))
        for image in _IMAGE.findall(text):
            if not image.startswith("http") and not files.get_file_from_path(image):
                files.append(File.generated(config, image, abs_src_path=str(ROOT / image)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Called by MkDocs for each page: `../README.md`, as it is read in a checkout, is a page of the site here."""
    pages = {source: name for name, source in PAGES.items()}
    # The page is in docs/, the file is beside it: one step less.
    return _FROM_DOCS.sub(lambda found: f"]({found[1]}{pages[found[2]]}", markdown)


def as_page(text: str) -> str:
    """A link into docs/ becomes one of the site; of a link to a file that is no page, the words stay."""
    pages = {source: page for page, source in PAGES.items()}
    text = text.replace("](docs/", "](")

    def kept(link: re.Match[str]) -> str:
        words, target = link.groups()
        file, _, anchor = target.partition("#")
        if file in pages:
            return f"[{words}]({pages[file]}{'#' + anchor if anchor else ''})"
        return link[0] if (ROOT / "docs" / file).is_file() else words

    return _LINK.sub(kept, text)


def _named(nav: Any) -> set[str]:
    if isinstance(nav, str):
        return {nav}
    below = nav.values() if isinstance(nav, dict) else nav or []
    return {page for each in below for page in _named(each)}
