"""`prbgen annotate serve` with the real Argilla, in its real environment."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from prbgen.annotation.embedded.server import MODULE
from prbgen.resources import resource
from prbgen.run import Run
from tests.annotation.embedded.stand_in import until

pytestmark = pytest.mark.skipif(
    not (resource("annotation/server") / MODULE / "__main__.py").is_file(),
    reason="annotation/server is not in this checkout",
)


@contextmanager
def served(run: Run) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """The command, the address that it names, and what it printed beside that."""
    command = [sys.executable, "-m", "prbgen", "annotate", "serve", str(run.folder), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            printed = process.stdout.readline()
            url = printed.removeprefix("Argilla is at ").strip()
            while "Ctrl-C" not in printed:
                line = process.stdout.readline()
                assert line, "it ended"
                printed += line
            yield process, url, printed
        finally:
            process.kill()


def get(url: str, key: str) -> Any:
    request = urllib.request.Request(url, headers={"X-Argilla-Api-Key": key})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def test_the_owner_logs_in_the_key_works_and_a_kill_loses_nothing(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    run.folder.mkdir()
    run.recipe.touch()
    run.ledger.touch()
    home = run.folder / "annotation" / "server"
    with served(run) as (process, url, printed):
        key = json.loads((home / "account.json").read_text())["api_key"]
        shown = re.search(r"password +(\S+)", printed)
        assert shown
        assert get(f"{url}/api/v1/version", key)["version"] == "2.8.0"
        assert get(f"{url}/api/v1/me", key)["username"] == "owner"
        form = f"username=owner&password={shown[1]}".encode()
        with urllib.request.urlopen(f"{url}/api/v1/token", form, timeout=30) as response:
            assert json.load(response)["access_token"]
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"{url}/api/v1/token", form + b"x", timeout=30)
        with urllib.request.urlopen(url, timeout=30) as page:
            assert b"<html" in page.read()
        body = json.dumps({"name": "quality"}).encode()
        headers = {"X-Argilla-Api-Key": key, "Content-Type": "application/json"}
        request = urllib.request.Request(f"{url}/api/v1/workspaces", body, headers)
        urllib.request.urlopen(request, timeout=30).close()
        process.kill()
        until(lambda: refuses(url), seconds=10)
    with served(run) as (process, url, printed):
        assert "password  " not in printed
        assert "quality" in [each["name"] for each in get(f"{url}/api/v1/me/workspaces", key)["items"]]
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    log = (home / "server.log").read_text()
    assert key not in log
    assert shown[1] not in log


def refuses(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=10).close()
    except urllib.error.HTTPError:
        return False
    except (urllib.error.URLError, ConnectionError):
        return True
    return False
