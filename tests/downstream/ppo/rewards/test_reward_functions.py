"""The reward functions against real servers that answer, refuse, wait, lie, die and come back."""

from __future__ import annotations

import asyncio
import importlib.util
import pickle
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cloudpickle
import pytest
from aiohttp import web

from prbgen.downstream.ppo.rewards import reward
from prbgen.downstream.ppo.rewards.reward import RewardError, compute_score, prbgen_reward, reward_func
from prbgen.reward_protocol import RewardRequest
from tests.evaluation.scorers.reward_servers import listening

KEY = "a-key-of-the-reward-server"
FILE = Path(reward.__file__)
ASKED = "Post one.\n\nPost two.\n\nWhy?"
EXTRA = {"prompt": ASKED, "shorter": [[11, 4], [0, 4]]}


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (reward.URL, reward.KEY, reward.PATIENCE):
        monkeypatch.delenv(name, raising=False)


class Server:
    """Scores an answer by its length; what `instead` returns for the number of a request comes in place of scores."""

    def __init__(self, instead: Callable[[int], web.Response | None] = lambda _: None) -> None:
        self.instead = instead
        self.asked: list[RewardRequest] = []
        self.keys: list[str | None] = []

    async def score(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(RewardRequest.model_validate_json(await request.text()))
        self.keys.append(request.headers.get("Authorization"))
        if (response := self.instead(len(self.asked))) is not None:
            return response
        return web.json_response({"scores": [len(each.response) for each in self.asked[-1].inputs]})


async def scored(url: str, answer: str = "Because.", patience: float = 20, **extra: Any) -> dict[str, float]:
    return await compute_score("prbgen", answer, "s/q1", EXTRA | extra, url=f"{url}/score", patience=patience)


async def test_verl_gets_the_score_of_the_documented_request() -> None:
    server = Server()
    async with listening(score=server.score) as url:
        assert await scored(url) == {"score": 8.0, "posts_dropped": 0.0}
    assert server.asked == [RewardRequest.of(ASKED, ["Because."])]
    assert server.keys == [None]


async def test_address_key_and_patience_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(lambda number: web.Response(status=503) if number > 1 else None)
    async with listening(score=server.score) as url:
        monkeypatch.setenv(reward.URL, f"{url}/score")
        monkeypatch.setenv(reward.KEY, KEY)
        monkeypatch.setenv(reward.PATIENCE, "0.1")
        assert (await compute_score("prbgen", "Yes", "s/q1", EXTRA))["score"] == 3
        with pytest.raises(RewardError, match=r"no reward within 0.1 s: 503"):
            await compute_score("prbgen", "Yes", "s/q1", EXTRA)
    assert server.keys == [f"Bearer {KEY}"] * 2


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_server_that_cannot_answer_now_is_asked_again(status: int) -> None:
    server = Server(lambda number: web.Response(status=status) if number == 1 else None)
    async with listening(score=server.score) as url:
        assert (await scored(url))["score"] == 8
    assert len(server.asked) == 2


@pytest.mark.parametrize("status", [429, 503])
async def test_a_server_that_asks_to_wait_is_not_asked_before(status: int) -> None:
    server = Server(lambda number: web.Response(status=status, headers={"Retry-After": "1"}) if number == 1 else None)
    clock = asyncio.get_running_loop().time
    async with listening(score=server.score) as url:
        began = clock()
        assert (await scored(url))["score"] == 8
        assert clock() - began >= 1


async def test_a_wait_beyond_all_patience_is_told_at_once() -> None:
    server = Server(lambda _: web.Response(status=429, headers={"Retry-After": "3600"}, text="come\nback"))
    async with listening(score=server.score) as url:
        with pytest.raises(RewardError, match=r"score: no reward within 20 s: 429 come back$"):
            await asyncio.wait_for(scored(url), 5)
    assert len(server.asked) == 1


async def test_a_server_that_died_and_is_started_again_gives_the_reward() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = Server()
    asking = asyncio.create_task(scored(f"http://127.0.0.1:{port}"))
    await asyncio.sleep(0.3)
    assert not asking.done()
    application = web.Application()
    application.router.add_post("/score", server.score)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        assert (await asking)["score"] == 8
    finally:
        await runner.cleanup()


async def test_a_server_that_stays_away_is_an_error_and_never_a_number() -> None:
    with pytest.raises(RewardError, match=r"127.0.0.1:1/score: no reward within 1 s: .*connect"):
        await scored("http://127.0.0.1:1", patience=1)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("garbage", "the reply is not"),
        ("[" * 100_000, "the reply is not"),
        ("[1.0]", "the reply is not"),
        ('{"scores": 1.0}', "the reply is not"),
        ('{"scores": ["1.0"]}', "the reply is not"),
        ('{"scores": [true]}', "the reply is not"),
        ('{"scores": [null]}', "the reply is not"),
        ('{"scores": [NaN]}', "a score that is not finite"),
        (f'{{"scores": [{"9" * 400}]}}', "a score that is not finite"),
        ('{"scores": [-Infinity]}', "a score that is not finite"),
        ('{"scores": []}', "0 scores for 1 answers"),
        ('{"scores": [1, 2]}', "2 scores for 1 answers"),
    ],
)
async def test_a_reply_that_is_no_score_is_an_error(reply: str, why: str) -> None:
    server = Server(lambda _: web.Response(text=reply, content_type="application/json"))
    async with listening(score=server.score) as url:
        with pytest.raises(RewardError, match=why):
            await scored(url)
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [301, 400, 401, 404, 422])
async def test_a_refusal_is_told_at_once_without_the_key(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(reward.KEY, KEY)
    server = Server(lambda _: web.Response(status=status, text=f"{KEY} will\nnot do"))
    async with listening(score=server.score) as url:
        with pytest.raises(RewardError, match=rf"the reward server refuses: {status} \*\*\* will not do$"):
            await scored(url)
    assert len(server.asked) == 1


@pytest.mark.parametrize("address", ["", "nowhere", "ftp://there/score", "http://a:b/score"])
async def test_what_is_no_address_is_told_at_once(address: str) -> None:
    with pytest.raises(RewardError, match=r"no reward server is known|no address that can be asked"):
        await asyncio.wait_for(compute_score("prbgen", "Yes", "s/q1", EXTRA, url=address, patience=60), 5)


@pytest.mark.parametrize("key", ["a key\nand more", "schlüssel"])
async def test_what_is_no_key_is_told_at_once_without_it(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(reward.KEY, key)
    with pytest.raises(RewardError, match=f"^{reward.KEY}: holds characters that no key has$"):
        await scored("http://127.0.0.1:1")


async def test_what_is_too_long_for_the_reward_model_loses_its_last_posts() -> None:
    server = Server(lambda number: web.Response(status=413) if number <= 2 else None)
    async with listening(score=server.score) as url:
        assert await scored(url) == {"score": 8.0, "posts_dropped": 2.0}
    assert [each.inputs[0].prompt for each in server.asked] == [ASKED, "Post one.\n\nWhy?", "Why?"]


async def test_what_is_too_long_even_without_posts_is_an_error() -> None:
    server = Server(lambda _: web.Response(status=413, text="9,000 tokens"))
    async with listening(score=server.score) as url:
        with pytest.raises(RewardError, match=r"too long for the reward model: 413 9,000 tokens"):
            await scored(url)
    assert len(server.asked) == 3


@pytest.mark.parametrize("extra", [None, {}, {"prompt": None}, "text", "[]", ""])
async def test_data_of_others_is_an_error(extra: Any) -> None:
    with pytest.raises(RewardError, match="extra_info has no prompt"):
        await compute_score("prbgen", "Yes", "s/q1", extra, url="http://127.0.0.1:1")


async def test_openrlhf_gets_tensors_for_a_batch_one_request_for_each_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server()
    prompts = ["<|im_start|>user\nA?<|im_end|>\n<|im_start|>assistant\n", "<s>[B?]", "<|im_start|>user\nA?<|im_end|>\n"]
    queries = [f"{prompts[0]}Yes.<|im_end|>\n", f"<s>{prompts[1]}No, not so.</s>", f"{prompts[2]}Perhaps"]
    labels = [{"prompt": "A?", "shorter": None}, '{"prompt": "B?"}', {"prompt": "A?", "shorter": None}]
    async with listening(score=server.score) as url:
        monkeypatch.setenv(reward.URL, f"{url}/score")
        found = await asyncio.to_thread(reward_func, queries, prompts, labels)
    assert found["rewards"].tolist() == found["scores"].tolist() == [4, 11, 7]
    assert sorted((each.inputs[0].prompt, len(each.inputs)) for each in server.asked) == [("A?", 2), ("B?", 1)]


def test_a_query_that_was_cut_is_an_error_in_openrlhf() -> None:
    with pytest.raises(RewardError, match="does not hold its prompt"):
        reward_func(["half a prom"], ["a whole prompt"], [EXTRA])


@pytest.mark.parametrize("conversational", [True, False])
async def test_trl_gets_a_list_for_chats_and_for_plain_texts(
    conversational: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def chat(role: str, text: str) -> Any:
        return [{"role": role, "content": text}] if conversational else text

    server = Server()
    prompts = [chat("user", text) for text in ("A?", "A?", "B?")]
    completions = [chat("assistant", text) for text in ("Yes", "Certainly", "No")]
    async with listening(score=server.score) as url:
        monkeypatch.setenv(reward.URL, f"{url}/score")
        found = await asyncio.to_thread(prbgen_reward, prompts=prompts, completions=completions, completion_ids=[])
        told = await asyncio.to_thread(prbgen_reward, prompts[:1], completions[:1], extra_info=[EXTRA])
    assert (found, told) == ([3.0, 9.0, 2.0], [3.0])
    assert server.asked[-1] == RewardRequest.of(ASKED, ["Yes"])
    assert len(server.asked) == 3


async def test_one_failure_in_a_batch_is_an_error_for_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(lambda number: web.Response(status=400) if number == 2 else None)
    async with listening(score=server.score) as url:
        monkeypatch.setenv(reward.URL, f"{url}/score")
        with pytest.raises(RewardError, match="refuses: 400"):
            await asyncio.to_thread(prbgen_reward, ["A?", "B?"], ["Yes", "No"])


def test_a_chat_of_several_turns_is_an_error_where_nothing_says_what_was_asked() -> None:
    turns = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "A?"}]
    with pytest.raises(RewardError, match="not one message of a user"):
        prbgen_reward([turns], ["Yes"])


def loaded(path: Path) -> Any:
    """The file as verl and OpenRLHF load it: as a module that nobody can import by name."""
    spec = importlib.util.spec_from_file_location("custom_module_of_a_trainer", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def test_the_functions_can_be_pickled_by_name_and_by_value_also_after_use() -> None:
    server = Server()
    module = loaded(FILE)
    async with listening(score=server.score) as url:
        for function in (compute_score, module.compute_score):
            await function("prbgen", "Yes", "s/q1", EXTRA, url=f"{url}/score")
        copies = [
            pickle.loads(pickle.dumps(compute_score)),
            pickle.loads(cloudpickle.dumps(module.compute_score)),
        ]
        for copy in copies:
            assert (await copy("prbgen", "Yes", "s/q1", EXTRA, url=f"{url}/score"))["score"] == 3
    for function in (module.reward_func, module.prbgen_reward):
        assert callable(pickle.loads(cloudpickle.dumps(function)))


def test_the_file_alone_works_without_prbgen(tmp_path: Path) -> None:
    (tmp_path / "reward.py").write_bytes(FILE.read_bytes())
    code = "import sys; sys.modules['prbgen'] = None; import reward; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "httpx" in done.stdout.split()
    assert not {"torch", "pydantic", "verl"} & set(done.stdout.split())
