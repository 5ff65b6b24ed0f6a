"""pooling:MODEL against a server that speaks as vLLM does, and refuses what it refuses."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from prbgen.errors import InputError, ModelError
from prbgen.evaluation.scorers.pooling import PoolingScorer
from prbgen.evaluation.scorers.scorer import Found
from prbgen.evaluation.settings import ScorerSettings
from prbgen.recipe import LimitSettings
from tests.evaluation.scorers.reward_servers import Handler, listening, pair, scored

MODEL = "org/reward-qwen"
KEY = "a-key-of-the-reward-server"
BOS, START, END = "<bos>", "<start>", "<end>"

TOO_LONG = {
    "of today": (
        "This model's maximum context length is {most} tokens. However, you requested 0 output tokens and your prompt "
        "contains {count} input tokens, for a total of {count} tokens. Please reduce the length of the input prompt or "
        "the number of requested output tokens.",
        "input_tokens",
    ),
    "by characters": ("You passed too many input characters. Please shorten the prompt.", "input_text"),
    "of old": (
        "This model's maximum context length is {most} tokens. However, you requested {count} tokens in the input for "
        "classification. Please reduce the length of the input.",
        None,
    ),
}


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRBGEN_REWARD_KEY", raising=False)


def error(message: str, status: int = 400, kind: str = "BadRequestError", param: str | None = None) -> web.Response:
    told = {"message": message, "type": kind, "param": param, "code": status}
    return web.json_response({"error": told}, status=status)


@dataclass
class Vllm:
    """One model, whose logits follow from its tokens (words): their number; for two labels also how often BOS comes.

    `longest` in tokens. `by_token`: the model scores every token, so there is no /classify.
    """

    labels: int = 1
    longest: int = 1000
    too_long: str = "of today"
    by_token: bool = False
    bodies: list[dict[str, Any]] = field(default_factory=list)
    tokens: list[list[str]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)

    async def classify(self, request: web.Request) -> web.Response:
        if self.by_token:
            return web.json_response({"detail": "Not Found"}, status=404)
        return await self._answer(request, by_token=False)

    async def pooling(self, request: web.Request) -> web.Response:
        return await self._answer(request, by_token=self.by_token)

    async def version(self, _: web.Request) -> web.Response:
        return web.json_response({"version": "0.25.1"})

    def handlers(self) -> dict[str, Handler]:
        return {"classify": self.classify, "pooling": self.pooling, "version": self.version}

    async def _answer(self, request: web.Request, *, by_token: bool) -> web.Response:
        body = await request.json()
        self.bodies.append(body)
        self.keys.append(request.headers.get("Authorization"))
        if "messages" not in body and "input" not in body:
            return error("[{'type': 'missing', 'loc': ('body', 'messages'), 'msg': 'Field required'}]")
        if "normalize" in body:
            return error("Parameter `normalize` was removed; use `use_activation` instead.", param="normalize")
        if body.get("model") not in (None, MODEL):
            return error(f"The model `{body['model']}` does not exist.", 404, "NotFoundError", "model")
        # The template puts BOS first; the tokenizer would put one before whatever it gets.
        tokens = [BOS]
        for turn in body["messages"]:
            tokens += [START, turn["role"], *turn["content"].split(), END]
        if body.get("add_special_tokens", False):
            tokens = [BOS, *tokens]
        self.tokens.append(tokens)
        if len(tokens) > self.longest:
            message, param = TOO_LONG[self.too_long]
            return error(message.format(most=self.longest, count=len(tokens)), param=param)
        each = [self._logits(tokens[: end + 1], body) for end in range(len(tokens))]
        usage = {"prompt_tokens": len(tokens), "total_tokens": len(tokens), "completion_tokens": 0}
        usage["prompt_tokens_details"] = None  # type: ignore[assignment]
        if request.path == "/classify":
            kind, data = "classify", {"index": 0, "label": "LABEL_0", "probs": each[-1], "num_classes": self.labels}
        else:
            kind, data = "pool", {"index": 0, "object": "pooling", "data": each if by_token else each[-1]}
        about = {"id": f"{kind}-1", "object": "list", "created": 1_700_000_000, "model": MODEL}
        return web.json_response(about | {"data": [data], "usage": usage})

    def _logits(self, tokens: list[str], body: dict[str, Any]) -> list[float]:
        logits = [float(len(tokens)), float(tokens.count(BOS)), *(0.0 for _ in range(self.labels))][: self.labels]
        if body.get("use_activation") is False:
            return logits
        if self.labels == 1:
            return [1 / (1 + math.exp(-logits[0]))]
        exponents = [math.exp(each - max(logits)) for each in logits]
        return [each / sum(exponents) for each in exponents]


async def scorer(base: str, model: str = MODEL, max_tokens: int = 8192, **limits: Any) -> PoolingScorer:
    settings = ScorerSettings(
        "pooling", model, max_tokens=max_tokens, api_base=base, limits=LimitSettings.model_validate(limits)
    )
    return await PoolingScorer.open(settings, stop=asyncio.Event())


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/"])
async def test_answers_are_conversations_that_the_server_renders_once(end: str) -> None:
    server = Vllm()
    async with listening(**server.handlers()) as url:
        made = await scorer(url + end)
        (found,) = await scored(made, pair(chosen="one two three", rejected="one"))
    # BOS, twice START, role and END, "Question 0?", the answer
    assert found == Found(0, 0, scores=(12.0, 10.0))
    assert [tokens.count(BOS) for tokens in server.tokens] == [1, 1, 1]
    turns = [{"role": "user", "content": "Question 0?"}, {"role": "assistant", "content": "one two three"}]
    assert server.bodies[1] == {
        "model": MODEL, "messages": turns, "add_special_tokens": False, "use_activation": False
    }  # fmt: skip
    assert made.versions == {"vllm": "0.25.1"}


async def test_of_two_labels_the_score_is_the_second_less_the_first() -> None:
    async with listening(**Vllm(labels=2).handlers()) as url:
        (found,) = await scored(await scorer(url), pair(chosen="one two three", rejected="one"))
    assert found.scores == (1.0 - 12.0, 1.0 - 10.0)


@pytest.mark.parametrize("labels", [1, 2])
async def test_of_a_model_that_scores_every_token_the_last_one_counts(labels: int) -> None:
    server = Vllm(labels=labels, by_token=True)
    async with listening(**server.handlers()) as url:
        first, second = await scored(await scorer(url), pair(0, chosen="one two three"), pair(1))
    assert first.scores[0] == (12.0 if labels == 1 else -11.0)
    assert second.reason is None


async def test_a_sequence_model_at_the_pooling_endpoint_gives_the_same() -> None:
    server = Vllm(labels=2)
    async with listening(pooling=server.pooling) as url:
        (found,) = await scored(await scorer(url), pair(chosen="one two three", rejected="one"))
    assert found.scores == (-11.0, -9.0)


@pytest.mark.parametrize("too_long", TOO_LONG)
async def test_what_is_too_long_for_the_server_loses_its_last_posts(too_long: str) -> None:
    # A post has 4 words; without any the longer answer makes 12 tokens.
    async with listening(**Vllm(longest=12 + 2 * 4, too_long=too_long).handlers()) as url:
        (found,) = await scored(await scorer(url), pair(posts=5, chosen="one two three", rejected="one"))
    assert found == Found(0, 2, scores=(20.0, 18.0))


async def test_what_is_longer_than_the_user_allows_loses_its_last_posts() -> None:
    async with listening(**Vllm().handlers()) as url:
        (found,) = await scored(await scorer(url, max_tokens=20), pair(posts=5, chosen="one two three", rejected="one"))
    assert found == Found(0, 2, scores=(20.0, 18.0))


async def test_what_is_too_long_without_any_post_is_unscored() -> None:
    async with listening(**Vllm(longest=5).handlers()) as url:
        (found,) = await scored(await scorer(url), pair(posts=5))
    assert found == Found(0, 0, reason="too long")


@pytest.mark.parametrize("by_token", [False, True])
async def test_more_than_two_numbers_are_no_reward_model(by_token: bool) -> None:
    async with listening(**Vllm(labels=3, by_token=by_token).handlers()) as url:
        with pytest.raises(ModelError, match="gives 3 numbers; a reward model gives one, or two"):
            await scored(await scorer(url), pair())


async def test_an_unknown_model_ends_it_all() -> None:
    server = Vllm()
    async with listening(**server.handlers()) as url:
        with pytest.raises(ModelError, match="The model `other` does not exist"):
            await scored(await scorer(url, model="other", concurrency=2), *map(pair, range(50)))
    assert len(server.bodies) <= 4


async def test_a_server_that_is_no_vllm_ends_it_all() -> None:
    async with listening() as url:
        with pytest.raises(ModelError, match="neither /classify nor /pooling"):
            await scored(await scorer(url), pair())


@pytest.mark.parametrize("status", [400, 501])
async def test_a_model_without_classes_is_asked_at_the_other_endpoint(status: int) -> None:
    async def classify(_: web.Request) -> web.Response:
        return error("The model does not support Classification API", status)

    async with listening(classify=classify, pooling=Vllm(by_token=True).pooling) as url:
        (found,) = await scored(await scorer(url), pair())
    assert found.reason is None


async def test_a_server_that_knows_no_conversations_ends_it_all() -> None:
    async def classify(_: web.Request) -> web.Response:
        return error("[{'type': 'missing', 'loc': ('body', 'input'), 'msg': 'Field required'}]")

    async with listening(classify=classify) as url:
        with pytest.raises(ModelError, match="/classify takes no conversations; a newer vLLM does"):
            await scored(await scorer(url), pair())


async def test_a_server_that_wants_a_key_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def guarded(request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return web.json_response({"error": "Unauthorized"}, status=401)
        return await server.classify(request)

    server = Vllm()
    async with listening(classify=guarded) as url:
        with pytest.raises(
            ModelError, match=r"it wants a key \(401: Unauthorized\); the key goes into PRBGEN_REWARD_KEY"
        ):
            await scored(await scorer(url), pair())
        monkeypatch.setenv("PRBGEN_REWARD_KEY", KEY)
        (found,) = await scored(await scorer(url), pair())
    assert found.reason is None


USAGE = '"usage": {"prompt_tokens": 3}'


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("{}", "data: Field required"),
        ('{"data": [], ' + USAGE + "}", "data.0: Field required"),
        ('{"data": [{"probs": [1.0]}, {"probs": [1.0]}], ' + USAGE + "}", "data"),
        ('{"data": [{"probs": []}], ' + USAGE + "}", "data.0.probs: List should have at least 1 item"),
        ('{"data": [{"probs": ["0.5"]}], ' + USAGE + "}", "data.0.probs.0: Input should be a valid number"),
        ('{"data": [{"probs": [null]}], ' + USAGE + "}", "data.0.probs.0: Input should be a valid number"),
        ('{"data": [{"probs": null}], ' + USAGE + "}", "data.0.probs: Input should be a valid array"),
        ('{"data": [{"probs": [0.5]}]}', "usage: Field required"),
        ('{"data": [{"probs": [NaN]}], ' + USAGE + "}", "a score is not finite"),
        ("no json", "Invalid JSON"),
    ],
)
async def test_a_reply_of_another_shape_is_no_score(reply: str, told: str) -> None:
    async def classify(_: web.Request) -> web.Response:
        return web.Response(text=reply, content_type="application/json")

    async with listening(classify=classify) as url:
        (found,) = await scored(await scorer(url), pair())
    assert told in (found.reason or "")
    assert (found.faulty, found.scores) == (True, ())


@pytest.mark.parametrize("data", ["[]", "[[]]", '"AAAA"', "[[1.0], []]", "[null]"])
async def test_a_pooling_reply_of_another_shape_is_no_score(data: str) -> None:
    async def pooling(_: web.Request) -> web.Response:
        return web.Response(text='{"data": [{"data": ' + data + "}], " + USAGE + "}")

    async with listening(pooling=pooling) as url:
        (found,) = await scored(await scorer(url), pair())
    assert "the reply is not what /pooling answers" in (found.reason or "")
    assert found.faulty


async def test_a_failed_request_leaves_its_pair_unscored_and_no_other() -> None:
    async def classify(request: web.Request) -> web.Response:
        if "post 1 of 0" in (await request.text()):
            return error("EngineCore has died", 500, "InternalServerError")
        return await server.classify(request)

    async def fails_at_once(request: web.Request) -> web.Response:
        response = await classify(request)
        response.headers["Retry-After"] = "0"
        return response

    server = Vllm()
    async with listening(classify=fails_at_once) as url:
        first, second = await scored(await scorer(url), pair(0, posts=2), pair(1, posts=2))
    assert first == Found(0, 2, reason="no reply (server): 500: EngineCore has died", faulty=True)
    assert second.reason is None


async def test_without_an_address_it_says_what_to_give() -> None:
    with pytest.raises(InputError, match="pooling:org/reward-qwen: needs the address of its vLLM server: --api-base"):
        await scorer("")


@pytest.mark.parametrize("text", ["http://me:secret@host/v1", "http://host/?key=secret", "host:secret@x"])
async def test_an_address_with_a_key_in_it_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--api-base: ") as raised:
        await scorer(text)
    assert "secret" not in str(raised.value)


async def test_the_endpoint_is_settled_before_the_first_pair() -> None:
    asked: list[str] = []

    async def classify(_: web.Request) -> web.Response:
        asked.append("classify")
        return web.json_response({"detail": "Not Found"}, status=404)

    async def pooling(request: web.Request) -> web.Response:
        asked.append("pooling")
        return await server.pooling(request)

    server = Vllm(by_token=True)
    async with listening(classify=classify, pooling=pooling) as url:
        made = await scorer(url, concurrency=8)
        assert asked == ["classify", "pooling"]
        await scored(made, *map(pair, range(8)))
    assert asked == ["classify", *["pooling"] * 17]


async def test_a_server_that_gives_no_reply_at_the_start_ends_it_all() -> None:
    async def classify(_: web.Request) -> web.Response:
        return web.json_response({"error": "no weights"}, status=500, headers={"Retry-After": "0"})

    async with listening(classify=classify) as url:
        with pytest.raises(ModelError, match=r"org/reward-qwen at http.* cannot be used: no reply \(server\)"):
            await scorer(url)


async def test_a_version_without_end_is_not_read_to_its_end() -> None:
    sent = 0

    async def version(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse()
        await response.prepare(request)
        while sent < 2**28:
            await response.write(b"0" * 2**16)
            sent += 2**16
        return response

    async with listening(classify=Vllm().classify, version=version) as url:
        made = await scorer(url)
        assert made.versions == {}
        await made.close()
    assert sent < 2**27


async def test_model_length_and_endpoint_are_the_work_and_the_address_is_not() -> None:
    one, tokenwise = Vllm(), Vllm(by_token=True)
    works = []
    async with (
        listening(**one.handlers()) as here,
        listening(**one.handlers()) as there,
        listening(**tokenwise.handlers()) as elsewhere,
    ):
        for url, most in ((here, 8192), (f"{there}/v1", 8192), (here, 4096), (elsewhere, 8192)):
            made = await scorer(url, max_tokens=most)
            works.append(made.fingerprint)
            await made.close()
    assert works[0] == works[1]
    assert len(set(works)) == 3
    assert (made.facts.kind, made.facts.name, made.facts.family, made.cost) == ("pooling", MODEL, "Qwen", None)
