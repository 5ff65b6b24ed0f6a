"""The rubric judge: what it is shown, what counts as a judgement, and that nothing is paid for twice."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from prbgen.downstream.best_of_n.judge import judge
from prbgen.downstream.candidates import Judgement
from prbgen.errors import FellShortError, InputError, InterruptError, ModelError, PrbgenError
from prbgen.evaluation.scoring import Tally
from prbgen.evaluation.trial import TRIAL
from prbgen.llm.templates import Prompts
from prbgen.recipe import LimitSettings
from tests.downstream.best_of_n.judging_bench import Bench, bench, covering, question
from tests.evaluation.asking_rows import NARRATIVE

GOOD = {"reply": covering(2, 1)}
KEY = "sk-canary-4711-secret"


def fault(kind: str, **more: Any) -> dict[str, Any]:
    return {"fault": {"kind": kind, "message": "no"}} | more


def test_every_candidate_gets_a_score_for_each_aspect_and_their_share(tmp_path: Path) -> None:
    made = bench(tmp_path)
    rules = [{"match": rf"Answer {at} to", "reply": covering(*scores)} for at, scores in enumerate([(0, 0), (2, 1)])]
    found = made.judge(made.scripted(*rules, {"reply": covering(2, 2)}))
    assert [row.key for row in made.judgements] == [f"{row['subset']}/{row['id']}" for row in made.rows]
    for row in made.judgements:
        assert row.judgements == (
            Judgement(scores=(0, 0), quality=0), Judgement(scores=(2, 1), quality=0.75),
            Judgement(scores=(2, 2), quality=1),
        )  # fmt: skip
    assert (found.judged, found.unjudged, found.reasons) == (12, 0, {})
    assert found.quality.value == pytest.approx(1.75 / 3)
    assert (found.quality.n, set(found.by_subset)) == (4, {"Art_and_Entertainment", "Society_and_Culture"})
    assert (found.judge, found.answers, found.cost.calls) == ("scripted/judge.jsonl", "abc", 12)
    assert json.loads(made.judged.about.read_text()) == found.model_dump(mode="json")


def test_the_judge_sees_one_answer_with_question_narrative_and_aspects(tmp_path: Path) -> None:
    made = bench(tmp_path, questions=1)
    made.judge(made.scripted(GOOD))
    assert len(made.calls) == 3
    for call in made.calls:
        assert call["stage"] == "coverage"
        assert sum(f"Answer {at} to 0." in call["text"] for at in range(3)) == 1
        for shown in (NARRATIVE, "What now, number 0?", "1. Wish 1 of 0", "2. Wish 2 of 0"):
            assert shown in call["text"]
        assert "Post 0 of user" not in call["text"]


def test_the_mean_is_over_questions_and_its_interval_over_users(tmp_path: Path) -> None:
    made = Bench(tmp_path, [question(number) for number in range(4)], [["a", "bad"], ["bad", "bad"], ["a"], ["bad"]])
    found = made.judge(made.scripted({"match": "bad", "reply": covering(0, 0)}, {"reply": covering(2, 2)}))
    assert found.quality.value == pytest.approx((0.5 + 0 + 1 + 0) / 4)
    # Two users, with means of 1/4 and 1/2.
    assert found.quality.ci95 == (0.25, 0.5)
    # Of one subset each user has one question.
    assert found.by_subset["Art_and_Entertainment"].ci95 == (0.5, 1)
    one = bench(tmp_path / "one", questions=2)
    assert one.judge(one.scripted(GOOD)).quality.ci95 is None


def test_equal_answers_to_one_question_are_asked_about_once(tmp_path: Path) -> None:
    made = Bench(tmp_path, [question(0), question(1)], [["same", "same", "other"], ["same", "same", "same"]])
    assert made.judge(made.scripted(GOOD)).judged == 6
    assert len(made.calls) == 3


def test_what_has_no_text_or_no_rubric_is_not_asked_about(tmp_path: Path) -> None:
    made = Bench(tmp_path, [question(0), question(1, rubric_aspects=[])], [["one", None], ["two", None]])
    found = made.judge(made.scripted(GOOD))
    assert len(made.calls) == 1
    first, second = (row.judgements for row in made.judgements)
    assert [each.reason for each in first] == [None, "there is no answer"]
    assert [each.reason for each in second] == ["the question has no rubric", "there is no answer"]
    assert {each.quality for each in second} == {None}
    # What there is no answer to judge is not unjudged.
    assert (found.judged, found.unjudged, found.reasons) == (1, 1, {"the question has no rubric": 1})
    assert made.said == ["1 of 2 questions have no rubric: their candidates are unjudged"]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("I like it.", "malformed"),
        (covering(2), "missing"),
        (covering(2, 2, 2), "missing"),
        ({"aspects": [{"number": at, "found": "", "score": 3} for at in (1, 2)]}, "malformed"),
        ({"aspects": [{"number": at, "found": "", "score": True} for at in (1, 2)]}, "malformed"),
        ("", "malformed"),
    ],
)
def test_a_reply_that_cannot_be_used_is_no_number_after_one_corrective_ask(
    tmp_path: Path, reply: Any, reason: str
) -> None:
    made = bench(tmp_path, questions=2, n=1)
    judge = made.scripted({"match": "Answer 0 to 1", "reply": reply}, GOOD)
    found = made.judge(judge)
    assert len(made.calls) == 3
    (bad,) = made.judgements[1].judgements
    assert (bad.scores, bad.quality) == ((), None)
    assert bad.reason
    assert bad.reason.startswith("the judge gave no usable reply: ")
    assert reason in bad.reason
    assert (found.judged, found.unjudged) == (1, 1)
    assert found.reasons == {"the judge gave no usable reply": 1}
    assert found.quality.n == 1
    made.judge(judge)
    assert len(made.calls) == 3


def test_a_corrected_reply_counts(tmp_path: Path) -> None:
    made = bench(tmp_path, questions=1, n=1)
    assert made.judge(made.scripted({"reply": covering(2), "times": 1}, GOOD)).judged == 1
    assert made.judgements[0].judgements[0].scores == (2, 1)


@pytest.mark.parametrize(("finish", "word"), [("length", "max_tokens"), ("filtered", "refused")])
def test_a_reply_that_was_cut_off_or_refused_is_none(tmp_path: Path, finish: str, word: str) -> None:
    made = bench(tmp_path, questions=2, n=1)
    made.judge(made.scripted({"match": "to 1", "reply": covering(2, 2), "finish": finish}, GOOD))
    (bad,) = made.judgements[1].judgements
    assert bad.quality is None
    assert word in (bad.reason or "")


def test_what_is_on_record_is_not_asked_again_and_more_candidates_cost_themselves_alone(tmp_path: Path) -> None:
    made = bench(tmp_path, n=2)
    judge = made.scripted(GOOD)
    made.judge(judge)
    before = made.judged.judgements.read_bytes(), made.judged.about.read_bytes()
    made.judge(judge)
    assert (made.judged.judgements.read_bytes(), made.judged.about.read_bytes()) == before
    assert len(made.calls) == 8
    assert bench(tmp_path, n=3).judge(judge).judged == 12
    assert len(made.calls) == 12


def test_judgements_are_in_the_order_of_the_candidates_whenever_replies_come(tmp_path: Path) -> None:
    made = bench(tmp_path, questions=6, n=2)
    slow = [{"match": f"to {at}", "delay": (6 - at) / 20, "reply": covering(at % 3, 0)} for at in range(6)]
    made.judge(made.scripted(*slow))
    assert [row.key for row in made.judgements] == [f"{row['subset']}/{row['id']}" for row in made.rows]
    assert [row.judgements[0].scores[0] for row in made.judgements] == [0, 1, 2, 0, 1, 2]


def test_a_judge_that_gives_nothing_is_given_up_with_examples(tmp_path: Path) -> None:
    made = bench(tmp_path, questions=40, n=2)
    limits = LimitSettings(concurrency=1)
    with pytest.raises(PrbgenError, match=r"judge.jsonl: none of 10 answers could be judged; given up, as: ") as told:
        made.judge(made.settings(made.scripted({"reply": "Nice!"}), limits=limits))
    assert "no_json" in str(told.value)
    assert str(made.judged.ledger) in str(told.value)
    assert not made.judged.judgements.exists()
    # Each with its correction, and those that were under way.
    assert 2 * TRIAL <= len(made.calls) <= 2 * (TRIAL + 4)


def test_one_judgement_is_enough_to_go_on(tmp_path: Path) -> None:
    made = bench(tmp_path, questions=20, n=1)
    found = made.judge(made.settings(made.scripted({"match": "to 0", **GOOD}, {"reply": "?"})))
    assert (found.judged, found.unjudged) == (1, 19)


def test_a_judge_that_cannot_be_used_ends_it(tmp_path: Path) -> None:
    made = bench(tmp_path)
    with pytest.raises(ModelError, match=r"cannot be used"):
        made.judge(made.scripted(fault("auth")))


class TestData:
    def test_more_questions_than_were_answered_are_fine(self, tmp_path: Path) -> None:
        made = bench(tmp_path, questions=3, n=1)
        made.data.write_text("".join(json.dumps(question(number)) + "\n" for number in (7, 0, 8, 1, 2, 9)))
        assert made.judge(made.scripted(GOOD)).judged == 3

    @pytest.mark.parametrize("numbers", [(0, 1), (0, 2, 1), (5, 6, 7)])
    def test_other_data_is_refused_in_one_line(self, tmp_path: Path, numbers: tuple[int, ...]) -> None:
        made = bench(tmp_path, questions=3, n=1)
        made.data.write_text("".join(json.dumps(question(number)) + "\n" for number in numbers))
        with pytest.raises(InputError, match=r"has no question .*/q.*, or not in the order of .*candidates.jsonl"):
            made.judge(made.scripted(GOOD))
        assert not made.judged.judgements.exists()

    def test_questions_may_be_those_of_lamp_qa(self, tmp_path: Path) -> None:
        made = Bench(tmp_path, [question(number, subset="default") for number in range(2)], [["one"], ["two"]])
        columns = ("id", "question", "profile", "rubric_aspects", "narrative", "category")
        made.data.write_text("".join(json.dumps({name: row[name] for name in columns}) + "\n" for row in made.rows))
        assert made.judge(made.scripted(GOOD)).judged == 2

    def test_data_without_any_rubric_is_refused(self, tmp_path: Path) -> None:
        made = Bench(tmp_path, [question(0, rubric_aspects=[])], [["one"]])
        with pytest.raises(InputError, match=r"judged by rubric_aspects, and no question that they answer has any"):
            made.judge(made.scripted(GOOD))

    def test_a_limit_judges_the_first_questions_alone_and_can_grow(self, tmp_path: Path) -> None:
        made = bench(tmp_path, questions=3, n=1)
        judge = made.scripted(GOOD)
        assert made.judge(made.settings(judge, limit=2)).reasons == {"the judge was not asked": 1}
        assert [row.judgements[0].quality for row in made.judgements] == [0.75, 0.75, None]
        assert made.judge(judge).judged == len(made.calls) == 3

    def test_candidates_that_are_not_there_are_named(self, tmp_path: Path) -> None:
        made = bench(tmp_path)
        made.answers.about.unlink()
        with pytest.raises(InputError, match=r"sampling.json: No such file .*`prbgen bon sample`"):
            made.judge(made.scripted(GOOD))
        made.answers.about.write_text('{"data": 1}')
        with pytest.raises(InputError, match=r"sampling.json: is not what"):
            made.judge(made.scripted(GOOD))


class TestMoney:
    def test_a_budget_holds_over_all_processes(self, tmp_path: Path) -> None:
        made = bench(tmp_path, questions=6, n=1)
        prices = {"input_cost_per_token": 0, "output_cost_per_token": 0.001}
        # A call may take 1,000 tokens, and takes 20.
        usage = {"prompt_tokens": 9, "completion_tokens": 20, "total_tokens": 29}
        judge = made.scripted(GOOD | {"usage": usage})
        limits = LimitSettings(budget_usd=1.05, concurrency=1)
        with pytest.raises(FellShortError, match=r"budget_usd = 1.05"):
            made.judge(made.settings(judge, limits=limits, options=prices))
        assert len(made.calls) == 3
        with pytest.raises(FellShortError, match=r"budget_usd"):
            made.judge(made.settings(judge, limits=limits, options=prices))
        assert len(made.calls) == 3
        found = made.judge(made.settings(judge, limits=LimitSettings(budget_usd=9), options=prices))
        assert found.cost.usd == pytest.approx(6 * 0.02)

    def test_a_budget_without_a_price_is_refused(self, tmp_path: Path) -> None:
        made = bench(tmp_path)
        with pytest.raises(InputError, match=r"--judge: scripted/judge.jsonl has no known price"):
            made.judge(made.settings(made.scripted(GOOD), limits=LimitSettings(budget_usd=1)))


def test_a_stop_lets_replies_in_and_says_how_to_go_on(tmp_path: Path) -> None:
    made = bench(tmp_path, questions=6, n=1)
    stop = asyncio.Event()
    stop.set()
    judge = made.scripted(GOOD)
    with pytest.raises(InterruptError, match=r"0 of 6 candidates are judged .* the same command goes on"):
        made.judge(judge, stop)
    assert made.judge(judge).judged == 6


def test_answers_that_change_meanwhile_are_not_judged(tmp_path: Path) -> None:
    made = bench(tmp_path)
    settings = made.settings(made.scripted(GOOD | {"delay": 0.3}))

    async def main() -> None:
        work = asyncio.create_task(
            judge(settings, made.answers, made.judged, Prompts(), stop=asyncio.Event(), tally=Tally(), say=print)
        )
        while not made.calls:  # noqa: ASYNC110 - another file tells
            await asyncio.sleep(0.01)
        about = json.loads(made.answers.about.read_text())
        made.answers.about.write_text(json.dumps(about | {"answers": "new"}))
        await work

    with pytest.raises(InputError, match="has written other answers meanwhile; run `prbgen bon judge` again"):
        asyncio.run(main())
    assert not made.judged.judgements.exists()


def test_what_is_on_record_counts_as_known(tmp_path: Path) -> None:
    made = bench(tmp_path)
    settings = made.settings(made.scripted(GOOD))
    for known in (0, 12):
        tally = Tally()
        work = judge(settings, made.answers, made.judged, Prompts(), stop=asyncio.Event(), tally=tally, say=print)
        asyncio.run(work)
        assert (tally.known, tally.scored) == (known, 12)


def test_only_one_process_at_a_time_judges(tmp_path: Path) -> None:
    made = bench(tmp_path)
    with made_lock(made), pytest.raises(InputError, match=r"another process is at work"):
        made.judge(made.scripted(GOOD))


def made_lock(made: Bench) -> Any:
    from filelock import FileLock

    made.judged.folder.mkdir(parents=True)
    return FileLock(made.judged.folder / ".lock")
