"""http:URL against real servers that answer, refuse, fail and lie."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from prbgen.errors import InputError, InterruptError, ModelError
from prbgen.evaluation.scorers.http import HttpScorer
from prbgen.evaluation.scorers.scorer import Found, TooLongError
from prbgen.evaluation.scorers.shorten import Shortening, shortened
from prbgen.evaluation.settings import ScorerSettings
from prbgen.recipe import LimitSettings
from prbgen.reward_protocol import RewardRequest, RewardResponse
from tests.evaluation.scorers.reward_servers import listening, pair, posts_in, scored

KEY = "a-key-of-the-reward-server"
NOW = {"Retry-After": "0"}


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRBGEN_REWARD_KEY", raising=False)


def scorer(url: str, **limits: Any) -> HttpScorer:
    return HttpScorer(ScorerSettings("http", url, limits=LimitSettings(**limits)))


class Server:
    """Scores an answer by its length; what `instead` returns for the number of a request comes in place of scores."""

    def __init__(self, instead: Any = None) -> None:
        self.instead = instead or (lambda _: None)
        self.requests: list[web.Request] = []
        self.bodies: list[dict[str, Any]] = []

    async def score(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        self.bodies.append(await request.json())
        if (response := self.instead(len(self.requests))) is not None:
            return response  # type: ignore[no-any-return]
        asked = RewardRequest.model_validate_json(await request.text())
        scores = tuple(float(len(each.response)) for each in asked.inputs)
        return web.Response(text=RewardResponse(scores=scores).model_dump_json(), content_type="application/json")


async def test_both_answers_of_a_pair_go_into_one_request_of_the_documented_form() -> None:
    server = Server()
    async with listening(score=server.score) as url:
        (found,) = await scored(scorer(f"{url}/score"), pair(posts=1, chosen="Long", rejected="No"))
    assert found == Found(0, 1, scores=(4.0, 2.0))
    prompt = "post 0 of 0\nQuestion 0?"

    def entry(answer: str) -> dict[str, Any]:
        turns = [{"role": "user", "content": prompt}, {"role": "assistant", "content": answer}]
        return {"prompt": prompt, "response": answer, "messages": turns}

    assert server.bodies == [{"inputs": [entry("Long"), entry("No")]}]
    assert server.requests[0].content_type == "application/json"
    assert "Authorization" not in server.requests[0].headers


async def test_a_plain_address_is_a_scorer() -> None:
    server = Server()
    async with listening(score=server.score) as url:
        made = HttpScorer(ScorerSettings.parsed(f"{url}/score"))
        assert made.facts.name == f"{url}/score"
        (found,) = await scored(made, pair())
    assert found.scores[0]


@pytest.mark.parametrize("room", [-1, 0, 1, 2, 5])
async def test_what_is_too_long_loses_its_last_posts(room: int) -> None:
    server = Server()
    server.instead = lambda _: web.Response(status=413) if posts_in(server.bodies[-1]) > room else None
    async with listening(score=server.score) as url:
        (found,) = await scored(scorer(f"{url}/score"), pair(posts=5))
    if room < 0:
        assert found == Found(0, 0, reason="too long")
    else:
        assert (found.posts, found.scores[0], found.reason) == (room, 13.0, None)


@given(most=st.integers(0, 60), room=st.integers(-1, 70))
async def test_as_many_posts_as_fit_are_found_in_a_few_tries(most: int, room: int) -> None:
    tried: list[int] = []

    async def scores(message: str) -> tuple[float, float]:
        tried.append(message.count("post "))
        if tried[-1] > room:
            raise TooLongError
        return float(tried[-1]), 0.0

    found = await shortened(pair(posts=most), scores)
    fits = min(most, room)
    expected = Found(0, fits, scores=(fits, 0.0)) if fits >= 0 else Found(0, 0, reason="too long")
    assert found == expected
    assert tried[0] == most
    assert len(tried) == len(set(tried)) <= 1 + (most + 1).bit_length()


@given(most=st.integers(0, 60), room=st.integers(-1, 70))
def test_halving_finds_what_dropping_posts_one_by_one_finds(most: int, room: int) -> None:
    fitting = -1
    for posts in (shortening := Shortening(most)):
        if posts > room:
            shortening.too_long()
        else:
            fitting = posts
    assert fitting == next((posts for posts in range(most, -1, -1) if posts <= room), -1)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("", "Invalid JSON"),
        ("<html>Welcome</html>", "Invalid JSON"),
        ("[1.0, 2.0]", "object"),
        ('{"rewards": [1.0, 2.0]}', "scores: Field required"),
        ('{"scores": null}', "scores"),
        ('{"scores": [1.0, null]}', "scores.1: Input should be a valid number"),
        ('{"scores": [1.0, "0.5"]}', "scores.1: Input should be a valid number"),
        ('{"scores": [true, 1.0]}', "scores.0: Input should be a valid number"),
        ('{"scores": [[1.0], [2.0]]}', "scores.0: Input should be a valid number"),
        ('{"scores": [1.0]}', "1 scores for 2 answers"),
        ('{"scores": [1.0, 2.0, 3.0]}', "3 scores for 2 answers"),
        ('{"scores": [1.0, NaN]}', "a score is not finite"),
        ('{"scores": [1.0, 1e999]}', "a score is not finite"),
    ],
)
async def test_a_reply_of_another_shape_is_no_score(reply: str, told: str) -> None:
    server = Server(lambda _: web.Response(text=reply, content_type="application/json"))
    async with listening(score=server.score) as url:
        (found,) = await scored(scorer(f"{url}/score"), pair(posts=1))
    assert (found.scores, found.faulty, found.posts) == ((), True, 1)
    assert told in (found.reason or "")
    assert len(server.requests) == 1


async def test_whole_numbers_are_scores() -> None:
    server = Server(lambda _: web.Response(text='{"scores": [2, -1], "model": "mine"}'))
    async with listening(score=server.score) as url:
        (found,) = await scored(scorer(f"{url}/score"), pair())
    assert found.scores == (2.0, -1.0)


async def test_a_busy_server_gets_the_time_that_it_asks_for() -> None:
    times: list[float] = []

    def instead(number: int) -> web.Response | None:
        times.append(time.monotonic())
        return web.Response(status=429, headers={"Retry-After": "1"}) if number == 1 else None

    server = Server(instead)
    async with listening(score=server.score) as url:
        (found,) = await scored(scorer(f"{url}/score"), pair())
    assert found.scores[0]
    assert times[1] - times[0] > 0.95


@pytest.mark.parametrize("status", [500, 502, 504])
async def test_a_server_that_fails_once_is_asked_again(status: int) -> None:
    server = Server(lambda number: web.Response(status=status, headers=NOW) if number == 1 else None)
    async with listening(score=server.score) as url:
        (found,) = await scored(scorer(f"{url}/score"), pair())
    assert (found.scores[0], len(server.requests)) == (13.0, 2)


async def test_a_connection_that_breaks_and_a_reply_that_drips_are_asked_for_again() -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        server.requests.append(request)
        if len(server.requests) == 1:
            assert request.transport
            request.transport.abort()
            return web.Response()
        if len(server.requests) == 2:
            response = web.StreamResponse()
            await response.prepare(request)
            for _ in range(20):
                await asyncio.sleep(0.1)
                await response.write(b" ")
            return response
        return await server.score(request)

    server = Server()
    async with listening(score=handler) as url:
        (found,) = await scored(scorer(f"{url}/score", timeout=0.4), pair())
    assert (found.scores[0], len(server.requests)) == (13.0, 4)  # the last one counts twice


async def test_a_server_that_fails_for_good_leaves_a_pair_unscored() -> None:
    server = Server(lambda _: web.json_response({"error": "CUDA is out of memory"}, status=500, headers=NOW))
    async with listening(score=server.score) as url:
        (found,) = await scored(scorer(f"{url}/score"), pair())
    assert found == Found(0, 0, reason="no reply (server): 500: CUDA is out of memory", faulty=True)
    assert len(server.requests) == 6


async def test_a_refused_request_concerns_its_pair_alone() -> None:
    def instead(number: int) -> web.Response | None:
        return web.json_response({"detail": "I take no emoji"}, status=422) if number == 1 else None

    server = Server(instead)
    async with listening(score=server.score) as url:
        first, second = await scored(scorer(f"{url}/score", concurrency=1), pair(0), pair(1))
    assert first == Found(0, 0, reason="the server refused it (422): I take no emoji", faulty=True)
    assert (second.scores[0], len(server.requests)) == (13.0, 2)


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (401, "it wants a key (401: Go away); the key goes into PRBGEN_REWARD_KEY"),
        (403, "it wants a key (403: Go away)"),
        (404, "it has no such path (404: Go away)"),
        (405, "it has no such path (405: Go away)"),
        (402, "402: Go away"),
    ],
)
async def test_a_server_that_will_have_none_of_it_ends_it_all(status: int, told: str) -> None:
    server = Server(lambda _: web.Response(status=status, text="Go away"))
    async with listening(score=server.score) as url:
        with pytest.raises(ModelError) as raised:
            await scored(scorer(f"{url}/score", concurrency=2), *map(pair, range(50)))
    assert f"{url}/score cannot be used: {told}" in str(raised.value)
    assert len(server.requests) <= 2


async def test_a_moved_server_ends_it_all() -> None:
    server = Server(lambda _: web.Response(status=308, headers={"Location": "http://elsewhere/"}))
    async with listening(score=server.score) as url:
        with pytest.raises(ModelError, match="it has moved to http://elsewhere/"):
            await scored(scorer(f"{url}/score"), pair())


async def test_nobody_at_the_address_ends_it_all() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ModelError, match=rf"nobody answers at http://127.0.0.1:{port}/score \(is the server up\?\)"):
        await scored(scorer(f"http://127.0.0.1:{port}/score"), *map(pair, range(20)))


async def test_a_reply_without_end_is_not_read_to_its_end() -> None:
    sent = 0

    async def endless(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse()
        await response.prepare(request)
        while sent < 2**28:
            await response.write(b"0" * 2**16)
            sent += 2**16
        return response

    async with listening(score=endless) as url:
        with pytest.raises(ModelError, match="is it a reward model"):
            await scored(scorer(f"{url}/score"), pair())
    assert sent < 2**27


async def test_the_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRBGEN_REWARD_KEY", KEY)

    async def echo(request: web.Request) -> web.Response:
        headers = request.headers["Authorization"]
        return web.json_response({"error": {"message": f"bad: {headers}"}}, status=status)

    status = 400
    async with listening(score=echo) as url:
        made = scorer(f"{url}/score")
        assert KEY not in made.fingerprint + str(made.facts)
        (found,) = await scored(made, pair())
        assert found.reason == "the server refused it (400): bad: Bearer [redacted]"
        status = 401
        with pytest.raises(ModelError) as raised:
            await scored(scorer(f"{url}/score"), pair())
    assert "the key is not accepted (401: bad: Bearer [redacted])" in str(raised.value)


@pytest.mark.parametrize("text", ["", "localhost:5000", "ftp://host/score", "http://", "http://host:port/", "score"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no address of a server, such as"):
        scorer(text)


@pytest.mark.parametrize(
    "text", ["http://me:secret@host/score", "http://host/score?key=secret", "ftp://me:secret@host"]
)
def test_an_address_with_a_key_in_it_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--scorer http:URL: ") as raised:
        scorer(text)
    assert "secret" not in str(raised.value)


def test_a_key_that_cannot_be_sent_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRBGEN_REWARD_KEY", "clé-du-serveur")
    with pytest.raises(InputError, match="PRBGEN_REWARD_KEY: holds characters") as raised:
        scorer("http://host/score")
    assert "serveur" not in str(raised.value)


async def test_no_more_than_the_limit_are_under_way_at_once() -> None:
    under_way = most = 0

    async def slow(request: web.Request) -> web.StreamResponse:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.02)
        under_way -= 1
        return await server.score(request)

    server = Server()
    async with listening(score=slow) as url:
        found = await scored(scorer(f"{url}/score", concurrency=3), *map(pair, range(20)))
    assert [each.place for each in found] == list(range(20))
    assert 1 < most <= 3


async def test_a_stop_lets_in_what_is_under_way() -> None:
    async def stopping(request: web.Request) -> web.StreamResponse:
        if len(server.requests) == 4:
            stop.set()
        return await server.score(request)

    server, stop, found = Server(), asyncio.Event(), []
    async with listening(score=stopping) as url:
        made = scorer(f"{url}/score", concurrency=2)
        with pytest.raises(InterruptError):
            async for each in made.score(map(pair, range(50)), stop):
                found.append(each)
        await made.close()
    assert all(each.scores[0] for each in found)
    assert 4 <= len(found) <= 6


async def test_a_stop_cuts_a_wait_short() -> None:
    def instead(_: int) -> web.Response:
        asyncio.get_running_loop().call_later(0.1, stop.set)
        return web.Response(status=429, headers={"Retry-After": "600"})

    server, stop = Server(instead), asyncio.Event()
    async with listening(score=server.score) as url:
        with pytest.raises(InterruptError):
            await asyncio.wait_for(scored(scorer(f"{url}/score"), pair(), stop=stop), 10)


def test_the_address_is_the_work_and_limits_are_not() -> None:
    one = scorer("http://host/score", concurrency=3, timeout=5)
    assert one.fingerprint == scorer("http://host/score/").fingerprint != scorer("http://host/other").fingerprint


@given(st.text(), st.lists(st.text(), max_size=4))
def test_a_request_survives_its_way(prompt: str, responses: list[str]) -> None:
    request = RewardRequest.of(prompt, responses)
    assert RewardRequest.model_validate_json(json.dumps(request.model_dump())) == request
