"""Rubrics that a planner infers, on record for all evaluations."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from prbgen.errors import FellShortError, InputError, InterruptError, ModelError
from prbgen.evaluation.conditions.message import message
from prbgen.evaluation.conditions.pair import PreparedPair
from prbgen.evaluation.conditions.planner import Planner, planned
from prbgen.evaluation.conditions.prepared import prepared
from prbgen.evaluation.settings import DataSettings
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings
from tests.evaluation.asking_rows import ASPECT, EVIDENCE, NARRATIVE, REASON, pair_row
from tests.processes import python, start_python
from tests.sources.lamp_rows import write


def rubric(*aspects: str) -> dict[str, Any]:
    return {"aspects": [{"aspect": aspect, "reason": "The posts say so."} for aspect in aspects]}


FAIR = {"reply": rubric("Mind {digest}", "Be brief"), "cost_usd": 0.25}


@dataclass
class Study:
    """Data, a scripted planner, and a ledger that evaluations share."""

    folder: Path
    rows: list[dict[str, Any]] = field(default_factory=lambda: [pair_row(number) for number in range(3)])
    rules: list[dict[str, Any]] = field(default_factory=lambda: [FAIR])
    limits: LimitSettings = field(default_factory=lambda: LimitSettings(concurrency=4))
    settings: dict[str, Any] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    usd: float | None = None

    def write(self) -> None:
        write(self.folder / "pairs.jsonl", self.rows)
        rules = [{"record": "calls.jsonl"}, *self.rules]
        (self.folder / "model.jsonl").write_text("".join(json.dumps(rule) + "\n" for rule in rules))

    @property
    def planner(self) -> Planner:
        model = ModelSettings.model_validate({"name": f"scripted/{self.folder / 'model.jsonl'}"} | self.settings)
        ledger = self.folder / "ledgers" / "planner.sqlite"
        return Planner(model, ledger, Prompts(self.folder / "prompts"), self.limits, self.said.append)

    async def plan(self, *, stop: asyncio.Event | None = None, posts: int = 2) -> list[PreparedPair]:
        """The pairs with what the planner says."""
        self.write()
        work = self.folder / "work"
        work.mkdir(exist_ok=True)
        try:
            with prepared(DataSettings(str(self.folder / "pairs.jsonl")), "planner", posts, work) as pairs:
                async with planned(pairs, self.planner, work, stop=stop or asyncio.Event(), traffic=Traffic()) as done:
                    self.usd = done.usd
                    found = list(done.pairs)
                    assert (done.pairs.count, done.pairs.split) == (pairs.count, pairs.split)
                    assert done.pairs.digest == pairs.digest
        finally:
            assert not list(work.iterdir())
        return found

    def calls(self) -> list[dict[str, Any]]:
        """The calls that reached the model, over all processes."""
        file = self.folder / "calls.jsonl"
        return [json.loads(line) for line in file.read_bytes().split(b"\n")[:-1]] if file.exists() else []


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study(tmp_path)


async def test_each_pair_gets_what_the_planner_infers_in_the_order_of_the_data(study: Study) -> None:
    study.rules = [{**FAIR, "match": f"number {number}", "delay": 0.05 * (3 - number)} for number in range(3)]
    pairs = await study.plan()
    assert [pair.key for pair in pairs] == ["p0", "p1", "p2"]
    assert all(pair.aspects and pair.aspects[0].startswith("Mind ") and not pair.lacking for pair in pairs)
    assert len({pair.aspects for pair in pairs}) == 3
    assert (len(study.calls()), study.usd) == (3, 0.75)


async def test_neither_the_planner_nor_the_model_under_test_is_told_the_scoring_standard(study: Study) -> None:
    pairs = await study.plan()
    asked = "".join(call["text"] for call in study.calls())
    told = "".join(pair.model_dump_json() + message(pair, "planner", 9, Prompts()) for pair in pairs)
    assert not any(word in asked + told for word in (ASPECT, EVIDENCE, REASON, NARRATIVE))
    assert all(f"Post {post} of user {user}." in asked for post in (0, 1) for user in range(3))
    assert "Post 2 of user" not in asked
    # The model under test sees the rubric instead of the posts.
    assert "Post" not in told
    assert told.count("- Be brief") == 3


async def test_pairs_on_one_question_share_one_call(study: Study) -> None:
    study.rows = [pair_row(number % 2, pair_id=f"p{number}", chosen=f"Do {number}.") for number in range(6)]
    pairs = await study.plan()
    assert len(study.calls()) == 2
    assert [pair.aspects for pair in pairs[:2]] * 3 == [pair.aspects for pair in pairs]


async def test_what_is_on_record_is_never_asked_for_again(study: Study) -> None:
    first = await study.plan()
    study.rows = [*study.rows[::-1], pair_row(7)]
    again = await study.plan()
    assert len(study.calls()) == 4
    assert [pair.aspects for pair in again[2::-1]] == [pair.aspects for pair in first]
    assert study.usd == 1.0


async def test_an_asker_without_posts_is_asked_about_by_the_question_alone(study: Study) -> None:
    study.rows = [pair_row(0, profile=[]), pair_row(1, profile=None), pair_row(2)]
    pairs = await study.plan()
    assert all(pair.aspects for pair in pairs)
    assert sum("No earlier posts of the person who asks are known." in call["text"] for call in study.calls()) == 2


async def test_a_pair_that_cannot_be_scored_costs_nothing(study: Study) -> None:
    study.rows[1] = pair_row(1, chosen="")
    pairs = await study.plan()
    assert [(pair.lacking, pair.aspects is None) for pair in pairs] == [
        (None, False),
        ("no chosen", True),
        (None, False),
    ]
    assert len(study.calls()) == 2


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ({"reply": "Dear me."}, "malformed reply, also after a corrective re-ask: no_json"),
        ({"reply": rubric("One"), "finish": "length"}, "reply cut off at its maximum length; raise max_tokens of this"),
        ({"reply": "", "finish": "filtered"}, "the provider's content filter or the model itself refused"),
        ({"fault": {"kind": "bad_request", "message": "odd"}}, "no reply (bad request): odd"),
    ],
)
async def test_a_pair_for_which_the_planner_fails_says_why_and_the_rest_goes_on(
    study: Study, rule: dict[str, Any], reason: str
) -> None:
    study.rules = [{"match": "number 1", **rule}, FAIR]
    pairs = await study.plan()
    assert pairs[1].aspects is None
    assert (pairs[1].lacking or "").startswith(f"the planner gave no rubric: {reason}")
    assert [bool(pair.aspects) for pair in pairs] == [True, False, True]


async def test_a_planner_that_gives_no_rubric_at_all_is_given_up(study: Study) -> None:
    study.rows = [pair_row(number) for number in range(60)]
    study.rules = [{"reply": "Dear me."}]
    with pytest.raises(
        ModelError, match=r"^scripted/model.jsonl as planner: none of 10 pairs got a rubric; given up, as: "
    ):
        await study.plan()
    assert len(study.calls()) < 60


async def test_pairs_that_cannot_be_scored_do_not_keep_a_hopeless_planner_at_work(study: Study) -> None:
    study.rows = [pair_row(number, chosen="" if number < 5 else "a") for number in range(12)]
    study.rules = [{"reply": "Dear me."}]
    with pytest.raises(ModelError, match=r"as planner: none of 7 pairs got a rubric; given up, as: "):
        await study.plan()


async def test_a_model_that_cannot_be_used_ends_it_in_one_line(study: Study) -> None:
    study.rules = [{"fault": {"kind": "auth", "message": "no"}}]
    with pytest.raises(ModelError, match=r"^scripted/model.jsonl cannot be used \(auth\): no$"):
        await study.plan()


async def test_a_budget_is_for_what_one_evaluation_spends(study: Study) -> None:
    study.limits = LimitSettings(concurrency=1, budget_tokens=10_000)
    study.settings = {"max_tokens": 4_000}
    study.rules = [{**FAIR, "usage": {"total_tokens": 9_000}}]
    with pytest.raises(FellShortError, match="budget"):
        await study.plan()
    assert len(study.calls()) == 1
    study.rows = [pair_row(9)]
    assert [pair.aspects is None for pair in await study.plan()] == [False]


@pytest.mark.parametrize(
    ("limits", "settings", "unknown"),
    [
        ({"budget_usd": 1.0}, {"max_tokens": 9}, "has no known price"),
        ({"budget_tokens": 9}, {}, "may reply at any length"),
    ],
)
async def test_a_budget_that_cannot_be_kept_is_refused_before_the_planner_is_asked(
    study: Study, limits: dict[str, Any], settings: dict[str, Any], unknown: str
) -> None:
    study.limits, study.settings = LimitSettings(**limits), settings
    with pytest.raises(InputError, match=rf"planner: scripted/model.jsonl {unknown}"):
        await study.plan()
    assert not study.calls()


async def test_what_is_too_long_for_the_planner_loses_its_last_posts_and_that_is_told(study: Study) -> None:
    study.rows = [pair_row(0, posts=8), pair_row(1, posts=8), pair_row(2, posts=3)]
    study.rules = [
        {"match": "Post 5 of user 0|Post 0 of user 1", "fault": {"kind": "too_long", "message": "32 at most"}},
        FAIR,
    ]
    pairs = await study.plan(posts=8)
    assert [pair.posts_lost for pair in pairs] == [4, 8, 0]
    assert all(pair.aspects and not pair.posts for pair in pairs)
    last = [call["text"] for call in study.calls() if "number 0" in call["text"]][-1]
    assert ("Post 3 of user 0" in last, "Post 4 of user 0" in last) == (True, False)
    assert study.said == ["scripted/model.jsonl: as planner it saw fewer posts for 2 of 3 pairs, as all were too long"]


async def test_a_question_that_is_too_long_by_itself_gets_no_rubric_after_a_few_tries(study: Study) -> None:
    study.rows = [pair_row(0, posts=1000), pair_row(1)]
    study.rules = [{"match": "number 0", "fault": {"kind": "too_long", "message": "32 at most"}}, FAIR]
    long, short = await study.plan(posts=1000)
    assert (long.lacking, long.posts_lost) == ("the planner gave no rubric: no reply (too long): 32 at most", 0)
    assert short.aspects
    assert len(study.calls()) < 30


async def test_a_reply_without_a_price_makes_the_cost_unknown(study: Study) -> None:
    study.rules = [{"match": "number 1", "reply": rubric("One")}, FAIR]
    await study.plan()
    assert study.usd is None


async def test_the_cost_is_that_of_the_own_calls_whoever_paid_for_them(study: Study) -> None:
    rows = study.rows
    study.rules = [{"match": "number 1", "reply": "Dear me.", "cost_usd": 0.125}, FAIR]
    await study.plan()
    # Twice a reply that is of no use, and two rubrics.
    assert (len(study.calls()), study.usd) == (4, 0.75)
    study.rows = [pair_row(9)]
    await study.plan()
    assert study.usd == 0.25
    study.rows = rows
    await study.plan(posts=1)
    assert study.usd == 0.75
    calls = len(study.calls())
    await study.plan()
    assert (len(study.calls()), study.usd) == (calls, 0.75)


async def test_nothing_to_ask_costs_nothing(study: Study) -> None:
    study.rows = [pair_row(number, chosen="") for number in range(12)]
    assert {pair.lacking for pair in await study.plan()} == {"no chosen"}
    assert (study.calls(), study.usd) == ([], 0)


async def test_an_interrupt_lets_in_what_is_in_flight_and_the_rerun_goes_on(study: Study) -> None:
    study.rows = [pair_row(number) for number in range(30)]
    study.rules = [{**FAIR, "delay": 0.05}]
    stop = asyncio.Event()

    async def interrupt() -> None:
        await await_true(lambda: len(study.calls()) >= 8)
        stop.set()

    with pytest.raises(InterruptError):
        await asyncio.gather(study.plan(stop=stop), interrupt())
    assert len(study.calls()) < 30
    pairs = await study.plan()
    assert len(study.calls()) == 30
    assert all(pair.aspects for pair in pairs)


HOLD = """
import sys, time, filelock
with filelock.FileLock(sys.argv[1]):
    print("held", flush=True)
    time.sleep(90)
