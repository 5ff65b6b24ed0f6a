"""Nobody else's work is replaced, and no version is published twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.hub_stand_in import HubStandIn
from tests.publication.hub.conftest import Pusher, contents

Make = Callable[..., Path]
There = Callable[..., dict[str, Any]]


def unknown(hub: HubStandIn, repo: str, title: str, author: str) -> str:
    commit = hub.repos[repo].head.sha
    return (
        f"{repo}: its newest commit is not known here: {commit[:12]} {title!r} of 2026-01-01 by {author}:"
        f" look at it ({hub.endpoint}/datasets/{repo}/commit/{commit}), then give --onto {commit} to replace what it"
        " holds, --pull-request to propose yours, or another name"
    )


def test_somebody_elses_newer_commit_is_named_and_kept(hub: HubStandIn, push: Pusher, make: Make, there: There) -> None:
    first = there("lab/conflict", make())
    theirs = hub.repos["lab/conflict"].put({"extra.txt": b"x"}, "A \x1b[31mremark\n", "somebody")
    before = len(hub.storage.uploads)
    folder = make("new", art=["n"])
    refused = push(folder, "lab/conflict", version="2.0.0", last=first)
    assert refused.error == unknown(hub, "lab/conflict", "A [31mremark", "somebody")
    assert hub.repos["lab/conflict"].head == theirs
    assert len(hub.storage.uploads) == before
    outdated = push(folder, "lab/conflict", version="2.0.0", onto=first["commit"])
    assert outdated.error == refused.error
    allowed = push(folder, "lab/conflict", version="2.0.0", last=first, onto=theirs.sha[:8])
    assert allowed.published
    assert allowed.published["tag"] == "v2.0.0"
    assert "extra.txt" not in hub.repos["lab/conflict"].contents()


def test_a_name_that_holds_something_else_is_refused(hub: HubStandIn, push: Pusher, make: Make, there: There) -> None:
    folder = make()
    elsewhere = there("lab/mine", folder)
    there("lab/taken", make("one", art=["1"]))
    refused = push(folder, "lab/taken", version="2.0.0", last=elsewhere)
    assert refused.error == unknown(hub, "lab/taken", "Version 1.0.0", "tester")


def test_an_empty_dataset_made_by_hand_is_filled(hub: HubStandIn, push: Pusher, make: Make, there: There) -> None:
    folder = make()
    there("lab/by-hand", folder)
    repo = hub.repos["lab/by-hand"]
    repo.tags.clear()
    repo.put(dict.fromkeys(contents(folder)) | {"README.md": b""}, "Empty", "somebody")
    assert push(folder, "lab/by-hand").published
    assert repo.contents()["README.md"] == (folder / "README.md").read_bytes()


def test_a_commit_that_lands_between_look_and_commit_is_kept(
    hub: HubStandIn, push: Pusher, make: Make, there: There
) -> None:
    first = there("lab/race", make())
    repo = hub.repos["lab/race"]

    def meanwhile() -> None:
        repo.put({"late.txt": b"x"}, "Late", "somebody")

    hub.on("POST /api/datasets/lab/race/commit/main", meanwhile)
    refused = push(make("new", art=["n"]), "lab/race", version="1.1.0", last=first)
    assert refused.error == unknown(hub, "lab/race", "Late", "somebody")
    assert repo.head.title == "Late"
    assert set(repo.tags) == {"v1.0.0"}


def test_a_version_that_is_out_is_refused_before_anything_is_sent(
    hub: HubStandIn, push: Pusher, make: Make, there: There
) -> None:
    first = there("lab/version", make())
    commit = hub.repos["lab/version"].head.sha
    before = len(hub.storage.uploads)
    refused = push(make("new", art=["n"]), "lab/version", last=first)
    assert refused.error == (
        f"lab/version: version 1.0.0 is published already (commit {commit[:12]}) with other content"
        " (data/art/test.parquet): raise [publication] version"
    )
    assert len(hub.storage.uploads) == before
    assert hub.repos["lab/version"].head.sha == commit


def test_a_tag_that_somebody_else_sets_meanwhile_is_left_to_them(
    hub: HubStandIn, push: Pusher, make: Make, there: There
) -> None:
    folder = make()
    there("lab/tags", folder)
    repo = hub.repos["lab/tags"]
    first = repo.history["main"][0].sha
    hub.on("POST /api/datasets/lab/tags/tag/.*", lambda: repo.tags.update({"v1.1.0": first}))
    refused = push(folder, "lab/tags", version="1.1.0")
    assert refused.error == (
        "lab/tags: somebody else has just set the tag v1.1.0 at another commit;"
        f" the data is on the Hub by now, as commit {repo.head.sha[:12]}"
    )
    assert repo.tags["v1.1.0"] == first


def test_a_dataset_that_was_renamed_is_not_written_to_by_its_old_name(
    hub: HubStandIn, push: Pusher, make: Make, there: There
) -> None:
    there("lab/renamed", make())
    hub.repos["lab/old-name"] = hub.repos["lab/renamed"]
    refused = push(make("new", art=["n"]), "lab/old-name", version="1.1.0")
    assert refused.error == "lab/old-name: is called lab/renamed on the Hub: use that name"
