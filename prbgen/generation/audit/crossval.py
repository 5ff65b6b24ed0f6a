"""Does a linear model that learns from other users' pairs tell chosen from rejected?"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prbgen.generation.audit.folds import FOLDS, folds, numbered

Outcomes = NDArray[np.float64]


def outcomes(differences: Any, groups: Sequence[str], *, seed: int, repeats: int) -> Outcomes:
    """How each of n pairs came out when it was held out: 1 told, 0 mistaken, .5 no preference; means over `repeats`.

    `differences` is n x k, chosen minus rejected, dense or sparse (CSR). The model is a logistic regression without
    intercept, so it cannot learn which side stands first. Pairs of a group are never on both sides of a fold.
    """
    from threadpoolctl import threadpool_limits

    rng, users = np.random.default_rng(seed), numbered(groups)
    told = np.zeros(differences.shape[0])
    with threadpool_limits(1), warnings.catch_warnings():  # one thread adds up in one order
        warnings.simplefilter("ignore")  # a fit that stops early is still a fair predictor: it is tested, not trusted
        for _ in range(repeats):
            fold = folds(users, rng)
            for held_out in range(FOLDS):
                test = fold == held_out
                told[test] += _told(differences[~test], differences[test])
    return told / repeats


def _told(train: Any, test: Any) -> Outcomes:
    """The outcomes of the pairs of `test` under a model of those of `train`."""
    from sklearn.linear_model import LogisticRegression

    sparse = not isinstance(train, np.ndarray)
    if not sparse:
        # No centring: it would move the point where neither side is preferred.
        scale = np.sqrt(np.mean(train**2, axis=0))
        scale[scale == 0] = 1
        train, test = train / scale, test / scale
    # Every second pair is turned round: without intercept the fit is the same whichever pairs are, but sklearn wants
    # to see two classes.
    turned = np.where(np.arange(train.shape[0]) % 2, -1.0, 1.0)
    rows = train.multiply(turned[:, None]).tocsr() if sparse else train * turned[:, None]
    model = LogisticRegression(
        fit_intercept=False, C=1.0, solver="lbfgs" if sparse else "newton-cholesky", max_iter=200
    ).fit(rows, turned)
    return np.asarray((1 + np.sign(test @ model.coef_[0])) / 2, dtype=np.float64)
