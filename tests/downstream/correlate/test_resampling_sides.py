"""Intervals by resampling users of both sides."""

from __future__ import annotations

import numpy as np
import pytest

from prbgen.downstream.correlate.coefficients import Floats
from prbgen.downstream.correlate.comparing import replicated
from prbgen.downstream.correlate.resampling import Resampling, intervals
from prbgen.downstream.correlate.side import People, Side, by_user, means
from prbgen.evaluation.metrics.bootstrap import Bootstrap
from prbgen.percentiles import interval95
from tests.downstream.correlate.side_samples import items, scores


def test_a_models_interval_is_the_one_that_its_evaluation_has() -> None:
    generator = np.random.default_rng(0)
    hits, users = generator.integers(0, 2, 300), generator.integers(0, 90, 300)
    values = [(f"u{user:03}", float(hit)) for user, hit in zip(users, hits, strict=True)]
    side = Side.of_items("here", "evaluation", "accuracy", {"m": by_user(values)})
    found = Resampling().scores([side])
    assert found is not None
    expected = Bootstrap().share(hits, np.ones(300, dtype=np.int64), users)
    assert side.scores[0] == pytest.approx(expected.value)
    assert intervals(found[0])[0] == pytest.approx(expected.ci95)


def test_who_is_on_both_sides_moves_both() -> None:
    # With a user's ease only, resampled means of both sides are the same up to a constant.
    one, other = items("a", [0.1, 0.5], seed=1), items("b", [0.7, 0.9], seed=1)
    found = Resampling(resamples=300).scores([one, other])
    assert found is not None
    assert np.ptp(found[1][:, 0] - found[0][:, 0]) == pytest.approx(0.0, abs=1e-9)
    assert np.ptp(found[0][:, 0]) > 0.05


def test_sides_that_share_no_user_move_apart() -> None:
    one = items("a", [0.1, 0.5], users=50)
    by_model = {model: by_user((f"v{n}", float(n % 7)) for n in range(50)) for model in one.models}
    found = Resampling(resamples=1000).scores([one, Side.of_items("b", "best_of_n", "quality", by_model)])
    assert found is not None
    assert abs(np.corrcoef(found[0][:, 0], found[1][:, 0])[0, 1]) < 0.1


def test_a_side_without_items_keeps_its_scores() -> None:
    found = Resampling(resamples=50).scores([scores("a", [1.0, 2.0]), items("b", [0.1, 0.5])])
    assert found is not None
    assert (found[0] == [1.0, 2.0]).all()
    assert np.ptp(found[1][:, 0]) > 0


def test_without_items_or_with_one_user_there_is_nothing_to_resample() -> None:
    assert Resampling().scores([scores("a", [1, 2]), scores("b", [2, 1])]) is None
    assert Resampling().scores([items("a", [0.1, 0.2], users=1), scores("b", [2, 1])]) is None


def test_a_model_of_which_nothing_is_drawn_has_no_score_there() -> None:
    by_model = {
        "m00": by_user((f"u{n}", 1.0 + n) for n in range(10)),
        "m01": by_user([("u0", 1.0)]),
    }
    found = Resampling(resamples=400).scores([Side.of_items("a", "best_of_n", "quality", by_model)])
    assert found is not None
    lacking = np.isnan(found[0][:, 1]).mean()
    assert lacking == pytest.approx(0.9**10, abs=0.08)
    # In so many resamples that there is no interval.
    assert intervals(found[0])[1] is None
    assert intervals(found[0])[0] is not None


def test_how_many_fit_into_memory_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = [items("a", [0.1, 0.5], users=61), items("b", [0.2, 0.9], users=61, seed=2)]
    whole = Resampling(resamples=101).scores(sides)
    monkeypatch.setattr("prbgen.downstream.correlate.resampling._AT_ONCE", 2 * 61)
    parts = Resampling(resamples=101).scores(sides)
    assert whole is not None
    assert parts is not None
    assert [each.shape for each in parts] == [(101, 2), (101, 2)]
    assert all(np.array_equal(one, other) for one, other in zip(whole, parts, strict=True))


def test_intervals_of_correlations_hold_the_truth_about_as_often_as_they_say() -> None:
    """Of Pearson, whose truth is known: models' true scores are fixed, users are drawn anew each time."""
    truth = np.array([[0.2, 0.35, 0.5, 0.65, 0.8], [0.3, 0.2, 0.6, 0.5, 0.9]])
    expected = np.corrcoef(truth)[0, 1]
    generator, held, times, users = np.random.default_rng(4), 0, 80, 150
    for _ in range(times):
        ease = generator.normal(0, 0.3, (users, 1))
        sides = []
        for row in truth:
            values = row + ease + generator.normal(0, 0.3, (users, 5))
            by_model = {f"m{at}": by_user((f"u{n}", v) for n, v in enumerate(values[:, at])) for at in range(5)}
            sides.append(Side.of_items("side", "best_of_n", "quality", by_model))
        found = Resampling(resamples=400).scores(sides)
        assert found is not None
        ends = interval95(replicated(*found)["pearson"])
        assert ends is not None
        held += ends[0] <= expected <= ends[1]
    assert held / times >= 0.86


def test_means_of_nothing_are_not_a_number() -> None:
    assert means(np.array([1.0, 0.0]), np.array([2, 0])).tolist() == pytest.approx([0.5, np.nan], nan_ok=True)


def test_the_same_key_in_other_data_is_somebody_else() -> None:
    by_model = {"m00": by_user((f"u{n}", float(n % 7)) for n in range(50))}

    def replicates(*people: People) -> tuple[Floats, Floats]:
        sides = [Side.of_items("s", "evaluation", "accuracy", by_model, people=each) for each in people]
        found = Resampling(resamples=1000).scores(sides)
        assert found is not None
        return found[0][:, 0], found[1][:, 0]

    one, other = replicates(("pairs", "test"), ("pairs", "test"))
    assert np.array_equal(one, other)
    for people in (("pairs", "train"), ("others", "test"), ("pairs", None)):
        assert abs(np.corrcoef(*replicates(("pairs", "test"), people))[0, 1]) < 0.1
