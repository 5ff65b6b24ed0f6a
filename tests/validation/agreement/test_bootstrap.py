from __future__ import annotations

import numpy as np
import pytest

from prbgen.percentiles import interval95
from prbgen.validation.agreement.bootstrap import not_resampled, resampled
from prbgen.validation.agreement.coincidences import Coincidences
from prbgen.validation.agreement.units import Answers
from tests.validation.agreement.rated import example, table


def drawn(seed: int, *, resamples: int = 200) -> np.ndarray:
    answers = example(ordinal=True)
    return resampled(answers, Coincidences(answers), resamples, seed).alpha


def test_the_same_seed_draws_the_same() -> None:
    assert drawn(1).tobytes() == drawn(1).tobytes()
    assert drawn(1).tobytes() != drawn(2).tobytes()


def test_every_resample_is_drawn_however_many_fit_in_memory_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prbgen.validation.agreement.bootstrap._AT_ONCE", 1)
    assert drawn(1, resamples=101).shape == (101,)


def noisy(users: int, noise: list[float], seed: int, *, of_user: int = 1) -> Answers:
    """Raters who each see the truth (yes or no) but for their own noise; users have `of_user` like units."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(rng.integers(0, 2, users), of_user)
    said = [
        [int(value ^ flip) for value, flip in zip(truth, rng.random(len(truth)) < each, strict=True)] for each in noise
    ]
    return table(said, 2, ordinal=False, users=[number // of_user for number in range(len(truth))])


def width(answers: Answers) -> float:
    found = interval95(resampled(answers, Coincidences(answers), 400, 0).raw)
    assert found is not None
    return found[1] - found[0]


def test_more_users_narrow_the_interval_and_raters_who_differ_widen_it() -> None:
    alike = [0.1] * 6
    assert width(noisy(1000, alike, 1)) < width(noisy(60, alike, 1))
    assert width(noisy(1000, [0.0, 0.0, 0.1, 0.2, 0.3, 0.4], 1)) > 3 * width(noisy(1000, alike, 1))


def test_units_of_one_user_are_drawn_together() -> None:
    answers = noisy(40, [0.2] * 4, 3)
    copies = 5
    said = [[int(v) for v in answers.value[answers.rater == rater] for _ in range(copies)] for rater in range(4)]
    together = table(said, 2, ordinal=False, users=[number // copies for number in range(40 * copies)])
    apart = table(said, 2, ordinal=False)
    assert width(together) == pytest.approx(width(answers), rel=1e-9)
    assert width(apart) < width(together)


def test_the_interval_holds_what_other_users_and_raters_would_say() -> None:
    """Raters draw their noise from a range: the interval of a study holds the agreement of all there could be."""
    levels = np.linspace(0.02, 0.3, 200)
    expected = 1 - 2 * levels.mean() * (1 - levels.mean())  # of two at random
    held = 0
    for study in range(40):
        rng = np.random.default_rng(study)
        answers = noisy(150, list(rng.choice(levels, 12)), study)
        found = interval95(resampled(answers, Coincidences(answers), 200, study).raw)
        assert found is not None
        held += found[0] <= expected <= found[1]
    assert held >= 34


def test_a_sample_has_two_raters_at_least() -> None:
    answers = table([[0, 1, 1], [0, 1, 0], [1, 1, 0]], 2, ordinal=False)
    assert not np.isnan(resampled(answers, Coincidences(answers), 500, 0).raw).any()


def test_two_raters_or_one_user_are_too_few() -> None:
    said: list[list[int | None]] = [[0, 1], [0, 1], [1, 1]]
    assert not_resampled(table(said, 2, ordinal=False)) is None
    assert not_resampled(table(said[:2], 2, ordinal=False)) == "no interval: 2 raters are too few to resample"
    assert not_resampled(table(said, 2, ordinal=False, users=[0, 0])) == "no interval: all is of one user"
