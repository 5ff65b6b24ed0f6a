"""Campaigns through the command when things go wrong: kills, servers that fail, people without rights."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from prbgen.annotation.campaign import Place
from prbgen.run import Run
from tests.annotation.argilla.faulty import Fault, Faulty
from tests.annotation.conftest import Prbgen, roster
from tests.annotation.plan.rated_pairs import rated_pairs, write
from tests.annotation.raters import RestRater
from tests.annotation.server.embedded import API_KEY, Server

ROOT = Path(__file__).parents[2]


def command(run: Run, *words: str) -> subprocess.Popen[str]:
    """The command as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "prbgen", "annotate", words[0], str(run.folder), *words[1:], "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )


def user(argilla: Server, role: str) -> tuple[str, str]:
    """A new user's name and key."""
    name = f"{role}-{uuid.uuid4().hex[:8]}"
    body = {"username": name, "first_name": name, "password": "a long password", "role": role}
    with argilla.client() as rest:
        return name, str(rest.post("/users", json=body).json()["api_key"])


def records_in(argilla: Server, dataset: str) -> list[str]:
    with argilla.client() as rest:
        found = rest.get(f"/datasets/{dataset}/records", params={"limit": 1000}).json()["items"]
    return [each["external_id"] for each in found]


def dataset_of(argilla: Server, run: Run) -> str:
    campaign = Place.of(run, "quality").load()
    assert campaign is not None
    with argilla.client() as rest:
        found = rest.get("/me/datasets").json()["items"]
    [dataset] = [each["id"] for each in found if each["name"] == campaign.dataset]
    return str(dataset)


@pytest.mark.parametrize("requests", [3, 8, 20])
def test_a_push_that_is_killed_goes_on_and_brings_each_record_once(
    run: Run, argilla: Server, prbgen: Prbgen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, requests: int
) -> None:
    names = roster(tmp_path, [f"rater-{uuid.uuid4().hex[:6]}"])
    write(run.folder, rated_pairs(150))
    with Faulty(argilla.url) as between:
        monkeypatch.setenv("ARGILLA_API_URL", between.url)
        process = command(run, "push", "--round", "quality", "--raters", str(names), "--raters-per-item", "1")
        while process.poll() is None and len(between.requests) < requests:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        shown = process.communicate()[1]
        again = prbgen("push", "--round", "quality", "--raters", names, "--raters-per-item", 1)
    there = records_in(argilla, dataset_of(argilla, run))
    assert len(there) == len(set(there)) == again["datasets"]["quality"]["items"]
    assert set(there) == {item.id for item in Place.of(run, "quality").read_items()}
    # The password was shown by one of them, before the account was made.
    assert (names.stem in shown) or again["accounts"]


def test_a_pull_that_finds_a_dying_server_changes_nothing(
    run: Run, argilla: Server, prbgen: Prbgen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pushed = prbgen(
        "push",
        "--round",
        "quality",
        "--raters",
        roster(tmp_path, [f"a-{uuid.uuid4().hex[:6]}"]),
        "--raters-per-item",
        1,
    )
    [account] = pushed["accounts"]
    rater = RestRater(argilla.url, account["username"], account["password"])
    dataset = dataset_of(argilla, run)
    first, second, *_ = rater.pending(dataset)
    marks = {f"{mark}_{side}": 3 for mark in ("factuality", "relevance", "helpfulness") for side in "ab"}
    rater.send(first, marks)
    prbgen("pull", "--round", "quality")
    before = Place.of(run, "quality").ratings.read_bytes()
    rater.send(second, marks)
    monkeypatch.setattr(time, "sleep", lambda _: None)
    with Faulty(argilla.url) as between:
        monkeypatch.setenv("ARGILLA_API_URL", between.url)
        between.plan = lambda _, method, path: Fault(status=500) if path.endswith("/records") else None
        said = prbgen("pull", "--round", "quality", code=2)
        assert "500" in said
        assert Place.of(run, "quality").ratings.read_bytes() == before
        between.plan = lambda *_: None
        [pulled] = prbgen("pull", "--round", "quality")["rounds"]
    assert pulled["new"] == 6


def test_two_managers_who_push_copies_of_a_run_at_once_share_one_campaign(
    run: Run, argilla: Server, prbgen: Prbgen, tmp_path: Path
) -> None:
    import shutil

    names = str(roster(tmp_path, [f"b-{uuid.uuid4().hex[:6]}"]))
    prbgen("push", "--round", "quality", "--raters", names, "--raters-per-item", 1)
    write(run.folder, rated_pairs(60))
    copy = Run(tmp_path / "copy")
    shutil.copytree(run.folder, copy.folder)
    both = [command(each, "push", "--round", "quality") for each in (run, copy)]
    told = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0], told
    there = records_in(argilla, dataset_of(argilla, run))
    assert len(there) == len(set(there)) == json.loads(told[0][0])["datasets"]["quality"]["items"]


def test_one_run_is_pushed_by_one_process_at_a_time(run: Run, argilla: Server, prbgen: Prbgen, tmp_path: Path) -> None:
    with run.locked():
        said = prbgen("push", "--round", "quality", "--raters", roster(tmp_path, ["ada", "ben", "cleo"]), code=2)
    assert "is working on this run" in said


