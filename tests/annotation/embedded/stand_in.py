"""A small server that is started, gets ready and ends as the one under annotation/server/ does, without packages."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

_SERVER = """
import argparse, http.server, json, os, sys, time

parser = argparse.ArgumentParser()
parser.add_argument("--home")
parser.add_argument("--host")
parser.add_argument("--port", type=int)
arguments = parser.parse_args()

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"pid": os.getpid(), "home": arguments.home, "environment": dict(os.environ)}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

print("loading")
what = os.environ.get("STAND_IN")
if what == "dies":
    print("it broke\\nkey", os.environ["EMBEDDED_ARGILLA_API_KEY"])
    sys.exit(3)
if what == "hangs":
    time.sleep(60)
if what == "is deaf":
    import signal
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
server = http.server.ThreadingHTTPServer((arguments.host, arguments.port), Handler)
print(f"ready http://{arguments.host}:{arguments.port}")
server.serve_forever()
"""


def write_stand_in(code: Path, requirements: str = "") -> Path:
    """Write the server and its requirements into the folder `code`."""
    package = code / "embedded_argilla"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(_SERVER)
    (code / "requirements.txt").write_text(requirements)
    return code


def ask(url: str) -> dict[str, Any] | None:
    """What the server says about itself, or null if there is none (any more, in the middle of its answer)."""
    try:
        with urllib.request.urlopen(url, timeout=10) as response:
            return json.load(response)  # type: ignore[no-any-return]
    except (urllib.error.URLError, ConnectionError, http.client.HTTPException):
        return None


def until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait for something to happen."""
    give_up = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.05)
