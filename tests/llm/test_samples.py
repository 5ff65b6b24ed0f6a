"""Several samples of one request: asked for with as few calls as can be, and none of them twice."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prbgen.llm.choices import as_reply
from prbgen.llm.counting import Counting
from prbgen.llm.gateway import Gateway, Request
from prbgen.llm.ledger import Ledger, spent
from prbgen.llm.model import Call, Choice, Message
from prbgen.llm.online import Online
from prbgen.llm.prices import at_most, likely_tokens
from prbgen.llm.samples import Sample
from prbgen.llm.templates import Prompts
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings
from tests.provider import Provider, serving

Draw = Callable[[int], list[Sample]]


def drawing(folder: Path, model: ModelSettings) -> Draw:
    """What draws samples, each time as a new process would."""
    request = Request("candidate", "q", model, (Message("user", "Which tea?"),), str, "assumed")

    def draw(n: int) -> list[Sample]:
        async def main() -> list[Sample]:
            with Ledger(folder / "ledger.sqlite") as ledger:
                gateway = Gateway(ledger, Prompts(), Online(ledger, LimitSettings()))
                try:
                    return await gateway.samples(request, n)
                finally:
                    await gateway.close()

        return asyncio.run(main())

    return draw


def scripted(folder: Path, *rules: dict[str, Any]) -> ModelSettings:
    script = folder / "model.jsonl"
    lines = [{"record": "calls.jsonl"}, *rules]
    script.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return ModelSettings(name=f"scripted/{script}")


def asked(folder: Path) -> list[tuple[int, int]]:
    """The calls that arrived: their first sample, and for how many."""
    calls = [json.loads(line) for line in (folder / "calls.jsonl").read_text().splitlines()]
    return [(call["sample"], call.get("n", 1)) for call in calls]


def texts_on_record(folder: Path) -> list[str]:
    texts: list[str] = []
    with Ledger(folder / "ledger.sqlite", read_only=True) as ledger:
        for (reply,) in ledger.query("SELECT reply FROM attempts WHERE reply IS NOT NULL"):
            several = reply.startswith("[")
            texts += [each["text"] for each in json.loads(reply) if each] if several else [reply]
    return texts


TROUBLE = st.one_of(
    st.builds(lambda choices: {"reply": "tea {sample}", "choices": choices}, st.integers(1, 9)),
    st.just({"fault": {"kind": "bad_request"}}),
    st.just({"fault": {"kind": "too_long"}}),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(TROUBLE, max_size=5), st.lists(st.integers(1, 20), min_size=1, max_size=3))
def test_however_calls_fall_short_no_sample_is_drawn_twice_and_none_changes(
    trouble: list[dict[str, Any]], numbers: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rules = [each | {"times": 1} for each in trouble]
        draw = drawing(folder, scripted(folder, *rules, {"reply": "tea {sample}"}))
        for n in numbers:
            samples = draw(n)
            assert len(samples) == n
            for place, sample in enumerate(samples):
                assert sample.text == (f"tea {place}" if sample.recorded else None)
        # Each of these processes reads the script afresh: give it no more trouble, and all is there.
        on_record = texts_on_record(folder)
        assert len(set(on_record)) == len(on_record)
        assert set(on_record) <= {f"tea {place}" for place in range(max(numbers))}


def test_one_call_asks_for_all_and_a_larger_number_for_the_rest(tmp_path: Path) -> None:
    draw = drawing(tmp_path, scripted(tmp_path, {"reply": "tea {sample}"}))
    assert [each.text for each in draw(5)] == [f"tea {place}" for place in range(5)]
    assert [each.text for each in draw(12)] == [f"tea {place}" for place in range(12)]
    assert [each.text for each in draw(3)] == [f"tea {place}" for place in range(3)]
    assert asked(tmp_path) == [(0, 5), (5, 7)]


def test_what_a_server_leaves_out_is_asked_for_one_by_one(tmp_path: Path) -> None:
    draw = drawing(tmp_path, scripted(tmp_path, {"reply": "tea {sample}", "choices": 2}))
    assert [each.text for each in draw(4)] == [f"tea {place}" for place in range(4)]
    assert asked(tmp_path) == [(0, 4), (2, 1), (3, 1)]
    draw(6)
    assert asked(tmp_path)[3:] == [(4, 2)]


def test_a_server_that_refuses_n_is_asked_one_by_one(tmp_path: Path) -> None:
    rules = {"fault": {"kind": "bad_request"}, "times": 1}, {"reply": "tea {sample}"}
    draw = drawing(tmp_path, scripted(tmp_path, *rules))
    assert [each.text for each in draw(3)] == ["tea 0", "tea 1", "tea 2"]
    assert asked(tmp_path) == [(0, 3), (0, 1), (1, 1), (2, 1)]


def test_a_prompt_that_is_too_long_is_refused_once(tmp_path: Path) -> None:
    draw = drawing(tmp_path, scripted(tmp_path, {"fault": {"kind": "too_long"}}))
    samples = draw(4)
    assert [(each.text, each.recorded, each.fault) for each in samples] == [(None, False, "too_long")] * 4
    assert asked(tmp_path) == [(0, 4)]


def test_a_cut_off_reply_is_a_sample_and_a_refused_or_empty_one_is_none(tmp_path: Path) -> None:
    def drawn(**rule: Any) -> Sample:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        (sample, other) = drawing(folder, scripted(folder, rule))(2)
        assert sample == other
        return sample

    assert drawn(reply="Green t", finish="length") == Sample("Green t", truncated=True)
    assert drawn(reply="<think>black?</think>Green.") == Sample("Green.")
    for rule in (
        {"reply": "I can't", "finish": "filtered"},
        {"reply": " "},
        {"reply": "<think>so", "finish": "length"},
    ):
        sample = drawn(**rule)
        assert sample.text is None
        assert sample.reason
        assert sample.recorded


def test_the_number_of_replies_counts_for_limits_and_budgets() -> None:
    model = ModelSettings.model_validate(
        {"name": "some/model", "max_tokens": 100, "input_cost_per_token": 1, "output_cost_per_token": 10}
    )
    one = Call(model, (Message("user", "tea"),), "candidate")
    many = Call(model, (Message("user", "tea"),), "candidate", n=16)
    bounds = at_most(one), at_most(many)
    assert bounds[0].tokens is not None
    assert bounds[1].tokens == bounds[0].tokens + 1500
    assert bounds[0].usd is not None
    assert bounds[1].usd == bounds[0].usd + 15000
    assert likely_tokens(many) == likely_tokens(one) + 1500


def test_an_estimate_counts_every_reply_of_a_call() -> None:
    model = ModelSettings.model_validate({"name": "hosted_vllm/tea", "max_tokens": 100})
    counting = Counting(None)

    async def main() -> list[Sample]:
        request = Request("candidate", "q", model, (Message("user", "Which tea?"),), str, "green tea")
        return await Gateway(None, Prompts(), counting).samples(request, 8)

    assert asyncio.run(main()) == [Sample("green tea")] * 8
    counting.settle()
    (tally,) = counting.tallies.values()
    assert (tally.new, tally.replies, tally.reply_tokens, tally.most_reply_tokens) == (1, 8, 16, 1600)


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("MISTRAL_API_KEY", "not-needed-here")


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("gives", "calls"), [(lambda n: n, 1), (lambda n: 1, 4), (lambda n: min(n, 3), 2), (lambda n: n + 2, 1)]
)
def test_servers_that_honour_ignore_or_stint_n_bring_the_same_samples(
    tmp_path: Path, gives: Callable[[int], int], calls: int
) -> None:
    with serving(Provider(gives=gives)) as provider:
        draw = drawing(tmp_path, ModelSettings(name="openai/tea", api_base=provider.url))
        samples = draw(4)
        assert [body.get("n") for body in provider.bodies] == [4] + [None] * (calls - 1)
        assert draw(4) == samples
        assert len(provider.bodies) == calls
    assert len({each.text for each in samples}) == 4
    (tmp_path / "alone").mkdir()
    with serving(Provider()) as provider:
        one_by_one = drawing(tmp_path / "alone", ModelSettings(name="mistral/tea", api_base=provider.url))(4)
        assert [body.get("n") for body in provider.bodies] == [None] * 4
    assert one_by_one == samples


@pytest.mark.usefixtures("own")
def test_a_call_for_several_is_tried_again_when_the_server_is_busy(tmp_path: Path) -> None:
    async def busy_once(_: web.Request, _prompt: str, arrival: int) -> web.StreamResponse | None:
        return web.json_response({"error": {"message": "slow down"}}, status=429) if arrival == 1 else None

    with serving(Provider(fault=busy_once, gives=lambda n: n)) as provider:
        samples = drawing(tmp_path, ModelSettings(name="hosted_vllm/tea", api_base=provider.url))(4)
        assert [body["n"] for body in provider.bodies] == [4, 4]
    assert all(each.text for each in samples)
    with Ledger(tmp_path / "ledger.sqlite", read_only=True) as ledger:
        (total,) = spent(ledger)
    assert (total.attempts, total.replies, total.faults) == (2, 1, 1)


def test_what_is_on_record_of_several_says_how_each_ended() -> None:
    reply = as_reply([Choice("a", "stop"), None])
    assert json.loads(reply) == [{"text": "a", "finish": "stop"}, None]
