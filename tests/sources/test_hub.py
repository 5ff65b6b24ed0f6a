"""The real clients of the Hub, each in a process of its own (they read their settings on import)."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prbgen.schema import SUBSETS
from tests.hub_stand_in import HubStandIn
from tests.sources.lamp_rows import content, row

ART, LIFE, SOCIETY = SUBSETS
REPO = "someone/LaMP-QA"
SPLITS = ("train", "validation", "test")

READ = """
import json, sys
from prbgen.errors import InputError
from prbgen.recipe import SourceSettings
from prbgen.sources import read_questions
from prbgen.sources.questions import described
for settings in json.loads(sys.argv[1]):
    try:
        items = list(read_questions(SourceSettings(**settings)))
        print(json.dumps([
            described(item) if hasattr(item, "reasons") else [item.subset, item.split, item.id] for item in items
        ]))
    except InputError as error:
        print(json.dumps(str(error)))
"""
READ_PAIRS = """
import json, sys
from prbgen.sources import PairSource
for data, split in json.loads(sys.argv[1]):
    source = PairSource.at(data, split=split)
    print(json.dumps([source.name, *([pair.subset, pair.split, pair.chosen] for pair in source.read())]))
"""
LOAD = """
import json, sys
import datasets
print(json.dumps(datasets.load_dataset(sys.argv[1], sys.argv[2], split=sys.argv[3])["id"][:]))
"""


def header(config: str, files: dict[str, str]) -> str:
    lines = [f"- config_name: {config}", "  data_files:"]
    for split, path in files.items():
        lines += [f"  - split: {split}", f'    path: "{path}"']
    return "\n".join(lines) + "\n"


def rows(subset: str, split: str) -> list[dict[str, Any]]:
    return [row(f"{subset[:3]}-{split}-{number}") for number in range(3)]


def lamp_qa() -> dict[str, bytes]:
    files = {f"{subset}/{split}.json": content(rows(subset, split), "json") for subset in SUBSETS for split in SPLITS}
    configs = "".join(header(subset, {split: f"{subset}/{split}.json" for split in SPLITS}) for subset in SUBSETS)
    return {**files, "README.md": f"---\nlicense: mit\nconfigs:\n{configs}---\n# LaMP-QA\n".encode()}


def shards() -> dict[str, bytes]:
    halves = [rows(ART, "test")[:2], rows(ART, "test")[2:]]
    files = {f"data/test-0000{n}-of-00002.parquet": content(half, "parquet") for n, half in enumerate(halves)}
    readme = f"---\nconfigs:\n{header('default', {'test': 'data/test-*'})}---\n"
    return {**files, "README.md": readme.encode()}


def pairs() -> dict[str, bytes]:
    plain = {split: content([{"prompt": "Why?", "chosen": split, "rejected": "no"}], "parquet") for split in SPLITS}
    configs = header("default", {split: f"data/{split}-*" for split in SPLITS})
    files = {f"data/{split}-00000-of-00001.parquet": data for split, data in plain.items()}
    return {**files, "README.md": f"---\nconfigs:\n{configs}---\n".encode()}


@pytest.fixture
def hub() -> Iterator[HubStandIn]:
    bare = {path: data for path, data in lamp_qa().items() if path != "README.md"}
    broken = {"test.jsonl": b'{"id": "1"}\n' + content([row("2")], "jsonl")}
    with HubStandIn(
        {REPO: lamp_qa(), "a/bare": bare, "a/shards": shards(), "a/broken": broken, "a/empty": {}, "a/pairs": pairs()}
    ) as server:
        yield server


def run(code: str, *args: str, endpoint: str, home: Path, **env: str) -> list[Any]:
    """Run code against a Hub with a cache of its own and give back the lines of JSON that it prints."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))}
    ours = {
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(home),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    result = subprocess.run([sys.executable, "-c", code, *args], env=kept | ours | env, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def read(*settings: dict[str, Any], endpoint: str, home: Path, **env: str) -> list[Any]:
    return run(READ, json.dumps(settings), endpoint=endpoint, home=home, **env)


def expected(*subsets: str, split: str = "test") -> list[Any]:
    return [[subset, split, each["id"]] for subset in subsets for each in rows(subset, split)]


def test_subsets_and_splits_are_read_however_they_are_declared(hub: HubStandIn, tmp_path: Path) -> None:
    found = read(
        {"path": REPO},
        {"path": f"hub:{REPO}", "split": "dev", "subsets": ["society & culture"]},
        {"path": "a/bare"},
        {"path": "a/shards"},
        {"path": "a/broken"},
        endpoint=hub.endpoint,
        home=tmp_path,
    )
    assert found == [
        expected(*SUBSETS),
        expected(SOCIETY, split="validation"),
        expected(*SUBSETS),
        [[LIFE, "test", each["id"]] for each in rows(ART, "test")],
        ["a/broken/test.jsonl:line 1: id 1: question: missing; profile: missing", [LIFE, "test", "2"]],
    ]


def test_reads_what_load_dataset_reads(hub: HubStandIn, tmp_path: Path) -> None:
    asked = {"path": REPO, "subsets": [ART], "split": "train"}
    [found] = read(asked, endpoint=hub.endpoint, home=tmp_path)
    [loaded] = run(LOAD, REPO, ART, "train", endpoint=hub.endpoint, home=tmp_path)
    assert [name for _, _, name in found] == loaded


def test_only_what_is_asked_for_is_fetched_and_only_once(hub: HubStandIn, tmp_path: Path) -> None:
    asked = {"path": REPO, "subsets": [ART]}

    def fetched() -> list[str]:
        hub.requests.clear()
        assert read(asked, endpoint=hub.endpoint, home=tmp_path) == [expected(ART)]
        return [request.rpartition("/")[2] for request in hub.requests if request.startswith("GET /datasets/")]

    assert sorted(fetched()) == ["README.md", "test.json"]
    assert fetched() == []


def test_what_was_fetched_is_read_offline_and_the_rest_is_refused(hub: HubStandIn, tmp_path: Path) -> None:
    art = {"path": REPO, "subsets": [ART]}
    assert read(art, endpoint=hub.endpoint, home=tmp_path) == [expected(ART)]
    hub.requests.clear()
    others: list[dict[str, Any]] = [
        {"path": REPO},
        {"path": REPO, "split": "train", "subsets": [ART]},
        {"path": "a/bare"},
    ]
    again, *refused = read(art, *others, endpoint=hub.endpoint, home=tmp_path, HF_HUB_OFFLINE="1")
    assert again == expected(ART)
    what = "what is asked for was never fetched, and HF_HUB_OFFLINE forbids to fetch it now: unset it once"
    assert refused == [f"{REPO}: {what}", f"{REPO}: {what}", f"a/bare: {what}"]
    assert hub.requests == []


def test_what_is_not_there_is_refused_in_one_line(hub: HubStandIn, tmp_path: Path) -> None:
    found = read(
        {"path": "someone/nothing"},
        {"path": "hub:some--one/"},
        {"path": REPO, "split": "holdout"},
        {"path": REPO, "subsets": ["Cooking"]},
        {"path": "a/empty"},
        endpoint=hub.endpoint,
        home=tmp_path,
    )
    contents = "; ".join(f"{subset} (test, train, validation)" for subset in SUBSETS)
    nothing = "no such file or folder, and no such dataset on the Hub (a private one needs `hf auth login`)"
    assert found == [
        f"someone/nothing: {nothing}",
        f"some--one/: {nothing}",
        f"{REPO}: no split holdout; found: {contents}",
        f"{REPO}: no split test of subset Cooking; found: {contents}",
        "a/empty: no file to read (.json, .jsonl, .ndjson, .parquet, also .gz); found: nothing",
    ]


def test_pairs_are_read_of_all_splits_or_of_one(hub: HubStandIn, tmp_path: Path) -> None:
    asked = [("a/pairs", ""), ("hub:a/pairs", "dev")]
    found = run(READ_PAIRS, json.dumps(asked), endpoint=hub.endpoint, home=tmp_path)
    assert found == [
        ["a/pairs", *(["", split, split] for split in sorted(SPLITS))],
        ["a/pairs", ["", "validation", "validation"]],
    ]


def test_a_hub_that_cannot_be_reached_is_named_with_a_way_out(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{closed.getsockname()[1]}"
        [message] = read({"path": REPO}, endpoint=endpoint, home=tmp_path)
    assert message.startswith(f"{REPO}: no such file or folder, and the Hub at {endpoint} cannot be used (")
    assert message.endswith("try again later, or set HF_HUB_OFFLINE=1 to use what was fetched before")
    assert "\n" not in message
