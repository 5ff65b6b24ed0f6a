"""A request and a reply of the stand-in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit


@dataclass(frozen=True)
class Ask:
    method: str
    target: str
    headers: Message
    body: bytes

    @property
    def parts(self) -> list[str]:
        """The path; split before it is decoded, since a revision such as refs/pr/1 is one part."""
        return [unquote(part) for part in urlsplit(self.target).path.strip("/").split("/")]

    @property
    def call(self) -> str:
        return f"{self.method} {unquote(urlsplit(self.target).path)}"

    @property
    def token(self) -> str | None:
        return (self.headers.get("Authorization") or "").removeprefix("Bearer ") or None

    def option(self, name: str) -> bool:
        values = parse_qs(urlsplit(self.target).query).get(name, [])
        return any(value.lower() in ("1", "true") for value in values)

    def form(self, name: str) -> list[str]:
        return parse_qs(self.body.decode()).get(name, [])

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    status: int
    content: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = "application/octet-stream"


HANG_UP = Reply(0)


def found(value: Any) -> Reply:
    return Reply(200, json.dumps(value).encode(), kind="application/json")


def failed(status: int, code: str, message: str, **headers: str) -> Reply:
    marks = {"X-Error-Code": code, "X-Error-Message": message, **headers}
    return Reply(status, json.dumps({"error": message}).encode(), marks, kind="application/json")
