"""What lies in the folder afterwards: read by several readers, the same every time, and never a standard in it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import datasets
import duckdb
import pyarrow.parquet
import pytest
import yaml

from prbgen.digest import file_sha256
from prbgen.downstream.ppo.prepare.facts import PreparedFacts
from prbgen.downstream.ppo.rewards import reward
from prbgen.errors import InputError, PrbgenError
from prbgen.evaluation.settings import DataSettings
from prbgen.llm.templates import Prompts
from tests.downstream.ppo.prepare.prepared import keys, policy, prepared, rows, write
from tests.evaluation.asking_rows import ASPECT, EVIDENCE, NARRATIVE, REASON, pair_row

LONG = "A long post by which a user can be told, as it has more than two hundred characters. " * 3


@pytest.fixture(scope="module")
def tok(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return policy(tmp_path_factory.mktemp("policy"))


@pytest.fixture
def place(tmp_path: Path, tok: Path) -> Path:
    """Twenty questions of as many users, and a benchmark of four others."""
    (tmp_path / "tok").symlink_to(tok)
    write(tmp_path / "data.jsonl", *(pair_row(number) for number in range(20)))
    write(tmp_path / "bench.jsonl", *(pair_row(number) for number in range(100, 104)))
    return tmp_path


def test_every_question_is_in_one_of_the_files_with_the_columns_that_verl_reads(place: Path) -> None:
    facts = prepared(place, condition="profile", posts=2)
    train, validation = rows(place, "train"), rows(place, "validation")
    assert (facts.train.questions, facts.validation.questions) == (len(train), len(validation)) == (15, 5)
    assert sorted(keys(place, "train") + keys(place, "validation")) == sorted(f"/q{n}" for n in range(20))
    for side, of_side in (("train", train), ("validation", validation)):
        for index, row in enumerate(of_side):
            extra = row["extra_info"]
            number = extra["id"][1:]
            said = (
                "What the person who asks has written before, most relevant first:\n\n"
                f"[1] Post 0 of user {number}.\n\n[2] Post 1 of user {number}.\n\n"
                f"The person's question:\nWhat now, number {number}?"
            )
            assert row["prompt"] == [{"role": "user", "content": said}]
            assert row["data_source"] == "prbgen"
            assert row["reward_model"] == {"style": "model", "ground_truth": extra["key"]}
            assert (extra["prompt"], extra["split"], extra["index"]) == (said, side, index)
            assert (extra["user_key"], extra["posts_shown"], extra["posts_dropped"]) == (f"u{number}", 2, 0)
            fewer = [said[:head] + said[len(said) - tail :] for head, tail in extra["shorter"]]
            assert fewer == [said.replace(f"[2] Post 1 of user {number}.\n\n", ""), f"What now, number {number}?"]


@pytest.mark.parametrize("condition", ["none", "profile"])
def test_no_file_holds_anything_of_the_scoring_standard_or_of_the_answers(place: Path, condition: str) -> None:
    prepared(place, condition=condition)
    for side in ("train", "validation"):
        text = json.dumps(rows(place, side))
        assert "What now" in text
        assert not re.search(f"{ASPECT}|{EVIDENCE}|{REASON}|{NARRATIVE}|Do th", text)


def test_other_readers_see_the_same_rows(place: Path) -> None:
    prepared(place, condition="profile")
    file = str(place / "out" / "train.parquet")
    expected = rows(place, "train")
    assert (
        datasets.load_dataset("parquet", data_files=file, cache_dir=str(place / "cache"))["train"].to_list() == expected
    )
    found = duckdb.sql(f"select extra_info.key from '{file}'")
    assert found is not None
    assert found.fetchall() == [(each,) for each in keys(place, "train")]
    schema = pyarrow.parquet.read_schema(file)
    # What datasets 4 writes there, datasets 3 cannot read.
    assert schema.metadata is None
    assert isinstance(expected[0]["extra_info"], dict)


def test_a_rerun_gives_the_same_bytes_also_elsewhere(place: Path) -> None:
    first = prepared(place, condition="profile")
    bytes_of = {file.name: file.read_bytes() for file in (place / "out").iterdir()}
    assert set(bytes_of) == {"train.parquet", "validation.parquet", "verl.yaml", "reward.py", "prepared.json"}
    assert prepared(place, condition="profile") == first
    assert {file.name: file.read_bytes() for file in (place / "out").iterdir()} == bytes_of
    prepared(place, condition="profile", folder=place / "other")
    for name in ("train.parquet", "validation.parquet", "reward.py"):
        assert (place / "other" / name).read_bytes() == bytes_of[name]


def test_the_record_says_what_was_made_and_of_what(place: Path) -> None:
    facts = prepared(place, seed=3)
    out = place / "out"
    assert PreparedFacts.model_validate_json((out / "prepared.json").read_text()) == facts
    assert facts.files == {name: file_sha256(out / name) for name in facts.files}
    assert facts.settings["seed"] == 3
    assert set(facts.versions) == {"prbgen", "pyarrow", "transformers", "tokenizers"}
    assert (facts.questions, facts.by_benchmark_users, facts.left_out) == (20, 0, ())
    assert facts.prompt == Prompts().digest("asker")
    assert (out / "reward.py").read_bytes() == Path(reward.__file__).read_bytes()


def test_users_of_the_benchmark_are_left_out_however_they_are_told(place: Path) -> None:
    shared = [{"category": "cooking", "id": "x", "text": LONG}]
    write(
        place / "data.jsonl",
        *(pair_row(number) for number in range(8)),
        pair_row(10, user_key="u101"),  # the same key
        pair_row(11, profile=shared),  # a post in common
        pair_row(12, question="What now,  NUMBER 102?"),  # the same question
        pair_row(13, user_key="u11"),  # another question of one of them
    )
    write(
        place / "bench.jsonl",
        pair_row(100, profile=[{"category": "other", "id": "y", "text": LONG.upper()}]),
        *(pair_row(number) for number in (101, 102)),
    )
    facts = prepared(place)
    assert sorted(keys(place, "train") + keys(place, "validation")) == [f"/q{n}" for n in range(8)]
    assert (facts.questions, facts.by_benchmark_users, facts.benchmark_users) == (12, 4, 3)


def test_no_user_is_in_both_files(place: Path) -> None:
    write(place / "data.jsonl", *(pair_row(number, user_key=f"u{number % 7}") for number in range(40)))
    facts = prepared(place)
    sides = [{row["extra_info"]["user_key"] for row in rows(place, side)} for side in ("train", "validation")]
    assert not sides[0] & sides[1]
    assert (facts.train.users, facts.validation.users) == (len(sides[0]), len(sides[1]))


def test_a_prompt_that_is_too_long_loses_its_last_posts_and_is_counted(place: Path, tok: Path) -> None:
    from transformers import AutoTokenizer

    facts = prepared(place, condition="profile", posts=4, prompt_tokens=160)
    tokenizer: Any = AutoTokenizer.from_pretrained(tok)
    found = rows(place, "train") + rows(place, "validation")
    for row in found:
        ids = tokenizer.apply_chat_template(row["prompt"], add_generation_prompt=True, return_dict=True)["input_ids"]
        assert len(ids) == row["extra_info"]["prompt_tokens"] <= 160
        assert ids.count(tokenizer.bos_token_id) == 1
        assert row["extra_info"]["posts_shown"] + row["extra_info"]["posts_dropped"] == 4
        assert row["prompt"][0]["content"].count("Post ") == row["extra_info"]["posts_shown"] > 0
    assert facts.train.shortened + facts.validation.shortened == 20
    dropped = sum(row["extra_info"]["posts_dropped"] for row in found)
    assert facts.train.posts_dropped + facts.validation.posts_dropped == dropped > 0
    assert facts.train.most_tokens <= 160


def test_a_question_that_does_not_fit_or_is_empty_is_left_out_by_name(place: Path) -> None:
    changed: dict[int, dict[str, Any]] = {3: {"question": "Why? " * 200}, 5: {"question": " "}}
    write(place / "data.jsonl", *(pair_row(number, **changed.get(number, {})) for number in range(20)))
    facts = prepared(place, condition="profile", prompt_tokens=400)
    assert [(each.key, each.reason) for each in facts.left_out] == [
        ("/q3", "beyond 400 tokens even without posts"),
        ("/q5", "no question"),
    ]
    assert len(keys(place, "train") + keys(place, "validation")) == 18


def test_the_limit_is_of_the_data_not_of_the_benchmark(place: Path) -> None:
    write(place / "bench.jsonl", *(pair_row(number) for number in (100, 101, 4)))
    facts = prepared(place, data=DataSettings(str(place / "data.jsonl"), limit=6))
    assert (facts.questions, facts.by_benchmark_users) == (6, 1)


def test_the_configuration_has_the_settings_of_the_paper(place: Path) -> None:
    write(place / "data.jsonl", *(pair_row(number, posts=0) for number in range(200, 400)))
    facts = prepared(place, reward_url="http://rewards:8000/score", validation=10)
    assert (facts.batch, facts.in_no_batch) == (128, 62)
    config: dict[str, Any] = yaml.safe_load((place / "out" / "verl.yaml").read_text())
    assert config["prbgen"] == {"folder": str(place / "out"), "reward_url": "http://rewards:8000/score"}
    assert config["data"]["train_batch_size"] == 128
    assert (config["data"]["max_prompt_length"], config["data"]["max_response_length"]) == (8192, 512)
    actor = config["actor_rollout_ref"]["actor"]
    assert (float(actor["optim"]["lr"]), float(config["critic"]["optim"]["lr"])) == (5e-7, 5e-6)
    assert 128 % actor["ppo_mini_batch_size"] == 0
    assert actor["ppo_max_token_len_per_gpu"] >= 8192 + 512
    assert config["trainer"]["total_epochs"] == 1
    assert (
        config["critic"]["model"]["path"]
        == config["actor_rollout_ref"]["model"]["path"]
        == str((place / "tok").resolve())
    )
    assert "62 of the 190 questions make no whole batch" in (place / "out" / "verl.yaml").read_text()


def test_the_default_policy_and_few_questions_are_said_in_the_configuration(place: Path) -> None:
    from prbgen.downstream.ppo.prepare.settings import POLICY

    prepared(place, policy=POLICY)
    text = (place / "out" / "verl.yaml").read_text()
    config = yaml.safe_load(text)
    assert config["actor_rollout_ref"]["model"]["path"] == POLICY
    assert (config["data"]["train_batch_size"], config["prbgen"]["reward_url"]) == (8, None)
    assert "Less than the paper's 128" in text
    assert "@" not in text


@pytest.mark.parametrize("template", [None, "{{ raise_exception('no') }}"])
def test_a_tokenizer_without_a_fitting_chat_template_is_refused(
    place: Path, tmp_path: Path, template: str | None
) -> None:
    with pytest.raises(InputError, match="chat template"):
        prepared(place, tokenizer=str(policy(tmp_path / "bad", template)))
    assert not (place / "out").exists()


def test_a_tokenizer_that_is_not_there_is_refused(place: Path) -> None:
    (place / "empty").mkdir()
    with pytest.raises(InputError, match="empty: the folder holds no model"):
        prepared(place, tokenizer=str(place / "empty"))


def test_if_all_users_are_in_the_benchmark_nothing_is_written(place: Path) -> None:
    with pytest.raises(InputError, match="each of its questions is by a user of a benchmark"):
        prepared(place, benchmarks=(DataSettings(str(place / "data.jsonl")),))
    assert not (place / "out").exists()


def test_one_user_with_all_questions_leaves_none_for_validation(place: Path) -> None:
    write(place / "data.jsonl", *(pair_row(number, user_key="u") for number in range(20)))
    with pytest.raises(InputError, match="no user has as few questions"):
        prepared(place)


def test_if_nothing_fits_it_is_said_with_an_example_and_nothing_is_written(place: Path) -> None:
    with pytest.raises(InputError, match=r"nothing is left for train: 20 questions .* such as /q0 \(beyond 5 tokens"):
        prepared(place, prompt_tokens=5)
    assert sorted(each.name for each in place.iterdir()) == ["bench.jsonl", "data.jsonl", "tok"]


@pytest.mark.parametrize("name", ["notes.txt", "verl.yaml", "train.parquet"])
def test_a_folder_with_something_of_the_users_is_left_alone(place: Path, name: str) -> None:
    prepared(place)
    (place / "out" / name).write_text("mine")
    before = {file.name: file.read_bytes() for file in (place / "out").iterdir()}
    with pytest.raises(InputError, match=rf"out: .*{name}.*name another folder"):
        prepared(place)
    assert {file.name: file.read_bytes() for file in (place / "out").iterdir()} == before


def test_a_foreign_folder_and_a_file_are_refused(place: Path) -> None:
    (place / "out").mkdir()
    (place / "out" / "thesis.tex").touch()
    with pytest.raises(InputError, match=r"holds thesis.tex"):
        prepared(place)
    with pytest.raises(InputError, match="is a file"):
        prepared(place, folder=place / "data.jsonl")


def test_a_full_disk_is_one_clear_line_and_leaves_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("prbgen.publication.parquet._ParquetFile.flush", full)
    with pytest.raises(PrbgenError, match=r"out: cannot be written \(No space left on device\)"):
        prepared(place)
    assert sorted(each.name for each in place.iterdir()) == ["bench.jsonl", "data.jsonl", "tok"]
