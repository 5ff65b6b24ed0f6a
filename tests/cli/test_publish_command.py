"""`prbgen publish`: what leaves, what does not, and what is said about it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pytest

from prbgen.cli import main
from prbgen.digest import pairs_digest
from prbgen.run import Run, read_records
from prbgen.schema import Pair, RubricAspect
from tests.annotation.conftest import RECIPE
from tests.annotation.plan.rated_pairs import write
from tests.hub.web import Reply
from tests.hub_stand_in import TOKEN, HubStandIn

ALLOW = ("--allow", "balance")


UNAUDITED = 1  # published, though one gate is unknown


def publish(run: Run, to: Any, *words: Any) -> int:
    return main(["publish", str(run.folder), "--to", str(to), *map(str, words)])


def line(capsys: pytest.CaptureFixture[str]) -> str:
    told = capsys.readouterr()
    assert told.out == ""
    [found] = told.err.splitlines()
    return found


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def change(run: Run, edit: Callable[[Pair], Pair]) -> None:
    """Edit the pairs, and validate again."""
    write(run.folder, [edit(pair) for pair in read_records(run.pairs, Pair)])
    main(["validate", str(run.folder), "--json"])


def published_pairs(run: Run) -> list[Pair]:
    """Those that people have validated."""
    verdicts = map(json.loads, (run.annotation / "verdicts.jsonl").read_text().splitlines())
    good = {verdict["pair_id"] for verdict in verdicts if verdict["validated"]}
    return [pair for pair in read_records(run.pairs, Pair) if pair.pair_id in good]


def test_validated_pairs_alone_are_published_and_everything_is_there(
    validated: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    capsys.readouterr()
    assert publish(validated, out, "--json") == UNAUDITED
    told = json.loads(capsys.readouterr().out)
    assert told["pairs"] == told["validated"] == 72
    assert {gate["state"] for gate in told["gates"]} <= {"pass", "unknown"}
    assert {gate["name"] for gate in told["gates"]} >= {"equivalence", "balance", "leak", "secrets", "audit"}
    names = set(files(out))
    assert {"README.md", "SHA256SUMS", "evaluate.py", "ratings/ratings.parquet"} <= names
    assert files(out) == files(validated.dataset)
    card = (out / "README.md").read_text()
    assert all(
        f"| `{gate['name']}` | `{gate['state']}` |" in card for gate in told["gates"] if gate["name"] != "secrets"
    )
    loaded = datasets.load_dataset(str(out), cache_dir=str(tmp_path / "cache"))
    assert {name: len(split) for name, split in loaded.items()} == {"test": told["pairs"]}
    ratings = datasets.load_dataset(str(out), "ratings", cache_dir=str(tmp_path / "cache"))["ratings"]
    assert "lovelace" not in json.dumps(ratings.to_list())
    assert {bool(row["left_out"]) for row in ratings} == {True, False}


def test_the_others_come_along_if_they_are_asked_for(validated: Run, tmp_path: Path) -> None:
    assert publish(validated, tmp_path / "out", "--include-unvalidated") == UNAUDITED
    loaded = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    assert set(loaded) == {"test", "test_unvalidated"}
    assert sum(map(len, loaded.values())) == 80


def test_publishing_again_replaces_what_was_published_and_nothing_else(
    validated: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    publish(validated, out)
    before = files(out)
    assert publish(validated, out) == UNAUDITED
    assert files(out) == before
    (out / "SHA256SUMS").write_text("mine")
    capsys.readouterr()
    assert publish(validated, out) == 2
    assert "which prbgen did not put there" in line(capsys)
    (out / "SHA256SUMS").write_bytes(before["SHA256SUMS"])
    (out / "README.md").write_text("a better card")
    assert publish(validated, out) == 2
    assert (out / "README.md").read_text() == "a better card"
    (out / "README.md").write_bytes(before["README.md"])
    (out / "notes.txt").write_text("mine")
    capsys.readouterr()
    assert publish(validated, out) == 2
    assert "holds notes.txt, which prbgen did not put there" in line(capsys)
    assert (out / "notes.txt").exists()


def test_what_was_never_validated_is_refused(
    validated: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("agreement.json", "verdicts.jsonl"):
        (validated.annotation / name).unlink()
    capsys.readouterr()
    assert publish(validated, tmp_path / "out") == 2
    assert "no pair is validated" in line(capsys)
    assert publish(validated, tmp_path / "out", "--include-unvalidated") == UNAUDITED


def test_a_validation_of_other_pairs_is_refused(
    validated: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(validated.folder, list(read_records(validated.pairs, Pair))[1:])
    capsys.readouterr()
    assert publish(validated, tmp_path / "out", "--include-unvalidated") == 2
    assert "pairs, ratings or [validation] have changed since" in line(capsys)
    assert not (tmp_path / "out").exists()


def test_a_leak_turns_its_gate_red_and_can_be_allowed_by_name(
    validated: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = "I can only ever read on the tram to work, standing."
    aspect = RubricAspect(aspect="Short", evidence=told, reason=None)
    change(validated, lambda pair: pair.model_copy(update={"narrative": told, "rubric_aspects": (aspect,)}))
    first = next(read_records(validated.pairs, Pair))
    change(
        validated,
        lambda pair: pair.model_copy(update={"question": told}) if pair.id == first.id else pair,
    )
    out = tmp_path / "out"
    capsys.readouterr()
    words = (*ALLOW, "--include-unvalidated", "--allow", "validated", "--allow", "equivalence")
    assert publish(validated, out, *words) == 2
    assert "these gates are red: leak:" in line(capsys)
    assert not out.exists()
    assert publish(validated, out, *words, "--allow", "leak") == 1
    assert "| `leak` | `fail` |" in (out / "README.md").read_text()


@pytest.mark.parametrize(("verdict", "code"), [("clean", 0), ("unclear", 1), ("leaks", 2)])
def test_the_audit_is_a_gate(validated: Run, tmp_path: Path, verdict: str, code: int) -> None:
    validated.audit.mkdir()
    found = {"accuracy": 0.7, "ci95": [0.6, 0.8]}
    digest = pairs_digest(read_records(validated.pairs, Pair))
    audit = {"data": digest, "verdict": verdict, "shortcut": {"length": found}}
    (validated.audit / "audit.json").write_text(json.dumps(audit))
    (validated.audit / "audit.html").write_text("<p>An audit.</p>")
    assert publish(validated, tmp_path / "out") == code
    assert (tmp_path / "out" / "audit.html").exists() == (code < 2)


def test_verdicts_that_the_ratings_do_not_give_are_refused(
    validated: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = validated.annotation / "verdicts.jsonl"
    rows = [json.loads(row) for row in path.read_text().splitlines()]
    good, bad = (next(row for row in rows if row["validated"] is which) for which in (True, False))
    good["pair_id"], bad["pair_id"] = bad["pair_id"], good["pair_id"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    capsys.readouterr()
    assert publish(validated, tmp_path / "out") == 2
    assert "is not what the ratings give; validate again" in line(capsys)
    assert not (tmp_path / "out").exists()


def test_a_round_that_is_open_keeps_its_gold_items_to_itself(
    validated: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = validated.annotation / "quality" / "campaign.json"
    campaign.write_text(json.dumps(json.loads(campaign.read_text()) | {"closed_at": None}))
    capsys.readouterr()
    assert publish(validated, tmp_path / "out") == 2
    assert "--round quality --close" in line(capsys)


@pytest.mark.parametrize("words", [("--public",), ("--pull-request",), ("--onto", "abcdef0")])
def test_flags_of_the_hub_are_refused_for_a_folder(
    validated: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    capsys.readouterr()
    assert publish(validated, tmp_path / "out", *words) == 2
    assert f"{words[0]} is for the Hub" in line(capsys)


def test_a_gate_that_is_none_is_refused_with_those_there_are(
    validated: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert publish(validated, tmp_path / "out", "--allow", "leaks") == 2
    assert "--allow leaks: no such gate; there are equivalence, balance" in line(capsys)


def test_a_secret_of_ones_own_never_leaves(
    validated: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MY_API_KEY", "Good answer Art_and")
    capsys.readouterr()
    assert publish(validated, tmp_path / "out", "--allow", "secrets") == 2
    told = line(capsys)
    assert "the value of MY_API_KEY" in told
    assert "Good answer" not in told
    assert not (tmp_path / "out").exists()


def test_what_looks_like_a_key_can_be_allowed(
    validated: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = "hf_" + "Q7wXz4" * 6
    change(validated, lambda pair: pair.model_copy(update={"category": key}))
    capsys.readouterr()
    assert publish(validated, tmp_path / "out") == 2
    told = line(capsys)
    assert "secrets:" in told
    assert key not in told
    assert publish(validated, tmp_path / "out", "--allow", "secrets") == 1
    card = (tmp_path / "out" / "README.md").read_text()
    [row] = [line for line in card.splitlines() if line.startswith("| `secrets` | `fail` |")]
    assert "places hold what looks like a secret" in row
    assert key not in row
    assert files(tmp_path / "out") == files(validated.dataset)


def test_personal_data_is_reported_and_stays_at_home(validated: Run, tmp_path: Path) -> None:
    change(validated, lambda pair: pair.model_copy(update={"narrative": "Write to ada.byron@gmail.com please."}))
    assert publish(validated, tmp_path / "out") == UNAUDITED
    report = json.loads((validated.folder / "personal_data.json").read_text())
    assert report["counts"]["narrative"]["e-mail"] == report["pairs"]
    assert "byron" not in json.dumps(report)
    assert not list((tmp_path / "out").rglob("personal*"))
    assert f"`narrative` of {report['pairs']} pairs (e-mail)" in (tmp_path / "out" / "README.md").read_text()


def test_results_and_what_the_recipe_states_are_on_the_card(validated: Run, tmp_path: Path) -> None:
    found = tmp_path / "results"
    found.mkdir()
    summary = {
        "scorer": "scalar:tiny",
        "condition": "shuffled",
        "n": 60,
        "unscored": 4,
        "config": "all",
        "accuracy": {"value": 0.51, "ci95": [0.4, 0.6]},
    }
    (found / "summary.json").write_text(json.dumps(summary))
    about = "".join(f'{{"pair_id": "{pair.pair_id}"}}\n' for pair in published_pairs(validated))
    (found / "items.jsonl").write_text(about)
    own = tmp_path / "recipe.toml"
    stated = '[publication]\ntitle = "Rides"\nversion = "2.1.0"\nauthors = ["A. Uthor"]\npay = "15 USD an hour"\n'
    own.write_text(RECIPE + stated)
    assert publish(validated, tmp_path / "out", "--results", found, "--recipe", own) == UNAUDITED
    card = (tmp_path / "out" / "README.md").read_text()
    assert "15 USD an hour" in card
    assert "| `scalar:tiny` | `shuffled` | `all` | not stated | 0.510 | 0.400 to 0.600 | 56 | 4 |" in card
    assert "2.1.0" in (tmp_path / "out" / "CITATION.cff").read_text()
    assert 'version = "2.1.0"' in validated.recipe.read_text()


@pytest.mark.parametrize(
    "content", [None, "{", '{"scorer": "x"}', '{"scorer":"x","condition":"none","n":1,"accuracy":{}}']
)
def test_results_that_are_none_are_refused(
    validated: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None
) -> None:
    file = tmp_path / "summary.json"
    if content is not None:
        file.write_text(content)
    capsys.readouterr()
    assert publish(validated, tmp_path / "out", "--results", file) == 2
    assert "summary" in line(capsys)


def test_results_on_another_dataset_are_refused(
    validated: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unvalidated = {pair.pair_id for pair in read_records(validated.pairs, Pair)} - {
        pair.pair_id for pair in published_pairs(validated)
    }
    items = [{"pair_id": pair_id} for pair_id in sorted(unvalidated)]
    summary = {"scorer": "scalar:tiny", "condition": "none", "n": len(items), "accuracy": {"value": 0.5}}
    file = tmp_path / "none.json"
    file.write_text(json.dumps(summary | {"items": items}))
    capsys.readouterr()
    assert publish(validated, tmp_path / "out", "--results", file) == 2
    assert "none.json: results on another dataset: 8 of its 8 pairs are not among" in line(capsys)
    assert not (tmp_path / "out").exists()
    assert publish(validated, tmp_path / "out", "--results", file, "--include-unvalidated") == UNAUDITED


@pytest.mark.parametrize("to", ["hub:", "hub:alone", "hub:a/b/c", "hub:a/-b"])
def test_a_name_that_the_hub_does_not_take_is_refused_at_once(
    validated: Run, capsys: pytest.CaptureFixture[str], to: str
) -> None:
    shutil.rmtree(validated.dataset)
    capsys.readouterr()
    assert publish(validated, to) == 2
    assert "Hub" in line(capsys)
    assert not validated.dataset.exists()


@pytest.mark.parametrize("place", [".", "..", "dataset/inside", ".dataset.new", "annotation/out"])
def test_the_run_itself_is_no_place_to_publish_to(
    validated: Run, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    capsys.readouterr()
    assert publish(validated, validated.folder / place) == 2
    assert "name another folder" in line(capsys)
    assert validated.pairs.exists()


def test_a_run_goes_to_the_hub_and_is_updated_there(validated: Run, tmp_path: Path) -> None:
    with HubStandIn() as hub:
        first = _to_hub(validated, hub, tmp_path, "--json")
        assert first.returncode == UNAUDITED, first.stderr
        told = json.loads(first.stdout)["hub"]
        repo = hub.repos["tester/rides"]
        assert (told["commit"], told["tag"]) == (repo.head.sha, "v1.0.0")
        assert repo.private
        there = repo.contents("main")
        there.pop(".gitattributes", None)
        assert {name: hashlib.sha256(data).hexdigest() for name, data in there.items()} == {
            name: hashlib.sha256(data).hexdigest() for name, data in files(validated.dataset).items()
        }
        again = _to_hub(validated, hub, tmp_path, "--include-unvalidated")
        assert again.returncode == 2
        assert "raise [publication] version" in again.stderr
        own = tmp_path / "recipe.toml"
        own.write_text(RECIPE + '[publication]\nversion = "1.1.0"\n')
        update = _to_hub(validated, hub, tmp_path, "--include-unvalidated", "--recipe", str(own))
        assert update.returncode == UNAUDITED, update.stderr
        assert set(repo.tags) == {"v1.0.0", "v1.1.0"}
        assert "loaded back, and the same" in update.stdout
        # Somebody else commits, from the page of the Hub say.
        repo.put({**repo.contents("main"), "README.md": b"---\n---\nMine."}, "A better card", "somebody")
        own.write_text(RECIPE + '[publication]\nversion = "1.2.0"\n')
        late = _to_hub(validated, hub, tmp_path, "--recipe", str(own))
        assert late.returncode == 2
        # Above it may stand what a slow machine was at.
        told = late.stderr.strip().splitlines()[-1]
        assert "A better card" in told
        assert "--onto" in told
        assert TOKEN not in late.stderr


def test_a_token_that_may_not_write_is_refused_before_anything_is_staged(validated: Run, tmp_path: Path) -> None:
    shutil.rmtree(validated.dataset)
    with HubStandIn() as hub:
        hub.on("GET /api/whoami-v2", lambda: Reply(401))
        refused = _to_hub(validated, hub, tmp_path)
    assert refused.returncode == 2
    assert "tester/rides" in refused.stderr.strip().splitlines()[-1]
    assert not validated.dataset.exists()


def _to_hub(run: Run, hub: HubStandIn, tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))}
    env = kept | {
        "HF_ENDPOINT": hub.endpoint,
        "HF_TOKEN": TOKEN,
        "HF_HOME": str(tmp_path / "home"),
        "HF_HUB_DISABLE_XET": "1",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    command = [sys.executable, "-m", "prbgen", "publish", str(run.folder), "--to", "hub:tester/rides", *words]
    return subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=300)
