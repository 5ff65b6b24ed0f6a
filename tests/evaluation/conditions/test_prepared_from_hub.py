"""Pairs of a dataset on the Hub, in a process of its own, as the client reads its settings on import."""

from __future__ import annotations

import json
from pathlib import Path

from tests.evaluation.asking_rows import pair_row
from tests.hub_stand_in import HubStandIn
from tests.processes import python
from tests.sources.lamp_rows import content

CODE = """
import json, sys
from pathlib import Path
from prbgen.errors import InputError
from prbgen.evaluation.conditions.prepared import prepared
from prbgen.evaluation.settings import DataSettings
for name, split in (("a/pairs", ""), ("a/pairs", "test_unvalidated"), ("a/new", "")):
    try:
        with prepared(DataSettings(name, split=split), "profile", 2, Path(sys.argv[1])) as pairs:
            print(json.dumps([pairs.split, *(pair.key for pair in pairs)]))
    except InputError as error:
        print(json.dumps(str(error)))
"""


def files(*splits: str) -> dict[str, bytes]:
    declared = "".join(f"  - split: {split}\n    path: data/{split}.parquet\n" for split in splits)
    data = {
        f"data/{split}.parquet": content(
            [pair_row(number, pair_id=f"{split}-{number}") for number in range(2)], "parquet"
        )
        for split in splits
    }
    return {**data, "README.md": f"---\nconfigs:\n- config_name: all\n  data_files:\n{declared}---\n".encode()}


def test_one_split_is_fetched_and_no_other(tmp_path: Path) -> None:
    sets = {"a/pairs": files("test_unvalidated", "test", "train"), "a/new": files("test_unvalidated")}
    with HubStandIn(sets) as hub:
        said = python(
            CODE,
            str(tmp_path),
            HF_ENDPOINT=hub.endpoint,
            HF_HOME=str(tmp_path / "home"),
            HF_HUB_DISABLE_XET="1",
            HF_HUB_DISABLE_TELEMETRY="1",
        )
    assert [json.loads(line) for line in said.splitlines()] == [
        ["test", "test-0", "test-1"],
        ["test_unvalidated", "test_unvalidated-0", "test_unvalidated-1"],
        "a/new: people have validated none of it yet (there is test_unvalidated); --split test_unvalidated takes it as"
        " it is",
    ]
    assert not [request for request in hub.requests if "train.parquet" in request]
    assert [request for request in hub.requests if "test.parquet" in request]
