"""A stand-in for the Hugging Face Hub on the loopback: it speaks the protocol that the real client speaks.

The real clients (`huggingface_hub`, `datasets`) talk to it when HF_ENDPOINT is its `endpoint`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import RLock, Thread
from types import TracebackType
from typing import Any, Self

from tests.hub.calls import NO_RIGHTS, Account, RepoCalls
from tests.hub.repo import Repo
from tests.hub.storage import Storage
from tests.hub.web import HANG_UP, Ask, Reply, failed, found

TOKEN = "hf_standInTokenForTests"
TESTER = Account("tester", frozenset({"tester", "lab"}))
Fault = Callable[[], Reply | None]


@dataclass
class _Hook:
    pattern: str
    fault: Fault
    skip: int
    times: int
    afterwards: bool


class HubStandIn:
    """Serves `datasets` ({"org/name": {path: content}}) while it is entered; `requests` is what it was asked."""

    def __init__(
        self,
        datasets: Mapping[str, Mapping[str, bytes]] | None = None,
        *,
        accounts: Mapping[str, Account] | None = None,
        part_size: int | None = None,
    ) -> None:
        self.repos: dict[str, Repo] = {}
        for name, contents in (datasets or {}).items():
            self.repos[name] = Repo(name)
            self.repos[name].put(contents, "initial commit")
        self.accounts = {TOKEN: TESTER} if accounts is None else accounts
        self.storage = Storage(part_size)
        self.requests: list[str] = []
        self._hooks: list[_Hook] = []
        self._lock = RLock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": self}))
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}"

    def on(self, call: str, fault: Fault, *, skip: int = 0, times: int = 1, afterwards: bool = False) -> None:
        """When a call comes that matches (such as "POST .*/commit/main"), run this; a reply that it gives is sent.

        The first `skip` such calls are left alone. `afterwards`: run it when the call has been done, whose own reply
        is then lost.
        """
        self._hooks.append(_Hook(call, fault, skip, times, afterwards))

    def forget(self) -> None:
        """Do no more of what `on` said."""
        self._hooks.clear()

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, ask: Ask) -> Reply:
        with self._lock:
            self.requests.append(ask.call)
            hooks = [hook for hook in self._hooks if re.fullmatch(hook.pattern, ask.call)]
            for hook in hooks:
                if not hook.afterwards and (reply := self._run(hook)):
                    return reply
            answer = self._answer(ask)
            return next((reply for hook in hooks if hook.afterwards and (reply := self._run(hook))), answer)

    def _run(self, hook: _Hook) -> Reply | None:
        if hook.skip or not hook.times:
            hook.skip = max(0, hook.skip - 1)
            return None
        hook.times -= 1
        return hook.fault()

    def _answer(self, ask: Ask) -> Reply:
        if ask.parts[0] == "lfs":
            return self.storage.answer(ask)
        account = self.accounts.get(ask.token or "")
        if ask.token and account is None:
            return failed(401, "Unauthorized", "Invalid credentials in Authorization header")
        match ask.method, ask.parts:
            case "GET", ["api", "whoami-v2"]:
                return found(account.described()) if account else failed(401, "Unauthorized", "no token")
            case "POST", ["api", "repos", "create"]:
                return self._create(ask.json(), account)
            case "POST", ["api", "validate-yaml"]:
                return _validated(ask.json()["content"])
            case _, ["api", "datasets", org, name, *call]:
                calls = self._calls(f"{org}/{name}", account)
                return calls.answer(ask, call) if calls else _no_repo()
            case "POST", ["datasets", org, name, "info", "lfs", "objects", "batch"]:
                calls = self._calls(f"{org}/{name.removesuffix('.git')}", account)
                return self.storage.batch(self.endpoint, ask.json()["objects"]) if calls and account else NO_RIGHTS
            case "GET" | "HEAD", ["datasets", org, name, "resolve", revision, *path]:
                calls = self._calls(f"{org}/{name}", account)
                return calls.resolve(ask, revision, "/".join(path)) if calls else _no_repo()
        return failed(404, "EntryNotFound", f"nothing at {ask.target}")

    def _calls(self, name: str, account: Account | None) -> RepoCalls | None:
        repo = self.repos.get(name)
        if repo is None or (repo.private and not (account and repo.namespace in account.writes)):
            return None
        return RepoCalls(repo, account, self.storage, self.endpoint)

    def _create(self, asked: dict[str, Any], account: Account | None) -> Reply:
        if account is None:
            return failed(401, "Unauthorized", "no token")
        repo = Repo(f"{asked.get('organization') or account.name}/{asked['name']}")
        repo.private = asked.get("visibility") == "private" or bool(asked.get("private"))
        if repo.name in self.repos:
            return failed(409, "Conflict", "You already created this dataset repo")
        if not account.may_write(repo):
            return failed(403, "Forbidden", f"You don't have the rights to create a dataset under {repo.namespace}")
        repo.put({".gitattributes": b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"}, "initial commit", "system")
        self.repos[repo.name] = repo
        return found({"url": f"{self.endpoint}/datasets/{repo.name}", "name": repo.name, "id": repo.name})


def _no_repo() -> Reply:
    return failed(404, "RepoNotFound", "Repository not found")


def _validated(content: str) -> Reply:
    import yaml

    header = re.match(r"---\n(.*?)\n?---\n", content, re.DOTALL)
    try:
        yaml.safe_load(header[1] if header else "")
    except yaml.YAMLError as error:
        refused = found({"errors": [{"message": str(error)}], "warnings": []})
        return Reply(400, refused.content, kind=refused.kind)
    return found({"errors": [], "warnings": []})


class _Handler(BaseHTTPRequestHandler):
    hub: HubStandIn
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        reply = self.hub.answer(Ask(self.command, self.path, self.headers, self.body()))
        if reply is HANG_UP:
            self.close_connection = True
            return
        self.send_response(reply.status)
        headers = {"Content-Type": reply.kind, "Content-Length": str(len(reply.content)), **reply.headers}
        for key, value in headers.items():
            self.send_header(key, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.content)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        self.do_GET()

    def do_PUT(self) -> None:
        self.do_GET()

    def body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        pieces = []
        while size := int(self.rfile.readline(), 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass
