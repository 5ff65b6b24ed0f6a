"""An LLM that compares: what it is shown, what counts as its verdict, and that nothing is paid for twice."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
import time
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from aiohttp import web
from hypothesis import example, given
from hypothesis import strategies as st

from prbgen.errors import InputError, InterruptError, ModelError
from prbgen.evaluation.scorers.judge import ReleasedOrders
from prbgen.evaluation.scorers.scorer import Asked, Found
from prbgen.llm.model import Call, Message
from prbgen.llm.templates import Prompts
from prbgen.llm.tokens import tokenizer_of
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings
from prbgen.resources import resource
from tests.evaluation.scorers.asking_desk import Desk, asked, calls, replying, scripted
from tests.processes import start_python
from tests.provider import Provider, serving

SAYS_A, SAYS_B = ({"reply": {"verdict": letter}} for letter in "AB")
# Chosen is preferred, in whatever order.
FAIR = ({"match": r"Answer A:\nchosen"} | SAYS_A, SAYS_B)


def counted(model: str, prompt: tuple[Message, ...]) -> int:
    return tokenizer_of(model).prompt(Call(ModelSettings(name=model), prompt, "judge"))


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The evaluation script that is published beside the data."""
    copy = shutil.copy(resource("data_cards") / "evaluate.py", tmp_path_factory.mktemp("script"))
    spec = importlib.util.spec_from_file_location("published_judge", copy)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


HOSTILE = st.text() | st.sampled_from(
    ["{message}", "{{ first }}", "{% endblock %}", "{#", " \n x\t\n\n", "\r\n", "<b>&'"]
)


@given(HOSTILE, HOSTILE, HOSTILE)
@example("\n{{ second }} \n", "  {0} ", "\n\n")
def test_the_words_are_those_of_the_published_script_whatever_is_in_them(
    published: ModuleType, message: str, first: str, second: str
) -> None:
    text = published.JUDGE.format(message=message, first=first, second=second)
    assert Prompts().render("judge_pairwise", message=message, first=first, second=second) == (Message("user", text),)


def test_it_is_asked_in_both_orders_at_temperature_0_for_a_structured_reply(tmp_path: Path) -> None:
    def reply(text: str) -> str:
        return json.dumps({"verdict": "A" if text.index("chosen 0") < text.index("rejected 0") else "B"})

    with serving(replying(reply)) as provider:
        desk = Desk(tmp_path, "judge", "openai/mine", {"api_base": provider.url})
        assert desk.run([asked(0)]) == [Found(0, 0, verdict_ab="A", verdict_ba="B")]
    first, second = provider.bodies
    for body in (first, second):
        assert (body["temperature"], body["max_tokens"], body["seed"]) == (0, 4096, 0)
        assert body["response_format"]["json_schema"]["schema"]["properties"]["verdict"]["enum"] == ["A", "B"]
        assert [message["role"] for message in body["messages"]] == ["user"]
    assert first["messages"] != second["messages"]


def test_a_model_that_takes_no_temperature_is_asked_without_one(tmp_path: Path) -> None:
    with serving(replying(lambda text: '{"verdict": "A"}')) as provider:
        desk = Desk(tmp_path, "judge", "openai/o3-mini", {"api_base": provider.url})
        assert desk.run([asked(0)]) == [Found(0, 0, verdict_ab="A", verdict_ba="A")]
    assert all("temperature" not in body for body in provider.bodies)


