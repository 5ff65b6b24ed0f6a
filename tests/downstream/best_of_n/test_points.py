"""Points against loops that anybody can follow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prbgen.downstream.best_of_n.best_of_k import any_of_k, best_of_k, judges_best_of_k
from prbgen.downstream.best_of_n.points import ByUser
from prbgen.downstream.facts import Point

KS = (1, 2, 4)


def points(
    scores: list[list[float]], qualities: list[list[float]], users: list[int], resamples: int = 200
) -> tuple[Point, ...]:
    by_user = ByUser(max(users) + 1, KS)
    of = np.array(scores, dtype=float), np.array(qualities, dtype=float)
    by_user.add(np.array(users), *(choose(*of, KS) for choose in (best_of_k, any_of_k, judges_best_of_k)))
    return by_user.points(seed=3, resamples=resamples)


@pytest.fixture(scope="module")
def drawn() -> tuple[list[list[float]], list[list[float]], list[int]]:
    chance = np.random.default_rng(5)
    qualities = chance.integers(0, 5, (40, 4)) / 4
    scores = qualities + chance.normal(0, 0.7, (40, 4))
    scores[::7, 1] = np.nan
    return scores.tolist(), qualities.tolist(), (np.arange(40) % 9).tolist()


def test_figures_are_means_over_the_questions_with_k_answers_to_use(
    drawn: tuple[list[list[float]], list[list[float]], list[int]],
) -> None:
    scores, qualities, _ = drawn
    for place, point in enumerate(points(*drawn)):
        chosen, random, oracle = (
            choose(np.array(scores), np.array(qualities), KS)[place]
            for choose in (best_of_k, any_of_k, judges_best_of_k)
        )
        known = ~np.isnan(chosen)
        assert point.k == KS[place]
        assert point.questions == point.quality.n == point.recovered.n == known.sum() == (40 if point.k < 4 else 34)
        for share, values in ((point.quality, chosen), (point.random, random), (point.oracle, oracle)):
            assert share.value == pytest.approx(values[known].mean(), abs=1e-12)
        if point.k > 1:
            ratio = (chosen[known].mean() - random[known].mean()) / (oracle[known].mean() - random[known].mean())
            assert point.recovered.value == pytest.approx(ratio, abs=1e-9)


def test_intervals_are_those_of_users_drawn_again_and_of_ratios_of_means_drawn_together(
    drawn: tuple[list[list[float]], list[list[float]], list[int]],
) -> None:
    scores, qualities, users = (np.array(each) for each in drawn)
    quality, random, oracle = (choose(scores, qualities, KS)[1] for choose in (best_of_k, any_of_k, judges_best_of_k))
    generator, means, ratios = np.random.default_rng(3), [], []
    for _ in range(200):
        rows = np.concatenate([np.flatnonzero(users == user) for user in generator.integers(9, size=9)])
        means.append(quality[rows].mean())
        ratios.append((means[-1] - random[rows].mean()) / (oracle[rows].mean() - random[rows].mean()))
    found = points(*drawn)[1]
    assert found.quality.ci95 == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=1e-9)
    assert found.recovered.ci95 == pytest.approx(np.quantile(ratios, [0.025, 0.975]), abs=1e-9)


def test_where_there_is_no_headroom_the_recovered_share_is_null_and_not_zero() -> None:
    one, *more = points([[3, 1, 2, 0]] * 3, [[1 / 3] * 4] * 3, [0, 1, 2])
    for point in (one, *more):
        assert point.quality.value == pytest.approx(1 / 3)
        assert point.recovered.value is None
        assert point.recovered.ci95 is None
    # Of one answer there is nothing to choose, whatever the qualities.
    assert points([[3, 1, 2, 0]] * 3, [[0.1, 0.7, 0.3, 1]] * 3, [0, 1, 2])[0].recovered.value is None


def test_a_share_that_many_resamples_leave_undefined_has_no_interval() -> None:
    # Of ten users one has headroom: a third of the resamples are without it.
    qualities = [[0.5] * 4] * 9 + [[0.0, 0.0, 0.0, 1.0]]
    found = points([[0, 1, 2, 3]] * 10, qualities, list(range(10)))[-1]
    assert found.recovered.value == pytest.approx(1.0)
    assert found.recovered.ci95 is None
    assert found.quality.ci95 is not None


def test_the_answers_of_one_user_tell_nothing_of_others() -> None:
    found = points([[0, 1, 2, 3]] * 5, [[0.0, 0.5, 0.25, 1.0]] * 5, [2] * 5)[-1]
    assert found.quality.value == 1.0
    assert found.quality.ci95 is found.oracle.ci95 is found.recovered.ci95 is None


def test_a_k_that_no_question_reaches_is_unknown() -> None:
    nan = float("nan")
    found = points([[0, 1, nan, nan]] * 3, [[0.0, 0.5, 1, 1]] * 3, [0, 1, 2])[-1]
    assert (found.questions, found.quality.value, found.recovered.value, found.quality.ci95) == (0, None, None, None)


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.lists(st.integers(0, 4), min_size=4, max_size=4)), min_size=1, max_size=12)
)
def test_who_scores_as_the_judge_does_recovers_all_of_it(questions: list[tuple[int, list[int]]]) -> None:
    qualities = [[each / 4 for each in row] for _, row in questions]
    for point in points(qualities, qualities, [user for user, _ in questions], resamples=50):
        assert point.quality == point.oracle
        assert point.recovered.value in (None, pytest.approx(1.0))
        if point.recovered.ci95:
            assert point.recovered.ci95 == pytest.approx((1.0, 1.0))


@given(st.lists(st.integers(0, 3), min_size=6, max_size=6), st.integers(1, 5))
def test_questions_that_come_some_at_a_time_are_the_same(users: list[int], cut: int) -> None:
    chance = np.random.default_rng(0)
    values = [chance.random((3, 6)) for _ in range(3)]
    whole, parts = ByUser(4, KS), ByUser(4, KS)
    whole.add(np.array(users), *values)
    parts.add(np.array(users[:cut]), *(each[:, :cut] for each in values))
    parts.add(np.array(users[cut:]), *(each[:, cut:] for each in values))
    assert whole.points(resamples=20) == parts.points(resamples=20)