def test_new_that_was_interrupted_goes_on_with_what_it_began(
    run: Run, argilla: Server, prbgen: Prbgen, tmp_path: Path
) -> None:
    words = ("--round", "quality", "--raters", roster(tmp_path, [f"c-{uuid.uuid4().hex[:6]}"]), "--raters-per-item", 1)
    prbgen("push", *words)
    prbgen("push", *words, "--new")
    place = Place.of(run, "quality")
    begun = place.load()
    assert begun is not None
    place.save(begun.model_copy(update={"complete": False}))  # as a kill in mid-push leaves it
    prbgen("push", *words, "--new")
    again = place.load()
    assert again is not None
    assert again.id == begun.id


def test_an_interrupted_round_can_still_be_begun_afresh_with_another_seed(
    run: Run, argilla: Server, prbgen: Prbgen, tmp_path: Path
) -> None:
    words = ("--round", "quality", "--raters", roster(tmp_path, [f"f-{uuid.uuid4().hex[:6]}"]), "--raters-per-item", 1)
    prbgen("push", *words)
    place = Place.of(run, "quality")
    begun = place.load()
    assert begun is not None
    place.save(begun.model_copy(update={"complete": False}))
    assert "--new" in prbgen("push", *words, "--seed", 7, code=2)
    prbgen("push", *words, "--seed", 7, "--new")
    again = place.load()
    assert again is not None
    assert again.id != begun.id


def test_a_dataset_that_was_changed_or_deleted_on_the_server_is_refused_until_new(
    run: Run, argilla: Server, prbgen: Prbgen, tmp_path: Path
) -> None:
    words = ("--round", "rubric", "--raters", roster(tmp_path, [f"g-{uuid.uuid4().hex[:6]}"]), "--raters-per-item", 1)
    prbgen("push", *words)
    with argilla.client() as rest:

        def dataset() -> str:
            campaign = Place.of(run, "rubric").load()
            assert campaign is not None
            found = rest.get("/me/datasets").json()["items"]
            return next(str(each["id"]) for each in found if each["name"] == campaign.dataset)

        [better] = [
            each for each in rest.get(f"/datasets/{dataset()}/questions").json()["items"] if each["name"] == "better"
        ]
        options = [*better["settings"]["options"]][::-1]
        rest.patch(f"/questions/{better['id']}", json={"settings": {"type": "label_selection", "options": options}})
        prbgen("push", *words)  # the order of options is mended
        rest.delete(f"/datasets/{dataset()}")
        for action in (("push", *words), ("pull", "--round", "rubric")):
            assert "push --new" in prbgen(*action, code=2)
        assert prbgen("push", *words, "--new")["created"] == 14
        assert dataset()


def no_key(argilla: Server) -> tuple[str, str]:
    return "wrong-key", "the key is not accepted"


def an_annotator(argilla: Server) -> tuple[str, str]:
    return user(argilla, "annotator")[1], "is an annotator"


def an_admin(argilla: Server) -> tuple[str, str]:
    return user(argilla, "admin")[1], "ask an owner to create it"


@pytest.mark.parametrize("who", [no_key, an_annotator, an_admin])
def test_without_the_rights_a_push_is_refused_and_the_owner_repairs_it(
    run: Run,
    argilla: Server,
    prbgen: Prbgen,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    who: Callable[[Server], tuple[str, str]],
) -> None:
    key, says = who(argilla)
    words = ("--round", "quality", "--raters", roster(tmp_path, [f"d-{uuid.uuid4().hex[:6]}"]), "--raters-per-item", 1)
    monkeypatch.setenv("ARGILLA_API_KEY", key)
    said = prbgen("push", *words, code=2)
    assert says in said
    assert key not in said
    monkeypatch.setenv("ARGILLA_API_KEY", API_KEY)
    assert prbgen("push", *words)["created"] == 14


def test_somebody_elses_workspace_and_somebody_elses_raters_are_refused(
    run: Run, argilla: Server, prbgen: Prbgen, tmp_path: Path
) -> None:
    words = ("--round", "quality", "--raters", roster(tmp_path, [f"e-{uuid.uuid4().hex[:6]}"]), "--raters-per-item", 1)
    with argilla.client() as rest:
        name = f"theirs-{uuid.uuid4().hex[:6]}"
        workspace = rest.post("/workspaces", json={"name": name}).json()["id"]
        dataset = rest.post("/datasets", json={"name": "theirs", "workspace_id": workspace}).json()["id"]
        assert "somebody else's" in prbgen("push", *words, "--workspace", name, code=2)
        rest.delete(f"/datasets/{dataset}")
        stranger, _ = user(argilla, "annotator")
        users = {each["username"]: each["id"] for each in rest.get("/users").json()["items"]}
        rest.post(f"/workspaces/{workspace}/users", json={"user_id": users[stranger]})
        assert stranger in prbgen("push", *words, "--workspace", name, code=2)
        rest.delete(f"/workspaces/{workspace}/users/{users[stranger]}")
        assert prbgen("push", *words, "--workspace", name)["datasets"]["quality"]["workspace"] == name
        owner = prbgen("push", "--round", "quality", "--raters", roster(tmp_path, ["manager"]), code=2)
        assert "manager (owner)" in owner
