from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from prbgen.publication.citation import bibtex, citation_file
from prbgen.publication.stage import stage
from prbgen.recipe import PublicationSettings
from prbgen.schema import Pair

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
HOSTILE = '`` ``` ```\n\n}, x = {\\input{/etc/passwd}} "%" & $x$ # _ ^ ~ <b>\n- name: "x"'


def test_what_is_stated_can_be_cited() -> None:
    text = citation_file(PublicationSettings(title="Pairs: a set", version="1.2.0", authors=("Ann Example", "A Lab")))
    assert text is not None
    assert yaml.safe_load(text) == {
        "cff-version": "1.2.0",
        "message": "If you use this dataset, please cite it as below.",
        "type": "dataset",
        "title": "Pairs: a set",
        "version": "1.2.0",
        "authors": [{"name": "Ann Example"}, {"name": "A Lab"}],
    }


@given(title=texts, author=texts)
@example(title=HOSTILE, author=HOSTILE)
def test_no_text_adds_a_key_or_an_author(title: str, author: str) -> None:
    text = citation_file(PublicationSettings(title=title, authors=(author, "B")))
    assert text is not None
    told = yaml.safe_load(text)
    assert list(told) == ["cff-version", "message", "type", "title", "version", "authors"]
    assert told["title"]
    assert all(list(each) == ["name"] and each["name"] for each in told["authors"])
    assert told["authors"][-1] == {"name": "B"}


@given(title=texts, author=texts)
@example(title=HOSTILE, author=HOSTILE)
def test_no_text_breaks_out_of_a_bibtex_field_or_of_the_block_around_it(title: str, author: str) -> None:
    entry = bibtex(PublicationSettings(title=title, authors=(author,)))
    assert "`" not in entry
    assert len(entry.split("\n")) == (6 if "\n  author = " in entry else 5)
    plain = re.sub(r"\\(text[a-z]+\{\}|[{}$&#_%])", "", entry)
    depth = 0
    for sign in plain:
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0
    assert depth == 0
    assert "\\" not in plain


@pytest.mark.parametrize("authors", [(), ("",), ("  \n",)])
def test_no_author_is_made_up(
    make_pair: Callable[..., Pair], write_pairs: Callable[[Iterable[Pair]], Path], authors: tuple[str, ...]
) -> None:
    publication = PublicationSettings(authors=authors)
    assert citation_file(publication) is None
    assert "author" not in bibtex(publication)
    path = write_pairs([make_pair(0)])
    stage(path, path.parent / "dataset", publication=publication)
    assert not (path.parent / "dataset/CITATION.cff").exists()
    assert "it has no CITATION.cff" in (path.parent / "dataset/README.md").read_text()
