"""What verl itself makes of `prbgen ppo prepare`: its configuration, its dataset, its reward loop.

PRBGEN_TEST_VERL is the Python of an environment with verl; `make test-full` makes one.
"""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.downstream.ppo.prepare.prepared import policy, prepared, rows, write
from tests.evaluation.asking_rows import pair_row
from tests.evaluation.scorers.reward_servers import listening

pytestmark = pytest.mark.skipif("PRBGEN_TEST_VERL" not in os.environ, reason="PRBGEN_TEST_VERL names no Python")

SCRIPT = Path(__file__).parent / "in_verl.py"


async def in_verl(folder: Path, url: str) -> dict[str, Any]:
    command = (os.environ["PRBGEN_TEST_VERL"], str(SCRIPT), str(folder), url)
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe, cwd=folder)
    out, errors = await asyncio.wait_for(process.communicate(), 600)
    assert process.returncode == 0, errors.decode()[-4000:]
    found: dict[str, Any] = json.loads(out.decode().splitlines()[-1])
    return found


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Prompts of which some are as long as may be."""
    policy(tmp_path / "tok")
    texts = [{"category": "cooking", "id": str(at), "text": "Rye or wheat? " * 9} for at in range(9)]
    write(tmp_path / "data.jsonl", *(pair_row(number, profile=texts[: number % 9]) for number in range(30)))
    write(tmp_path / "bench.jsonl", pair_row(100))
    return tmp_path


async def test_verl_takes_the_configuration_keeps_all_rows_and_gets_rewards(place: Path) -> None:
    facts = prepared(place, condition="profile", prompt_tokens=500)
    assert facts.train.shortened
    asked: list[str] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        inputs = (await request.json())["inputs"]
        asked.append(inputs[0]["prompt"])
        if len(asked) == 2:  # as servers do
            return web.Response(status=503, headers={"Retry-After": "0"})
        return web.json_response({"scores": [len(each["response"]) / 10 for each in inputs]})

    async with listening(score=answer) as url:
        found = await in_verl(place / "out", f"{url}/score")

    assert (found["train"], found["validation"]) == (facts.train.questions, facts.validation.questions)
    assert found["settings"] == {
        "batch": 16,
        "actor_lr": 5e-7,
        "critic_lr": 5e-6,
        "epochs": 1,
        "prompt": 500,
        "response": 512,
        "critic": True,
    }
    first = rows(place, "train")[:3]
    assert found["prompts"] == [each["prompt"] for each in first]
    assert {each["extra_info"]["prompt"] for each in first} == set(asked)
    assert [each["reward_score"] for each in found["found"]] == [0.4, 1.9, 0.5]
    assert found["at_last_token"] == pytest.approx([0.4, 1.9, 0.5])
    assert found["alone"] == {"score": 0.4, "posts_dropped": 0.0}
    name, said = found["failure"]
    assert name == "RewardError"
    assert "no reward within 1 s" in said
