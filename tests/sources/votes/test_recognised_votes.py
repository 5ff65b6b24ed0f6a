"""Which data is read as votes: by the names of files and columns, on disk and on the Hub."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prbgen.errors import InputError
from prbgen.sources import PairSource, VoteSource, open_source
from tests.evaluation.asking_rows import pair_row
from tests.hub_stand_in import HubStandIn
from tests.processes import python
from tests.sources.lamp_rows import KINDS, content, without, write
from tests.sources.votes.vote_rows import arena, prism

PRISM, ARENA = "HannahRoseKirk/prism-alignment", "lmsys/chatbot_arena_conversations"
SURVEY = [{"user_id": "user0", "self_description": "Terse."}]
CONVERSATIONS = [{"conversation_id": "c0", "user_id": "user0", "conversation_history": []}]


def read(data: Path | str) -> list[str]:
    source = open_source(str(data), one_split=True)
    assert isinstance(source, VoteSource)
    return [pair.id for pair in source.read()]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("below", ["", "data/"])
def test_a_folder_with_utterances_is_prism(kind: str, below: str, tmp_path: Path) -> None:
    write(tmp_path / f"{below}utterances.{kind}", prism())
    write(tmp_path / f"{below}survey.jsonl", SURVEY)
    write(tmp_path / f"{below}conversations.jsonl", CONVERSATIONS)
    assert len(read(tmp_path)) == 15


def test_a_file_is_known_by_its_columns_whatever_it_is_called(tmp_path: Path) -> None:
    assert len(read(write(tmp_path / "mine.jsonl", prism()))) == 15
    assert len(read(write(tmp_path / "yours.jsonl", arena()))) == 15


def test_a_folder_of_several_files_is_arena(tmp_path: Path) -> None:
    rows = arena()
    write(tmp_path / "data/train-00000-of-00002.parquet", rows[:7])
    write(tmp_path / "data/train-00001-of-00002.parquet", rows[7:])
    assert read(tmp_path) == [row["question_id"] for row in rows]


def test_prism_without_utterances_says_what_is_missing(tmp_path: Path) -> None:
    write(tmp_path / "survey.jsonl", SURVEY)
    place = write(tmp_path / "conversations.jsonl", CONVERSATIONS)
    with pytest.raises(InputError, match=r"PRISM is read from utterances\.jsonl, which is not there$"):
        open_source(str(tmp_path))
    with pytest.raises(InputError, match=r"^conversations\.jsonl: PRISM's conversations; name its utterances\.jsonl"):
        open_source(str(place))


def test_two_files_of_utterances_are_not_chosen_between(tmp_path: Path) -> None:
    write(tmp_path / "a/utterances.jsonl", prism())
    write(tmp_path / "b/utterances.jsonl", prism())
    with pytest.raises(InputError, match=r"holds a/utterances\.jsonl and b/utterances\.jsonl; name one of them$"):
        open_source(str(tmp_path))


def test_pairs_stay_pairs(tmp_path: Path) -> None:
    rows = [{**row, "chosen": "yes", "rejected": "no", "prompt": "Why?"} for row in arena()]
    for place in (write(tmp_path / "pairs.jsonl", [pair_row(1)]), write(tmp_path / "battles.jsonl", rows)):
        assert isinstance(open_source(str(place)), PairSource)
    talk = write(tmp_path / "talk" / "utterances.jsonl", [pair_row(1)])
    assert isinstance(open_source(str(talk.parent)), PairSource)


def test_what_lacks_a_column_is_no_vote_and_read_as_pairs(tmp_path: Path) -> None:
    place = write(tmp_path / "arena.jsonl", [without(row, "judge") for row in arena()])
    source = open_source(str(place))
    assert isinstance(source, PairSource)
    with pytest.raises(InputError, match="line 1: no chosen, no rejected"):
        list(source.read())


def test_the_only_subset_is_the_benchmark_itself(tmp_path: Path) -> None:
    for name, rows in (("PRISM", prism()), ("Arena", arena())):
        place = str(write(tmp_path / f"{name}.jsonl", rows))
        assert isinstance(open_source(place, subsets=[name.lower()]), VoteSource)
        with pytest.raises(InputError, match=f"{name}.jsonl: no subset Arts; found: {name}"):
            open_source(place, subsets=["Arts"])


def test_prism_is_not_divided(tmp_path: Path) -> None:
    place = str(write(tmp_path / "utterances.jsonl", prism()))
    assert isinstance(open_source(place, split="test"), VoteSource)
    with pytest.raises(InputError, match="no split train; PRISM is not divided, all of it is test"):
        open_source(place, split="train")


CODE = """
import json, sys
from prbgen.errors import InputError
from prbgen.sources import open_source
for name in sys.argv[1:]:
    try:
        source = open_source(name, one_split=True)
        pairs = list(source.read())
        print(json.dumps([source.name, len(pairs), pairs[0].split, str(source.report)]))
    except InputError as error:
        print(json.dumps(str(error)))
"""


def test_both_are_read_from_the_hub_without_what_is_not_needed(tmp_path: Path) -> None:
    header = "".join(
        f"- config_name: {name}\n  data_files: {name}.jsonl\n" for name in ("survey", "conversations", "utterances")
    )
    sets = {
        PRISM: {
            "README.md": f"---\nconfigs:\n{header}---\n".encode(),
            "survey.jsonl": content(SURVEY, "jsonl"),
            "conversations.jsonl": content(CONVERSATIONS, "jsonl"),
            "utterances.jsonl": content(prism(), "jsonl"),
        },
        ARENA: {"data/train-00000-of-00001-cced85.parquet": content(arena(), "parquet"), "README.md": b"# Arena\n"},
    }
    with HubStandIn(sets) as hub:
        settings: dict[str, Any] = {
            "HF_ENDPOINT": hub.endpoint,
            "HF_HOME": str(tmp_path / "home"),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
        }
        said = python(CODE, PRISM, ARENA, "nobody/nothing", **settings)
        requests = list(hub.requests)
    offline = python(CODE, PRISM, ARENA, **settings, HF_HUB_OFFLINE="1")
    prism_line, arena_line, nothing = map(json.loads, said.splitlines())
    assert prism_line == [PRISM, 15, "test", "15 pairs of 3 users"]
    assert arena_line == [ARENA, 15, "train", "15 pairs of 3 users"]
    assert nothing.startswith("nobody/nothing: no such file or folder, and no such dataset on the Hub")
    assert not [each for each in requests if "survey.jsonl" in each or "conversations.jsonl" in each]
    assert list(map(json.loads, offline.splitlines())) == [prism_line, arena_line]