@pytest.mark.parametrize(
    "said",
    [
        "A", "The verdict is A.", 'Surely {"verdict": "A"}', '{"verdict": "A"}.', '```json\n{"verdict": "A"}\n```',
        '{"verdict": "A", "why": 1}', '{"verdict": "C"}', '{"verdict": "a"}', '{"verdict": null}', '["A"]', "[" * 9_000,
        '<think>{"verdict": "A"}', '<think>{"verdict": "A"}</think>', '<think>A it is.</think>A', "",
        '[{"verdict": "A"}]', '{"verdict": ["A"]}', '{"verdict": "A"} {"verdict": "A"}',
    ],
)  # fmt: skip
def test_a_letter_is_never_picked_out_of_anything(tmp_path: Path, said: str) -> None:
    desk = Desk(tmp_path, "judge", scripted(tmp_path, {"reply": said}))
    (found,) = desk.run([asked(0)])
    assert (found.verdict_ab, found.verdict_ba, found.faulty) == (None, None, True)
    assert found.reason is not None
    assert found.reason.startswith("the reply is not the JSON that was asked for: '")
    assert len(found.reason) < 200
    # Nothing is corrected, and the other order is not paid for.
    assert desk.sent == 1
    assert desk.run([asked(0)]) == [found]
    assert (desk.sent, desk.recorded) == (0, 1)


@pytest.mark.parametrize(
    "said", ['<think>B, no: {"verdict": "B"}</think>\n{"verdict":"A"}', ' {"verdict": "\\u0041"}\n']
)
def test_thoughts_and_white_space_are_no_part_of_a_reply(tmp_path: Path, said: str) -> None:
    desk = Desk(tmp_path, "judge", scripted(tmp_path, {"reply": said}))
    assert desk.run([asked(0)]) == [Found(0, 0, verdict_ab="A", verdict_ba="A")]


@pytest.mark.parametrize(("finish", "why"), [("length", "cut off"), ("filtered", "refused")])
def test_a_reply_that_was_cut_off_or_refused_is_no_verdict(tmp_path: Path, finish: str, why: str) -> None:
    desk = Desk(tmp_path, "judge", scripted(tmp_path, SAYS_A | {"finish": finish}))
    (found,) = desk.run([asked(0)])
    assert (found.verdict_ab, found.verdict_ba, found.faulty) == (None, None, True)
    assert why in str(found.reason)
    desk.run([asked(0)])
    assert desk.sent == 0


def test_a_call_that_failed_is_asked_again_by_a_rerun_and_no_other_one(tmp_path: Path) -> None:
    broken = True
    with serving(replying(lambda text: 400 if broken and "#1" in text else '{"verdict": "A"}')) as provider:
        desk = Desk(tmp_path, "judge", "openai/mine", {"api_base": provider.url})
        pairs = [asked(0), asked(1)]
        fine, failed = desk.run(pairs)
        assert (failed.place, failed.verdict_ab, failed.verdict_ba, failed.faulty) == (1, None, None, True)
        assert str(failed.reason).startswith("the call failed: no reply (bad request): ")
        broken = False
        assert desk.run(pairs) == [fine, Found(1, 0, verdict_ab="A", verdict_ba="A")]
    assert desk.sent == 2


def test_storms_and_hang_ups_pass(tmp_path: Path) -> None:
    async def fault(request: web.Request, prompt: str, number: int) -> web.StreamResponse | None:
        if number == 1:
            return web.json_response({"error": {"message": "slow"}}, status=429, headers={"Retry-After": "0.05"})
        if number == 2:
            assert request.transport
            request.transport.close()
            raise ConnectionResetError
        said = {"message": {"role": "assistant", "content": '{"verdict": "B"}'}, "index": 0, "finish_reason": "stop"}
        return web.json_response(
            {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [said]}
        )

    costs = []
    with serving(Provider(fault=fault)) as provider:
        desk = Desk(tmp_path, "judge", "openai/mine", {"api_base": provider.url})
        found = desk.run([asked(0), asked(1)], lambda scorer: costs.append(scorer.cost))
    assert [(each.verdict_ab, each.verdict_ba) for each in found] == [("B", "B")] * 2
    assert (costs[0].calls, costs[0].prompt_tokens, costs[0].usd) == (12, None, None)


def test_a_refused_key_ends_it_in_one_line(tmp_path: Path) -> None:
    with serving(replying(lambda text: 401)) as provider:
        desk = Desk(tmp_path, "judge", "openai/mine", {"api_base": provider.url})
        with pytest.raises(ModelError, match="openai/mine cannot be used"):
            desk.run([asked(number) for number in range(20)])
    assert len(provider.bodies) <= 4


