"""The rubric judge behind a server that misbehaves, killed in the middle, and as a real model."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from prbgen.errors import InputError
from prbgen.llm.ledger import Ledger, spent
from tests.downstream.best_of_n.judging_bench import Bench, bench, covering, question
from tests.processes import start_python
from tests.provider import Provider, completion, serving

GOOD = {"reply": covering(2, 1)}
KEY = "sk-canary-4711-secret"

JUDGE = """
import sys
from pathlib import Path
from tests.downstream.best_of_n.judging_bench import bench
made = bench(Path(sys.argv[1]), questions=8, n=2)
made.judge(made.settings("openai/mock", api_base=sys.argv[2]))
"""


def replying(content: str) -> Any:
    async def answer(_request: web.Request, prompt: str, _arrival: int) -> web.StreamResponse:
        body = completion(prompt)
        body["choices"][0]["message"]["content"] = content
        return web.json_response(body)

    return answer


class TestProvider:
    @pytest.fixture(autouse=True)
    def _key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def test_too_many_requests_are_waited_out_and_no_judgement_is_lost(self, tmp_path: Path) -> None:
        made = bench(tmp_path, questions=3, n=2)
        good = replying(json.dumps(covering(2, 1)))

        async def busy(request: web.Request, prompt: str, arrival: int) -> web.StreamResponse | None:
            if arrival == 1:
                body = {"error": {"message": "slow down"}}
                return web.json_response(body, status=429, headers={"Retry-After": "0.1"})
            return await good(request, prompt, arrival)  # type: ignore[no-any-return]

        with serving(Provider(fault=busy)) as provider:
            found = made.judge(made.settings("openai/mock", api_base=provider.url))
        assert (found.judged, found.unjudged, found.quality.value) == (6, 0, 0.75)
        assert found.cost.usd is None
        body = provider.bodies[0]
        assert (body["temperature"], body["max_tokens"]) == (0, 1000)

    def test_a_call_that_failed_leaves_its_candidate_unjudged_and_is_made_again(self, tmp_path: Path) -> None:
        made = bench(tmp_path, n=1)
        good = replying(json.dumps(covering(2, 1)))

        async def refusing(request: web.Request, prompt: str, arrival: int) -> web.StreamResponse | None:
            if arrival == 1 and "Answer 0 to 2." in await request.text():
                return web.json_response({"error": {"message": f"wrong: {KEY}"}}, status=400)
            return await good(request, prompt, arrival)  # type: ignore[no-any-return]

        with serving(Provider(fault=refusing)) as provider:
            settings = made.settings("openai/mock", api_base=provider.url)
            found = made.judge(settings)
            assert (found.judged, found.unjudged, found.reasons) == (3, 1, {"the call failed": 1})
            assert KEY not in made.judged.judgements.read_text()
            again = made.judge(settings)
        assert (again.judged, again.unjudged) == (4, 0)
        assert provider.arrived.total() == 5

    def test_a_killed_process_loses_what_was_in_flight_alone_and_a_resume_gives_the_same_bytes(
        self, tmp_path: Path
    ) -> None:
        good, hanging, asked = replying(json.dumps(covering(2, 1))), asyncio.Event(), Counter[str]()

        async def half(request: web.Request, prompt: str, arrival: int) -> web.StreamResponse | None:
            if "killed" in asked and re.search("to [4-7]", await request.text()):
                await hanging.wait()
            asked[prompt] += 1
            return await good(request, prompt, arrival)  # type: ignore[no-any-return]

        with serving(Provider(fault=half)) as provider:
            calm = bench(tmp_path / "calm", questions=8, n=2)
            calm.judge(calm.settings("openai/mock", api_base=provider.url))
            asked.clear()
            asked["killed"] = 1
            made = bench(tmp_path / "killed", questions=8, n=2)
            process = start_python(JUDGE, str(made.folder), provider.url)
            deadline = time.monotonic() + 60
            while replies(made) < 8 and time.monotonic() < deadline:
                time.sleep(0.05)
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert replies(made) == 8
            assert not made.judged.judgements.exists()
            del asked["killed"]
            found = made.judge(made.settings("openai/mock", api_base=provider.url))
        assert found.judged == 16
        assert set(asked.values()) == {1}
        assert made.judged.judgements.read_bytes() == calm.judged.judgements.read_bytes()

    def test_garbage_is_no_judgement(self, tmp_path: Path) -> None:
        made = bench(tmp_path, questions=2, n=2)
        with serving(Provider(fault=replying('{"aspects": [{"number": 1, "score": 2'))) as provider:
            found = made.judge(made.settings("openai/mock", api_base=provider.url))
        assert (found.judged, found.unjudged, found.quality.value) == (0, 4, None)


def replies(made: Bench) -> int:
    # At first there is none, or it is just being made.
    with suppress(InputError), Ledger(made.judged.ledger, read_only=True) as ledger:
        return sum(each.replies for each in spent(ledger))
    return 0


def test_a_real_model_judges_or_says_nothing(tmp_path: Path) -> None:
    rows = [question(number, aspects=1) for number in range(2)]
    made = Bench(tmp_path, rows, [["Fry noodles."], ["Boil rice.", None]])
    settings = made.settings("local/smollm2-135m", options={"max_tokens": 60})
    found = made.judge(settings)
    assert found.judged + found.unjudged == 2
    for row in made.judgements:
        for each in row.judgements:
            assert (each.reason is None) == (each.quality is not None) == (len(each.scores) == 1)
    assert found.cost.prompt_tokens
    before = made.judged.judgements.read_bytes()
    assert made.judge(settings) == found
    assert made.judged.judgements.read_bytes() == before
