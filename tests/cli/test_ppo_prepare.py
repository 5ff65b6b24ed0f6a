"""`prbgen ppo prepare`: its flags, and what it says."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from prbgen.cli.ppo import prepare
from prbgen.errors import InputError
from tests.downstream.ppo.prepare.prepared import policy, write
from tests.evaluation.asking_rows import pair_row


def ran(*words: str) -> int:
    parser = argparse.ArgumentParser()
    prepare.add_arguments(parser)
    return prepare.run(parser.parse_args([*words, "--out", "out"]))


@pytest.fixture
def data(in_tmp_path: Path) -> tuple[str, ...]:
    rows = [pair_row(number) for number in range(20)]
    write(in_tmp_path / "data.jsonl", *rows, pair_row(20, question="Why? " * 99))
    write(in_tmp_path / "bench.jsonl", *(pair_row(number) for number in (3, 104)))
    write(in_tmp_path / "prism.jsonl", *(pair_row(number) for number in (4, 105)))
    policy(in_tmp_path / "tok")
    benchmarks = ("--benchmark", "bench.jsonl", "--benchmark", "prism.jsonl")
    return ("data.jsonl", *benchmarks, "--policy", "tok", "--max-prompt-tokens", "300")


def test_it_says_what_was_made_and_left_out(data: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    code = ran(*data, "--condition", "profile", "--validation", "3")
    said = capsys.readouterr().out.splitlines()
    assert code == 1
    assert said[:5] == [
        "train: 15 questions by 15 users",
        "validation: 3 questions by 3 users",
        "left out: 2 of 21 questions, by 2 users of a benchmark",
        "left out: /q20: beyond 300 tokens even without posts",
        "batches of 8: 7 questions of an epoch make none",
    ]


def test_with_json_it_prints_the_record_alone(data: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(*data, "--limit", "20", "--json") == 0
    assert json.loads(capsys.readouterr().out) == json.loads(Path("out/prepared.json").read_text())


@pytest.mark.parametrize("word", ["many", "", "1e", "0x3"])
def test_a_validation_that_is_no_number_is_refused(word: str, data: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit):
        ran(*data, "--validation", word)


def test_data_that_is_not_there_is_one_clear_line(data: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match=r"nowhere\.jsonl"):
        ran("nowhere.jsonl", *data[1:])
    with pytest.raises(InputError, match=r"nowhere\.jsonl"):
        ran(*data, "--benchmark", "nowhere.jsonl")
