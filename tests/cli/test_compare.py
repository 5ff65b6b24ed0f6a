"""`prbgen compare`: a regenerated dataset against the old one, new results against old ones."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from prbgen.cli import main
from prbgen.evaluation.item import ScoredItem
from prbgen.evaluation.metrics.figures import figures
from prbgen.evaluation.summary import ModelFacts, Summary

LETTERS = {"w": "win", "l": "loss", "t": "tie", "u": "unscored"}


def rows(count: int = 20, **changes: Any) -> list[dict[str, Any]]:
    """Pairs in the released format, with what prbgen adds."""
    return [
        {
            "id": f"0_{n}_0",
            "question": f"Which of the {n} trains should I take?",
            "profile": [{"category": "travel", "id": f"0_{n}_0_0", "text": f"I like window seats, {n}."}],
            "rubric_aspects": [{"aspect": "A window seat", "evidence": "I like to look out", "reason": "Views."}],
            "narrative": f"I like to look out, {n}.",
            "category": "travel" if n % 2 else "trains",
            "chosen": "Take the slow one by the sea.",
            "rejected": "Take the fast one.",
            "pair_id": f"p{n}",
            "user_key": f"u{n // 2}",
            "strategy": "avoid",
            "generator": "openai/old",
        }
        | changes
        for n in range(count)
    ]


def write(path: Path, data: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in data), encoding="utf-8")
    return path


def results(folder: Path, outcomes: str, *, first: int = 0, pair: str = "p", **changes: Any) -> Path:
    """The results of one evaluation, by the first letters of its outcomes."""
    items = [
        ScoredItem(
            pair_id=f"{pair}{n}",
            id=f"q{n}",
            subset="Art",
            category=None,
            strategy="avoid",
            generator=None,
            user_key=f"u{n}",
            outcome=LETTERS[letter],  # type: ignore[arg-type]
            reason="too long" if letter == "u" else None,
            words_chosen=90,
            words_rejected=95,
        )
        for n, letter in enumerate(outcomes, first)
    ]
    fields: dict[str, Any] = {
        "scorer": "scalar:rm",
        "condition": "profile",
        "note": None,
        "data": "data",
        "split": "test",
        "posts": 10,
        "protocol": "prbgen",
        "planner": None,
        "pairs": "0a",
        "model": ModelFacts(kind="scalar", name="rm"),
        "cost": None,
        "planner_usd": None,
        "fingerprint": "f",
        "settings": {},
        "versions": {},
        "scoring_seconds": 1.5,
    } | changes
    summary = Summary(**dict(figures(items, resamples=200)), **fields)
    folder.mkdir(parents=True)
    (folder / "summary.json").write_text(summary.model_dump_json(), encoding="utf-8")
    (folder / "items.jsonl").write_text("".join(each.model_dump_json() + "\n" for each in items), encoding="utf-8")
    return folder


def compared(capsys: pytest.CaptureFixture[str], old: Path, new: Path) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = main(["compare", str(old), str(new), "--json"])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, document


def shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, old: Path, new: Path) -> str:
    monkeypatch.setenv("COLUMNS", "80")
    capsys.readouterr()
    main(["compare", str(old), str(new)])
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], old: Path, new: Path) -> str:
    capsys.readouterr()
    assert main(["compare", str(old), str(new)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    return told.err.splitlines()[-1]


def test_a_dataset_beside_itself_is_unchanged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write(tmp_path / "pairs.jsonl", rows())
    code, found = compared(capsys, data, data)
    assert (code, found["kind"]) == (0, "datasets")
    assert found["old"] | {"name": ""} == found["new"] | {"name": ""}
    assert found["questions"] == {
        "same": 20,
        "other_id": 0,
        "reworded": 0,
        "only_old": 0,
        "only_new": 0,
        "examples_only_old": [],
        "examples_only_new": [],
    }
    nothing = {"changed": 0, "compared": 20}
    assert found["pairs"] == {
        "joined": 20,
        "unchanged": 20,
        "answers": nothing,
        "rubric": nothing,
        "profile": nothing,
        "only_old": 0,
        "only_new": 0,
    }


def test_each_kind_of_change_is_counted_as_what_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = rows(22)[2:]
    new[0]["chosen"] = "Take the one by the sea, and sit on the left."
    new[1]["rubric_aspects"] = [{"aspect": "No change of trains", "evidence": None, "reason": None}]
    new[2]["narrative"] = "Something else."
    new[3]["profile"] = []
    new[4]["question"] = "Which train is it to be?"
    code, found = compared(capsys, write(tmp_path / "old.jsonl", rows()), write(tmp_path / "new.jsonl", new))
    assert code == 0
    assert found["questions"] == {
        "same": 18,
        "other_id": 0,
        "reworded": 1,
        "only_old": 2,
        "only_new": 2,
        "examples_only_old": ["0_0_0", "0_1_0"],
        "examples_only_new": ["0_20_0", "0_21_0"],
    }
    assert found["pairs"]["unchanged"] == 14
    changed = {name: found["pairs"][name]["changed"] for name in ("answers", "rubric", "profile")}
    assert changed == {"answers": 1, "rubric": 2, "profile": 1}


def test_a_set_of_another_model_keeps_its_questions_and_shows_its_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    new = [
        row | {"pair_id": f"n{n}", "generator": "openai/new", "chosen": "Take the slow one. " * 5}
        for n, row in enumerate(rows())
    ]
    # A second strategy, which the old set does not have.
    new += [row | {"pair_id": f"s{n}", "strategy": "swap"} for n, row in enumerate(new)]
    old, fresh = write(tmp_path / "old.jsonl", rows()), write(tmp_path / "new.jsonl", new)
    code, found = compared(capsys, old, fresh)
    assert code == 0
    assert (found["pairs"]["joined"], found["pairs"]["only_new"]) == (20, 20)
    assert found["pairs"]["answers"] == {"changed": 20, "compared": 20}
    assert found["new"]["by_strategy"] == {"avoid": 20, "swap": 20}
    assert (found["old"]["words_chosen"]["median"], found["new"]["words_chosen"]["median"]) == (7, 20)
    assert found["old"]["users"] == found["new"]["users"] == 10
    text = shown(capsys, monkeypatch, old, fresh)
    assert "strategy swap" in text
    assert "generator openai/new" in text
    assert max(map(len, text.splitlines())) <= 80


def test_rows_without_ids_are_joined_by_what_they_ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = [{name: row[name] for name in ("question", "chosen", "rejected")} for row in rows()]
    code, found = compared(
        capsys, write(tmp_path / "old.jsonl", plain), write(tmp_path / "new.jsonl", plain[::-1][:15])
    )
    assert code == 0
    assert (found["questions"]["same"], found["questions"]["only_old"]) == (15, 5)
    assert found["questions"]["reworded"] == 0
    assert found["pairs"]["unchanged"] == 15
    assert found["pairs"]["rubric"] == {"changed": 0, "compared": 0}


def test_an_id_that_looks_like_a_place_is_an_id_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = [row | {"id": f"corpus.txt:line {n}"} for n, row in enumerate(rows())]
    new = [row | {"question": f"In other words, {n}?"} for n, row in enumerate(old)]
    found = compared(capsys, write(tmp_path / "old.jsonl", old), write(tmp_path / "new.jsonl", new))[1]
    assert (found["questions"]["same"], found["questions"]["reworded"]) == (20, 20)


def test_datasets_without_a_common_question_fall_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = [row | {"id": f"x{n}", "question": f"Other {n}?"} for n, row in enumerate(rows())]
    code, found = compared(capsys, write(tmp_path / "old.jsonl", rows()), write(tmp_path / "new.jsonl", other))
    assert (code, found["questions"]["same"], found["pairs"]["joined"]) == (1, 0, 0)


def test_results_on_the_same_pairs_have_a_paired_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = results(tmp_path / "old", "wwllllllllu"), results(tmp_path / "new", "wwwwwwwwwwl")
    code, found = compared(capsys, old, new)
    [change] = found["changes"]
    assert (code, found["kind"], change["joined_by"], change["same_data"]) == (0, "results", "pairs", True)
    assert change["paired"]["difference"]["value"] == pytest.approx(0.8)
    assert change["paired"]["p"] == change["paired"]["mcnemar"] == pytest.approx(2 / 2**8)
    assert change["paired"]["left_out"] == {"only_first": 0, "only_second": 0, "unscored": 1}
    assert (found["rankings"], change["differs"]) == ([], [])
    text = shown(capsys, monkeypatch, old, new)
    assert "+0.800" in text
    # The accuracies on the pairs that both scored: they differ by what is said.
    assert ["0.200", "1.000", "+0.800"] in [line.split()[-6:-3] for line in text.splitlines()]
    assert "10 pairs" in text


def test_results_on_other_pairs_are_compared_by_question_and_say_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = results(tmp_path / "old", "wwllll")
    new = results(tmp_path / "new", "wwwwwlll", pair="n", pairs="0b", posts=5)
    _, found = compared(capsys, old, new)
    [change] = found["changes"]
    assert (change["joined_by"], change["same_data"], change["differs"]) == ("questions", False, ["posts: 10 -> 5"])
    assert (change["paired"]["n"], change["paired"]["left_out"]["only_second"]) == (6, 2)
    text = " ".join(shown(capsys, monkeypatch, old, new).split())
    assert "compared on the same questions, with other pairs" in text
    assert "not the same: posts: 10 -> 5" in text


def test_regenerated_answers_under_the_same_pair_ids_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = results(tmp_path / "old", "wwll"), results(tmp_path / "new", "wwwl", pairs="0b")
    text = " ".join(shown(capsys, monkeypatch, old, new).split())
    assert "the pairs are not the same, or not in all of their texts; compared on the same pair_ids" in text


def test_scorers_are_joined_by_condition_and_ranked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shares = {"scalar:a": (9, 5), "judge:b": (7, 6), "rate:c": (5, 8)}
    for scorer, (old, new) in shares.items():
        name = scorer.replace(":", "-")
        results(tmp_path / "old" / name, "w" * old + "l" * (10 - old), scorer=scorer)
        results(tmp_path / "new" / name, "w" * new + "l" * (10 - new), scorer=scorer)
    results(tmp_path / "old" / "a-none", "wl", scorer="scalar:a", condition="none")
    code, found = compared(capsys, tmp_path / "old", tmp_path / "new")
    assert code == 0
    assert [each["new"]["scorer"] for each in found["changes"]] == ["judge:b", "rate:c", "scalar:a"]
    [ranking] = found["rankings"]
    ranks = {each["label"]: (each["old"], each["new"]) for each in ranking["scorers"]}
    assert ranks == {"scalar:a": (1, 3), "judge:b": (2, 2), "rate:c": (3, 1)}
    assert ranking["kendall"] == ranking["spearman"] == pytest.approx(-1)
    assert [each["condition"] for each in found["only_old"]] == ["none"]
    text = shown(capsys, monkeypatch, tmp_path / "old", tmp_path / "new")
    assert "Kendall -1.00" in text
    assert "only in old: scalar:a, none (a-none)" in text
    assert max(map(len, text.splitlines())) <= 80


def test_results_of_one_scorer_are_told_apart_by_their_folders(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for side in ("old", "new"):
        for posts in (3, 10):
            results(tmp_path / side / f"rm-{posts}", "w" * posts + "l" * 10, posts=posts)
        results(tmp_path / side / "b", "wl", scorer="scalar:b")
    [ranking] = compared(capsys, tmp_path / "old", tmp_path / "new")[1]["rankings"]
    labels = [each["label"] for each in ranking["scorers"]]
    assert sorted(labels) == ["scalar:b", "scalar:rm (rm-10)", "scalar:rm (rm-3)"]
    text = shown(capsys, monkeypatch, tmp_path / "old", tmp_path / "new")
    assert text.count("(rm-10)") == text.count("(rm-3)") == 2


def test_two_scorers_are_too_few_for_a_rank_correlation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for scorer in ("scalar:a", "scalar:b"):
        for side in ("old", "new"):
            results(tmp_path / side / scorer[-1], "wl", scorer=scorer)
    [ranking] = compared(capsys, tmp_path / "old", tmp_path / "new")[1]["rankings"]
    assert ranking["kendall"] is None
    assert ranking["reason"] == "a rank correlation needs 3 scorers, there are 2"


def test_one_result_on_each_side_may_be_of_two_scorers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = results(tmp_path / "old", "wwll")
    new = results(tmp_path / "new", "wwwl", scorer="judge:x", condition="none")
    code, found = compared(capsys, old, new)
    assert code == 0
    assert found["changes"][0]["differs"] == ["scorer: scalar:rm -> judge:x", "condition: profile -> none"]
    assert found["rankings"] == []
    text = shown(capsys, monkeypatch, old, new)
    assert max(map(len, text.split("\n- ")[0].splitlines())) <= 80
    assert "scalar:rm (old) and judge:x (new) under profile (old) and none (new): not the same" in " ".join(
        text.split()
    )
    heads = " ".join(line[:24].strip() for line in text.splitlines()[:8])
    assert "profile (old)" in heads
    assert "none (new)" in heads


def test_results_that_share_no_pair_and_no_question_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = compared(
        capsys, results(tmp_path / "old", "wwl"), results(tmp_path / "new", "wwl", first=50, pairs="0b")
    )
    [change] = found["changes"]
    assert (code, change["joined_by"], change["paired"]["p"]) == (1, None, None)
    assert change["paired"]["reason"] == "no pair and no question in common"


def test_several_results_without_a_common_scorer_and_condition_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        results(tmp_path / "old" / name, "wl", scorer=f"scalar:{name}")
    results(tmp_path / "new", "wl", condition="oracle")
    said = refused(capsys, tmp_path / "old", tmp_path / "new")
    assert "scalar:a under profile, scalar:b under profile" in said
    assert "scalar:rm under oracle" in said


def test_results_and_data_are_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, found = write(tmp_path / "pairs.jsonl", rows()), results(tmp_path / "results", "wl")
    for old, new in ((data, found), (found, data)):
        assert "compare two datasets, or two sets of results" in refused(capsys, old, new)


def test_a_dataset_with_results_inside_is_a_dataset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "dataset"
    folder.mkdir()
    write(folder / "test.jsonl", rows())
    header = "configs: [{config_name: default, data_files: [{split: test, path: test.jsonl}]}]"
    (folder / "README.md").write_text(f"---\n{header}\n---\n# Pairs\n", encoding="utf-8")
    results(folder / "results" / "rm", "wl")
    code, found = compared(capsys, folder, write(tmp_path / "new.jsonl", rows(12)))
    assert (code, found["kind"], found["questions"]["same"], found["old"]["pairs"]) == (0, "datasets", 12, 20)


def test_the_same_results_give_the_same_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = results(tmp_path / "old", "wwltl"), results(tmp_path / "new", "wltww")
    said = []
    # By the file as well as by the folder.
    for place in (old, old / "summary.json"):
        assert main(["compare", str(place), str(new), "--json"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]


def test_what_is_not_there_or_damaged_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, found = write(tmp_path / "pairs.jsonl", rows()), results(tmp_path / "results", "wl")
    assert "no such file or folder" in refused(capsys, data, tmp_path / "nowhere")
    (found / "items.jsonl").unlink()
    assert "items.jsonl" in refused(capsys, found, found)
    (found / "summary.json").write_text("{}")
    assert "is not what `prbgen evaluate` writes" in refused(capsys, found, found)


def test_names_of_scorers_are_shown_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = (results(tmp_path / side, "wl", scorer="rate:[b]a[/b]") for side in ("old", "new"))
    assert "rate:[b]a[/b]" in shown(capsys, monkeypatch, old, new)
