"""A reward model's scores of candidates: together or one by one, kept as they come, and never guessed."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from prbgen.downstream.best_of_n.score import score
from prbgen.downstream.best_of_n.score_settings import BestOfNScoring
from prbgen.downstream.candidates import ScoreRow
from prbgen.downstream.facts import ScoringFacts
from prbgen.errors import InputError, InterruptError, PrbgenError
from prbgen.evaluation.scoring import Tally
from prbgen.evaluation.settings import Condition, DataSettings, PlannerSettings, ScorerSettings
from prbgen.llm.templates import Prompts
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings
from prbgen.run import read_records
from tests.data_cards.tiny import TEMPLATE, save_classifier
from tests.downstream.best_of_n.judging_bench import Bench, bench, question
from tests.evaluation.scorers.reward_servers import listening
from tests.processes import start_python


def scored(
    made: Bench, scorer: ScorerSettings, condition: Condition = "none", *, stopped: bool = False, **more: Any
) -> ScoringFacts:
    return asyncio.run(scoring(made, scorer, condition, stopped=stopped, **more))


async def scoring(
    made: Bench, scorer: ScorerSettings, condition: Condition = "none", *, stopped: bool = False, **more: Any
) -> ScoringFacts:
    stop = asyncio.Event()
    if stopped:
        stop.set()
    settings = BestOfNScoring(DataSettings(str(made.data)), condition, scorer, **more)
    folder = made.answers.scored("it")
    return await score(settings, made.answers, folder, Prompts(), stop=stop, tally=Tally(), say=made.said.append)


def by_server(made: Bench, answer: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> list[ScoringFacts]:
    """Scored twice by the same server."""

    async def main() -> list[ScoringFacts]:
        async with listening(reward=answer) as url:
            return [await scoring(made, ScorerSettings.parsed(f"http:{url}/reward"), "profile") for _ in range(2)]

    return asyncio.run(main())


def rows(made: Bench) -> list[ScoreRow]:
    return list(read_records(made.answers.scored("it").scores, ScoreRow))


def judge_by(made: Bench, *rules: dict[str, Any], kind: str = "judge") -> ScorerSettings:
    return ScorerSettings.parsed(f"{kind}:{made.scripted(*rules)}")


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_classifier(tmp_path_factory.mktemp("model"), labels=1, template=TEMPLATE)


def test_a_classifier_scores_n_candidates_as_it_does_each_alone(tmp_path: Path, classifier: Path) -> None:
    from prbgen.evaluation.scorers.scalar.classifier import Candidates, Classifier

    made = bench(tmp_path, questions=3, n=4)
    made.texts[1][2] = None
    made = Bench(tmp_path / "again", made.rows, made.texts)
    settings = ScorerSettings("scalar", str(classifier), device="cpu")
    facts = scored(made, settings, "profile")
    assert (facts.scored, facts.unscored, facts.answers) == (11, 0, "abc")
    alone = Classifier.load(settings)
    for row, source, texts in zip(rows(made), made.rows, made.texts, strict=True):
        posts = [post["text"] for post in source["profile"]]
        message = Prompts().render("asker", question=source["question"], posts=posts, aspects=())[0].content
        assert row.posts_shown == len(posts)
        for text, value in zip(texts, row.scores, strict=True):
            if text is None:
                assert value is None
                continue
            (expected,) = alone.score([Candidates(0, message, [text])])
            assert value == pytest.approx(expected.scores[0], abs=1e-3)


def test_an_llm_that_fails_on_one_answer_leaves_the_others_their_scores(tmp_path: Path) -> None:
    made = bench(tmp_path)
    rate = judge_by(
        made, {"match": "Answer 1 to 2", "reply": "no"}, {"match": "Answer 2", "reply": {"score": 9}},
        {"reply": {"score": 4}}, kind="rate",
    )  # fmt: skip
    facts = scored(made, rate)
    assert [row.scores for row in rows(made)] == [(4, 4, 9), (4, 4, 9), (4, None, 9), (4, 4, 9)]
    assert [reason for row in rows(made) for reason in row.reasons if reason] == [
        "the reply is not the JSON that was asked for: 'no'"
    ]
    assert (facts.scored, facts.unscored, facts.reasons) == (
        11,
        1,
        {"the reply is not the JSON that was asked for": 1},
    )


def test_a_judge_ranks_by_the_points_that_candidates_win(tmp_path: Path) -> None:
    made = bench(tmp_path, questions=2, n=3)
    first = {"match": r"(?s)Answer 2.*Answer [01]|Answer 1.*Answer 0", "reply": {"verdict": "A"}}
    facts = scored(made, judge_by(made, first, {"reply": {"verdict": "B"}}))
    assert [row.scores for row in rows(made)] == [(0.0, 0.5, 1.0)] * 2
    assert facts.settings["opponents"] == 4
    assert len(made.calls) == 2 * 3 * 2


def test_what_was_scored_is_not_asked_again_and_bytes_are_the_same(tmp_path: Path) -> None:
    made = bench(tmp_path)
    rate = judge_by(made, {"reply": {"score": 4}}, kind="rate")
    scored(made, rate)
    before = made.answers.scored("it").scores.read_bytes()
    calls = len(made.calls)
    scored(made, rate)
    assert made.answers.scored("it").scores.read_bytes() == before
    assert len(made.calls) == calls


def test_a_kill_costs_what_was_in_flight_at_most(tmp_path: Path) -> None:
    made = bench(tmp_path, questions=20, n=3)
    rate = judge_by(made, {"reply": {"score": 5}, "delay": 0.05}, kind="rate")
    rate = replace(rate, limits=LimitSettings(concurrency=2))
    code = f"""
