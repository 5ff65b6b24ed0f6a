"""A server that the tests start, stop and kill, and Argilla's REST interface as the tests use it."""

from __future__ import annotations

import os
import signal
import subprocess
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx

SERVER = Path(__file__).parents[3] / "annotation" / "server"
USERNAME, PASSWORD, API_KEY = "manager", "a password of the tests", "an-api-key-of-the-tests"
OWNER = {
    "EMBEDDED_ARGILLA_USERNAME": USERNAME,
    "EMBEDDED_ARGILLA_PASSWORD": PASSWORD,
    "EMBEDDED_ARGILLA_API_KEY": API_KEY,
}


class Server:
    """The embedded Argilla on a free port, with its data in `home`."""

    def __init__(self, python: Path, home: Path) -> None:
        self.python = python
        self.home = home
        self.url = ""
        self.log = home.with_suffix(".log")

    def start(self, owner: Mapping[str, str] = OWNER) -> Server:
        """Starts it and waits until it says that it is ready."""
        with self.log.open("a") as log:
            self.process = start(self.python, "--home", str(self.home), "--port", "0", owner=owner, stderr=log)
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert said.startswith("ready http://127.0.0.1:"), f"{said!r}, {self.log.read_text()}"
        self.url = said.split()[1]
        return self

    def stop(self, by: signal.Signals = signal.SIGTERM) -> int:
        """Sends a signal, waits for the end and returns the exit status."""
        self.process.send_signal(by)
        status = self.process.wait(timeout=30)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status

    def client(self, api_key: str = API_KEY) -> httpx.Client:
        """REST calls as the owner, or as whose key it is."""
        headers = {"X-Argilla-Api-Key": api_key}
        return httpx.Client(base_url=f"{self.url}/api/v1", headers=headers, timeout=60, event_hooks=_FAIL_ON_ERRORS)


def start(python: Path, *arguments: str, owner: Mapping[str, str] = OWNER, stderr: Any = None) -> subprocess.Popen[str]:
    """Starts the server in its own environment, whatever ours says."""
    environment = {name: value for name, value in os.environ.items() if "ARGILLA_" not in name}
    return subprocess.Popen(
        [python, "-m", "embedded_argilla", *arguments],
        env=environment | {"PYTHONPATH": str(SERVER)} | dict(owner),
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )


def _fail_on_errors(response: httpx.Response) -> None:
    if response.is_error:
        response.read()
        raise AssertionError(
            f"{response.request.method} {response.request.url}: {response.status_code} {response.text}"
        )


_FAIL_ON_ERRORS = {"response": [_fail_on_errors]}

QUESTIONS: dict[str, dict[str, Any]] = {
    "quality": {"type": "rating", "options": [{"value": value} for value in range(6)]},
    "better": {
        "type": "label_selection",
        "options": [{"value": value, "text": value} for value in ("A", "B", "equal")],
    },
    "aspects": {
        "type": "multi_label_selection",
        "options": [{"value": value, "text": value} for value in ("one", "two", "three")],
    },
}


class Campaign:
    """A published dataset in a workspace of its own: two text fields, three questions, three kinds of metadata."""

    def __init__(self, server: Server, *, raters: int = 0, min_submitted: int = 1) -> None:
        self.server = server
        self.rest = server.client()
        name = f"campaign-{uuid.uuid4().hex[:8]}"
        workspace = self.rest.post("/workspaces", json={"name": name}).json()["id"]
        distribution = {"strategy": "overlap", "min_submitted": min_submitted}
        self.id = self.rest.post(
            "/datasets", json={"name": name, "workspace_id": workspace, "distribution": distribution}
        ).json()["id"]
        for field in ("question", "answer"):
            settings = {"type": "text", "use_markdown": False}
            body = {"name": field, "title": field, "required": field == "question", "settings": settings}
            self.rest.post(f"/datasets/{self.id}/fields", json=body)
        self.questions = {
            question: self.rest.post(
                f"/datasets/{self.id}/questions",
                json={"name": question, "title": question, "required": question == "quality", "settings": settings},
            ).json()["id"]
            for question, settings in QUESTIONS.items()
        }
        self.properties = {
            kind: self.rest.post(
                f"/datasets/{self.id}/metadata-properties",
                json={"name": kind, "title": kind, "settings": {"type": kind}, "visible_for_annotators": True},
            ).json()["id"]
            for kind in ("terms", "integer", "float")
        }
        self.rest.put(f"/datasets/{self.id}/publish")
        self.raters = [self._rater(name, number, workspace) for number in range(raters)]

    def _rater(self, name: str, number: int, workspace: str) -> httpx.Client:
        account = {
            "first_name": "Rater",
            "username": f"{name}-{number}",
            "password": "a long password",
            "role": "annotator",
        }
        user = self.rest.post("/users", json=account).json()
        self.rest.post(f"/workspaces/{workspace}/users", json={"user_id": user["id"]})
        return self.server.client(user["api_key"])

    def upsert(self, records: Iterable[Mapping[str, Any]]) -> list[str]:
        """Adds or changes records (by external_id), and returns the ids that the server gave them."""
        done = self.rest.put(f"/datasets/{self.id}/records/bulk", json={"items": list(records)})
        return [item["id"] for item in done.json()["items"]]

    def search(
        self,
        text: str | None = None,
        *filters: Mapping[str, Any],
        field: str | None = None,
        sort: Sequence[tuple[Mapping[str, str], str]] = (),
        rater: httpx.Client | None = None,
        **page: int,
    ) -> tuple[list[str], int]:
        """The external ids on a page and the number of all that is found; as a rater, in that rater's order."""
        body: dict[str, Any] = {}
        if text is not None:
            body["query"] = {"text": {"q": text} | ({"field": field} if field else {})}
        if filters:
            body["filters"] = {"type": "and", "and": list(filters)}
        if sort:
            body["sort"] = [{"scope": scope, "order": order} for scope, order in sort]
        me = "/me" if rater else ""
        answer = (
            (rater or self.rest)
            .post(f"{me}/datasets/{self.id}/records/search", params={"limit": 100, **page}, json=body)
            .json()
        )
        return [item["record"]["external_id"] for item in answer["items"]], answer["total"]

    def respond(self, rater: httpx.Client, record: str, status: str = "submitted", **values: Any) -> dict[str, Any]:
        """A rater's response to a record."""
        body = {"values": {name: {"value": value} for name, value in values.items()}, "status": status}
        return dict(rater.post(f"/records/{record}/responses", json=body).json())


def terms(scope: Mapping[str, str], *values: str) -> dict[str, Any]:
    """A filter by values."""
    return {"type": "terms", "scope": dict(scope), "values": list(values)}


def between(scope: Mapping[str, str], least: Any = None, greatest: Any = None) -> dict[str, Any]:
    """A filter by a range."""
    bounds = {"ge": least, "le": greatest}
    return {"type": "range", "scope": dict(scope)} | {
        name: value for name, value in bounds.items() if value is not None
    }


def metadata(name: str) -> dict[str, str]:
    """The scope of a metadata property."""
    return {"entity": "metadata", "metadata_property": name}


def response(question: str) -> dict[str, str]:
    """The scope of the answers to a question."""
    return {"entity": "response", "question": question}


def suggestion(question: str, of: str = "value") -> dict[str, str]:
    """The scope of the suggestions for a question."""
    return {"entity": "suggestion", "question": question, "property": of}


def record(of: str) -> dict[str, str]:
    """The scope of a property of the record itself."""
    return {"entity": "record", "property": of}


RESPONSE_STATUS = {"entity": "response", "property": "status"}
