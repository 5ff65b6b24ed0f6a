import asyncio
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.errors import InputError
from prbgen.llm.model import Call, CallError, Message
from prbgen.llm.transports.scripted import ScriptedTransport, digest
from prbgen.model_settings import ModelSettings


def call(*texts: str, stage: str = "answer", sample: int = 0, timeout: float = 5) -> Call:
    messages = tuple(Message("user", text) for text in texts or ("Which tea?",))
    return Call(ModelSettings(name="scripted/x"), messages, stage, timeout, sample=sample)


@pytest.fixture
def script(tmp_path: Path) -> Any:
    def write(*rules: Any) -> ScriptedTransport:
        path = tmp_path / "script.jsonl"
        path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rules), encoding="utf-8")
        return ScriptedTransport(path)

    return write


async def test_the_first_rule_that_fits_answers(script: Any) -> None:
    model = script(
        {"stage": "rubric", "reply": "for rubrics"},
        {"match": "(?i)TEA", "reply": "about tea"},
        {"reply": "anything else"},
    )
    assert (await model.complete(call("coffee", stage="rubric"))).text == "for rubrics"
    assert (await model.complete(call("Be brief.", "Which tea?", "Go on."))).text == "about tea"
    assert (await model.complete(call("coffee"))).text == "anything else"


async def test_a_rule_with_times_is_passed_over_once_used_up(script: Any) -> None:
    model = script({"reply": "early", "times": 2}, {"reply": "late"})
    assert [(await model.complete(call())).text for _ in range(3)] == ["early", "early", "late"]


async def test_a_reply_that_is_no_text_comes_as_json(script: Any) -> None:
    model = script({"reply": {"aspects": ["Tee für alle"], "sample": "{sample}"}})
    text = (await model.complete(call(sample=3))).text
    assert json.loads(text) == {"aspects": ["Tee für alle"], "sample": "3"}
    assert "für" in text


async def test_placeholders_are_filled_and_other_braces_stay(script: Any) -> None:
    model = script({"reply": "{stage} {sample} {digest} {other} {} {{x}}"})
    asked = call(sample=2)
    assert (await model.complete(asked)).text == f"answer 2 {digest(asked)} {{other}} {{}} {{{{x}}}}"


@given(st.lists(st.text(), min_size=1, max_size=3), st.integers(0, 5))
def test_the_digest_is_the_same_each_time_and_depends_on_messages_and_sample_alone(texts: list[str], n: int) -> None:
    value = digest(call(*texts, sample=n))
    assert len(value) == 8
    assert int(value, 16) >= 0
    assert value == digest(call(*texts, sample=n, stage="rubric", timeout=1))
    assert value != digest(call(*texts, sample=n + 1))
    assert value != digest(call(*texts, "", sample=n))


async def test_usage_counts_words_unless_the_rule_gives_it(script: Any) -> None:
    model = script({"reply": "three words here", "times": 1}, {"reply": "x", "usage": {"total_tokens": 9}})
    counted = await model.complete(call("two words", "one"))
    assert counted.usage == {"prompt_tokens": 3, "completion_tokens": 3, "total_tokens": 6}
    assert (await model.complete(call())).usage == {"total_tokens": 9}


async def test_finish_and_cost_are_as_the_rule_says_and_an_unsaid_cost_is_unknown(script: Any) -> None:
    model = script({"reply": "cut o", "finish": "length", "cost_usd": 0.25, "times": 1}, {"reply": "x"})
    cut = await model.complete(call())
    assert (cut.finish, cut.cost_usd) == ("length", 0.25)
    plain = await model.complete(call())
    assert (plain.finish, plain.cost_usd) == ("stop", None)


async def test_a_fault_is_raised_with_its_kind_message_and_wait(script: Any) -> None:
    model = script({"fault": {"kind": "rate_limit", "message": "slow down", "retry_after": 1.5}})
    with pytest.raises(CallError, match="slow down") as caught:
        await model.complete(call())
    assert (caught.value.kind, caught.value.retry_after) == ("rate_limit", 1.5)


