"""What goes wrong is said in one line, and the same command goes on from there."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prbgen.errors import InputError
from prbgen.publication.hub.faults import in_one_line
from prbgen.publication.hub.patience import patiently
from tests.hub.web import HANG_UP, Reply
from tests.hub_stand_in import TOKEN, HubStandIn
from tests.publication.hub.conftest import READER, STRANGER, Pusher, contents

Make = Callable[..., Path]
There = Callable[..., dict[str, Any]]


def test_a_failed_upload_is_taken_up_with_the_missing_file(hub: HubStandIn, push: Pusher, make: Make) -> None:
    folder = make(art=["upload", "resumed"], society=["upload"])
    before = len(hub.storage.uploads)
    hub.on("PUT /lfs/.*", lambda: Reply(500), skip=1, times=6)
    failed = push(folder, "lab/resumed")
    assert failed.error == (
        f"lab/resumed: the Hub at {hub.endpoint} is out of order (HTTP 500): try again later;"
        " the same command goes on from there"
    )
    assert len(hub.repos["lab/resumed"].history["main"]) == 1
    assert len(hub.storage.uploads) == before + 1
    assert push(folder, "lab/resumed").published
    assert Counter(Counter(hub.storage.uploads[before:]).values()) == {1: 2}
    assert hub.repos["lab/resumed"].tags


def test_a_process_killed_before_the_tag_is_finished_later(hub: HubStandIn, push: Pusher, make: Make) -> None:
    folder = make(art=["killed"])

    def kill() -> Reply:
        push.kill()
        return HANG_UP

    hub.on("POST /api/datasets/lab/killed/tag/.*", kill)
    with pytest.raises(ProcessLookupError):
        push(folder, "lab/killed")
    repo = hub.repos["lab/killed"]
    assert len(repo.history["main"]) == 2
    assert not repo.tags
    finished = push(folder, "lab/killed")
    assert finished.published
    assert finished.published["commit"] == repo.head.sha
    assert finished.said == ["unchanged: the Hub has it already", "loading it back from the Hub"]
    assert len(repo.history["main"]) == 2
    assert repo.tags == {"v1.0.0": repo.head.sha}


def test_a_commit_whose_answer_is_lost_is_not_made_twice(hub: HubStandIn, push: Pusher, make: Make) -> None:
    hub.on("POST /api/datasets/lab/lost/commit/main", lambda: HANG_UP, afterwards=True)
    hub.on("POST /api/datasets/lab/lost/tag/.*", lambda: Reply(502), afterwards=True)
    result = push(make(art=["lost"]), "lab/lost")
    repo = hub.repos["lab/lost"]
    assert result.published
    assert result.published["commit"] == repo.head.sha
    assert len(repo.history["main"]) == 2
    assert repo.tags == {"v1.0.0": repo.head.sha}


def test_passing_faults_are_waited_for_as_long_as_the_hub_asks(hub: HubStandIn, push: Pusher, make: Make) -> None:
    folder = make()
    hub.on("GET /api/datasets/lab/busy", lambda: Reply(503), times=2)
    hub.on("POST /api/datasets/lab/busy/commit/main", lambda: Reply(429, headers={"Retry-After": "7"}))
    result = push(folder, "lab/busy")
    assert result.published
    first, second, asked = result.waits
    assert 1 <= first <= 2 <= second <= 3
    assert asked == 7
    hub.on("GET /api/whoami-v2", lambda: Reply(429, headers={"Retry-After": "3600"}))
    refused = push(folder, "lab/busy")
    assert refused.waits == []
    assert refused.error == (
        "lab/busy: the Hub wants fewer calls (HTTP 429): try again in 3600 s; the same command goes on from there"
    )
    hub.on("GET /api/whoami-v2", lambda: Reply(500), times=5)
    assert "is out of order (HTTP 500)" in push(folder, "lab/busy").error


def test_who_may_not_write_is_told_so(hub: HubStandIn, push: Pusher, make: Make, there: There) -> None:
    folder = make()
    there("lab/hidden", folder)
    there("lab/seen", folder, private=False)
    other = make("other", art=["o"])
    at = hub.endpoint
    expected = {
        ("lab/hidden", ""): "publishing needs a token of the Hub: `hf auth login`, or set HF_TOKEN",
        ("lab/hidden", "hf_wrong"): (
            f"the Hub at {at} does not take the token: renew it with `hf auth login`,"
            " or correct HF_TOKEN, which goes before it"
        ),
        ("lab/hidden", READER): "this token can only read: make one that can write, or use --pull-request",
        ("lab/hidden", STRANGER): ("the name is taken, by a dataset that this token cannot see: choose another name"),
        ("lab/new", STRANGER): (
            "this token has no right to write there (You don't have the rights to create a dataset under lab):"
            " use one with write access to lab, or another name"
        ),
    }
    for (repo, token), message in expected.items():
        assert push(other, repo, version="2.0.0", token=token).error == f"{repo}: {message}"
    seen = hub.repos["lab/seen"].head.sha
    refused = push(other, "lab/seen", version="2.0.0", token=STRANGER, onto=seen)
    assert refused.error.startswith("lab/seen: this token has no right to write there")
    assert hub.repos["lab/seen"].head.sha == seen


def test_a_file_that_the_hub_garbles_is_found(hub: HubStandIn, push: Pusher, make: Make) -> None:
    folder = make(art=["one", "two"])

    def garble() -> None:
        hub.repos["lab/garbled"].head.files["plot.svg"].__dict__["content"] = b"<sbg/>\n"
        hub.repos["lab/garbled"].head.files["plot.svg"].__dict__.pop("blob", None)

    hub.on("POST /api/datasets/lab/garbled/commit/main", garble, afterwards=True)
    result = push(folder, "lab/garbled")
    commit = hub.repos["lab/garbled"].head.sha[:12]
    assert result.code == 1
    assert result.error == (
        "lab/garbled: the commit does not hold the files that were sent: plot.svg;"
        f" the data is on the Hub by now, as commit {commit}"
    )
    assert not hub.repos["lab/garbled"].tags


def test_rows_that_come_back_otherwise_are_named(hub: HubStandIn, push: Pusher, make: Make) -> None:
    folder, other = make(art=["one", "two"]), make("other", art=["one", "owt"])
    served = contents(other)["data/art/test.parquet"]
    assert len(served) == len(contents(folder)["data/art/test.parquet"])
    hub.on("GET /datasets/lab/swapped/resolve/.*/art/test.parquet", lambda: Reply(200, served), times=9)
    result = push(folder, "lab/swapped")
    commit = hub.repos["lab/swapped"].head.sha[:12]
    assert result.error == (
        "lab/swapped: what comes back is not what was sent: config all, split test: row 1 (from 0) is another;"
        f" config art, split test: row 1 (from 0) is another; the data is on the Hub by now, as commit {commit}"
    )
    assert not hub.repos["lab/swapped"].tags


def test_a_hub_that_goes_away_while_loading_back_is_come_back_to(hub: HubStandIn, push: Pusher, make: Make) -> None:
    folder = make(art=["away"])
    hub.on("(GET|HEAD) /datasets/lab/away/resolve/.*", lambda: Reply(404), times=1000)
    failed = push(folder, "lab/away")
    assert failed.error.startswith("lab/away: it could not be loaded back: ")
    assert failed.error.endswith(f"; the data is on the Hub by now, as commit {hub.repos['lab/away'].head.sha[:12]}")
    assert "\n" not in failed.error
    assert not hub.repos["lab/away"].tags
    hub.forget()
    assert push(folder, "lab/away").published
    assert hub.repos["lab/away"].tags


def test_metadata_that_the_hub_refuses_is_named_before_the_commit(hub: HubStandIn, push: Pusher, make: Make) -> None:
    folder = make()
    (folder / "README.md").write_text("---\nconfigs: [\n---\n")
    refused = push(folder, "lab/metadata")
    assert refused.error.startswith("lab/metadata: the Hub refused (HTTP 400) (Invalid metadata in README.md.")
    assert len(hub.repos["lab/metadata"].history["main"]) == 1


def test_an_empty_folder_is_not_published(push: Pusher, tmp_path: Path) -> None:
    assert push(tmp_path, "lab/none").error == f"{tmp_path}: no files, so there is nothing to publish"


def test_without_a_network_nothing_is_tried_for_long(make: Make, tmp_path: Path) -> None:
    folder = make()
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{closed.getsockname()[1]}"
        pusher = Pusher(endpoint, tmp_path / "home")
        refused = pusher(folder, "lab/unreachable")
        pusher.close()
    assert refused.error.startswith(f"lab/unreachable: the Hub at {endpoint} cannot be reached (")
    assert refused.error.endswith("): try again later; the same command goes on from there")
    assert len(refused.waits) == 4
    offline = Pusher(endpoint, tmp_path / "home", HF_HUB_OFFLINE="1")
    refused = offline(folder, "lab/unreachable")
    offline.close()
    assert refused.error == "lab/unreachable: HF_HUB_OFFLINE forbids to use the Hub: unset it to publish"


def test_the_token_is_never_shown(hub: HubStandIn, push: Pusher, make: Make) -> None:
    hub.on("GET /api/whoami-v2", lambda: Reply(418, headers={"X-Error-Message": f"what is {TOKEN}?"}))
    refused = push(make(), "lab/token")
    assert refused.error == "lab/token: the Hub refused (HTTP 418) (what is (the token)?)"


def test_a_full_disk_is_known_behind_other_errors() -> None:
    def generate() -> None:
        try:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise RuntimeError("an error occurred while generating the dataset") from error

    said = r"^lab/full: no room left on the disk: make some, or let TMPDIR name another"
    with pytest.raises(InputError, match=said), in_one_line("lab/full"):
        generate()


def test_an_interrupt_passes_through_even_while_waiting_for_the_hub() -> None:
    calls = []

    def interrupted() -> None:
        calls.append(1)
        try:
            raise ConnectionResetError
        except ConnectionResetError:
            raise KeyboardInterrupt from None

    with pytest.raises(KeyboardInterrupt), in_one_line("lab/stopped"):
        patiently(interrupted)
    assert len(calls) == 1


def test_the_client_is_not_loaded_before_it_is_needed() -> None:
    heavy = "{'huggingface_hub', 'datasets', 'tenacity'}"
    code = f"import sys, prbgen.publication.hub; print(sorted({heavy} & set(sys.modules)))"
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


def test_what_is_no_address_is_not_tried(make: Make, tmp_path: Path) -> None:
    pusher = Pusher("not a url", tmp_path / "home")
    try:
        outcome = pusher(make(), "lab/nowhere")
    finally:
        pusher.close()
    assert outcome.error == "HF_ENDPOINT: 'not a url' is no address; it begins with http:// or https://"
    assert outcome.waits == []
