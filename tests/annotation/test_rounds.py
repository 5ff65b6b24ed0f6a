"""Whole campaigns against the real server: pushed, rated by three people at once, pulled, closed, adjudicated."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from prbgen.annotation.campaign import EARLIER, Place
from prbgen.annotation.items import Item
from prbgen.run import Run, read_records
from prbgen.schema import Rating
from tests.annotation.conftest import Prbgen, roster
from tests.annotation.plan.rated_pairs import rated_pair, rated_pairs, write
from tests.annotation.raters import RestRater
from tests.annotation.server.embedded import API_KEY, Server

MARKS = ("factuality", "relevance", "helpfulness")


def quality(item: dict[str, Any]) -> dict[str, Any]:
    """Good answers are good; what answers another question is beside the point."""
    name = item["question"].removeprefix("Question ").removesuffix("?")
    return {f"{mark}_{side}": 5 if name in item[side] else 1 for mark in MARKS for side in "ab"}


def rubric(item: dict[str, Any]) -> dict[str, Any]:
    good = "a" if item["a"].startswith("Good answer") and item["question"][9:-1] in item["a"] else "b"
    other = "b" if good == "a" else "a"
    return {
        f"covers_{good}": ["1", "2", "3"],
        f"covers_{other}": ["none"],
        f"adherence_{good}": 5,
        f"adherence_{other}": 1,
        "better": good.upper(),
    }


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def people(tmp_path: Path) -> list[str]:
    """Names of their own, as all tests share a server."""
    return [f"{name}-{abs(hash(tmp_path)) % 10**8}" for name in ("ada", "بدر", "cléo")]


def enter(argilla: Server, pushed: dict[str, Any]) -> list[RestRater]:
    return [RestRater(argilla.url, each["username"], each["password"]) for each in pushed["accounts"]]


def dataset_id(pushed: dict[str, Any]) -> str:
    [dataset] = pushed["datasets"].values()
    assert dataset["where"].startswith("http://127.0.0.1:")
    return str(dataset["where"].split("/")[-2])


def all_rate(raters: list[RestRater], dataset: str, answers: Any) -> list[int]:
    with ThreadPoolExecutor(len(raters)) as pool:
        return list(pool.map(lambda rater: rater.rate_all(dataset, answers), raters))


def test_a_campaign_from_the_first_push_to_the_adjudicated_ratings(
    run: Run, argilla: Server, prbgen: Prbgen, people: list[str], tmp_path: Path
) -> None:
    names = roster(tmp_path, people)
    pushed = prbgen("push", "--round", "quality", "--raters", names)
    items = list(read_records(Place.of(run, "quality").items, Item))
    assert pushed["created"] == len(items) == 10 + 2 + 2  # pairs, gold, repeats
    assert [each["username"] for each in pushed["accounts"]] == people
    raters = enter(argilla, pushed)
    assert all_rate(raters, dataset_id(pushed), quality) == [len(items)] * 3

    # Whoever still rates quality does not see the rubric.
    said = prbgen("push", "--round", "rubric", "--raters", names, code=2)
    assert "still in the round quality" in said
    assert not Place.of(run, "rubric").folder.exists()

    [pulled] = prbgen("pull", "--round", "quality", "--close")["rounds"]
    assert pulled["flagged"] == {}
    ratings = list(read_records(Place.of(run, "quality").ratings, Rating))
    pair_ratings = [each for each in ratings if each.kind == "pair"]
    assert {each.label for each in pair_ratings} == {"chosen", "rejected"}
    assert {each.value for each in pair_ratings} == {5}
    assert {each.value for each in ratings if each.kind == "gold" and each.question == "relevance"} == {1, 5}
    assert all(each.submitted_at and each.submitted_at.endswith("Z") for each in ratings)
    written = Place.of(run, "quality").ratings.read_bytes()
    assert not any(name.encode() in written for name in people)
    prbgen("pull", "--round", "quality")
    assert Place.of(run, "quality").ratings.read_bytes() == written
    [closed] = prbgen("status", "--round", "quality")["rounds"]
    assert closed["closed_at"]
    assert all(rater["total"]["gold_right"] == rater["total"]["gold_done"] for rater in closed["raters"])
    assert sorted(rater["username"] for rater in closed["raters"]) == sorted(people)
    assert not any(rater.datasets() for rater in raters)

    pushed = prbgen("push", "--round", "rubric", "--raters", names)
    assert pushed["accounts"] == []
    second = dataset_id(pushed)
    all_rate(raters[:2], second, rubric)
    # The third sees it the other way round.
    all_rate(
        raters[2:],
        second,
        lambda item: rubric(item) | {"better": "equal", "adherence_a": 3, "adherence_b": 3},
    )
    prbgen("pull", "--round", "rubric")
    senior = roster(tmp_path, [f"senior-{people[0]}"])
    assert "rated in this round" in prbgen("adjudicate", "--round", "rubric", "--raters", names, code=2)
    adjudicated = prbgen("adjudicate", "--round", "rubric", "--raters", senior)
    assert (
        adjudicated["created"] == adjudicated["datasets"]["rubric"]["items"] == len(adjudicated["disagreements"]) == 10
    )
    [judge] = enter(argilla, adjudicated)
    [seen] = judge.datasets()
    assert judge.rate_all(seen["id"], rubric) == 10
    both = prbgen("pull", "--round", "rubric", "--close")["rounds"]
    assert [each["senior"] for each in both] == [False, True]
    assert {each["label"] for each in lines(Place.of(run, "rubric").adjudication.ratings) if each["shown"] is None} >= {
        "chosen"
    }
    assert prbgen("adjudicate", "--round", "rubric")["created"] == 0


def test_pushing_again_changes_nothing_and_adds_only_what_is_new(
    run: Run, argilla: Server, prbgen: Prbgen, people: list[str], tmp_path: Path
) -> None:
    words = ("--round", "quality", "--raters", roster(tmp_path, people))
    first = prbgen("push", *words)
    frozen = {path: path.read_bytes() for path in Place.of(run, "quality").folder.rglob("*") if path.is_file()}
    again = prbgen("push", "--round", "quality")
    assert (again["created"], again["updated"], again["unchanged"]) == (0, 0, first["created"])
    assert {path: path.read_bytes() for path in frozen} == frozen

    write(run.folder, rated_pairs(8))
    grown = prbgen("push", "--round", "quality")
    assert grown["unchanged"] == first["created"]
    assert grown["created"] == 6 + 2 + 2
    items = Place.of(run, "quality").items.read_bytes()
    assert items.startswith(frozen[Place.of(run, "quality").items])

    changed = [rated_pair(0, strategy="avoid", version=1), *rated_pairs(8)[1:]]
    write(run.folder, changed)
    updated = prbgen("push", "--round", "quality")
    assert updated["updated"] >= 1
    assert updated["kept"] == 0
    [standing] = prbgen("status")["rounds"]
    assert standing["total"]["items"] == updated["datasets"]["quality"]["items"] == 16 + 4 + 4
    write(run.folder, rated_pairs(4))
    assert prbgen("push", "--round", "quality")["datasets"]["quality"]["items"] < 16
    [standing] = prbgen("status")["rounds"]
    with argilla.client() as rest:
        there = rest.get(f"/datasets/{dataset_id(first)}/progress").json()["total"]
    assert there == standing["total"]["items"]


def test_ratings_that_were_changed_or_withdrawn_stay_in_the_history(
    run: Run, argilla: Server, prbgen: Prbgen, people: list[str], tmp_path: Path
) -> None:
    pushed = prbgen("push", "--round", "quality", "--raters", roster(tmp_path, people))
    rater, other, _ = enter(argilla, pushed)
    first, second, third, *_ = rater.pending(dataset_id(pushed))
    sent = rater.send(first, quality(first["fields"]["item"]))
    gone = rater.send(second, quality(second["fields"]["item"]))
    rater.send(third, {"factuality_a": 0}, status="draft")
    other.send(third, {}, status="discarded")
    [before] = prbgen("pull", "--round", "quality")["rounds"]
    assert (before["ratings"], before["drafts"], before["discarded"]) == (12, 1, 1)
    values = {
        name: {"value": value} for name, value in (quality(first["fields"]["item"]) | {"factuality_a": 0}).items()
    }
    rater.rest.put(f"/responses/{sent['id']}", json={"status": "submitted", "values": values}).raise_for_status()
    rater.rest.delete(f"/responses/{gone['id']}").raise_for_status()
    [after] = prbgen("pull", "--round", "quality")["rounds"]
    assert (after["ratings"], after["replaced"], after["withdrawn"]) == (6, 6, 6)
    kept = list(read_records(Place.of(run, "quality").ratings, Rating))
    assert len(kept) == 18
    [unknown] = [each for each in kept if each.question == "factuality" and each.shown == "A" and each.gone is None]
    assert unknown.value is None


def test_an_edited_form_is_taken_if_answers_stay_comparable_and_else_refused(
    run: Run, argilla: Server, prbgen: Prbgen, people: list[str], tmp_path: Path
) -> None:
    from prbgen.resources import resource

    names = roster(tmp_path, people)
    first = prbgen("push", "--round", "quality", "--raters", names)
    own = tmp_path / "annotation"
    for kind in ("guidelines", "questions"):
        (own / kind).mkdir(parents=True)
    (own / "guidelines" / "quality.md").write_text("# Our own\n\nBe fair.\n")
    worded = prbgen("push", "--round", "quality", "--annotation", own)
    assert worded["datasets"]["quality"]["reworded"]
    dataset = argilla.client().get(f"/datasets/{dataset_id(first)}").json()
    assert dataset["guidelines"].startswith("# Our own")
    assert not prbgen("push", "--round", "quality")["datasets"]["quality"]["reworded"]

    questions = (resource("annotation/questions") / "quality.toml").read_text(encoding="utf-8")
    (own / "questions" / "quality.toml").write_text(
        questions + '\n[[question]]\nname = "remark"\nkind = "text"\ntitle = "Remark"\nrequired = false\n'
    )
    said = prbgen("push", "--round", "quality", "--annotation", own, code=2)
    assert "remark is new" in said
    assert "--new" in said
    afresh = prbgen("push", "--round", "quality", "--annotation", own, "--new", "--raters", names)
    assert afresh["created"] == first["created"]
    assert dataset_id(afresh) != dataset_id(first)
    [aside] = (run.annotation / EARLIER).iterdir()
    assert json.loads((aside / "campaign.json").read_text())["closed_at"]
    rater = RestRater(argilla.url, first["accounts"][0]["username"], first["accounts"][0]["password"])
    assert [each["id"] for each in rater.datasets()] == [dataset_id(afresh)]


def test_a_closed_round_is_gone_on_with_only_by_reopen(
    run: Run, argilla: Server, prbgen: Prbgen, people: list[str], tmp_path: Path
) -> None:
    names = roster(tmp_path, people)
    pushed = prbgen("push", "--round", "quality", "--raters", names)
    prbgen("pull", "--round", "quality", "--close")
    assert "was closed at" in prbgen("push", "--round", "quality", code=2)
    assert "--raters" in prbgen("push", "--round", "quality", "--reopen", code=2)
    prbgen("push", "--round", "quality", "--reopen", "--raters", names)
    rater = enter(argilla, pushed)[0]
    assert rater.pending(dataset_id(pushed))


def test_raters_per_item_and_passwords_can_change_later(
    run: Run, argilla: Server, prbgen: Prbgen, people: list[str], tmp_path: Path
) -> None:
    pushed = prbgen("push", "--round", "quality", "--raters", roster(tmp_path, people))
    prbgen("push", "--round", "quality", "--raters-per-item", 2)
    dataset = argilla.client().get(f"/datasets/{dataset_id(pushed)}").json()
    assert dataset["distribution"]["min_submitted"] == 2
    assert "2 since" not in prbgen("push", "--round", "quality", "--seed", 7, code=2)
    [account] = prbgen("push", "--round", "quality", "--reset-password", people[0])["accounts"]
    assert RestRater(argilla.url, account["username"], account["password"]).datasets()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "a file with --raters names them"),
        (("--raters", "RATERS", "--raters-per-item", "4"), "3 raters, but each item is to be rated by 4"),
        (("--raters", "RATERS", "--gold", "2"), "[annotation] gold"),
        (("--raters", "none.csv"), "none.csv: No such file"),
        (("--raters", "RATERS", "--annotation", "nowhere"), "nowhere: no such folder"),
    ],
)
def test_a_push_that_cannot_be_is_one_line_and_leaves_nothing(
    run: Run, argilla: Server, prbgen: Prbgen, people: list[str], tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    names = str(roster(tmp_path, people))
    said = prbgen("push", "--round", "quality", *(names if word == "RATERS" else word for word in words), code=2)
    assert says in said
    assert not run.annotation.exists()


def test_without_a_server_and_without_pairs_it_says_what_to_do(
    run: Run, prbgen: Prbgen, people: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--round", "quality", "--raters", roster(tmp_path, people))
    assert "prbgen annotate serve" in prbgen("push", *words, code=2)
    monkeypatch.setenv("ARGILLA_API_URL", "http://127.0.0.1:9")
    assert "ARGILLA_API_KEY: not set" in prbgen("push", *words, code=2)
    monkeypatch.setenv("ARGILLA_API_KEY", API_KEY)
    assert "http://127.0.0.1:9" in prbgen("push", *words, code=2)
    assert not run.annotation.exists()
    run.pairs.unlink()
    assert "prbgen generate" in prbgen("push", *words, code=2)
    assert "no round was pushed" in prbgen("status", code=2)
    assert "the round blind was not pushed" in prbgen("pull", "--round", "blind", code=2)
    assert "the round blind was not pushed" in prbgen("adjudicate", "--round", "blind", code=2)


def test_what_was_frozen_and_is_damaged_is_refused_not_repaired(
    run: Run, argilla: Server, prbgen: Prbgen, people: list[str], tmp_path: Path
) -> None:
    prbgen("push", "--round", "quality", "--raters", roster(tmp_path, people))
    place = Place.of(run, "quality")
    whole = place.items.read_text(encoding="utf-8")
    for damaged in ("".join(whole.splitlines(keepends=True)[:5]), whole * 2, whole[:-20]):
        place.items.write_text(damaged, encoding="utf-8")
        for action in ("push", "pull"):
            assert "items.jsonl" in prbgen(action, "--round", "quality", code=2)
    place.items.write_text(whole, encoding="utf-8")
    assert prbgen("push", "--round", "quality")["created"] == 0


def test_pairs_that_no_round_can_rate_begin_none(
    run: Run, argilla: Server, prbgen: Prbgen, people: list[str], tmp_path: Path
) -> None:
    write(run.folder, [rated_pair(1, aspects=0)])
    said = prbgen("push", "--round", "rubric", "--raters", roster(tmp_path, people), code=2)
    assert "no pair that the round rubric can rate" in said
    assert not run.annotation.exists()


def test_new_brings_what_was_rated_before_the_round_is_set_aside(
    run: Run, argilla: Server, prbgen: Prbgen, people: list[str], tmp_path: Path
) -> None:
    words = ("--round", "quality", "--raters", roster(tmp_path, people))
    pushed = prbgen("push", *words)
    [rater, *_] = enter(argilla, pushed)
    done = rater.rate_all(dataset_id(pushed), quality)
    prbgen("push", *words, "--new")
    [aside] = (run.annotation / EARLIER).iterdir()
    assert len(lines(Place(aside).ratings)) == 6 * done
