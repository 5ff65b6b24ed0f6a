"""Sampling: what a policy writes to each question, on record, in order, and never asked for twice."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prbgen.downstream.best_of_n.asking import SampleTally
from prbgen.downstream.best_of_n.policy import SamplingSettings
from prbgen.downstream.best_of_n.sample import sample
from prbgen.downstream.candidates import CandidateRow
from prbgen.downstream.facts import Sampling
from prbgen.downstream.folders import Answers
from prbgen.errors import InputError, InterruptError, PrbgenError
from prbgen.evaluation.settings import DataSettings
from prbgen.llm.templates import Prompts
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings
from prbgen.run import read_records
from tests.processes import start_python
from tests.provider import Provider, serving


def sampled(
    settings: SamplingSettings,
    folder: Path,
    *,
    stopped: bool = False,
    said: list[str] | None = None,
    tally: SampleTally | None = None,
) -> Sampling:
    async def main() -> Sampling:
        stop = asyncio.Event()
        if stopped:
            stop.set()
        say = (said if said is not None else []).append
        counted = tally or SampleTally()
        return await sample(settings, Answers(folder), Prompts(), stop=stop, tally=counted, say=say)

    return asyncio.run(main())


def rows_in(folder: Path) -> list[CandidateRow]:
    return list(read_records(Answers(folder).candidates, CandidateRow))


@pytest.fixture
def data(tmp_path: Path) -> str:
    """12 questions by 4 askers, each with 3 posts, of which the last is long."""
    file = tmp_path / "questions.jsonl"
    posts = [{"text": "I drink green tea."}, {"text": "I live by the sea."}, {"text": "word " * 300}]
    with file.open("w") as lines:
        for place in range(12):
            question = {
                "id": f"q{place}",
                "subset": "tea",
                "split": "test",
                "user_key": f"user{place % 4}",
                "question": f"Which tea on day {place}?",
                "chosen": "Green.",
                "rejected": "Black.",
                "profile": [{"id": str(n), "category": None, **post} for n, post in enumerate(posts)],
            }
            lines.write(json.dumps(question) + "\n")
    return str(file)


@pytest.fixture
def settings_of(data: str, tmp_path: Path) -> Callable[..., SamplingSettings]:
    def of(*rules: dict[str, Any], **more: Any) -> SamplingSettings:
        script = tmp_path / "policy.jsonl"
        script.write_text("".join(json.dumps(rule) + "\n" for rule in [{"record": "calls.jsonl"}, *rules]))
        policy = ModelSettings(name=f"scripted/{script}")
        usual: dict[str, Any] = {"data": DataSettings(data), "policy": policy, "n": 4, "condition": "none"}
        return SamplingSettings(**(usual | more))

    return of


def calls(tmp_path: Path) -> list[dict[str, Any]]:
    file = tmp_path / "calls.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def test_each_question_has_its_candidates_in_the_order_of_the_data(
    settings_of: Callable[..., SamplingSettings], tmp_path: Path
) -> None:
    found = sampled(settings_of({"reply": "{digest} {sample}"}), tmp_path / "out")
    rows = rows_in(tmp_path / "out")
    assert [row.key for row in rows] == [f"tea/q{place}" for place in range(12)]
    assert all([each.text.split()[1] for each in row.candidates if each.text] == list("0123") for row in rows)
    assert len({each.text for row in rows for each in row.candidates}) == 48
    assert (found.questions, found.candidates, found.missing, found.truncated) == (12, 48, 0, 0)
    assert (found.settings["temperature"], found.settings["top_p"], found.settings["max_tokens"]) == (1.0, 0.9, 512)
    assert found.cost
    assert found.cost.calls == 12
    assert Sampling.model_validate_json(Answers(tmp_path / "out").about.read_bytes()) == found
    assert not list((tmp_path / "out").glob("*.partial"))


def test_a_larger_n_asks_for_the_rest_alone_and_a_rerun_for_nothing(
    settings_of: Callable[..., SamplingSettings], tmp_path: Path
) -> None:
    rule = {"reply": "{digest}"}
    small = sampled(settings_of(rule), tmp_path / "out")
    few = rows_in(tmp_path / "out")
    assert sampled(settings_of(rule), tmp_path / "out") == small
    assert len(calls(tmp_path)) == 12
    large = sampled(settings_of(rule, n=10), tmp_path / "out")
    assert [(call["sample"], call["n"]) for call in calls(tmp_path)[12:]] == [(4, 6)] * 12
    many = rows_in(tmp_path / "out")
    assert all(row.candidates[:4] == before.candidates for row, before in zip(many, few, strict=True))
    assert large.answers != small.answers
    at_once = sampled(settings_of(rule, n=10), tmp_path / "at once")
    assert at_once.answers == large.answers


def test_what_was_written_earlier_counts_as_known(settings_of: Callable[..., SamplingSettings], tmp_path: Path) -> None:
    for n, known in ((4, 0), (4, 12), (6, 0)):
        tally = SampleTally()
        sampled(settings_of({"reply": "{digest}"}, n=n), tmp_path / "out", tally=tally)
        assert (tally.known, tally.scored) == (known, 12)


def test_a_question_that_cannot_be_asked_shows_no_number_of_posts(
    settings_of: Callable[..., SamplingSettings], data: str, tmp_path: Path
) -> None:
    rows = [json.loads(line) for line in Path(data).read_text().splitlines()]
    rows[3]["question"] = " "
    Path(data).write_text("".join(json.dumps(row) + "\n" for row in rows))
    sampled(settings_of({"reply": "Tea."}), tmp_path / "out")
    row = rows_in(tmp_path / "out")[3]
    assert (row.posts_shown, row.candidates, row.reason) == (None, (), "no question")


def test_posts_are_shown_under_profile_alone_and_long_prompts_lose_the_last_ones(
    settings_of: Callable[..., SamplingSettings], tmp_path: Path
) -> None:
    for condition, most, shown in (("none", 8192, 0), ("profile", 8192, 3), ("profile", 200, 2)):
        folder = tmp_path / f"{condition}-{most}"
        sampled(settings_of({"reply": "Tea."}, condition=condition, max_prompt_tokens=most), folder)
        assert {row.posts_shown for row in rows_in(folder)} == {shown}
        assert ("green tea" in calls(tmp_path)[-1]["text"]) == (condition == "profile")


def test_what_the_model_refuses_as_too_long_loses_posts_too(
    settings_of: Callable[..., SamplingSettings], tmp_path: Path
) -> None:
    rules = {"match": "word word", "fault": {"kind": "too_long"}}, {"reply": "Tea."}
    found = sampled(settings_of(*rules, condition="profile"), tmp_path / "out")
    assert (found.candidates, {row.posts_shown for row in rows_in(tmp_path / "out")}) == (48, {2})


def test_a_question_too_long_without_posts_is_kept_and_says_so(
    settings_of: Callable[..., SamplingSettings], tmp_path: Path
) -> None:
    found = sampled(settings_of({"reply": "Tea."}, max_prompt_tokens=3), tmp_path / "out")
    assert (found.questions, found.candidates, found.reasons) == (12, 0, {"too long": 48})
    assert {(row.candidates, row.reason) for row in rows_in(tmp_path / "out")} == {((), "too long")}
    assert not calls(tmp_path)


def test_a_failed_call_leaves_a_reason_and_is_asked_again(
    settings_of: Callable[..., SamplingSettings], tmp_path: Path
) -> None:
    rules = [{"match": "day 3", "fault": {"kind": "bad_request", "message": "no"}, "times": 2}, {"reply": "{digest}"}]
    # The call for several is refused, and so is the first one alone.
    found = sampled(settings_of(*rules), tmp_path / "out")
    row = rows_in(tmp_path / "out")[3]
    assert (row.candidates, row.reason) == ((), "the call failed: no reply (bad request): no")
    assert (found.candidates, found.missing, found.reasons) == (44, 4, {"the call failed": 4})
    # A new process, for which the script begins again.
    before = len(calls(tmp_path))
    again = sampled(settings_of(*rules), tmp_path / "out")
    assert again.missing == 4
    assert {call["text"] for call in calls(tmp_path)[before:]} == {"Which tea on day 3?"}


def test_refused_empty_and_cut_off_replies_are_told_apart(
    settings_of: Callable[..., SamplingSettings], tmp_path: Path
) -> None:
    rules = (
        {"match": "day 1?$", "reply": "no", "finish": "filtered"},
        {"match": "day 2", "reply": "<think>only thoughts"},
        {"match": "day 3", "reply": "Cut o", "finish": "length"},
        {"reply": "<think>hm</think>Tea."},
    )
    found = sampled(settings_of(*rules), tmp_path / "out")
    rows = rows_in(tmp_path / "out")
    assert {each.truncated for each in rows[3].candidates} == {True}
    assert {each.text for each in rows[3].candidates} == {"Cut o"}
    assert {each.text for each in rows[2].candidates} == {None}
    assert {each.text for each in rows[4].candidates} == {"Tea."}
    assert found.truncated == 4
    assert found.missing == sum(found.reasons.values()) == 48 - found.candidates
    assert all(each.reason for row in rows for each in row.candidates if each.text is None)


def test_a_policy_that_writes_nothing_is_given_up_with_examples(
    settings_of: Callable[..., SamplingSettings], tmp_path: Path
) -> None:
    with pytest.raises(PrbgenError, match=r"none of 10 questions could be answered; given up, as: the reply is empty"):
        sampled(settings_of({"reply": ""}), tmp_path / "out")
    assert not Answers(tmp_path / "out").candidates.exists()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"temperature": 0.5}, "temperature 1.0, not 0.5"),
        ({"posts": 3}, "posts 10, not 3"),
        ({"condition": "profile"}, "condition 'none', not 'profile'"),
        (
            {"policy": ModelSettings(name="hosted_vllm/other")},
            "policy 'scripted/policy.jsonl', not 'hosted_vllm/other'",
        ),
        ({"reward_model": "scalar:some/model"}, "reward_model None, not 'scalar:some/model'"),
    ],
)
def test_a_folder_of_another_sampling_is_refused(
    settings_of: Callable[..., SamplingSettings], tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    sampled(settings_of({"reply": "Tea."}), tmp_path / "out")
    kept = Answers(tmp_path / "out").candidates.read_bytes()
    with pytest.raises(InputError, match="another sampling") as error:
        sampled(settings_of({"reply": "Tea."}, **change), tmp_path / "out")
    assert told in str(error.value)
    assert Answers(tmp_path / "out").candidates.read_bytes() == kept


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"n": 129}, "--n 129"),
        ({"condition": "oracle"}, "--condition oracle"),
        ({"temperature": float("nan")}, "--temperature nan"),
        ({"top_p": 0.0}, "--top-p 0"),
        (
            {"policy": ModelSettings.model_validate({"name": "hosted_vllm/tea", "seed": 4})},
            "all candidates would be alike",
        ),
        ({"policy": ModelSettings(name="hosted_vllm/tea"), "limits": LimitSettings(budget_usd=1)}, "no known price"),
    ],
)
def test_settings_that_cannot_be_are_refused_and_leave_no_folder(
    settings_of: Callable[..., SamplingSettings], tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        sampled(settings_of({"reply": "Tea."}, **change), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_of_something_else_is_refused(settings_of: Callable[..., SamplingSettings], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").touch()
    with pytest.raises(InputError, match="neither empty nor a folder of candidates"):
        sampled(settings_of({"reply": "Tea."}), tmp_path / "out")


def test_an_interruption_says_how_to_go_on(settings_of: Callable[..., SamplingSettings], tmp_path: Path) -> None:
    with pytest.raises(InterruptError, match=r"0 of 12 questions are answered .* the same command goes on"):
        sampled(settings_of({"reply": "Tea."}), tmp_path / "out", stopped=True)


def test_temperature_0_is_remarked_on(settings_of: Callable[..., SamplingSettings], tmp_path: Path) -> None:
    said: list[str] = []
    sampled(settings_of({"reply": "Tea."}, temperature=0.0), tmp_path / "out", said=said)
    assert said == ["at temperature 0 most candidates of a question will be alike"]


_SAMPLE = """
import asyncio, sys
from pathlib import Path
from prbgen.downstream.best_of_n.asking import SampleTally
from prbgen.downstream.best_of_n.policy import SamplingSettings
from prbgen.downstream.best_of_n.sample import sample
from prbgen.downstream.folders import Answers
from prbgen.evaluation.settings import DataSettings
from prbgen.llm.templates import Prompts
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings
data, folder, name, url = sys.argv[1:]
policy = ModelSettings(name=name, api_base=url)
settings = SamplingSettings(DataSettings(data), policy, n=6, limits=LimitSettings(concurrency=2))
asyncio.run(
    sample(settings, Answers(Path(folder)), Prompts(), stop=asyncio.Event(), tally=SampleTally(), say=print)
)
"""


@pytest.mark.parametrize("gives", [lambda n: n, lambda n: min(n, 2)])
def test_a_killed_process_costs_no_reply_and_the_result_is_as_if_it_had_lived(
    data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gives: Callable[[int], int]
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    with serving(Provider(latency=0.1, gives=gives)) as provider:
        arguments = (_SAMPLE, data, str(tmp_path / "killed"), "openai/tea", provider.url)
        process = start_python(*arguments)
        deadline = time.monotonic() + 60
        while sum(provider.answered.values()) < 8 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert not Answers(tmp_path / "killed").candidates.exists()
        assert start_python(*arguments).wait() == 0
        # Those in flight when it was killed, and no others, may have been asked for twice.
        assert sum(count - 1 for count in provider.arrived.values()) <= 2
    with serving(Provider(gives=gives)) as provider:
        assert start_python(_SAMPLE, data, str(tmp_path / "unbroken"), "openai/tea", provider.url).wait() == 0
    killed, unbroken = Answers(tmp_path / "killed"), Answers(tmp_path / "unbroken")
    assert killed.candidates.read_bytes() == unbroken.candidates.read_bytes()


@pytest.mark.parametrize(
    "note",
    [
        "",
        "{",
        "[" * 200_000,
        '{"identity": {}}',
        '{"identity": {}, "versions": {"python": 5}}',
        '{"identity": {}, "versions": {"python": [5]}}',
        '{"identity": [], "versions": {}}',
    ],
)
def test_a_damaged_note_of_what_a_folder_is_about_is_refused_in_one_line(
    settings_of: Callable[..., SamplingSettings], tmp_path: Path, note: str
) -> None:
    folder = tmp_path / "bon"
    sampled(settings_of({"reply": "Tea."}), folder)
    (folder / ".sampling.json").write_text(note)
    with pytest.raises(InputError, match=r"\.sampling\.json: is not what `prbgen bon sample` writes") as caught:
        sampled(settings_of({"reply": "Tea."}), folder)
    assert "\n" not in str(caught.value)
