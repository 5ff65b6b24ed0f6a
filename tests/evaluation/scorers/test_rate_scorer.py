"""An LLM that gives marks: what counts as one, several samples, and marks weighted by token probabilities."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.errors import InputError
from prbgen.evaluation.scorers.rate import NO_PROBABILITIES, expected
from prbgen.evaluation.scorers.scorer import Found, UnscoredError
from tests.evaluation.scorers.asking_desk import Desk, asked, calls, replying, scripted
from tests.provider import serving

CHOSEN, REJECTED = "The answer:\nchosen", "The answer:\nrejected"
MALFORMED = "the reply is not the JSON that was asked for"


def marks(chosen: object, rejected: object = 5) -> tuple[dict[str, Any], dict[str, Any]]:
    return {"match": CHOSEN, "reply": {"score": chosen}}, {"match": REJECTED, "reply": {"score": rejected}}


def test_each_answer_is_rated_by_itself(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "rate", scripted(tmp_path, *marks(8, 3.5)))
    assert desk.run([asked(0, most=2)]) == [Found(0, 2, scores=(8.0, 3.5))]
    texts = [call["text"] for call in calls(tmp_path)]
    assert [("chosen 0" in text, "rejected 0" in text) for text in sorted(texts)] == [(True, False), (False, True)]
    assert all("from 0 to 10" in text and "post 1" in text for text in texts)


def test_it_is_asked_at_temperature_0_for_a_number(tmp_path: Path) -> None:
    with serving(replying(lambda text: '{"score": 10}')) as provider:
        desk = Desk(tmp_path, "rate", "openai/mine", {"api_base": provider.url})
        assert desk.run([asked(0)]) == [Found(0, 0, scores=(10.0, 10.0))]
    for body in provider.bodies:
        assert (body["temperature"], body["max_tokens"]) == (0, 4096)
        assert body["response_format"]["json_schema"]["schema"]["properties"]["score"]["type"] == "number"
        assert "logprobs" not in body


@given(st.floats(0, 10) | st.integers(0, 10))
def test_any_number_from_0_to_10_is_a_mark(tmp_path_factory: pytest.TempPathFactory, mark: float) -> None:
    folder = tmp_path_factory.mktemp("mark")
    (found,) = Desk(folder, "rate", scripted(folder, *marks(mark))).run([asked(0)])
    assert found.scores == (mark, 5.0)
    assert isinstance(found.scores[0], float)


@pytest.mark.parametrize(
    "said",
    [
        '{"score": 11}', '{"score": -0.5}', '{"score": true}', '{"score": "7"}', '{"score": null}', '{"score": NaN}',
        '{"score": 1e999}', '{"score": 7, "why": ""}', "7", "7/10", "[2,2,2]", 'I say {"score": 7}', '{"score": 07}',
        '```json\n{"score": 7}\n```', '<think>{"score": 7}',
    ],
)  # fmt: skip
def test_what_is_no_mark_leaves_the_pair_unscored(tmp_path: Path, said: str) -> None:
    desk = Desk(tmp_path, "rate", scripted(tmp_path, {"match": REJECTED, "reply": said}, *marks(7)))
    (found,) = desk.run([asked(0)])
    assert (found.scores, found.faulty) == ((), True)
    assert str(found.reason).startswith(MALFORMED)
    assert desk.sent == 2
    assert desk.run([asked(0)]) == [found]
    assert desk.sent == 0


def test_an_answer_that_is_too_long_drops_posts_for_both(tmp_path: Path) -> None:
    too_long = {"match": f"post 2[^$]*{REJECTED}", "fault": {"kind": "too_long"}}
    desk = Desk(tmp_path, "rate", scripted(tmp_path, too_long, *marks(7)))
    assert desk.run([asked(0, most=5)]) == [Found(0, 2, scores=(7.0, 5.0))]


class TestSamples:
    @staticmethod
    def desk(folder: Path, samples: int, *said: str) -> Desk:
        """The model says one of `said` after the other of chosen, and 5 of rejected."""
        rules = [{"match": CHOSEN, "reply": reply, "times": 1} for reply in said]
        return Desk(folder, "rate", scripted(folder, *rules, *marks(0)), {"samples": samples})

    def test_the_score_is_their_mean(self, tmp_path: Path) -> None:
        desk = self.desk(tmp_path, 3, '{"score": 4}', '{"score": 6}', '{"score": 6.5}')
        assert desk.run([asked(0)]) == [Found(0, 0, scores=(5.5, 5.0))]
        assert sorted(call["sample"] for call in calls(tmp_path)) == [0, 0, 1, 1, 2, 2]
        desk.run([asked(0)])
        assert (desk.sent, desk.recorded) == (0, 6)

    def test_they_are_drawn_at_temperature_1_with_seeds_of_their_own(self, tmp_path: Path) -> None:
        with serving(replying(lambda text: '{"score": 1}')) as provider:
            Desk(tmp_path, "rate", "openai/mine", {"api_base": provider.url, "samples": 2}).run([asked(0)])
        assert sorted((body["temperature"], body["seed"]) for body in provider.bodies) == [
            (1, 0),
            (1, 0),
            (1, 1),
            (1, 1),
        ]

    def test_half_of_them_are_enough(self, tmp_path: Path) -> None:
        (found,) = self.desk(tmp_path, 4, "?", '{"score": 4}', '{"score": 11}', '{"score": 8}').run([asked(0)])
        assert (found.scores[0], found.reason) == (6.0, None)

    def test_fewer_are_not(self, tmp_path: Path) -> None:
        (found,) = self.desk(tmp_path, 3, "?", '{"score": 4}', "!").run([asked(0)])
        assert (found.scores, found.faulty) == ((), True)
        assert str(found.reason).startswith(f"2 of 3 replies cannot be used, the first: {MALFORMED}: '")

    def test_a_call_that_failed_is_waited_for_and_not_left_out(self, tmp_path: Path) -> None:
        broken = True
        with serving(replying(lambda text: 400 if broken and "rejected" in text else '{"score": 7}')) as provider:
            desk = Desk(tmp_path, "rate", "openai/mine", {"api_base": provider.url, "samples": 3})
            (found,) = desk.run([asked(0)])
            assert str(found.reason).startswith("the call failed: ")
            broken = False
            assert desk.run([asked(0)]) == [Found(0, 0, scores=(7.0, 7.0))]
        assert (desk.sent, desk.recorded) == (3, 3)


def choice(score: int, likely: dict[str, float] | None) -> dict[str, Any]:
    """A reply as a server sends it, with the probabilities of what might have stood in the place of the mark."""
    said: dict[str, Any] = {"message": {"role": "assistant", "content": json.dumps({"score": score})}}
    if likely is not None:
        other = [{"token": text, "logprob": math.log(share), "bytes": None} for text, share in likely.items()]
        plain = {"token": '{"score":', "logprob": 0.0, "bytes": None, "top_logprobs": []}
        mark = {"token": f" {score}", "logprob": math.log(likely.get(f" {score}", 0.5)), "bytes": None}
        said["logprobs"] = {"content": [plain, mark | {"top_logprobs": other}, plain | {"token": "}"}], "refusal": None}
    return said


class TestTokenProbabilities:
    @staticmethod
    def desk(folder: Path, url: str) -> Desk:
        return Desk(folder, "rate", "openai/mine", {"api_base": url, "token_probabilities": True})

    def test_the_score_is_the_mark_that_is_to_be_expected(self, tmp_path: Path) -> None:
        likely = {" 6": 0.5, " 3": 0.25, "9": 0.15, " 9": 0.05, " ten": 0.04, " 10": 0.01}
        with serving(replying(lambda text: choice(6, likely if "chosen" in text else {" 6": 1.0}))) as provider:
            desk = self.desk(tmp_path, provider.url)
            (found,) = desk.run([asked(0)])
            assert found.scores[0] == pytest.approx((0.5 * 6 + 0.25 * 3 + 0.2 * 9) / 0.95 * 10 / 9)
            assert found.scores[1] == pytest.approx(6 * 10 / 9)
            # The ledger has all that the number rests on.
            assert desk.run([asked(0)]) == [found]
            assert (desk.sent, desk.recorded) == (0, 2)
        for body in provider.bodies:
            assert (body["temperature"], body["logprobs"], body["top_logprobs"]) == (0, True, 20)
            assert "from 0 to 9" in body["messages"][-1]["content"]

    @pytest.mark.parametrize("reply", [choice(6, None), choice(6, {}), choice(6, {" 5": 1.0}) | {"logprobs": None}])
    def test_without_them_the_pair_is_unscored(self, tmp_path: Path, reply: dict[str, Any]) -> None:
        if (logprobs := reply.get("logprobs")) is not None:
            del logprobs["content"][1]
        with serving(replying(lambda text: reply)) as provider:
            (found,) = self.desk(tmp_path, provider.url).run([asked(0)])
        assert found == Found(0, 0, reason=NO_PROBABILITIES, faulty=True)

    @pytest.mark.parametrize("mark", [10, True, 7.5, -1])
    def test_a_mark_that_is_no_digit_is_none(self, tmp_path: Path, mark: Any) -> None:
        with serving(replying(lambda text: choice(mark, {f" {mark}": 1.0}))) as provider:
            (found,) = self.desk(tmp_path, provider.url).run([asked(0)])
        assert str(found.reason).startswith(MALFORMED)

    def test_samples_beside_them_are_refused(self, tmp_path: Path) -> None:
        settings = {"samples": 2, "token_probabilities": True}
        with pytest.raises(InputError, match="either several samples or token probabilities"):
            Desk(tmp_path, "rate", "openai/mine", settings).run([])

    @given(st.dictionaries(st.integers(0, 9), st.floats(-30, 0), min_size=1))
    def test_it_lies_among_the_digits_and_their_order_does_not_matter(self, weights: dict[int, float]) -> None:
        digits = [(str(digit), weight) for digit, weight in weights.items()]
        value = expected(next(iter(weights)), tuple(digits))
        assert min(weights) - 1e-9 <= value <= max(weights) + 1e-9
        assert expected(int(digits[-1][0]), tuple(reversed(digits))) == pytest.approx(value)

    @pytest.mark.parametrize("likely", [(), (("12", -0.1),), (("3", -0.1), ("4", -9.0)), (("4", -9999.0),)])
    def test_probabilities_of_something_else_are_none(self, likely: tuple[tuple[str, float], ...]) -> None:
        with pytest.raises(UnscoredError, match=NO_PROBABILITIES):
            expected(4, likely)


def test_a_real_model_gives_marks_weighted_by_what_it_might_have_said(tmp_path: Path) -> None:
    pairs = [asked(number, most=1) for number in range(2)]
    desk = Desk(tmp_path, "rate", "local/smollm2-135m", {"token_probabilities": True})
    found = desk.run(pairs)
    for each in found:
        assert len(each.scores) == (2 if each.reason is None else 0)
    scores = [each.scores[0] for each in found if each.scores]
    assert scores
    assert all(0 < score < 10 and score * 9 / 10 != round(score * 9 / 10) for score in scores)
    assert desk.run(pairs) == found
    assert desk.sent == 0