"""


async def test_another_evaluation_that_infers_is_waited_for(study: Study) -> None:
    study.write()
    lock = study.planner.ledger.with_name("planner.sqlite.lock")
    lock.parent.mkdir()
    other = start_python(HOLD, str(lock))
    assert other.stdout
    other.stdout.readline()
    task = asyncio.create_task(study.plan())
    await await_true(lambda: bool(study.said))
    assert study.said == [
        f"another evaluation asks the planner at this moment; waiting for it ({study.planner.ledger})"
    ]
    stop = asyncio.Event()
    stop.set()
    with pytest.raises(InterruptError):
        await Study(study.folder).plan(stop=stop)
    assert not study.calls()
    other.kill()
    other.communicate()
    assert len(await task) == 3
    with FileLock(lock, timeout=0):
        pass


async def await_true(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


PLAN = """
import asyncio, sys
from pathlib import Path
from prbgen.evaluation.conditions.planner import Planner, planned
from prbgen.evaluation.conditions.prepared import prepared
from prbgen.evaluation.settings import DataSettings
from prbgen.llm.templates import Prompts
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings
folder = Path(sys.argv[1])
async def main():
    model = ModelSettings(name=f"scripted/{folder / 'model.jsonl'}")
    planner = Planner(model, folder / "planner.sqlite", Prompts(), LimitSettings(concurrency=4), print)
    with prepared(DataSettings(str(folder / "pairs.jsonl")), "planner", 2, folder) as pairs:
        async with planned(pairs, planner, folder, stop=asyncio.Event()) as done:
            print([pair.aspects for pair in done.pairs])
asyncio.run(main())
"""


def test_kill_9_in_mid_planning_pays_nothing_twice_but_what_was_in_flight(study: Study) -> None:
    study.rows = [pair_row(number) for number in range(40)]
    study.rules = [{**FAIR, "delay": 0.03}]
    study.write()
    for kill in range(2):
        process = start_python(PLAN, str(study.folder))
        deadline = time.monotonic() + 60
        while process.poll() is None and len(study.calls()) < 12 * (kill + 1) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    resumed = python(PLAN, str(study.folder))
    sent = [call["digest"] for call in study.calls()]
    assert len(set(sent)) == 40
    assert len(sent) - 40 <= 2 * 4
    before = len(sent)
    assert python(PLAN, str(study.folder)) == resumed
    assert len(study.calls()) == before
    left = {path.name for path in study.folder.iterdir()}
    assert left <= {"pairs.jsonl", "model.jsonl", "calls.jsonl", "planner.sqlite", "planner.sqlite.lock"} | {
        f"planner.sqlite-{end}" for end in ("wal", "shm")
    }