async def test_delays_run_side_by_side(script: Any) -> None:
    model = script({"reply": "x", "delay": 0.2})
    start = time.monotonic()
    await asyncio.gather(*(model.complete(call()) for _ in range(20)))
    assert 0.2 <= time.monotonic() - start < 2


async def test_a_delay_beyond_the_time_out_is_a_timeout_after_that_time(script: Any) -> None:
    model = script({"reply": "x", "delay": 60})
    start = time.monotonic()
    with pytest.raises(CallError) as caught:
        await model.complete(call(timeout=0.1))
    assert caught.value.kind == "timeout"
    assert 0.1 <= time.monotonic() - start < 5


async def test_no_rule_for_a_call_is_said_with_file_stage_and_message(script: Any) -> None:
    model = script({"stage": "rubric", "reply": "x"})
    with pytest.raises(InputError, match=r'script\.jsonl: no rule .* stage "answer"; last message: "Which t') as caught:
        await model.complete(call("system text", "Which\ntea?" * 100))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"reply": "x"', "no JSON"),
        ('["reply"]', "valid dictionary"),
        ('{"reply": "x", "stages": "a"}', "stages: unknown key"),
        ('{"match": "("}', "match: no regular expression"),
        ('{"stage": "a"}', 'either "reply" or "fault"'),
        ('{"reply": "x", "fault": {"kind": "server"}}', 'either "reply" or "fault"'),
        ('{"fault": {"kind": "gremlins"}}', "fault.kind"),
        ('{"reply": "x", "times": 0}', "times"),
        ('{"reply": "x", "finish": "done"}', "finish"),
        ('{"record": "late.jsonl"}', "record: unknown key"),
    ],
)
def test_a_bad_line_is_named_by_file_and_number(script: Any, line: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        script({"reply": "fine"}, "", line)
    message = str(caught.value)
    assert "script.jsonl:3: " in message
    assert said in message
    assert "\n" not in message


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.jsonl: No such file"):
        ScriptedTransport(tmp_path / "none.jsonl")


async def test_a_line_separator_inside_a_text_does_not_end_the_line(script: Any) -> None:
    model = script('{"reply": "one\u2028line"}')
    assert (await model.complete(call())).text == "one\u2028line"


_ASKS_AND_HANGS = """
import asyncio, sys
from pathlib import Path
from prbgen.llm.model import Call, Message
from prbgen.llm.transports.scripted import ScriptedTransport
from prbgen.model_settings import ModelSettings

async def main():
    model = ScriptedTransport(Path(sys.argv[1]))
    for number in range(5):
        messages = (Message("user", f"call {number}"),)
        await model.complete(Call(ModelSettings(name="scripted/x"), messages, "answer", 60))

asyncio.run(main())
"""


def test_calls_are_recorded_on_arrival_over_processes_even_if_killed(tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    rules = [{"record": "calls.jsonl"}, {"match": "call [012]", "reply": "x"}, {"reply": "late", "delay": 50}]
    script.write_text("\n".join(map(json.dumps, rules)), encoding="utf-8")
    record = tmp_path / "calls.jsonl"

    def run_until(lines: int) -> None:
        with subprocess.Popen([sys.executable, "-c", _ASKS_AND_HANGS, str(script)]) as process:
            give_up = time.monotonic() + 20
            while not (record.exists() and record.read_bytes().count(b"\n") >= lines):
                assert time.monotonic() < give_up
                assert process.poll() is None
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)

    run_until(4)
    run_until(8)
    calls = [json.loads(line) for line in record.read_text().splitlines()]
    assert calls[:4] == calls[4:]
    assert [each["stage"] for each in calls] == ["answer"] * 8
    assert len({each["digest"] for each in calls}) == 4
    assert {each["sample"] for each in calls} == {0}