import asyncio
from pathlib import Path
from tests.downstream.best_of_n.test_score_candidates import scored
from tests.downstream.best_of_n.judging_bench import bench
from prbgen.evaluation.settings import ScorerSettings
from prbgen.recipe import LimitSettings
made = bench(Path({str(tmp_path)!r}), questions=20, n=3)
scored(made, ScorerSettings.parsed("rate:scripted/" + str(made.script)))
"""
    process = start_python(code)
    until = time.monotonic() + 60
    while len(made.calls) < 15 and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert 15 <= len(made.calls) < 60
    scored(made, rate)
    # All 64 calls that may be at once were in flight at worst.
    distinct = {(call["digest"], call["sample"]) for call in made.calls}
    assert len(distinct) == 60
    assert all(score == 5 for row in rows(made) for score in row.scores)


def test_a_stop_keeps_what_is_there(tmp_path: Path) -> None:
    made = bench(tmp_path)
    rate = judge_by(made, {"reply": {"score": 4}}, kind="rate")
    with pytest.raises(InterruptError, match="of 12 answers are scored"):
        scored(made, rate, stopped=True)
    assert not made.answers.scored("it").scores.exists()
    assert scored(made, rate).scored == 12


def test_a_model_that_scores_nothing_is_given_up(tmp_path: Path) -> None:
    made = bench(tmp_path, questions=20)
    with pytest.raises(
        PrbgenError, match="none of 10 answers could be scored; given up, as: the reply is not the JSON"
    ):
        scored(made, judge_by(made, {"reply": "?"}, kind="rate"))


@pytest.mark.parametrize("change", ["fewer", "others"])
def test_data_that_the_candidates_are_not_about_is_refused(tmp_path: Path, change: str) -> None:
    made = bench(tmp_path)
    kept = made.rows[:2] if change == "fewer" else [question(number + 50) for number in range(4)]
    made.data.write_text("".join(json.dumps(row) + "\n" for row in kept))
    with pytest.raises(InputError, match="at its place among those of"):
        scored(made, judge_by(made, {"reply": {"score": 4}}, kind="rate"))


def test_a_folder_is_about_one_reward_model_under_one_condition(tmp_path: Path) -> None:
    made = bench(tmp_path)
    rate = judge_by(made, {"reply": {"score": 4}}, kind="rate")
    scored(made, rate)
    with pytest.raises(InputError, match="holds results of another evaluation"):
        scored(made, rate, "profile")


def test_questions_that_lack_what_a_condition_shows_leave_their_candidates_unscored(tmp_path: Path) -> None:
    made = bench(tmp_path)
    made.rows[1]["rubric_aspects"] = []
    made = Bench(tmp_path / "again", made.rows, made.texts)
    facts = scored(made, judge_by(made, {"reply": {"score": 4}}, kind="rate"), "oracle")
    assert facts.note == "oracle: upper bound"
    assert rows(made)[1].scores == (None, None, None)
    assert rows(made)[1].reasons == ("no rubric_aspects",) * 3
    assert (facts.scored, facts.unscored) == (9, 3)
    assert rows(made)[1].posts_shown is None
    assert not rows(made)[1].truncated


def test_a_planner_goes_with_its_condition_alone(tmp_path: Path) -> None:
    data, scorer = DataSettings("d"), ScorerSettings("scalar", "m")
    with pytest.raises(InputError, match="--condition planner: name the model"):
        BestOfNScoring(data, "planner", scorer)
    planner = PlannerSettings(ModelSettings(name="openai/m"), tmp_path / "ledger")
    with pytest.raises(InputError, match="--planner goes with --condition planner, not with none"):
        BestOfNScoring(data, "none", scorer, planner=planner)


class Server:
    """Scores an answer by its length, and refuses what holds one of these words."""

    def __init__(self, *refused: str) -> None:
        self.refused = refused
        self.asked: list[int] = []

    async def answer(self, request: web.Request) -> web.StreamResponse:
        answers = [each["messages"][-1]["content"] for each in (await request.json())["inputs"]]
        self.asked.append(len(answers))
        if any(word in answer for word in self.refused for answer in answers):
            return web.json_response({"error": "not this one"}, status=422)
        return web.json_response({"scores": [float(len(answer)) for answer in answers]})


def test_a_server_that_refuses_one_answer_leaves_the_others_their_scores(tmp_path: Path) -> None:
    made = bench(tmp_path)
    server = Server("Answer 1 to 2.")
    facts, again = by_server(made, server.answer)
    assert [row.scores for row in rows(made)] == [(14.0, None if at == 2 else 14.0, 14.0) for at in range(4)]
    assert (facts.scored, facts.unscored, facts.reasons) == (11, 1, {"the server refused it (422)": 1})
    assert again.scored == 11
    # What is known of single answers is known for good.
    assert sorted(server.asked[:7]) == [1, 1, 1, 3, 3, 3, 3]
    assert server.asked[7:] == [3, 1]


def test_one_bad_answer_to_each_question_is_no_hopeless_model(tmp_path: Path) -> None:
    made = bench(tmp_path, questions=14)
    facts, _ = by_server(made, Server("Answer 0 ").answer)
    assert (facts.scored, facts.unscored) == (28, 14)
    assert all(row.scores[0] is None and None not in row.scores[1:] for row in rows(made))


def test_a_server_that_scores_nothing_is_given_up_before_all_is_asked(tmp_path: Path) -> None:
    made, server = bench(tmp_path, questions=60), Server("Answer")
    with pytest.raises(PrbgenError, match=r"none of 1[0-9] answers could be scored; given up, as: the server refused"):
        by_server(made, server.answer)
    assert len(server.asked) <= 10 + 30


def test_one_answer_too_long_for_a_classifier_leaves_the_others_their_scores(tmp_path: Path, classifier: Path) -> None:
    made = bench(tmp_path, questions=2)
    made.texts[1][1] = "word " * 900
    made = Bench(tmp_path / "again", made.rows, made.texts)
    facts = scored(made, ScorerSettings("scalar", str(classifier), device="cpu", max_tokens=400))
    assert [[score is None for score in row.scores] for row in rows(made)] == [[False] * 3, [False, True, False]]
    assert rows(made)[1].reasons[1] == "too long"
    assert (facts.scored, facts.unscored) == (5, 1)


def test_answers_that_change_meanwhile_are_not_scored(tmp_path: Path) -> None:
    made = bench(tmp_path)
    server = Server()

    async def changing(request: web.Request) -> web.StreamResponse:
        about = json.loads(made.answers.about.read_text())
        made.answers.about.write_text(json.dumps(about | {"answers": "new"}))
        return await server.answer(request)

    with pytest.raises(InputError, match="has written other answers meanwhile; run `prbgen bon score` again"):
        by_server(made, changing)
    assert not made.answers.scored("it").scores.exists()
