"""Users are told over the data and the benchmarks together, from keys, posts and questions, and so on from there."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prbgen.downstream.ppo.prepare.split import validation_users
from prbgen.downstream.ppo.prepare.users import askers_of
from prbgen.sources import AskerSource
from tests.downstream.ppo.prepare.prepared import write
from tests.evaluation.asking_rows import pair_row
from tests.sources.lamp_rows import row

Asked = tuple[int, frozenset[int], int]
ASKED: st.SearchStrategy[Asked] = st.tuples(
    st.integers(0, 9), st.frozensets(st.integers(0, 9), max_size=2), st.integers(0, 20)
)


def long_post(number: int) -> str:
    return f"This is post number {number}, and it is long. " * 6


def asker_row(number: int, asked: Asked) -> dict[str, Any]:
    key, posts, question = asked
    profile = [{"category": None, "id": str(each), "text": long_post(each)} for each in sorted(posts)]
    return pair_row(number, user_key=f"u{key}", profile=profile, question=f"Question {question}?")


def connected(askeds: list[Asked]) -> list[int]:
    """The least number of a question that each is connected with, by spreading until nothing changes."""
    least = list(range(len(askeds)))
    while True:
        spread = [
            min(
                least[other]
                for other, theirs in enumerate(askeds)
                if theirs[0] == own[0] or theirs[1] & own[1] or theirs[2] == own[2]
            )
            for own in askeds
        ]
        if spread == least:
            return least
        least = spread


@given(st.lists(ASKED, min_size=1, max_size=12), st.lists(ASKED, min_size=1, max_size=6), st.integers(1, 12))
def test_users_are_those_that_anything_connects_and_no_side_shares_one(
    data: list[Asked], bench: list[Asked], wanted: int
) -> None:
    with TemporaryDirectory() as folder:
        sources = [
            AskerSource.at(
                str(write(Path(folder) / name, *(asker_row(at + first, each) for at, each in enumerate(askeds))))
            )
            for name, askeds, first in (("data.jsonl", data, 0), ("bench.jsonl", bench, 100))
        ]
        askers = askers_of(sources[0], sources[1:], 0)
    groups = connected(data + bench)
    mine, theirs = groups[: len(data)], set(groups[len(data) :])
    assert set(askers.left) == {f"/q{at}" for at, group in enumerate(mine) if group not in theirs}
    for at, one in enumerate(mine):
        for beside, other in enumerate(mine):
            assert (askers.users[f"/q{at}"] == askers.users[f"/q{beside}"]) == (one == other)
    validation = validation_users(askers.left, wanted, 0)
    sides = {(data[int(key[2:])][0], user in validation) for key, user in askers.left.items()}
    assert len(sides) == len({user_key for user_key, _ in sides})


def test_keys_made_of_ids_count_in_their_own_source_alone(tmp_path: Path) -> None:
    def lamp(name: str, text: str) -> AskerSource:
        posts = [{"category": "cooking", "id": "p", "text": text * 9}]
        rows = [row(each, profile=posts, question=f"{text} {each}?") for each in ("0_1_0", "0_2_0")]
        return AskerSource.at(str(write(tmp_path / name, *rows)), split="test")

    askers = askers_of(
        lamp("test.jsonl", "One long post of somebody."), [lamp("other_test.jsonl", "Another one, of another.")], 0
    )
    assert len(askers.left) == 2
    assert len(set(askers.left.values())) == 1
