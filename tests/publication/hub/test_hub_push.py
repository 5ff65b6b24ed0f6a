"""The real client pushes to a stand-in of the Hub."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.hub.repo import Repo
from tests.hub.web import HANG_UP
from tests.hub_stand_in import HubStandIn
from tests.publication.hub.conftest import CONFIGS, READER, Pusher, contents

Make = Callable[..., Path]
There = Callable[..., dict[str, Any]]


def on_the_hub(repo: Repo, revision: str = "main") -> dict[str, bytes]:
    files = repo.contents(revision)
    assert files.pop(".gitattributes")
    return files


def uploads(hub: HubStandIn, before: int) -> int:
    return len(hub.storage.uploads) - before


def test_a_first_push_makes_a_private_dataset_in_one_tagged_commit(hub: HubStandIn, push: Pusher, make: Make) -> None:
    folder = make()
    (folder / ".DS_Store").write_bytes(b"of this machine")
    result = push(folder, "lab/first")
    repo = hub.repos["lab/first"]
    assert result.published
    assert result.published == {
        "endpoint": hub.endpoint,
        "repo": "lab/first",
        "commit": repo.head.sha,
        "ours": repo.head.sha,
        "tag": "v1.0.0",
        "pull_request": None,
        "fingerprint": result.published["fingerprint"],
    }
    assert repo.private
    assert [commit.title for commit in repo.history["main"]] == ["initial commit", "Version 1.0.0"]
    assert repo.tags == {"v1.0.0": repo.head.sha}
    (folder / ".DS_Store").unlink()
    assert on_the_hub(repo) == contents(folder)
    assert result.said[0] == "made lab/first, private"


def test_a_push_is_loaded_back_config_by_config_at_its_commit(hub: HubStandIn, push: Pusher, make: Make) -> None:
    assert push(make(), "lab/back").published
    commit = hub.repos["lab/back"].head.sha
    for config in CONFIGS:
        assert f"GET /datasets/lab/back/resolve/{commit}/data/{config}/test.parquet" in hub.requests


def test_an_update_takes_away_what_is_gone_and_stale_metadata(
    hub: HubStandIn, push: Pusher, make: Make, there: There
) -> None:
    folder = make(old=["x"])
    readme = folder / "README.md"
    fresh = readme.read_text()
    stale = "dataset_info:\n- config_name: art\n  features:\n  - name: question\n    dtype: string\n---\n# A"
    readme.write_text(fresh.replace("---\n# A", stale))
    first = there("lab/update", folder)
    assert b"dataset_info" in on_the_hub(hub.repos["lab/update"])["README.md"]
    before = len(hub.storage.uploads)
    after = make("after", art=["changed"])
    second = push(after, "lab/update", version="1.1.0", last=first)
    repo = hub.repos["lab/update"]
    assert second.published
    assert second.published["commit"] == repo.head.sha
    assert on_the_hub(repo) == contents(after)
    assert len(repo.history["main"]) == 3
    assert set(repo.tags) == {"v1.0.0", "v1.1.0"}
    assert uploads(hub, before) == 1


def test_what_is_there_already_is_not_committed_again(hub: HubStandIn, push: Pusher, make: Make, there: There) -> None:
    folder = make()
    first = there("lab/same", folder)
    hub.requests.clear()
    # Not even a lost note of the first push matters.
    again = push(folder, "lab/same")
    assert again.published
    assert again.published | {"fingerprint": ""} == first
    assert again.said == ["unchanged: the Hub has it already"]
    assert not [call for call in hub.requests if "resolve" in call or "commit" in call or "preupload" in call]


def test_a_new_version_of_the_same_content_is_a_tag_more(
    hub: HubStandIn, push: Pusher, make: Make, there: There
) -> None:
    folder = make()
    first = there("lab/retagged", folder)
    second = push(folder, "lab/retagged", version="1.0.1", last=first)
    assert second.published
    assert second.published["tag"] == "v1.0.1"
    repo = hub.repos["lab/retagged"]
    assert repo.tags == {"v1.0.0": repo.head.sha, "v1.0.1": repo.head.sha}


def test_large_files_are_sent_in_parts(hub: HubStandIn, push: Pusher, make: Make) -> None:
    folder = make(art=[f"{number:09d}" * 100 for number in range(100)])
    assert push(folder, "lab/large").published
    assert on_the_hub(hub.repos["lab/large"]) == contents(folder)
    assert any(call.startswith("PUT /lfs/") and call.endswith("/2") for call in hub.requests)


def test_public_is_what_a_new_dataset_can_be_and_an_old_one_stays_what_it_is(
    hub: HubStandIn, push: Pusher, make: Make, there: There
) -> None:
    assert push(make(), "lab/open", public=True).published
    assert not hub.repos["lab/open"].private
    there("lab/closed", make())
    again = push(make(), "lab/closed", public=True)
    assert hub.repos["lab/closed"].private
    assert again.said[0] == "lab/closed stays private: its settings on the Hub change that"


def test_a_pull_request_leaves_the_main_branch_alone(hub: HubStandIn, push: Pusher, make: Make, there: There) -> None:
    first = there("lab/proposed", make())
    repo = hub.repos["lab/proposed"]
    theirs = repo.put({"README.md": b"# Theirs\n"}, "Theirs", "somebody")
    folder = make("new", society=["e", "f"])
    result = push(folder, "lab/proposed", version="1.1.0", last=first, pull_request=True)
    assert result.published
    assert result.published["pull_request"] == f"{hub.endpoint}/datasets/lab/proposed/discussions/1"
    assert result.published["tag"] is None
    assert result.published["ours"] == first["ours"]
    assert repo.head == theirs
    assert on_the_hub(repo, "refs/pr/1") == contents(folder)
    assert repo.tags == {"v1.0.0": first["commit"]}


def test_a_reader_may_propose(push: Pusher, make: Make, there: There) -> None:
    there("lab/read", make(), private=False)
    result = push(make("new", art=["z"]), "lab/read", pull_request=True, token=READER)
    assert result.published
    assert result.published["pull_request"]


def test_an_interrupted_proposal_is_not_made_twice(hub: HubStandIn, push: Pusher, make: Make, there: There) -> None:
    there("lab/again", make())
    folder = make("new", art=["again"])
    hub.on("POST /api/datasets/lab/again/commit/main", lambda: HANG_UP, afterwards=True)
    failed = push(folder, "lab/again", pull_request=True)
    assert "cannot be reached" in failed.error
    page = f"{hub.endpoint}/datasets/lab/again/discussions/1"
    finished = push(folder, "lab/again", pull_request=True)
    assert finished.published
    assert finished.published["pull_request"] == page
    assert finished.said == [f"proposed already: {page}", "loading it back from the Hub"]
    other = push(make("other", art=["other"]), "lab/again", pull_request=True)
    assert other.published
    assert other.published["pull_request"] == f"{hub.endpoint}/datasets/lab/again/discussions/2"