class TestResuming:
    def test_a_second_run_sends_nothing_and_finds_the_same(self, tmp_path: Path) -> None:
        rules = ({"match": "#[14]", "reply": "A."}, {"match": "#2", "fault": {"kind": "too_long"}}, *FAIR)
        desk = Desk(tmp_path, "judge", scripted(tmp_path, *rules))
        pairs = [asked(number) for number in (0, 1, 3, 4, 5)]
        found = desk.run(pairs)
        assert desk.sent == 8
        assert desk.run(pairs) == found
        assert desk.sent == 0

    def test_after_a_stop_it_goes_on_from_there(self, tmp_path: Path) -> None:
        desk = Desk(tmp_path, "judge", scripted(tmp_path, *FAIR))
        pairs = [asked(number) for number in range(20)]
        with pytest.raises(InterruptError):
            desk.run(pairs, stop_after=5)
        before = desk.sent
        assert before < 30
        assert len(desk.run(pairs)) == 20
        assert before + desk.sent == 40 == len(calls(tmp_path))

    def test_a_process_that_was_killed_loses_no_more_than_what_was_in_flight(self, tmp_path: Path) -> None:
        code = (
            "import sys; from pathlib import Path; from tests.evaluation.scorers.asking_desk import Desk, asked;"
            "Desk(Path(sys.argv[1]), 'judge', 'openai/mine', {'api_base': sys.argv[2]}).run(map(asked, range(40)))"
        )
        with serving(replying(lambda text: '{"verdict": "A"}', seconds=0.05)) as provider:
            process = start_python(code, str(tmp_path), provider.url)
            deadline = time.monotonic() + 60
            while provider.arrived.total() < 20 and time.monotonic() < deadline:
                time.sleep(0.01)
            process.kill()
            process.communicate()
            before = provider.arrived.total()
            assert 20 <= before < 80
            desk = Desk(tmp_path, "judge", "openai/mine", {"api_base": provider.url})
            found = desk.run(map(asked, range(40)))
        assert found == [Found(place, 0, verdict_ab="A", verdict_ba="A") for place in range(40)]
        assert len(provider.arrived) == 80
        assert provider.arrived.total() <= 80 + 4


class TestReleasedProtocol:
    def test_one_order_is_shown_and_the_other_verdict_stays_null(self, tmp_path: Path) -> None:
        desk = Desk(tmp_path, "judge", scripted(tmp_path, *FAIR), {"protocol": "released"})
        found = desk.run(asked(number) for number in range(30))
        assert desk.sent == 30
        orders = ReleasedOrders()
        for each in found:
            first = orders.chosen_first(each.place)
            assert (each.verdict_ab, each.verdict_ba) == (("A", None) if first else (None, "B"))
        assert {each.verdict_ab for each in found} == {"A", None}

    @given(st.lists(st.integers(0, 300)))
    def test_the_order_rests_on_the_place_alone(self, places: list[int]) -> None:
        one, orders = ReleasedOrders(), ReleasedOrders()
        drawn = [one.chosen_first(place) for place in range(301)]
        assert [orders.chosen_first(place) for place in places] == [drawn[place] for place in places]

    def test_what_cannot_be_read_is_unscored_there_too(self, tmp_path: Path) -> None:
        desk = Desk(tmp_path, "judge", scripted(tmp_path, {"reply": "A"}), {"protocol": "released"})
        (found,) = desk.run([asked(0)])
        assert (found.verdict_ab, found.verdict_ba, found.faulty) == (None, None, True)


