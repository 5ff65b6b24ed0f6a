"""The web application of a reward server: /score, /health and /metrics."""

from __future__ import annotations

import asyncio
import time

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST

from prbgen.downstream.ppo.serve.access import check, check_origin
from prbgen.downstream.ppo.serve.body import inputs_of, read
from prbgen.downstream.ppo.serve.desk import Desk
from prbgen.downstream.ppo.serve.metrics import Metrics
from prbgen.downstream.ppo.serve.refusal import NoScoresError


def reward_app(desk: Desk, metrics: Metrics, name: str, key: str | None = None, *, loopback: bool = False) -> FastAPI:
    """The application; it answers 503 as long as nobody has the desk serve a model.

    Args:
        desk: Where requests wait for their scores.
        metrics: What is counted.
        name: KIND:MODEL, as /health tells it.
        key: What each request for scores needs as a Bearer token; null: nothing. /health and /metrics are open.
        loopback: It listens to this machine alone.
    """

    async def no_pages(request: Request) -> None:
        check_origin(key, request.headers, loopback=loopback)

    async def refused(_: Request, error: Exception) -> Response:
        assert isinstance(error, NoScoresError)  # noqa: S101
        metrics.refused(error.status, error.reason)
        return JSONResponse({"error": str(error)}, error.status, _headers(error))

    async def score(request: Request) -> Response:
        """A score for each input; see prbgen/reward_protocol.py."""
        begun = time.monotonic()
        check(key, request.headers.get("authorization", ""))
        scores = await _while_there(request, desk, await read(request))
        metrics.answered(len(scores), time.monotonic() - begun)
        return JSONResponse({"scores": scores})

    async def health() -> Response:
        """503 until there is a model, and once it is gone."""
        said: dict[str, object] = {"status": desk.state, "scorer": name, "error": desk.fault}
        if desk.scorer:
            said |= {"fingerprint": desk.scorer.fingerprint, "versions": desk.scorer.versions}
        return JSONResponse(said, 200 if desk.state == "ready" else 503)

    async def figures() -> Response:
        """For Prometheus."""
        return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST)

    app = FastAPI(
        title="prbgen reward server",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        dependencies=[Depends(no_pages)],
        exception_handlers={NoScoresError: refused},
    )
    app.add_api_route("/score", score, methods=["POST"])
    app.add_api_route("/health", health, methods=["GET"])
    app.add_api_route("/metrics", figures, methods=["GET"])
    return app


async def _while_there(request: Request, desk: Desk, body: bytes) -> tuple[float, ...]:
    """The scores, unless the client goes away before.

    Raises:
        NoScoresError: there are none.
    """
    scores = asyncio.ensure_future(desk.scores(inputs_of(body)))
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((scores, gone), return_when=asyncio.FIRST_COMPLETED)
        if scores.done():
            return scores.result()
        raise NoScoresError("client_gone", "the client has gone")
    finally:
        for task in (scores, gone):
            task.cancel()
        await asyncio.gather(scores, gone, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _headers(error: NoScoresError) -> dict[str, str]:
    headers = {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
    return headers | ({"WWW-Authenticate": "Bearer"} if error.reason == "unauthorised" else {})
