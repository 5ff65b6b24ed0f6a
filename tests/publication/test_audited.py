"""Judges and the audit on the card of a dataset."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prbgen.digest import Digest
from prbgen.publication.audited import read_audit
from prbgen.publication.figures import Tally
from prbgen.publication.stage import stage
from prbgen.run import as_line
from prbgen.schema import Pair
from tests.publication.reports import build_validation

DOCUMENT = {
    "verdict": "unclear",
    "shortcut": {
        "length": {"accuracy": 0.52, "ci95": [0.4, 0.64], "reason": None},
        "tfidf": {"accuracy": None, "ci95": None, "reason": "all alike"},
    },
}


def audited(folder: Path, data: str, **changes: Any) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "audit.json").write_text(json.dumps({"data": data} | DOCUMENT | changes))
    (folder / "audit.html").write_text("<p>whole</p>")
    return folder


def staged(tmp_path: Path, pairs: list[Pair], audit: Path | None = None) -> str:
    (tmp_path / "pairs.jsonl").write_text("".join(map(as_line, pairs)))
    stage(tmp_path / "pairs.jsonl", tmp_path / "dataset", audit=audit)
    return (tmp_path / "dataset" / "README.md").read_text()


def digest_of(*pairs: Pair) -> str:
    digest = Digest()
    for pair in pairs:
        digest.add(pair)
    return digest.hexdigest()


def test_the_card_has_the_verdict_and_links_the_page_of_the_audit_of_these_pairs(
    tmp_path: Path, make_pair: Callable[..., Pair]
) -> None:
    pair = make_pair()
    card = staged(tmp_path, [pair], audited(tmp_path / "audit", digest_of(pair)))
    assert "**unclear**" in card
    assert "(audit.html)" in card
    assert "| `length` | 0.520 | 0.400 to 0.640 |" in card
    assert "| `tfidf` | unknown |  |" in card
    assert (tmp_path / "dataset" / "audit.html").read_text() == "<p>whole</p>"


def test_an_audit_of_pairs_that_are_partly_left_out_says_what_it_is_of(
    tmp_path: Path, make_pair: Callable[..., Pair]
) -> None:
    pairs = [make_pair(0), make_pair(1)]
    audit = audited(tmp_path / "audit", digest_of(*pairs))
    (tmp_path / "pairs.jsonl").write_text("".join(map(as_line, pairs)))
    validation = build_validation(pairs, pairs[:1])
    stage(tmp_path / "pairs.jsonl", tmp_path / "dataset", audit=audit, validation=validation, unvalidated=False)
    assert "The audit is of all 2 pairs that were made" in (tmp_path / "dataset/README.md").read_text()
    assert "The audit is of all" not in staged(tmp_path, pairs, audit)


@pytest.mark.parametrize("changed", ["chosen", "rejected", "question", "user_key"])
def test_an_audit_of_other_pairs_is_left_out(tmp_path: Path, make_pair: Callable[..., Pair], changed: str) -> None:
    audit = audited(tmp_path / "audit", digest_of(make_pair()))
    card = staged(tmp_path, [make_pair(**{changed: "other"})], audit)
    assert "have not been audited" in card
    assert not (tmp_path / "dataset" / "audit.html").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"verdict": "<script>"},
        {"verdict": None},
        {"shortcut": {"length": {"accuracy": "high", "ci95": [0, 1]}}},
        {"shortcut": {"length": {"accuracy": 0.5, "ci95": None}}},
        {"shortcut": []},
        {"shortcut": {"length": 1}},
    ],
)
def test_a_damaged_audit_is_none(tmp_path: Path, changes: dict[str, Any]) -> None:
    assert read_audit(audited(tmp_path / "audit", "d"), "d") is not None
    assert read_audit(audited(tmp_path / "audit", "d", **changes), "d") is None


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"sets": []}'])
def test_what_is_no_audit_of_one_set_is_none(tmp_path: Path, text: str) -> None:
    folder = audited(tmp_path / "audit", "d")
    (folder / "audit.json").write_text(text)
    assert read_audit(folder, "d") is None
    (folder / "audit.json").unlink()
    assert read_audit(folder, "d") is None


def test_the_card_names_the_judges_and_warns_of_those_of_a_writers_family(
    tmp_path: Path, make_pair: Callable[..., Pair]
) -> None:
    judges = ("anthropic/claude-haiku-4-5", "openai/gpt-5", "openai/gpt-5")
    generators = ("openai/gpt-4o-mini", "openai/gpt-4o-mini", "azure/gpt-4.1")
    pairs = [
        make_pair(number, generator=generator, made={"judge": judge})
        for number, (judge, generator) in enumerate(zip(judges, generators, strict=True))
    ]
    card = staged(tmp_path, pairs)
    assert "| `anthropic/claude-haiku-4-5` | 1 |" in card
    assert "| `openai/gpt-5` | 2 |" in card
    for generator in ("openai/gpt-4o-mini", "azure/gpt-4.1"):
        assert f"`openai/gpt-5` is of the same family of models as `{generator}`" in card
    assert "claude-haiku-4-5` is of the same family" not in card


def test_pairs_that_nobody_judged_name_no_judge(make_pair: Callable[..., Pair]) -> None:
    tally = Tally()
    tally.add(make_pair(), "test", validated=False)
    figures = tally.figures()
    assert (figures.judges, figures.own_judges) == ({}, ())
