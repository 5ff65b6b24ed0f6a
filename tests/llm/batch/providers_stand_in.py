"""Stands in for the two providers: speaks the OpenAI Batch API and the Anthropic Message Batches API over HTTP."""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from aiohttp import BodyPartReader, web

# A reply: {"text", "finish", "usage"}, or {"status", "error"}, or "expired" or "canceled".
Outcome = dict[str, Any] | str


@dataclass
class Batch:
    provider: str
    id: str
    requests: list[tuple[str, dict[str, Any]]]
    created: float
    name: str | None = None
    looks: int = 0


def echo(body: dict[str, Any]) -> Outcome:
    """Answers with the last words of the prompt."""
    return {"text": f"reply to {prompt_of(body)}"}


def prompt_of(body: dict[str, Any]) -> str:
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


@dataclass
class ProvidersStandIn:
    """What it does can be switched at any moment; what it saw is in `batches`, `files`, `online` and `seen`."""

    answer: Callable[[dict[str, Any]], Outcome] = echo
    looks: int = 0  # so often a batch is looked at before it has ended
    shuffled: bool = False
    doubled: bool = False
    strangers: bool = False  # results of nobody's calls
    left_out: int = 0  # results of the first batch that are missing
    gone: bool = False  # the results of the first batch are no longer kept
    whole: str = "completed"  # how batches end
    refuses: list[dict[str, Any]] = field(default_factory=list)  # OpenAI's reasons for which validation fails
    room: int = 10**9  # requests that may be at work at once (OpenAI)
    failing: Counter[str] = field(default_factory=Counter)  # so many 500s at this step
    status: dict[str, tuple[int, dict[str, Any]]] = field(default_factory=dict)  # step -> a refusal
    held_at: str = ""  # the step at which it stops answering
    held_after: int = 0  # results that come before it stops
    cut_off: str = ""  # the step whose answer is lost, once
    seen: Counter[str] = field(default_factory=Counter)
    batches: list[Batch] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    online: list[dict[str, Any]] = field(default_factory=list)
    refusals: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    holding: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(10)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    @property
    def openai(self) -> str:
        return f"{self.url}/v1"

    def asked(self) -> Counter[str]:
        """How often each key was submitted, in batches that were really created."""
        return Counter(key for batch in self.batches if batch.provider != "refused" for key, _ in batch.requests)

    async def _start(self) -> None:
        self._released = asyncio.Event()
        app = web.Application(client_max_size=2**30, middlewares=[self._step])
        app.add_routes(
            [
                web.post("/v1/files", self._upload, name="upload"),
                web.get("/v1/files/{id}/content", self._content, name="content"),
                web.post("/v1/batches", self._create_openai, name="create_openai"),
                web.get("/v1/batches", self._list_openai, name="list_openai"),
                web.get("/v1/batches/{id}", self._openai, name="look_openai"),
                web.post("/v1/messages/batches", self._create_anthropic, name="create_anthropic"),
                web.get("/v1/messages/batches", self._list_anthropic, name="list_anthropic"),
                web.get("/v1/messages/batches/{id}", self._anthropic, name="look_anthropic"),
                web.get("/v1/messages/batches/{id}/results", self._results, name="results"),
                web.post("/v1/chat/completions", self._chat, name="chat"),
                web.post("/v1/messages", self._message, name="message"),
            ]
        )
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}"  # type: ignore[union-attr]

    async def _end(self) -> None:
        self._released.set()
        await self._runner.cleanup()

    @web.middleware
    async def _step(self, request: web.Request, handler: Any) -> web.StreamResponse:
        step = request.match_info.route.name or "?"
        self.seen[step] += 1
        anthropic = "anthropic-version" in request.headers
        # Anthropic takes its keys either way.
        key = request.headers.get("authorization") or (anthropic and request.headers.get("x-api-key"))
        if not key:
            return self._refusal(anthropic, 401, "authentication_error", "no key")
        if step in self.status:
            status, error = self.status[step]
            return web.json_response({"type": "error", "error": error}, status=status)
        if self.failing[step] > 0:
            self.failing[step] -= 1
            return self._refusal(anthropic, 500, "api_error", "something broke")
        if self.held_at == step:
            await request.read()
            await self._hold()
        response: web.StreamResponse = await handler(request)
        if self.held_at == f"after {step}":
            await self._hold()
        if self.cut_off == step:
            self.cut_off = ""
            request.transport.close()  # type: ignore[union-attr]
        return response

    async def _hold(self) -> None:
        self.holding.set()
        await self._released.wait()

    def _refusal(self, anthropic: bool, status: int, kind: str, message: str) -> web.Response:
        error = {"type": kind, "message": message}
        body = {"type": "error", "error": error, "request_id": "r"} if anthropic else {"error": error | {"code": kind}}
        return web.json_response(body, status=status)

    # OpenAI

    async def _upload(self, request: web.Request) -> web.Response:
        parts: dict[str, bytes] = {}
        async for part in await request.multipart():
            assert isinstance(part, BodyPartReader)
            assert part.name is not None
            parts[part.name] = bytes(await part.read())
        assert parts["purpose"] == b"batch"
        id_ = f"file-{len(self.files)}"
        self.files[id_] = parts["file"]
        return web.json_response(
            {
                "id": id_, "object": "file", "bytes": len(parts["file"]), "created_at": int(time.time()),
                "filename": "f.jsonl", "purpose": "batch", "status": "processed",
            }
        )  # fmt: skip

    async def _create_openai(self, request: web.Request) -> web.Response:
        body = await request.json()
        assert (body["endpoint"], body["completion_window"]) == ("/v1/chat/completions", "24h")
        lines = [json.loads(line) for line in self.files[body["input_file_id"]].decode().split("\n") if line]
        assert all((line["method"], line["url"]) == ("POST", "/v1/chat/completions") for line in lines)
        requests = [(line["custom_id"], line["body"]) for line in lines]
        batch = Batch("openai", f"batch_{len(self.batches)}", requests, time.time(), body["metadata"]["prbgen"])
        self._check(batch)
        if reason := self._no_room(batch):
            batch.provider = "refused"
            self.refusals[batch.id] = [reason]
        self.batches.append(batch)
        return web.json_response(self._openai_batch(batch))

    def _no_room(self, batch: Batch) -> dict[str, Any] | None:
        if self.refuses:
            return self.refuses[0]
        at_work = sum(len(each.requests) for each in self.batches if each.provider == "openai" and not self._over(each))
        if at_work + len(batch.requests) > self.room:
            return {"code": "token_limit_exceeded", "message": "Enqueued token limit reached", "line": None}
        return None

    def _over(self, batch: Batch) -> bool:
        return batch.looks > self.looks

    def _check(self, batch: Batch) -> None:
        keys = [key for key, _ in batch.requests]
        assert len(set(keys)) == len(keys) > 0
        assert len({body["model"] for _, body in batch.requests}) == 1

    def _openai_batch(self, batch: Batch) -> dict[str, Any]:
        ended = self._over(batch)
        status = self.whole if ended else "in_progress"
        failed = batch.id in self.refusals
        if failed:
            status = "failed"
        done = len(batch.requests) if ended and not failed else 0
        return {
            "id": batch.id, "object": "batch", "endpoint": "/v1/chat/completions", "completion_window": "24h",
            "input_file_id": "file-x", "status": status, "created_at": int(batch.created),
            "errors": {"object": "list", "data": self.refusals[batch.id]} if failed else None,
            "output_file_id": f"out-{batch.id}" if done else None, "error_file_id": f"err-{batch.id}" if done else None,
            "request_counts": {"total": 0 if failed else len(batch.requests), "completed": done, "failed": 0},
            "metadata": {"prbgen": batch.name},
        }  # fmt: skip

    async def _openai(self, request: web.Request) -> web.Response:
        for batch in self.batches:
            if batch.id == request.match_info["id"]:
                batch.looks += 1
                return web.json_response(self._openai_batch(batch))
        return self._refusal(False, 404, "not_found", "No batch found")

    async def _list_openai(self, request: web.Request) -> web.Response:
        return web.json_response(self._page(request, "after", [b for b in self.batches if b.name], self._openai_batch))

    def _page(self, request: web.Request, cursor: str, batches: list[Batch], show: Any) -> dict[str, Any]:
        """Pages of two, the newest first."""
        newest = batches[::-1]
        after = request.query.get(cursor)
        start = next((n + 1 for n, batch in enumerate(newest) if batch.id == after), 0)
        page = newest[start : start + 2]
        ids = {"first_id": page[0].id, "last_id": page[-1].id} if page else {"first_id": None, "last_id": None}
        return {"object": "list", "data": list(map(show, page)), "has_more": start + 2 < len(newest), **ids}

    async def _content(self, request: web.Request) -> web.StreamResponse:
        kind, _, id_ = request.match_info["id"].partition("-")
        batch = next(each for each in self.batches if each.id == id_)
        if self._gone(batch):
            return self._refusal(False, 404, "not_found", "No such File object")
        lines = []
        for key, outcome in self._outcomes(batch):
            record: dict[str, Any] = {"id": "r", "custom_id": key, "response": None, "error": None}
            if isinstance(outcome, str):
                record["error"] = {"code": f"batch_{outcome}", "message": f"This request could not be done: {outcome}"}
            else:
                status = outcome.get("status", 200)
                body = chat_of(outcome) if status == 200 else {"error": outcome["error"]}
                record["response"] = {"status_code": status, "request_id": "q", "body": body}
            if (kind == "out") == (record["error"] is None and record["response"]["status_code"] == 200):
                lines.append(record)
        return await self._stream(request, lines)

    # Anthropic

    async def _create_anthropic(self, request: web.Request) -> web.Response:
        assert request.content_type == "application/json"
        assert request.content_length
        body = json.loads(await request.read())
        assert list(body) == ["requests"]
        requests = [(each["custom_id"], each["params"]) for each in body["requests"]]
        assert all(isinstance(params["max_tokens"], int) for _, params in requests)
        batch = Batch("anthropic", f"msgbatch_{len(self.batches)}", requests, time.time())
        self._check(batch)
        self.batches.append(batch)
        return web.json_response(self._anthropic_batch(batch))

    def _anthropic_batch(self, batch: Batch) -> dict[str, Any]:
        ended = self._over(batch)
        counts = dict.fromkeys(("succeeded", "errored", "canceled", "expired", "processing"), 0)
        for _, body in batch.requests:
            counts[_kind(self.answer(body)) if ended else "processing"] += 1
        created = datetime.fromtimestamp(batch.created, UTC)
        results = f"{self.url}/v1/messages/batches/{batch.id}/results"
        return {
            "id": batch.id, "type": "message_batch", "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts, "created_at": created.isoformat(), "ended_at": None, "archived_at": None,
            "cancel_initiated_at": None, "expires_at": (created + timedelta(days=1)).isoformat(),
            "results_url": results if ended and not self._gone(batch) else None,
        }  # fmt: skip

    async def _anthropic(self, request: web.Request) -> web.Response:
        for batch in self.batches:
            if batch.id == request.match_info["id"]:
                batch.looks += 1
                return web.json_response(self._anthropic_batch(batch))
        return self._refusal(True, 404, "not_found_error", "Not found")

    async def _list_anthropic(self, request: web.Request) -> web.Response:
        batches = [each for each in self.batches if each.provider == "anthropic"]
        return web.json_response(self._page(request, "after_id", batches, self._anthropic_batch))

    async def _results(self, request: web.Request) -> web.StreamResponse:
        batch = next(each for each in self.batches if each.id == request.match_info["id"])
        lines = []
        for key, outcome in self._outcomes(batch):
            result: dict[str, Any] = {"type": _kind(outcome)}
            if isinstance(outcome, dict) and result["type"] == "succeeded":
                result["message"] = message_of(outcome)
            elif isinstance(outcome, dict):
                result["error"] = {"type": "error", "error": outcome["error"], "request_id": "r"}
            lines.append({"custom_id": key, "result": result})
        return await self._stream(request, lines)

    # Both

    def _gone(self, batch: Batch) -> bool:
        return self.gone and batch is self.batches[0]

    def _outcomes(self, batch: Batch) -> list[tuple[str, Outcome]]:
        outcomes = [(key, self.answer(body)) for key, body in batch.requests][
            self.left_out if batch is self.batches[0] else 0 :
        ]
        if self.shuffled:
            random.Random(1).shuffle(outcomes)
        if self.strangers:
            outcomes = [("not a key of ours", {"text": "?"}), ("f" * 32, {"text": "?"}), *outcomes]
        return outcomes * 2 if self.doubled else outcomes

    async def _stream(self, request: web.Request, lines: list[dict[str, Any]]) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for number, line in enumerate(lines):
            if self.held_after and number == self.held_after:
                await self._hold()
            # Text as it is: it may hold other separators of lines.
            await response.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        await response.write_eof()
        return response

    async def _chat(self, request: web.Request) -> web.Response:
        self.online.append(await request.json())
        return web.json_response(chat_of({"text": "ok"}))

    async def _message(self, request: web.Request) -> web.Response:
        self.online.append(await request.json())
        return web.json_response(message_of({"text": "ok"}))


def _kind(outcome: Outcome) -> str:
    if isinstance(outcome, str):
        return outcome
    return "errored" if "error" in outcome else "succeeded"


def chat_of(outcome: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": outcome.get("text"), "refusal": outcome.get("refusal")}
    usage = outcome.get("usage", {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15})
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-4o-mini",
        "choices": [{"index": 0, "message": message, "finish_reason": outcome.get("finish", "stop")}], "usage": usage,
    }  # fmt: skip


def message_of(outcome: dict[str, Any]) -> dict[str, Any]:
    usage = outcome.get("usage", {"input_tokens": 10, "output_tokens": 5})
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-4-5",
        "content": [{"type": "text", "text": outcome.get("text", "")}],
        "stop_reason": outcome.get("finish", "end_turn"), "stop_sequence": None, "usage": usage,
    }  # fmt: skip