class TestTooLong:
    def test_posts_are_dropped_until_the_count_fits_and_nothing_is_sent_in_vain(self, tmp_path: Path) -> None:
        pair = asked(0, most=10)
        text = Prompts().render(
            "judge_pairwise", message=pair.message(3), first=pair.answers[0], second=pair.answers[1]
        )
        most = counted("scripted/x", text)
        desk = Desk(tmp_path, "judge", scripted(tmp_path, *FAIR), {"max_tokens": most})
        assert desk.run([pair]) == [Found(0, 3, verdict_ab="A", verdict_ba="B")]
        assert desk.sent == 2

    def test_a_model_that_takes_less_refuses_one_call_for_each_post(self, tmp_path: Path) -> None:
        too_long = {"match": "post 4", "fault": {"kind": "too_long", "message": "maximum context length"}}
        desk = Desk(tmp_path, "judge", scripted(tmp_path, too_long, *FAIR))
        assert desk.run([asked(0, most=10)]) == [Found(0, 4, verdict_ab="A", verdict_ba="B")]
        assert desk.sent == 6 + 2

    def test_what_fits_in_without_no_post_is_unscored_and_no_fault_of_the_model(self, tmp_path: Path) -> None:
        model = scripted(tmp_path, *FAIR)
        assert Desk(tmp_path, "judge", model, {"max_tokens": 20}).run([asked(0, most=3)]) == [
            Found(0, 0, reason="too long")
        ]
        assert not (tmp_path / "calls.jsonl").exists()


class TestTheSameAsThePublishedScript:
    CASES = ("fair", "always A", "prose", "fenced", "thoughts", "refused", "bad", "second order bad", "server's limit")

    @staticmethod
    def reply(text: str) -> str | int | dict[str, Any]:
        first = text.index("Begin") < text.index("Then not")
        verdict = json.dumps({"verdict": "A" if first else "B"})
        case = next(case for case in TestTheSameAsThePublishedScript.CASES if f"({case})" in text)
        if case == "server's limit" and "Post 2" in text:
            return {"error": {"message": "This model's maximum context length is 9 tokens.", "code": None}}
        replies: dict[str, str | int | dict[str, Any]] = {
            "always A": '{"verdict": "A"}',
            "prose": "I prefer A.",
            "fenced": f"```json\n{verdict}\n```",
            "thoughts": f'<think>Is it {{"verdict": "A"}}?\n</think>\n\n{verdict}',
            "refused": {"message": {"role": "assistant", "content": None, "refusal": "I cannot judge people."}},
            "bad": 400,
            "second order bad": verdict if first else "B",
        }
        return replies.get(case, verdict)

    @pytest.mark.parametrize("short_of", [None, 0, 1, 60])
    def test_on_the_same_rows(
        self, published: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short_of: int | None
    ) -> None:
        monkeypatch.setattr(published, "WAITS", ())
        monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
        rows = [
            {
                "question": f"Which one ({case})?",
                "chosen": "Begin {with} it, 漢字 🙂.",
                "rejected": " Then not\n",
                "profile": [{"text": f"Post {number} é " * 9} for number in range(4)],
            }
            for case in self.CASES
        ]
        most = 8192
        if short_of is not None:
            # Exactly what the first row takes with two posts, or a little less: the counts must agree to the token.
            text = published.JUDGE.format(
                message=published.user_message(rows[0], "profile", 2),
                first=rows[0]["chosen"],
                second=rows[0]["rejected"],
            )
            most = counted("openai/mine", (Message("user", text),)) - short_of

        def of(place: int, row: dict[str, Any]) -> Asked:
            return replace(
                asked(place, chosen=row["chosen"], rejected=row["rejected"], most=4),
                message=lambda posts: published.user_message(row, "profile", posts),
            )

        with serving(replying(self.reply)) as provider:
            options = Namespace(api_base=provider.url, max_tokens=most, condition="profile", posts=10)
            score = published.judge("openai/mine", options)
            theirs = [published.evaluate(score, options, "Art", row) for row in rows]
            seen = [body["messages"] for body in provider.bodies]
            desk = Desk(tmp_path, "judge", "openai/mine", {"api_base": provider.url, "max_tokens": most})
            desk.settings["limits"] = LimitSettings(concurrency=1)
            ours = desk.run(of(place, row) for place, row in enumerate(rows))
        assert [body["messages"] for body in provider.bodies[len(seen) :]] == seen
        for found, item, case in zip(ours, theirs, self.CASES, strict=True):
            assert (found.verdict_ab, found.verdict_ba) == (item.get("verdict_ab"), item.get("verdict_ba")), case
            assert (found.reason is None) == (item["outcome"] != "unscored"), case
            assert (found.posts < 4) == item["truncated"], case
            if found.reason:
                assert (found.reason == "too long") == (item["reason"] == "too long"), case
        assert [item["outcome"] for item in theirs][:5] == ["win", "tie", "unscored", "unscored", "win"]


