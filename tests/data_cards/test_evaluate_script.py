"""The evaluation script that is published beside the data, run as a user runs it."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.data_cards.conftest import SCRIPT
from tests.data_cards.rows import (
    LIFE,
    SECRET_ASPECT,
    SECRET_EVIDENCE,
    SECRET_NARRATIVE,
    Command,
    Evaluate,
    Publish,
    pair,
    six,
)
from tests.data_cards.tiny import TEMPLATE, save_classifier, save_language_model, tokenizer


def by_hand(folder: Path, message: str, answer: str) -> float:
    """The score that a text gets whose special tokens are written out, one by one, in this test."""
    import torch
    from transformers import Qwen2ForSequenceClassification

    text = f"<s><|im_start|>user\n{message}<|im_end|>\n<|im_start|>assistant\n{answer}<|im_end|>\n"
    ids = tokenizer(None).backend_tokenizer.encode(text, add_special_tokens=False).ids
    model = Qwen2ForSequenceClassification.from_pretrained(folder).eval()  # type: ignore[no-untyped-call]
    with torch.no_grad():
        logits: list[float] = model(torch.tensor([ids])).logits[0].tolist()
    return logits[0] if len(logits) == 1 else logits[1] - logits[0]


def test_it_is_one_short_file_that_needs_no_prbgen() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 300
    assert "prbgen" not in text
    assert text.startswith("# /// script\n")


def test_its_metadata_names_every_library_that_it_imports() -> None:
    import ast
    import re
    import tomllib

    text = SCRIPT.read_text(encoding="utf-8")
    head = text[: text.index("# ///\n")].splitlines()[1:]
    needs = tomllib.loads("\n".join(line.removeprefix("# ") for line in head))["dependencies"]
    imported: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(str(node.module).partition(".")[0])
    assert {re.split(r"[<>=]", need)[0] for need in needs} == imported - sys.stdlib_module_names


@pytest.mark.parametrize(("labels", "condition"), [(1, "none"), (1, "profile"), (2, "oracle")])
def test_scores_are_those_of_a_direct_computation(
    publish: Publish, evaluate: Evaluate, script: ModuleType, tmp_path: Path, labels: int, condition: str
) -> None:
    pairs = six()
    model = save_classifier(tmp_path / "model", labels=labels, template=TEMPLATE)
    done = evaluate(publish(pairs), "--scorer", f"scalar:{model}", "--condition", condition, "--posts", 2)
    assert done.code == 0, done.said
    in_order = [
        each for subset in ("Art_and_Entertainment", LIFE) for each in pairs if each.provenance.subset == subset
    ]
    assert [item["pair_id"] for item in done.result["items"]] == [each.pair_id for each in in_order]
    for item, each in zip(done.result["items"], in_order, strict=True):
        message = each.question if condition == "none" else script.user_message(each.model_dump(), condition, 2)
        chosen, rejected = (by_hand(model, message, answer) for answer in (each.chosen, each.rejected))
        assert item["score_chosen"] == pytest.approx(chosen, abs=1e-4)
        assert item["score_rejected"] == pytest.approx(rejected, abs=1e-4)
        assert item["outcome"] == ("win" if chosen > rejected else "loss")
        assert item["reason"] is None
    assert done.result["note"] == ("oracle: upper bound" if condition == "oracle" else None)


def test_the_summary_says_what_the_items_say(publish: Publish, evaluate: Evaluate, reward_model: Path) -> None:
    words = ("--scorer", f"scalar:{reward_model}", "--condition", "none")
    same = pair(9, chosen="The same.", rejected="The same.")
    folder = publish([*six(), same])
    done = evaluate(folder, *words)
    result = done.result
    outcomes = [item["outcome"] for item in result["items"]]
    wins = outcomes.count("win")
    assert outcomes[-1] == "tie" or "tie" in outcomes
    assert (result["n"], result["wins"], result["ties"], result["unscored"]) == (7, wins, 1, 0)
    assert result["accuracy"]["value"] == wins / 7
    low, high = result["accuracy"]["ci95"]
    assert 0 <= low <= wins / 7 <= high <= 1
    assert result["accuracy_half"] == (wins + 0.5) / 7
    assert result["bounds"] == [wins / 7, wins / 7]
    assert result["coverage"] == 1
    assert {name: part["n"] for name, part in result["by_subset"].items()} == {"Art_and_Entertainment": 5, LIFE: 2}
    assert result["order_consistency"] is None
    assert set(result["versions"]) == {"python", "datasets", "numpy", "transformers", "torch"}
    assert str(folder.parent) not in json.dumps(result["data"])
    assert f"accuracy {wins / 7:.3f}" in done.said.splitlines()[-1]

    again = evaluate(folder, *words).result
    for each in (result, again):
        del each["scoring_seconds"]
    assert again == result


def test_the_interval_is_wider_where_users_asked_more_than_once(script: ModuleType) -> None:
    base = {"reason": None, "truncated": False}
    outcomes = ["win", "win", "win", "win", "loss", "loss"] * 20
    alone = [{**base, "outcome": outcome, "user_key": None} for outcome in outcomes]
    grouped = [{**base, "outcome": outcome, "user_key": f"{outcome}{n % 2}"} for n, outcome in enumerate(outcomes)]
    narrow, wide = (script.figures(items)["accuracy"]["ci95"] for items in (alone, grouped))
    assert wide[1] - wide[0] > 2 * (narrow[1] - narrow[0])
    # The normal approximation of the binomial: 1.96 * sqrt(p (1 - p) / n).
    assert narrow[1] - narrow[0] == pytest.approx(2 * 1.96 * (2 / 3 * 1 / 3 / 120) ** 0.5, rel=0.1)
    one_user = [{**each, "user_key": "u"} for each in alone]
    assert script.figures(one_user)["accuracy"] == {"value": 2 / 3, "ci95": None}


def test_ties_are_no_wins_and_the_unscored_are_bounded(script: ModuleType) -> None:
    items = [
        {"outcome": outcome, "user_key": None, "truncated": outcome == "tie"}
        for outcome in ("win", "win", "loss", "tie", "unscored")
    ]
    found = script.figures(items)
    assert found["accuracy"]["value"] == 2 / 4
    assert found["accuracy_half"] == 2.5 / 4
    assert found["bounds"] == [2 / 5, 3 / 5]
    assert (found["coverage"], found["truncated"]) == (4 / 5, 1)
    nothing = script.figures([{"outcome": "unscored", "user_key": None, "truncated": False}])
    assert nothing["accuracy"] == {"value": None, "ci95": None}
    assert nothing["accuracy_half"] is None
    assert nothing["bounds"] == [0, 1]


def test_narrative_and_evidence_are_never_shown_and_aspects_under_oracle_alone(script: ModuleType) -> None:
    row = pair(1).model_dump()
    for condition in ("none", "profile", "oracle"):
        message = script.user_message(row, condition, 10)
        seen = script.JUDGE.format(message=message, first=row["chosen"], second=row["rejected"])
        assert row["question"] in message
        for secret in (SECRET_NARRATIVE, SECRET_EVIDENCE, "REASON-SECRET"):
            assert secret not in seen
        assert (SECRET_ASPECT in seen) == (condition == "oracle")
        assert ("Post 0 of 1" in seen) == (condition == "profile")
    assert script.user_message(row, "none", 10) == row["question"]
    assert "Post 1 of 1" in script.user_message(row, "profile", 2)
    assert "Post 2 of 1" not in script.user_message(row, "profile", 2)


@pytest.mark.parametrize("template", [TEMPLATE, None])
def test_the_model_gets_one_bos_token_and_never_a_secret(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, template: str | None
) -> None:
    from transformers import Qwen2ForSequenceClassification

    model = save_classifier(tmp_path / "model", labels=1, template=template)
    options = Namespace(device="cpu", dtype="float32", trust_remote_code=False, max_tokens=8192, posts=10)
    score, seen = script.scalar(str(model), options), []
    forward = Qwen2ForSequenceClassification.forward

    def spied(self: Any, input_ids: Any = None, **more: Any) -> Any:
        seen.append(input_ids[0].tolist())
        return forward(self, input_ids, **more)

    monkeypatch.setattr(Qwen2ForSequenceClassification, "forward", spied)
    for options.condition in ("none", "profile", "oracle"):
        seen.clear()
        item = script.evaluate(score, options, "Art", pair(1).model_dump())
        assert item["outcome"] in ("win", "loss")
        assert len(seen) == 2
        for ids in seen:
            text = tokenizer(None).decode(ids)
            assert [n for n, token in enumerate(ids) if token == 0] == [0], text
            assert pair(1).question in text
            assert SECRET_NARRATIVE not in text
            assert (SECRET_ASPECT in text) == (options.condition == "oracle")
        if template is None:
            message = script.user_message(pair(1).model_dump(), options.condition, 10)
            assert tokenizer(None).decode(seen[0]) == f"<s>{message}\n\n{pair(1).chosen}"


def test_what_is_too_long_loses_its_last_posts_or_is_unscored(
    publish: Publish, evaluate: Evaluate, script: ModuleType, tmp_path: Path
) -> None:
    model = save_classifier(tmp_path / "model", labels=1, template=TEMPLATE, positions=250)
    pairs = [pair(0), pair(1, question="Which? " * 100), pair(2, profile=())]
    done = evaluate(publish(pairs), "--scorer", f"scalar:{model}", "--condition", "profile")
    cut, too_long, fits = done.result["items"]
    assert (cut["truncated"], cut["reason"], fits["truncated"], fits["reason"]) == (True, None, False, None)
    assert (too_long["outcome"], too_long["reason"], too_long["truncated"]) == ("unscored", "too long", True)
    assert "score_chosen" not in too_long
    assert done.result["unscored"] == 1
    row = pairs[0].model_dump()
    lengths = [
        len(
            tokenizer(TEMPLATE).apply_chat_template(chat(script.user_message(row, "profile", posts), row["chosen"]))[
                "input_ids"
            ]
        )
        for posts in range(5)
    ]
    kept = max(posts for posts in range(5) if lengths[posts] <= 250)
    assert 0 < kept < 4
    expected = by_hand(model, script.user_message(row, "profile", kept), row["chosen"])
    assert cut["score_chosen"] == pytest.approx(expected, abs=1e-4)


def chat(message: str, answer: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": message}, {"role": "assistant", "content": answer}]


def test_one_config_split_and_a_limit_can_be_chosen(publish: Publish, evaluate: Evaluate, reward_model: Path) -> None:
    folder = publish(six(), validated=False)
    words = ("--scorer", f"scalar:{reward_model}", "--condition", "none")
    unsaid = evaluate(folder, *words)
    assert (unsaid.code, unsaid.result) == (2, None)
    assert "no validated split; there is test_unvalidated" in unsaid.said
    out = folder.parent / "result.json"
    done = evaluate(folder, folder, *words, "--config", LIFE, "--split", "test_unvalidated", "--limit", 1, "--out", out)
    assert (done.code, done.result) == (0, None)
    result = json.loads(out.read_text(encoding="utf-8"))
    assert [item["subset"] for item in result["items"]] == [LIFE]
    assert (result["config"], result["split"]) == (LIFE, "test_unvalidated")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--split", "dev"), "no dev split; there is test"),
        (("--config", "Cooking"), "no config 'Cooking'; there is "),
        (("--scorer", "rate:x"), "scalar:MODEL or judge:MODEL is needed"),
        (("--scorer", "scalar:no/such/model"), "no/such/model"),
        (("--limit", "0"), "numbers from 1"),
        (("nowhere",), "nowhere"),
        (("--out", "no-folder/x.json"), "no-folder"),
        (("--out", "."), "cannot be a file there"),
        (("--out", "pipe"), "cannot be a file there"),
        (("run",), "is a run; the dataset is run/dataset"),
    ],
)
def test_bad_input_is_one_clear_line(
    publish: Publish, command: Command, reward_model: Path, words: tuple[str, ...], said: str
) -> None:
    data = () if words in (("nowhere",), ("run",)) else (str(publish([pair(0)])),)
    os.mkfifo("pipe")
    Path("run").mkdir()
    Path("run/ledger.sqlite").touch()
    code, stdout, stderr = command(*data, "--scorer", f"scalar:{reward_model}", "--condition", "none", *words)
    assert (code, stdout) == (2, "")
    (line,) = [line for line in stderr.splitlines() if line.startswith("evaluate.py: ")]
    assert said in line


def test_a_link_to_a_result_stays_one(publish: Publish, command: Command, reward_model: Path) -> None:
    Path("real.json").touch()
    Path("link.json").symlink_to("real.json")
    words = ("--scorer", f"scalar:{reward_model}", "--condition", "none", "--out", "link.json")
    assert command(str(publish([pair(0)])), *words)[0] == 0
    assert Path("link.json").is_symlink()
    assert json.loads(Path("real.json").read_text())["n"] == 1


def test_help_shows_how_it_is_used(command: Command) -> None:
    code, stdout, _ = command("--help")
    assert code == 0
    assert "uv run evaluate.py ORG/DATASET --scorer judge:" in stdout
    assert "an upper bound" in stdout


def test_a_model_that_is_no_reward_model_is_refused(publish: Publish, command: Command, tmp_path: Path) -> None:
    folder = publish([pair(0)])
    many = save_classifier(tmp_path / "many", labels=3, template=TEMPLATE)
    headless = save_language_model(tmp_path / "headless")
    for model, said in ((many, "has 3 labels"), (headless, "lacks the weights that score an answer (score.weight)")):
        code, stdout, stderr = command(str(folder), "--scorer", f"scalar:{model}", "--condition", "none")
        assert (code, stdout) == (2, "")
        assert said in stderr


@pytest.mark.parametrize(
    ("rows", "condition", "said"),
    [
        (0, "none", "corresponds to no data"),
        (1, "profile", "has no column profile"),
        (1, "oracle", "has no column rubric_aspects"),
        (None, "none", "doesn't contain any data files"),
    ],
)
def test_data_without_rows_or_without_what_a_condition_needs_is_refused(
    command: Command, reward_model: Path, tmp_path: Path, rows: int | None, condition: str, said: str
) -> None:
    folder = tmp_path / "plain" / "data"
    folder.mkdir(parents=True)
    if rows is not None:
        (folder / "test.csv").write_text("id,question,chosen,rejected\n" + "1,Which?,This.,That.\n" * rows)
    words = ("--scorer", f"scalar:{reward_model}", "--condition", condition)
    code, stdout, stderr = command(str(folder.parent), *words)
    assert (code, stdout) == (2, "")
    (line,) = [line for line in stderr.splitlines() if line.startswith("evaluate.py: ")]
    assert said in line
    assert str(folder.parent) in line


def test_rows_without_their_texts_are_unscored_with_the_reason(script: ModuleType) -> None:
    options = Namespace(condition="oracle", posts=10)

    def never(message: str, row: dict[str, Any]) -> dict[str, Any]:
        raise AssertionError

    row = {**pair(1).model_dump(), "chosen": "", "rubric_aspects": []}
    item = script.evaluate(never, options, "Art", row)
    assert (item["outcome"], item["reason"]) == ("unscored", "no chosen, rubric_aspects")


def test_texts_that_are_null_are_passed_over(script: ModuleType) -> None:
    row = pair(1).model_dump()
    row["profile"] = [{"category": None, "id": "1", "text": None}]
    row["rubric_aspects"] = [{"aspect": None, "evidence": None, "reason": None}]
    assert script.user_message(row, "profile", 10) == row["question"]
    assert "None" not in script.user_message(row, "oracle", 10)
