"""Rewards of a server: a score for every answer, or none; one that goes away is waited for, but not for ever."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from prbgen.downstream.ppo.train.asked_reward import AskedReward
from prbgen.downstream.ppo.train.course import Course
from prbgen.downstream.ppo.train.prompts import Words
from prbgen.downstream.ppo.train.settings import TrainSettings
from prbgen.errors import InputError, InterruptError, PrbgenError
from prbgen.evaluation.settings import ScorerSettings
from tests.data_cards.tiny import TEMPLATE, save_classifier

PROMPTS, ANSWERS = ["a?", "b?", "a?"], ["one", "two", "three"]
SCORES = [3.0, 3.0, 5.0]


@contextmanager
def server(
    port: int = 0, *, status: int = 200, short: bool = False, longest: int = 10**6
) -> Iterator[tuple[int, list[Any]]]:
    """A reward server whose scores are the lengths of answers; gives its port, and the requests that came."""
    requests: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["inputs"]
            requests.append(asked)
            scores = [float(len(each["response"])) for each in asked]
            body = json.dumps({"scores": scores[short:]} if status == 200 else {"error": "no"}).encode()
            self.send_response(413 if len(asked[0]["prompt"]) > longest else status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield listening.server_port, requests
    finally:
        listening.shutdown()
        listening.server_close()


def reward(port: int, tmp_path: Path, said: list[str], **more: Any) -> AskedReward:
    settings = ScorerSettings.parsed(f"http:http://127.0.0.1:{port}")
    course = Course(more.pop("stop", threading.Event()), said.append)
    return AskedReward(settings, tmp_path / "ledger.sqlite", course, **{"patience": 1.0, "pause": 0.1} | more)


def test_answers_to_one_prompt_are_one_request_and_scores_come_back_in_order(tmp_path: Path) -> None:
    with server() as (port, requests), reward(port, tmp_path, []) as ask:
        assert ask(PROMPTS, ANSWERS) == SCORES
        assert ask(PROMPTS[::-1], ANSWERS[::-1]) == SCORES[::-1]
    assert sorted(len(each) for each in requests) == [1, 1, 2, 2]


def test_a_server_that_was_never_there_is_not_waited_for(tmp_path: Path) -> None:
    with server() as (port, _):
        pass
    said: list[str] = []
    with reward(port, tmp_path, said) as ask, pytest.raises(PrbgenError, match="nobody answers"):
        ask(PROMPTS, ANSWERS)
    assert not said


def test_a_server_that_dies_is_waited_for_until_it_is_back(tmp_path: Path) -> None:
    with server() as (port, _):
        pass
    back = threading.Event()

    def say(text: str) -> None:
        said.append(text)
        back.set()

    said: list[str] = []
    with reward(port, tmp_path, said, patience=60.0) as ask:
        with server(port):
            assert ask(PROMPTS, ANSWERS) == SCORES
        ask._course.say = say

        def revive() -> None:
            back.wait(60)
            with server(port):
                done.wait(60)

        done = threading.Event()
        thread = threading.Thread(target=revive)
        thread.start()
        assert ask(PROMPTS, ANSWERS) == SCORES
        done.set()
        thread.join()
    assert "waiting for it, for 1 min at most" in said[0]


def test_patience_ends_and_ctrl_c_ends_it_sooner(tmp_path: Path) -> None:
    stop, said = threading.Event(), list[str]()
    with server() as (port, _), reward(port, tmp_path, said, stop=stop, patience=0.5) as ask:
        ask(PROMPTS, ANSWERS)
        there = ask
    with reward(port, tmp_path, said, stop=stop, patience=0.5) as ask:
        ask._answered = there._answered
        with pytest.raises(PrbgenError, match=r"no rewards for 0 min .*nobody answers"):
            ask(PROMPTS, ANSWERS)
        ask._patience = 60.0
        ask._course.say = lambda _: stop.set()
        with pytest.raises(InterruptError):
            ask(PROMPTS, ANSWERS)


@pytest.mark.parametrize(("fault", "told"), [({"short": True}, "scores for"), ({"status": 413}, "too long")])
def test_a_score_that_is_missing_is_an_error_and_no_number(fault: dict[str, Any], told: str, tmp_path: Path) -> None:
    with server(**fault) as (port, _), reward(port, tmp_path, []) as ask, pytest.raises(PrbgenError, match=told):
        ask(PROMPTS, ANSWERS)


POSTS = [f"Post {number} says much. " * 4 for number in range(4)]
LONG = Words("".join(POSTS) + "What now?", tuple((len("".join(POSTS[:shown])), 9) for shown in (3, 2, 1, 0)))


def test_with_fewer_posts_the_last_ones_are_cut_out() -> None:
    assert [LONG.with_posts(posts) for posts in range(5)] == [
        "".join(POSTS[:posts]) + "What now?" for posts in range(5)
    ]
    assert Words("What now?").with_posts(0) == "What now?"


def test_a_prompt_too_long_for_a_reward_server_is_asked_with_fewer_posts_and_that_is_counted(tmp_path: Path) -> None:
    with server(longest=len(LONG.with_posts(2))) as (port, requests):
        with reward(port, tmp_path, [], prompts=[LONG, Words("a?")]) as ask:
            assert ask([LONG.text, "a?", LONG.text], ["one", "three", "four"]) == [3.0, 5.0, 4.0]
            assert ask._course.shortened == 2
        assert LONG.with_posts(2) in [each[0]["prompt"] for each in requests]
        with (
            reward(port, tmp_path, [], prompts=[LONG]) as ask,
            pytest.raises(PrbgenError, match=r"no score for an answer \(too long\), so no reward"),
        ):
            ask(["b" * 999], ["one"])


def test_a_prompt_too_long_for_a_model_on_this_machine_is_scored_as_its_shorter_words_are(tmp_path: Path) -> None:
    import torch

    model = save_classifier(tmp_path / "model", labels=1, template=TEMPLATE, positions=175)
    settings, course = ScorerSettings("scalar", str(model)), Course()
    with AskedReward(settings, tmp_path / "ledger.sqlite", course, [LONG]) as ask:
        known = [ask([LONG.with_posts(posts)] * 2, ["one", "three"]) for posts in range(3)]
        assert course.shortened == 0
        scores = ask([LONG.text, LONG.text], ["one", "three"])
        assert scores == pytest.approx(known[2])
        assert course.shortened == 2
        with pytest.raises(PrbgenError, match=r"no score for an answer \(too long\), so no reward"):
            ask(["b" * 999], ["one"])
        # A policy that is computed in bfloat16 changes nothing for the reward model.
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert ask([LONG.text] * 2, ["one", "three"]) == pytest.approx(scores)
        # Ctrl-C ends training after the step under way, for which this is needed.
        course.stop.set()
        assert ask([LONG.text], ["one"]) == pytest.approx(scores[:1])
    assert not (tmp_path / "ledger.sqlite").exists()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"scorer": ScorerSettings("judge", "m")}, "judge:m: compares two answers"),
        ({"batch": 10, "micro_batch": 4}, "--batch 10 is no multiple of --micro-batch 4"),
        ({"mini_batches": 3}, "--mini-batches 3 times --micro-batch 8"),
        ({"algorithm": "grpo", "generations": 3}, "no multiple of --generations 3"),
        ({"algorithm": "grpo", "generations": 1}, "GRPO compares answers"),
        ({"algorithm": "grpo", "mini_batches": 2}, "--mini-batches says nothing to grpo"),
        ({"algorithm": "grpo", "ppo_epochs": 2}, "--ppo-epochs says nothing to grpo"),
        ({"algorithm": "grpo", "critic_lr": 1e-3}, "--critic-lr says nothing to grpo"),
        ({"algorithm": "grpo", "value_model": "m"}, "--value-model says nothing to grpo"),
        ({"generations": 4}, "--generations says nothing to ppo: it goes with --algorithm grpo"),
        ({"steps": 5, "epochs": 2}, "both say how long to train"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(wrong: dict[str, Any], told: str) -> None:
    given: dict[str, Any] = {"scorer": ScorerSettings("scalar", "m")} | wrong
    with pytest.raises(InputError, match=told):
        TrainSettings(Path("prepared"), "policy", out=Path("out"), **given)
