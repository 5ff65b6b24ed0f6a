"""A Hub, a process that pushes to it, and small datasets to push."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from prbgen.publication.hub import Published
from tests.hub.calls import Account
from tests.hub.repo import Repo
from tests.hub_stand_in import TESTER, TOKEN, HubStandIn

READER = "hf_mayOnlyRead"
STRANGER = "hf_somebodyElse"
ACCOUNTS = {
    TOKEN: TESTER,
    READER: Account("reader", TESTER.writes, role="read"),
    STRANGER: Account("stranger", frozenset({"stranger"})),
}
Rows = dict[str, list[str]]
CONFIGS = ("art", "society")


@dataclass(frozen=True)
class Outcome:
    """`waits` are the seconds that it would have slept."""

    published: dict[str, Any] | None
    error: str
    said: list[str]
    waits: list[float]
    code: int = 0


class Pusher:
    """Pushes in a process of its own, which is started again when it was killed."""

    def __init__(self, endpoint: str, home: Path, **env: str) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))}
        ours = {
            "HF_ENDPOINT": endpoint,
            "HF_HOME": str(home),
            "HF_HUB_DISABLE_XET": "1",
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        self._env = kept | ours | env
        self._process: subprocess.Popen[str] | None = None

    def __call__(self, folder: Path, repo: str, *, version: str = "1.0.0", **options: Any) -> Outcome:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.publication.hub.worker"],
                env=self._env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        assert self._process.stdin
        assert self._process.stdout
        job = {"folder": str(folder), "to": f"hub:{repo}", "version": version, "token": TOKEN} | options
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            raise ProcessLookupError("the process that pushed is gone")
        found = json.loads(line)
        return Outcome(**{"published": None, "error": ""} | found)

    def kill(self) -> None:
        assert self._process
        self._process.kill()

    def close(self) -> None:
        if self._process:
            self.kill()
            self._process.communicate()


@pytest.fixture(scope="session")
def hub() -> Iterator[HubStandIn]:
    with HubStandIn(accounts=ACCOUNTS, part_size=20_000) as server:
        yield server


@pytest.fixture(scope="session")
def push(hub: HubStandIn, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pusher]:
    pusher = Pusher(hub.endpoint, tmp_path_factory.mktemp("home"))
    yield pusher
    pusher.close()


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    """Writes a dataset: a split `test` for each config, and `all` over both; {"art": texts} replaces its rows."""
    return lambda name="dataset", **rows: write(tmp_path / name, rows)


@pytest.fixture
def there(hub: HubStandIn) -> Callable[..., dict[str, Any]]:
    """Puts a dataset on the Hub as an earlier push would have, and gives back what that would have left."""

    def put(name: str, folder: Path, *, private: bool = True) -> dict[str, Any]:
        repo = hub.repos[name] = Repo(name, private)
        repo.put({".gitattributes": b"*.parquet filter=lfs\n"}, "initial commit", "system")
        for content in contents(folder).values():
            hub.storage.objects[hashlib.sha256(content).hexdigest()] = content
        commit = repo.put(contents(folder), "Version 1.0.0").sha
        repo.tags["v1.0.0"] = commit
        return Published(
            endpoint=hub.endpoint,
            repo=name,
            commit=commit,
            ours=commit,
            tag="v1.0.0",
            pull_request=None,
            fingerprint="",
        ).model_dump()

    return put


def write(folder: Path, changed: Rows) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = {"art": ["a", "b", "c"], "society": ["d"]} | changed
    for config, texts in rows.items():
        path = folder / "data" / config / "test.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"question": texts}), path, compression="none", use_dictionary=False)
    (folder / "README.md").write_text(f"---\n{header(tuple(rows))}---\n# A dataset\n")
    (folder / "plot.svg").write_text("<svg/>\n")
    return folder


def header(configs: tuple[str, ...]) -> str:
    lines = ["configs:", "- config_name: all", "  default: true", "  data_files:"]
    lines += ["  - split: test", "    path: data/*/test.parquet"]
    for config in configs:
        lines += [f"- config_name: {config}", "  data_files:", "  - split: test"]
        lines += [f"    path: data/{config}/test.parquet"]
    return "\n".join(lines) + "\n"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