class TestWhatIsKnownOfIt:
    def looked(self, folder: Path, model: str, **settings: Any) -> tuple[Any, str, dict[str, str]]:
        seen: list[tuple[Any, str, dict[str, str]]] = []
        folder.mkdir(exist_ok=True)
        Desk(folder, "judge", model, settings).run(
            [], lambda scorer: seen.append((scorer.facts, scorer.fingerprint, scorer.versions))
        )
        return seen[0]

    def test_its_family_is_told_by_its_name(self, tmp_path: Path) -> None:
        facts, _, versions = self.looked(tmp_path, "hosted_vllm/Qwen/Qwen2.5-32B-Instruct")
        assert (facts.kind, facts.name, facts.family) == ("judge", "hosted_vllm/Qwen/Qwen2.5-32B-Instruct", "Qwen")
        assert set(versions) == {"litellm"}
        assert self.looked(tmp_path, "openai/mine")[0].family is None

    def test_it_is_the_same_work_as_long_as_nothing_changes_that_may_change_a_verdict(self, tmp_path: Path) -> None:
        plain = self.looked(tmp_path, "openai/mine")[1]
        for same in ({"api_base": "http://127.0.0.1:9/v1"}, {"limits": LimitSettings(concurrency=1)}):
            assert self.looked(tmp_path, "openai/mine", **same)[1] == plain
        for other in ({"max_tokens": 4096}, {"protocol": "released"}):
            assert self.looked(tmp_path, "openai/mine", **other)[1] != plain
        assert self.looked(tmp_path, "openai/other")[1] != plain

    def test_its_cost_is_that_of_all_processes(self, tmp_path: Path) -> None:
        costs = []
        usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
        model = scripted(tmp_path, SAYS_A | {"usage": usage, "cost_usd": 0.5})
        desk = Desk(tmp_path, "judge", model)
        for _ in range(2):
            desk.run([asked(0)], lambda scorer: costs.append(scorer.cost))
        assert costs[0] == costs[1]
        assert costs[0].model_dump() == {"calls": 2, "prompt_tokens": 14, "reply_tokens": 4, "usd": 1.0}

    def test_tokens_that_one_reply_does_not_tell_make_their_sum_unknown(self, tmp_path: Path) -> None:
        costs = []
        usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
        desk = Desk(
            tmp_path, "judge", scripted(tmp_path, SAYS_A | {"usage": usage, "times": 1}, SAYS_B | {"usage": {}})
        )
        desk.run([asked(0)], lambda scorer: costs.append(scorer.cost))
        assert (costs[0].calls, costs[0].prompt_tokens, costs[0].reply_tokens) == (2, None, None)

    def test_an_address_that_is_none_is_refused_in_one_line(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="--scorer judge:openai/mine: api_base is no address"):
            Desk(tmp_path, "judge", "openai/mine", {"api_base": "localhost"}).run([])


def test_a_real_model_gives_verdicts_or_says_nothing(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "judge", "local/smollm2-135m")
    pairs = [asked(number, most=1) for number in range(2)]
    found = desk.run(pairs)
    for each in found:
        assert (each.reason is None) == (each.verdict_ab is not None) == (each.verdict_ba is not None)
        assert each.posts == 1
    assert any(each.reason is None for each in found)
    # Its own server says so, as there is room for 4,096 tokens only.
    assert desk.run([asked(9, question="tea " * 5000)]) == [Found(9, 0, reason="too long")]
    assert desk.run(pairs) == found
    assert desk.sent == 0
