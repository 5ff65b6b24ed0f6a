"""How fast a round goes to an embedded Argilla, and what memory the pushing takes, beside the SDK's own `records.log`.

    python tests/benchmarks/annotate_push.py [--records 10000] [--peer 500] [--argilla PYTHON]

Records are of realistic size: ten posts of 150 words, two answers of 100. PYTHON is one that has the pinned server
(annotation/server/requirements.txt); PRBGEN_TEST_ARGILLA names it too. The peer logs only some, for it is as slow.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from fresh_process import record_of
from outcome import Outcome
from read_and_rank import peak_mb

from prbgen.annotation.argilla.connection import connect
from prbgen.annotation.items import Content, Item, ShownPost
from tests.annotation.argilla.rounds import items, laid_out
from tests.annotation.server.embedded import API_KEY, Server

FEW = 1000
LEAST_RATE = 10_000 / 600  # records/s: 10,000 within ten minutes
MOST_MB = 50.0


def realistic(number: int, first: int) -> Iterator[tuple[Item, Content]]:
    """Items of the size that real ones have, other words in each."""
    words = [f"w{number}" for number in range(5000)]
    chance = random.Random(first)

    def text(length: int) -> str:
        return " ".join(chance.choices(words, k=length))

    for item, _ in items(number, first):
        posts = tuple(ShownPost(category="cooking", text=text(150)) for _ in range(10))
        yield item, Content(question=text(20), a=text(100), b=text(100), posts=posts)


def ours(url: str, number: int) -> dict[str, float]:
    """Push as prbgen does: records/s and peak memory."""
    from prbgen.annotation.argilla.records import push

    with connect(url, API_KEY) as connection:
        _, dataset = laid_out(connection)
        begun = time.monotonic()
        pushed = push(connection, dataset, realistic(number, 0), lambda _: None)
        seconds = time.monotonic() - begun
        begun = time.monotonic()
        again = push(connection, dataset, realistic(number, 0), lambda _: None)
        if (len(pushed.created), again.unchanged) != (number, number):
            raise SystemExit(f"{pushed}, then {again}, of {number} records")
        return {"rate": number / seconds, "again": number / (time.monotonic() - begun), "mb": peak_mb()}


def peer(url: str, number: int) -> dict[str, float]:
    """Log by the SDK: records/s and peak memory."""
    import argilla as rg

    from prbgen.annotation.argilla.settings import fields_of

    with connect(url, API_KEY) as connection:
        _, dataset = laid_out(connection)
        logged = connection.sdk.datasets(id=dataset.id).get()
        made = [
            rg.Record(id=item.id, fields=fields_of(content), metadata={"subset": item.subset})
            for item, content in realistic(number, 0)
        ]
        begun = time.monotonic()
        with contextlib.redirect_stderr(io.StringIO()):
            logged.records.log(made)
        return {"rate": number / (time.monotonic() - begun), "mb": peak_mb()}


def measured(python: Path, records: int, peers: int) -> Iterator[Outcome]:
    """Everything on one server, each push in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(python, Path(folder) / "home").start()
        try:
            by = {
                name: record_of("annotate_push.py", "--part", part, "--records", number, "--url", server.url)
                for name, part, number in (
                    ("peer", "peer", peers),
                    ("as many", "ours", peers),
                    ("few", "ours", min(FEW, records)),
                    ("all", "ours", records),
                )
            }
        finally:
            server.stop()
    for name, number in (("peer", peers), ("as many", peers), ("few", min(FEW, records)), ("all", records)):
        print(f"{name:<8} {number:7,} records: {by[name]['rate']:.0f} records/s, peak memory {by[name]['mb']:.0f} MB")
    print(f"a second push of all goes over {by['all']['again']:.0f} records/s")
    beside = by["as many"]["rate"] / by["peer"]["rate"]
    yield Outcome.at_least("p", f"records/s, {records:,} of them", by["all"]["rate"], LEAST_RATE)
    yield Outcome.at_least("p", "records/s beside the SDK's log of as many", beside, 0.8)
    yield Outcome.at_most("p", f"peak memory beyond that at {FEW:,}, MB", by["all"]["mb"] - by["few"]["mb"], MOST_MB)


def main() -> int:
    """Run as the command line says; 1 if a target is missed."""
    options = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    options.add_argument("--records", type=int, default=10_000)
    options.add_argument("--peer", type=int, default=500)
    options.add_argument("--argilla", type=Path, default=os.environ.get("PRBGEN_TEST_ARGILLA"))
    options.add_argument("--part", choices=("ours", "peer"), help=argparse.SUPPRESS)
    options.add_argument("--url", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.part:
        print(json.dumps({"ours": ours, "peer": peer}[given.part](given.url, given.records)))
        return 0
    if given.argilla is None:
        options.error("name a Python with the pinned server: --argilla")
    outcomes = list(measured(Path(given.argilla), given.records, given.peer))
    print(*outcomes, sep="\n")
    return int(not all(outcome.met for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
