"""A proxy in front of the real server that fails as networks, proxies and servers do."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import httpx


@dataclass(frozen=True)
class Fault:
    """What goes wrong with a request: it is `lost` before the server sees it, or its answer is.

    `status` is answered in place of the server (null: the connection is broken off), after `seconds`.
    """

    lost: bool = True
    status: int | None = None
    seconds: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"out of order"


@dataclass(frozen=True)
class Slow:
    """All goes well, after some seconds."""

    seconds: float


Plan = Callable[[int, str, str], Fault | Slow | None]  # by number (from 0), method and path


class Faulty:
    """Runs in a thread; `plan` may be changed at any time, `requests` are those that came."""

    def __init__(self, target: str) -> None:
        self.plan: Plan = lambda *_: None
        self.requests: list[tuple[str, str]] = []
        self._lock = threading.Lock()
        self._client = httpx.Client(base_url=target, timeout=60)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Faulty:
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._client.close()

    def next_fault(self, method: str, path: str) -> Fault | Slow | None:
        with self._lock:
            self.requests.append((method, path))
            number = len(self.requests) - 1
        return self.plan(number, method, path)

    def forward(self, method: str, path: str, headers: dict[str, str], body: bytes) -> httpx.Response:
        return self._client.request(method, path, headers=headers, content=body)


def _handler(proxy: Faulty) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            fault = proxy.next_fault(self.command, self.path.partition("?")[0])
            if fault is not None:
                time.sleep(fault.seconds)
            if isinstance(fault, Fault) and fault.lost:
                self.fail(fault)
                return
            dropped = {"host", "connection", "accept-encoding", "content-length"}
            headers = {name: value for name, value in self.headers.items() if name.lower() not in dropped}
            answer = proxy.forward(self.command, self.path, headers, body)
            if isinstance(fault, Fault):
                self.fail(fault)
            else:
                self.answer(answer.status_code, {"Content-Type": "application/json"}, answer.content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any  # noqa: N815 (the base class's names)

        def fail(self, fault: Fault) -> None:
            if fault.status is None:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
            else:
                self.answer(fault.status, fault.headers, fault.body)

        def answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if status != 204:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler
