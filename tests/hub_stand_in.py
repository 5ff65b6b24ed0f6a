"""A small stand-in for the Hugging Face Hub on the loopback: datasets that can be listed and read, nothing else.

The real clients (`huggingface_hub`, `datasets`) talk to it when HF_ENDPOINT is its `endpoint`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any
from urllib.parse import unquote, urlsplit

Files = Mapping[str, bytes]
DATE = "2026-01-01T00:00:00.000Z"


class HubStandIn:
    """Serves `datasets` ({"org/name": {path: content}}) while it is entered; `requests` is what it was asked."""

    def __init__(self, datasets: Mapping[str, Files]) -> None:
        self.datasets = datasets
        self.requests: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": self}))
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> HubStandIn:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()


def _commit(files: Files) -> str:
    digest = hashlib.sha1()
    for path, content in sorted(files.items()):
        digest.update(path.encode() + b"\0" + content)
    return digest.hexdigest()


def _blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def _info(name: str, files: Files) -> dict[str, Any]:
    return {
        "_id": name, "id": name, "author": name.split("/")[0], "sha": _commit(files), "private": False,
        "gated": False, "disabled": False, "tags": [], "downloads": 0, "likes": 0, "lastModified": DATE,
        "createdAt": DATE, "siblings": [{"rfilename": path} for path in sorted(files)],
    }  # fmt: skip


def _file(path: str, content: bytes) -> dict[str, Any]:
    return {"type": "file", "oid": _blob(content), "size": len(content), "path": path}


def _folder(path: str) -> dict[str, Any]:
    return {"type": "directory", "oid": "0" * 40, "size": 0, "path": path}


def _tree(files: Files, folder: str, recursive: bool) -> list[dict[str, Any]]:
    entries: dict[str, dict[str, Any]] = {}
    prefix = f"{folder}/" if folder else ""
    for path, content in sorted(files.items()):
        if not path.startswith(prefix):
            continue
        parents = path.removeprefix(prefix).split("/")[:-1]
        for depth in range(1, len(parents) + 1 if recursive else min(len(parents), 1) + 1):
            name = prefix + "/".join(parents[:depth])
            entries.setdefault(name, _folder(name))
        if recursive or not parents:
            entries[path] = _file(path, content)
    return list(entries.values())


class _Handler(BaseHTTPRequestHandler):
    hub: HubStandIn
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        path = unquote(url.path)
        self.hub.requests.append(f"{self.command} {path}")
        if call := re.fullmatch(r"/api/datasets/([^/]+/[^/]+)(?:/([^/]+))?(?:/([^/]+))?(?:/(.+))?", path):
            self.api(*call.groups(), recursive="recursive=true" in url.query.lower())
        elif call := re.fullmatch(r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self.resolve(*call.groups())
        else:
            self.fail("EntryNotFound", f"nothing at {path}")

    def do_HEAD(self) -> None:
        self.do_GET()

    def api(
        self,
        name: str,
        call: str | None,
        revision: str | None,
        path: str | None,
        *,
        recursive: bool,
    ) -> None:
        files = self.hub.datasets.get(name)
        if files is None:
            self.fail("RepoNotFound", "Repository not found")
        elif revision not in (None, "main", _commit(files)):
            self.fail("RevisionNotFound", "Revision not found")
        elif call in (None, "revision"):
            self.answer(_info(name, files))
        elif call == "tree":
            entries = _tree(files, path or "", recursive)
            self.answer(entries) if entries else self.fail("EntryNotFound", "no such folder")
        else:
            self.fail("EntryNotFound", f"no such call: {call}")

    def resolve(self, name: str, revision: str, path: str) -> None:
        files = self.hub.datasets.get(name)
        if files is None:
            self.fail("RepoNotFound", "Repository not found")
        elif path not in files:
            self.fail("EntryNotFound", "Entry not found")
        else:
            headers = {"X-Repo-Commit": _commit(files), "ETag": f'"{_blob(files[path])}"', "Accept-Ranges": "bytes"}
            self.send(*self.ranged(files[path], headers), kind="application/octet-stream")

    def ranged(self, content: bytes, headers: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        if not asked:
            return 200, content, headers
        first, last = int(asked[1]), min(int(asked[2] or len(content)), len(content) - 1)
        return 206, content[first : last + 1], headers | {"Content-Range": f"bytes {first}-{last}/{len(content)}"}

    def answer(self, value: Any) -> None:
        self.send(200, json.dumps(value).encode(), {}, kind="application/json")

    def fail(self, code: str, message: str) -> None:
        headers = {"X-Error-Code": code, "X-Error-Message": message}
        self.send(404, json.dumps({"error": message}).encode(), headers, kind="application/json")

    def send(self, status: int, content: bytes, headers: dict[str, str], kind: str) -> None:
        self.send_response(status)
        for key, value in {"Content-Type": kind, "Content-Length": str(len(content)), **headers}.items():
            self.send_header(key, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass
