"""What a reward server answers: scores in their order, and otherwise a status with the reason."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from prbgen.downstream.ppo.serve import body as body_module
from prbgen.downstream.ppo.serve.desk import Bounds
from prbgen.evaluation.scorers.rate import Rate
from prbgen.evaluation.settings import ScorerSettings
from prbgen.llm.ledger import Ledger
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic
from prbgen.reward_protocol import RewardRequest, RewardResponse
from tests.downstream.ppo.serve.reward_serving import Checksums, score_of, served
from tests.evaluation.scorers.asking_desk import scripted


@pytest.fixture
def scorer() -> Checksums:
    made = Checksums()
    made.open.set()
    return made


async def test_the_protocol_is_answered_in_its_order(scorer: Checksums) -> None:
    responses = ["b", "a", "b", ""]
    async with served(scorer) as server:
        request = RewardRequest.of("Which?", responses)
        reply = await server.client.post(f"{server.url}/score", content=request.model_dump_json())
    assert reply.status_code == 200
    assert RewardResponse.model_validate_json(reply.content).scores == tuple(score_of("Which?", r) for r in responses)
    assert scorer.asked == [("Which?", ("b", "a", ""))]


async def test_inputs_with_different_prompts_are_grouped_by_prompt(scorer: Checksums) -> None:
    inputs = [("p", "1"), ("q", "1"), ("p", "2"), ("q", "1")]
    async with served(scorer) as server:
        assert (await server.ask(*inputs)).json() == {"scores": [score_of(*each) for each in inputs]}
    assert sorted(scorer.asked) == [("p", ("1", "2")), ("q", ("1",))]


async def test_no_inputs_have_no_scores(scorer: Checksums) -> None:
    async with served(scorer) as server:
        assert (await server.ask()).json() == {"scores": []}
    assert not scorer.asked


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "JSON"),
        (b"{", "JSON"),
        (b"\xff", "JSON"),
        (b"[]", "JSON"),
        (b'{"inputs": 3}', "inputs"),
        (b'{"inputs": [{"prompt": "p"}]}', "inputs.0.response"),
        (b'{"inputs": [{"prompt": "p", "response": 3}]}', "inputs.0.response"),
        (b'{"inputs": [{"prompt": "p", "response": "r", "messages": []}]}', "inputs.0.messages"),
        (b"[" * 100_000, "JSON"),
    ],
)
async def test_a_bad_request_is_told_in_one_line(scorer: Checksums, content: bytes, told: str) -> None:
    async with served(scorer) as server:
        reply = await server.client.post(f"{server.url}/score", content=content)
        assert await server.figure('failures_total{reason="bad_request"}') == 1
    assert reply.status_code == 422
    assert told in reply.json()["error"]
    assert "\n" not in reply.json()["error"]
    assert not scorer.asked


async def test_messages_that_say_something_else_than_prompt_and_response_are_refused(scorer: Checksums) -> None:
    request: dict[str, Any] = RewardRequest.of("Which?", ["This."]).model_dump()
    request["inputs"][0]["messages"][0]["content"] = "Who?"
    async with served(scorer) as server:
        reply = await server.client.post(f"{server.url}/score", json=request)
    assert (reply.status_code, "inputs.0.messages" in reply.json()["error"]) == (422, True)


@pytest.mark.parametrize(
    ("response", "status", "reason"),
    [("fail", 500, "model_failed"), ("nan", 500, "not_finite"), ("long", 413, "too_long")],
)
async def test_a_request_with_one_score_missing_has_none(
    scorer: Checksums, response: str, status: int, reason: str
) -> None:
    async with served(scorer) as server:
        reply = await server.ask(("p", "fine"), ("p", response))
        assert await server.figure(f'failures_total{{reason="{reason}"}}') == 1
        assert await server.figure("scores_total") == 0
    assert reply.status_code == status
    assert list(reply.json()) == ["error"]


async def test_no_request_fails_for_another_ones_inputs(scorer: Checksums) -> None:
    scorer.open.clear()
    async with served(scorer) as server:
        first = asyncio.create_task(server.ask(("first", "in the way")))
        await scorer.began.wait()
        texts = ("fine", "fail", "nan", "long", "too", "fail")
        others = [asyncio.create_task(server.ask(("p", text))) for text in texts]
        await server.until_queued(len(texts))
        scorer.open.set()
        replies = await asyncio.gather(*others)
        await first
    assert [reply.status_code for reply in replies] == [200, 500, 500, 413, 200, 500]
    assert replies[4].json() == {"scores": [score_of("p", "too")]}


async def test_a_failure_repeats_no_key(scorer: Checksums, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRBGEN_REWARD_KEY", "it failed")
    async with served(scorer) as server:
        assert (await server.ask(("p", "fail"))).json() == {"error": "[redacted]"}


async def test_requests_without_the_key_are_refused(scorer: Checksums) -> None:
    async with served(scorer, key="open sesame") as server:
        for key in ("", "open", "open sesame!", "öpen"):
            headers = {b"Authorization": f"Bearer {key}".encode()} if key else {}
            reply = await server.client.post(f"{server.url}/score", content=b"nonsense", headers=headers)
            assert reply.status_code == 401
            assert "open sesame" not in reply.text
        assert (await server.ask(("p", "r"), key="open sesame")).status_code == 200
        assert (await server.client.get(f"{server.url}/health")).status_code == 200


async def test_a_body_beyond_the_bound_is_refused_before_it_is_read(
    scorer: Checksums, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body_module, "LARGEST", 1000)

    async def pieces() -> Any:
        for _ in range(3):
            yield b" " * 500

    async with served(scorer) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(server.url.rpartition(":")[2]))
        writer.write(b"POST /score HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1001\r\n\r\n")
        assert (await reader.readline()).split()[1] == b"413"  # nothing of the body was sent
        writer.close()
        reply = await server.client.post(f"{server.url}/score", content=pieces())
        assert reply.status_code == 413
        assert await server.figure('failures_total{reason="too_large"}') == 2


async def test_too_many_inputs_are_a_bad_request(scorer: Checksums) -> None:
    async with served(scorer, Bounds(queue=3)) as server:
        reply = await server.ask(*[("p", str(number)) for number in range(4)])
    assert (reply.status_code, reply.json()) == (422, {"error": "4 inputs in one request; at most 3"})


async def test_before_there_is_a_model_the_server_says_so() -> None:
    async with served(None) as server:
        health = await server.client.get(f"{server.url}/health")
        reply = await server.ask(("p", "r"))
    assert (health.status_code, health.json()["status"]) == (503, "loading")
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "5")


async def test_health_says_what_is_served(scorer: Checksums) -> None:
    async with served(scorer) as server:
        health = await server.client.get(f"{server.url}/health")
    assert health.status_code == 200
    assert health.json() == {
        "status": "ready",
        "scorer": "rate:checksums",
        "error": None,
        "fingerprint": scorer.fingerprint,
        "versions": scorer.versions,
    }


async def test_once_the_model_is_gone_all_who_wait_and_all_who_ask_are_told(scorer: Checksums) -> None:
    scorer.open.clear()
    async with served(scorer) as server:
        deadly = asyncio.create_task(server.ask(("p", "die")))
        await scorer.began.wait()
        waiting = asyncio.create_task(server.ask(("q", "r")))
        await server.until_queued(1)
        scorer.open.set()
        replies = [await deadly, await waiting, await server.ask(("p", "r"))]
        health = await server.client.get(f"{server.url}/health")
    assert [reply.status_code for reply in replies] == [503] * 3
    assert all("the device is gone" in reply.json()["error"] for reply in replies)
    assert (health.status_code, health.json()["status"]) == (503, "gone")


async def test_other_paths_and_methods_are_none_of_its(scorer: Checksums) -> None:
    async with served(scorer) as server:
        for path in ("/", "/docs", "/openapi.json"):
            assert (await server.client.get(server.url + path)).status_code == 404
        assert (await server.client.get(f"{server.url}/score")).status_code == 405


async def test_scores_come_back_bit_by_bit(scorer: Checksums) -> None:
    async with served(scorer) as server:
        text = (await server.ask(("p", "r"))).text
    assert json.loads(text)["scores"][0] == score_of("p", "r")


async def test_marks_of_an_llm_are_served_and_a_reply_without_one_is_an_error(tmp_path: Path) -> None:
    rules: list[dict[str, Any]] = [
        {"match": "silent", "reply": "I would rather not say."},
        {"match": "broken", "fault": {"kind": "bad_request", "message": "no"}},
        {"reply": json.dumps({"score": 7})},
    ]
    llm = ScorerSettings("rate", scripted(tmp_path, *rules))
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        model = Rate.open(llm, Prompts(), ledger, stop=asyncio.Event(), traffic=Traffic())
        async with served(model, Bounds(wait=0.5)) as server:
            texts = ("fine", "silent", "broken", "good")
            replies = await asyncio.gather(*(server.ask(("Which?", text)) for text in texts))
            assert await server.figure("batch_requests_count") == 1
        await model.close()
    assert [reply.status_code for reply in replies] == [200, 500, 500, 200]
    assert replies[0].json() == {"scores": [7.0]}
    assert all("\n" not in reply.json()["error"] for reply in replies[1:3])
