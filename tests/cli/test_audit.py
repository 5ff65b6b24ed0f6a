"""`prbgen audit`: from files of pairs to a verdict, a page, and a card that links it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prbgen.cli import main

WORDS = "stir simmer rice beans lemon pepper gently warm serve slowly bread butter garden soup basil"


def plain_rows(count: int, *, tell: str = "", users: int = 40) -> list[dict[str, Any]]:
    """Pairs without any difference between the sides, but for what is put at the end of each rejected answer."""
    random_words = random.Random(count)

    def answer() -> str:
        return " ".join(random_words.choices(WORDS.split(), k=30)) + "."

    return [
        {
            "question": f"What to cook, {n}?",
            "chosen": answer(),
            "rejected": answer() + tell,
            "user_key": f"u{n % users}",
        }
        for n in range(count)
    ]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def audited(capsys: pytest.CaptureFixture[str], *words: Any) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = main(["audit", *map(str, words), "--json"])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, document


def test_a_planted_shortcut_leaks_and_is_told_by_exit_code_and_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write(tmp_path / "pairs.jsonl", plain_rows(200, tell=" Would you agree?"))
    code, document = audited(capsys, data)
    assert (code, document["verdict"], document["n"]) == (1, "leaks", 200)
    assert document["shortcut"]["surface"]["ci95"][0] > 0.55
    assert {"agree", "would"} & {each["name"] for each in document["telling"]}
    assert main(["audit", str(data)]) == 1
    shown = capsys.readouterr().out
    assert "leaks" in shown
    assert "Words (TF-IDF)" in shown


def test_pairs_without_any_difference_do_not_leak(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, document = audited(capsys, write(tmp_path / "pairs.jsonl", plain_rows(200)))
    assert code == 0
    assert document["verdict"] in ("clean", "unclear")
    assert (document["pairs_needed"] is None) == (document["verdict"] == "clean")


def test_the_report_goes_where_it_is_asked_for_and_opens_without_network(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write(tmp_path / "pairs.jsonl", plain_rows(60))
    audited(capsys, data)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pairs.jsonl"]
    _, document = audited(capsys, data, "--out", tmp_path / "report")
    assert json.loads((tmp_path / "report" / "audit.json").read_text()) == document
    page = (tmp_path / "report" / "audit.html").read_text()
    assert "<svg" in page
    assert 'src="http' not in page
    first = (tmp_path / "report" / "audit.json").read_bytes(), page
    audited(capsys, data, "--out", tmp_path / "report")
    assert (
        (tmp_path / "report" / "audit.json").read_bytes(),
        (tmp_path / "report" / "audit.html").read_text(),
    ) == first


def test_pairs_of_equal_answers_do_not_hide_how_well_the_others_are_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = plain_rows(400, users=400)
    for row in rows[:360]:
        row["rejected"] = row["chosen"]
    for row in rows[360:]:
        row["rejected"] += " " + row["chosen"]
    _, document = audited(capsys, write(tmp_path / "pairs.jsonl", rows))
    assert (document["verdict"], document["identical"], document["n"]) == ("leaks", 360, 400)
    assert document["shortcut"]["length"]["accuracy"] == 1
    assert main(["audit", str(write(tmp_path / "all.jsonl", rows[:360]))]) == 2
    assert "0 pairs that differ" in capsys.readouterr().err


def test_a_run_whose_pairs_were_all_rejected_is_one_clear_line(
    made_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (made_run / "pairs.jsonl").write_text("")
    capsys.readouterr()
    for words in ([str(made_run)], [str(made_run), "--each"], [str(made_run), str(made_run)]):
        assert main(["audit", *words]) == 2
        assert "this run has no pairs; `prbgen status" in capsys.readouterr().err


def test_several_sets_stand_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = write(tmp_path / "one.jsonl", plain_rows(100))
    two = write(tmp_path / "two.jsonl", plain_rows(100, tell=" Really?"))
    code, document = audited(capsys, one, two)
    assert code == 1
    assert [each["name"] for each in document["sets"]] == [str(one), str(two)]
    main(["audit", str(one), str(two), "--out", str(tmp_path / "both")])
    assert "coverage gap" in capsys.readouterr().out
    assert (tmp_path / "both" / "audit.html").is_file()


def test_each_variant_is_audited_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        row | {"strategy": strategy, "generator": "m", "pair_id": f"{strategy}{n}", "id": str(n)}
        for strategy, tell in (("avoid", ""), ("swap", " Well?"))
        for n, row in enumerate(plain_rows(100, tell=tell))
    ]
    _, document = audited(capsys, write(tmp_path / "pairs.jsonl", rows), "--each")
    assert [(each["name"], each["n"]) for each in document["sets"]] == [
        ("avoid, m", 100),
        ("swap, m", 100),
    ]
    assert [each["shortcut"]["surface"]["accuracy"] > 0.8 for each in document["sets"]] == [False, True]


def test_another_split_is_searched_for_the_same_users_and_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def with_profile(rows: list[dict[str, Any]], who: str) -> list[dict[str, Any]]:
        return [
            row | {"profile": [{"id": "p", "text": f"{who} {n} " * 100, "category": None}]}
            for n, row in enumerate(rows)
        ]

    rows = with_profile(plain_rows(50, users=50), "one")
    others = with_profile(plain_rows(50, users=50), "other")
    others[0]["profile"] = rows[7]["profile"]
    for other in others[:-1]:
        other["question"] += " Quickly!"
    data, against = write(tmp_path / "pairs.jsonl", rows), write(tmp_path / "other.jsonl", others)
    _, document = audited(capsys, data, "--against", against)
    assert document["overlap"]["other"] == "other.jsonl"
    assert (document["overlap"]["users"], document["overlap"]["questions"]) == (1, 1)
    # Questions without answers will do.
    for each in others:
        del each["chosen"], each["rejected"]
        each |= {"id": each["question"], "rubric_aspects": None, "narrative": None, "category": None}
    _, document = audited(capsys, data, "--against", write(tmp_path / "other.jsonl", others))
    assert (document["overlap"]["users"], document["overlap"]["questions"]) == (1, 1)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda folder: folder / "absent.jsonl", "absent.jsonl"),
        (lambda folder: write(folder / "x.jsonl", [{"question": "Q?", "answer": "A"}]), "chosen"),
        (lambda folder: write(folder / "x.jsonl", [{"question": "Q?", "chosen": "A"}]), "rejected"),
        (lambda folder: write(folder / "x.jsonl", plain_rows(2)), "2 pairs that differ, of 2 users;"),
        (
            lambda folder: write(folder / "x.jsonl", plain_rows(60, users=3)),
            "60 pairs that differ, of 3 users;",
        ),
        (lambda folder: write(folder / "x.jsonl", []), "no rows"),
    ],
)
def test_bad_input_is_one_clear_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], make: Callable[[Path], Path], says: str
) -> None:
    assert main(["audit", str(make(tmp_path))]) == 2
    captured = capsys.readouterr()
    (line,) = [line for line in captured.err.splitlines() if line.startswith("prbgen: ")]
    assert says in line
    assert not captured.out


@pytest.fixture
def made_run(tmp_path: Path) -> Path:
    """A run of twelve questions by twelve people."""
    rows = [
        {"id": f"0_{n}_0", "question": f"Which film for evening {n}?", "profile": [], "narrative": None,
         "category": "film", "rubric_aspects": [{"aspect": "Is short", "evidence": "short", "reason": "Time."}]}
        for n in range(12)
    ]  # fmt: skip
    rules = [
        {"match": "cover each of these points", "reply": "Take {digest}, a brisk comedy that is over in an hour."},
        {"reply": "Watch {digest} instead, the long saga with all its sequels."},
    ]
    write(tmp_path / "films_test.jsonl", rows)
    write(tmp_path / "model.jsonl", rules)
    (tmp_path / "recipe.toml").write_text(
        '[source]\npath = "films_test.jsonl"\n[models]\nanswer = "scripted/model.jsonl"\n'
    )
    assert main(["generate", str(tmp_path / "recipe.toml")]) == 0
    return tmp_path / "runs" / "recipe"


def test_the_audit_of_a_run_is_kept_there_and_linked_by_the_card_until_the_pairs_change(
    made_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card = made_run / "dataset" / "README.md"
    assert "have not been audited" in card.read_text()
    _, document = audited(capsys, made_run)
    assert json.loads((made_run / "audit" / "audit.json").read_text()) == document
    assert (document["making"]["attempts"], document["making"]["passed"]) == (12, 12)
    assert document["making"]["cost"]["usd_a_pair"] is None
    assert document["empty_profiles"] == 12
    assert f"**{document['verdict']}**" in card.read_text()
    assert "(audit.html)" in card.read_text()
    assert (made_run / "dataset" / "audit.html").is_file()
    recipe = made_run.parent.parent / "recipe.toml"
    # The same pairs: the audit still holds.
    main(["generate", str(recipe)])
    assert "(audit.html)" in card.read_text()
    main(["generate", str(recipe), "--limit", "11", "--run", str(made_run.parent / "less")])
    recipe.write_text(recipe.read_text() + "[pair]\nseed = 1\n")
    main(["generate", str(recipe)])
    assert "have not been audited" in card.read_text()
    assert not (made_run / "dataset" / "audit.html").exists()


def test_the_dataset_of_a_run_has_the_same_audit(made_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, of_run = audited(capsys, made_run)
    _, of_dataset = audited(capsys, made_run / "dataset")
    for name in ("data", "n", "users", "shortcut", "verdict", "telling"):
        assert of_run[name] == of_dataset[name]


def test_a_run_at_work_is_not_audited(made_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from prbgen.run import Run

    with Run(made_run).locked():
        assert main(["audit", str(made_run)]) == 2
    assert "working on this run" in capsys.readouterr().err
