"""Starting, stopping and killing the real server."""

from __future__ import annotations

import signal
import socket
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.annotation.server.embedded import API_KEY, OWNER, PASSWORD, USERNAME, Campaign, Server, record, start, terms


@pytest.fixture
def stopped(argilla_python: Path, tmp_path: Path) -> Iterator[Server]:
    """A server that has not been started yet."""
    server = Server(argilla_python, tmp_path / "home")
    yield server
    if server.url and server.process.poll() is None:
        server.stop(signal.SIGKILL)


def log_in(server: Server) -> str:
    body = {"username": USERNAME, "password": PASSWORD}
    answer = httpx.post(f"{server.url}/api/v1/token", data=body, timeout=30)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["access_token"])


def who_am_i(server: Server, token: str) -> str:
    me = httpx.get(f"{server.url}/api/v1/me", headers={"Authorization": f"Bearer {token}"}, timeout=30)
    return str(me.json()["username"])


def test_everything_outlives_a_stop_and_only_that_stays(stopped: Server) -> None:
    server = stopped.start()
    campaign = Campaign(server, raters=1)
    [first] = campaign.upsert([{"external_id": "a", "fields": {"question": "tofu"}}])
    campaign.respond(campaign.raters[0], first, quality=3)
    token = log_in(server)
    page = httpx.get(server.url, timeout=30)
    assert (page.status_code, "Argilla" in page.text) == (200, True)
    assert server.stop() == 0
    assert not (server.home / "tmp").exists()
    assert (server.home / "argilla.db-wal").stat().st_size == 0
    assert server.home.stat().st_mode & 0o077 == 0
    assert (server.home / "secret").stat().st_mode & 0o077 == 0

    server.start(owner={})
    assert who_am_i(server, token) == USERNAME
    campaign.rest = server.client()
    assert campaign.search("tofu") == (["a"], 1)
    progress = campaign.rest.get(f"/datasets/{campaign.id}/progress").json()
    assert (progress["total"], progress["completed"]) == (1, 1)
    assert server.stop(signal.SIGINT) == 0
    said = server.log.read_text()
    assert PASSWORD not in said
    assert API_KEY not in said


def test_what_was_acknowledged_outlives_a_kill_in_the_midst_of_writing(stopped: Server) -> None:
    server = stopped.start()
    campaign = Campaign(server)
    acknowledged: list[str] = []

    def push() -> None:
        with pytest.raises((httpx.TransportError, AssertionError)):
            for batch in range(1_000):
                names = [f"{batch}-{number}" for number in range(20)]
                campaign.upsert({"external_id": name, "fields": {"question": f"tofu {name}"}} for name in names)
                acknowledged.extend(names)
                if batch == 5:
                    half_way.set()

    half_way = threading.Event()
    pushing = threading.Thread(target=push)
    pushing.start()
    assert half_way.wait(60)
    server.stop(signal.SIGKILL)
    pushing.join(60)
    assert (server.home / "tmp").exists()

    server.start(owner={})
    campaign.rest = server.client()
    everything = campaign.search(limit=1)[1]
    assert everything in (len(acknowledged), len(acknowledged) + 20)
    assert campaign.search("tofu", limit=1)[1] == everything
    assert campaign.search(f'"tofu {acknowledged[-1]}"')[0] == [acknowledged[-1]]
    assert len([path for path in (server.home / "tmp").iterdir() if path.is_dir()]) == 1
    assert server.stop() == 0
    with sqlite3.connect(server.home / "argilla.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        database.execute("INSERT INTO search_words(search_words) VALUES ('integrity-check')")
    database.close()


def test_a_count_that_a_kill_cut_off_is_made_good(stopped: Server) -> None:
    server = stopped.start()
    campaign = Campaign(server, raters=1)
    ids = campaign.upsert({"external_id": name, "fields": {"question": name}} for name in "ab")
    campaign.respond(campaign.raters[0], ids[0], quality=3)
    server.stop(signal.SIGKILL)
    # As if the kill had come between the response and the count.
    with sqlite3.connect(server.home / "argilla.db") as database:
        assert database.execute("UPDATE records SET status = 'pending' WHERE status = 'completed'").rowcount == 1
    database.close()
    server.start(owner={})
    campaign.rest = server.client()
    assert campaign.search(None, terms(record("status"), "completed")) == (["a"], 1)


def test_a_first_start_that_was_killed_can_be_made_again(stopped: Server) -> None:
    database = stopped.home / "argilla.db"
    process = start(stopped.python, "--home", str(stopped.home), "--port", "0", stderr=subprocess.DEVNULL)
    patience = time.monotonic() + 60
    while not (database.exists() and database.stat().st_size) and time.monotonic() < patience:
        time.sleep(0.001)
    process.kill()
    said: tuple[str, str | None] = process.communicate()
    assert said == ("", None)
    with stopped.start().client() as rest:
        assert rest.get("/me").json()["username"] == USERNAME


def test_it_listens_to_this_machine_only_and_its_command_line_is_harmless(server: Server) -> None:
    port = int(server.url.rsplit(":", 1)[1])
    listening = [
        line.split()[1]
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/{server.process.pid}/net/{table}").read_text().splitlines()[1:]
        if line.split()[3] == "0A" and line.split()[1].endswith(f":{port:04X}")
    ]
    assert listening == [f"0100007F:{port:04X}"]
    command = Path(f"/proc/{server.process.pid}/cmdline").read_bytes().decode()
    assert PASSWORD not in command
    assert API_KEY not in command


def test_it_sends_no_telemetry(stopped: Server) -> None:
    # Argilla's goes to where the Hub is: a listener that nobody must call.
    with socket.create_server(("127.0.0.1", 0)) as hub:
        server = stopped.start(OWNER | {"HF_ENDPOINT": f"http://127.0.0.1:{hub.getsockname()[1]}"})
        Campaign(server, raters=1)
        log_in(server)
        assert server.stop() == 0
        hub.settimeout(0.1)
        with pytest.raises(TimeoutError):
            hub.accept()


def refused(python: Path, *arguments: str, owner: dict[str, str] = OWNER) -> str:
    """The one line that a refused start says."""
    process = start(python, *arguments, owner=owner, stderr=subprocess.PIPE)
    out, error = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    [line] = error.splitlines()
    return line


def test_a_second_server_in_the_same_home_is_refused(server: Server) -> None:
    line = refused(server.python, "--home", str(server.home), "--port", "0")
    assert line == f"error: {server.home}: a server runs in this folder already; stop it or name another by --home"
    with server.client() as rest:
        assert rest.get("/me").json()["username"] == USERNAME


def test_a_taken_port_is_refused(argilla_python: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = refused(argilla_python, "--home", str(tmp_path / "home"), "--port", str(port))
    assert line.startswith(f"error: can't listen at 127.0.0.1:{port} (")
    assert not (tmp_path / "home").exists()


def test_a_damaged_database_is_refused_and_left_alone(argilla_python: Path, tmp_path: Path) -> None:
    database = tmp_path / "argilla.db"
    database.write_bytes(b"no database" * 1_000)
    line = refused(argilla_python, "--home", str(tmp_path), "--port", "0")
    assert line.startswith(f"error: {database}: can't be read (file is not a database)")
    assert database.read_bytes() == b"no database" * 1_000


def test_a_home_that_is_a_file_is_refused(argilla_python: Path, tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    assert "can't be written to" in refused(argilla_python, "--home", str(tmp_path / "home"), "--port", "0")


@pytest.mark.parametrize(
    ("owner", "says"),
    [
        ({name: value for name, value in OWNER.items() if "KEY" not in name}, "EMBEDDED_ARGILLA_API_KEY not set"),
        (OWNER | {"EMBEDDED_ARGILLA_PASSWORD": "short"}, "EMBEDDED_ARGILLA_PASSWORD: at least 8 characters"),
    ],
)
def test_an_incomplete_owner_is_refused(argilla_python: Path, tmp_path: Path, owner: dict[str, str], says: str) -> None:
    assert says in refused(argilla_python, "--home", str(tmp_path / "home"), owner=owner)
    assert not (tmp_path / "home").exists()


def test_a_first_start_without_an_owner_is_refused(argilla_python: Path, tmp_path: Path) -> None:
    line = refused(argilla_python, "--home", str(tmp_path / "home"), "--port", "0", owner={})
    assert line.startswith("error: no owner yet: set EMBEDDED_ARGILLA_USERNAME")
