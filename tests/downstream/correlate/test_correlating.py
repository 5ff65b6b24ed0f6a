"""Comparisons as a whole: which models, which figures, and what is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from prbgen.downstream.correlate.correlate import correlate
from prbgen.downstream.correlate.files import document
from prbgen.downstream.correlate.records import Coefficient, Correlation
from prbgen.downstream.correlate.sentence import models_needed
from prbgen.downstream.correlate.side import Side, by_user
from prbgen.errors import InputError
from prbgen.registry import COEFFICIENTS
from tests.downstream.correlate.side_samples import items, scores


def only(benchmark: Side, downstream: Side, **options: Any) -> Correlation:
    (found,) = correlate([benchmark], [downstream], resamples=200, **options).comparisons
    return found


def of(found: Correlation) -> dict[str, Coefficient]:
    return {name: getattr(found, name) for name in COEFFICIENTS}


def test_every_metric_has_value_interval_p_and_chance() -> None:
    means = [0.1, 0.2, 0.3, 0.45, 0.6, 0.8]
    found = only(items("a", means, noise=0.1), items("d", means, seed=1, noise=0.1))
    for each in of(found).values():
        assert each.value is not None
        assert each.ci95 is not None
        assert each.ci95[0] <= each.ci95[1]
        assert each.p is not None
        assert each.chance is not None
        assert each.reason is None
    assert (found.n_models, found.p_method, found.permutations) == (6, "exact", 720)
    assert (found.resampled, found.benchmark.users, found.resamples, found.seed) == ("both", 60, 200, 0)
    assert found.conclusive
    assert found.sentence.startswith("Of 6 models those that do better on a tend to do better on d: Spearman 1.000")
    model = found.models[0]
    assert (model.model, model.benchmark.items) == ("m00", 60)
    assert model.benchmark.ci95 is not None
    assert model.benchmark.ci95[0] < model.benchmark.value < model.benchmark.ci95[1]


def test_six_models_as_in_the_paper_are_too_few_and_the_sentence_says_what_chance_does() -> None:
    # A Spearman of .257.
    found = only(scores("bench", [1, 2, 3, 4, 5, 6]), scores("use", [2, 5, 1, 6, 3, 4]))
    assert found.spearman.value == pytest.approx(0.257, abs=0.03)
    assert not found.conclusive
    assert found.sentence.startswith("6 models are too few to conclude whether bench predicts use: Spearman 0.2")
    assert "averages 0.804 with linear gain" in found.sentence
    assert "0.688 with exponential gain" in found.sentence
    assert "it would have to reach 0.829" in found.sentence
    assert "it takes about" in found.sentence


@pytest.mark.parametrize("constant", ["bench", "use"])
def test_constant_scores_are_null_and_not_zero(constant: str) -> None:
    sides = {name: scores(name, [0.5] * 5 if name == constant else [1, 2, 3, 4, 5]) for name in ("bench", "use")}
    found = only(sides["bench"], sides["use"])
    for each in of(found).values():
        assert (each.value, each.ci95, each.p, each.chance) == (None, None, None, None)
        assert each.reason == f"all models have the same score on {constant}"
    assert not found.conclusive
    assert found.needed is None
    assert found.sentence == f"Nothing can be concluded: all models have the same score on {constant}."


def test_two_and_three_models_have_no_best_three() -> None:
    for n in (2, 3):
        found = only(scores("a", list(range(n))), scores("d", list(range(n))))
        assert found.top3.value is None
        assert found.top3.reason == "fewer than 4 models"
        assert found.top1.value == 1
        assert "even a perfect order could be chance" in found.sentence


def test_without_items_intervals_are_null_and_it_says_why() -> None:
    found = only(scores("a", [1, 2, 3]), scores("d", [1, 3, 2]))
    assert found.resampled is None
    assert found.spearman.ci95 is None
    assert found.spearman.reason == "no interval: there are no items to resample"
    assert {each.benchmark.items for each in found.models} == {None}


@pytest.mark.parametrize("with_items", ["benchmark", "downstream"])
def test_items_on_one_side_are_resampled_alone(with_items: str) -> None:
    sides = {name: scores(name, [0.1, 0.2, 0.9]) for name in ("benchmark", "downstream")}
    sides[with_items] = items(with_items, [0.1, 0.2, 0.9])
    found = only(sides["benchmark"], sides["downstream"])
    assert found.resampled == with_items
    assert found.pearson.ci95 is not None
    known = {name: getattr(found.models[0], name).ci95 is not None for name in sides}
    assert known == {name: name == with_items for name in sides}


def test_an_interval_that_most_resamples_leave_undefined_is_null() -> None:
    # Nearly all resamples give both models the same score.
    by_model = {"m00": {f"u{n}": (float(n == 0), 1) for n in range(60)}, "m01": {f"u{n}": (0.0, 1) for n in range(60)}}
    found = only(Side.of_items("a", "evaluation", "accuracy", by_model), scores("d", [1, 2]))
    assert found.spearman.value == pytest.approx(-1)
    assert found.spearman.ci95 is None
    assert "undefined in too many resamples" in str(found.spearman.reason)


def test_models_on_one_side_only_are_named() -> None:
    full, part = scores("bench", [1, 2, 3, 4]), Side.of_scores("use", {"m00": 1, "m02": 2, "other": 3})
    with pytest.raises(InputError, match=r"^the models differ: only in bench: m01, m03; only in use: other; --common"):
        correlate([full], [part])
    found = only(full, part, common=True)
    assert found.n_models == 2
    assert found.benchmark.left_out == ("m01", "m03")
    assert found.downstream.left_out == ("other",)


def test_one_model_in_common_is_refused() -> None:
    with pytest.raises(InputError, match="only one model is on both sides"):
        correlate([scores("a", [1, 2])], [Side.of_scores("d", {"m00": 1, "x": 2})], common=True)
    with pytest.raises(InputError, match="only one model is on both sides"):
        correlate([scores("a", [1])], [scores("d", [1])])
    with pytest.raises(InputError, match="no model is on both sides"):
        correlate([scores("a", [1, 2])], [Side.of_scores("d", {"x": 1, "y": 2})], common=True)


def test_each_benchmark_is_compared_with_each_result_downstream() -> None:
    benchmarks = [scores("a", [1, 2, 3]), scores("b", [3, 1, 2])]
    downstreams = [scores("d", [1, 2, 3]), scores("e", [2, 3, 1])]
    found = correlate(benchmarks, downstreams)
    labels = [(each.benchmark.label, each.downstream.label) for each in found.comparisons]
    assert labels == [("a", "d"), ("b", "d"), ("a", "e"), ("b", "e")]
    assert {(each.first, each.second, each.downstream) for each in found.differences} == {
        ("a", "b", "d"),
        ("a", "b", "e"),
    }
    assert document(found).keys() == {"comparisons", "differences"}
    alone = document(correlate(benchmarks[:1], downstreams[:1]))
    assert alone.keys() > {"spearman", "rbo", "n_models", "conclusive", "sentence", "models", "p_method", "resampled"}
    assert alone["spearman"].keys() >= {"value", "ci95", "p", "chance"}


def test_what_was_found_does_not_depend_on_the_order_of_models() -> None:
    values = {f"m{n}": float(value) for n, value in enumerate(np.random.default_rng(1).permutation(11))}
    turned = dict(reversed(values.items()))
    other = scores("d", list(range(11)))
    renamed = Side.of_scores("d", {f"m{n}": float(score) for n, score in enumerate(other.scores)})
    assert correlate([Side.of_scores("a", values)], [renamed]) == correlate([Side.of_scores("a", turned)], [renamed])


@pytest.mark.parametrize(
    ("spearman", "n", "needed"),
    [(0.5, 6, 13), (0.257, 6, 45), (0.9, 6, None), (-0.3, 6, None), (0.0, 6, None), (1.0, 2, None), (0.05, 6, None)],
)
def test_how_many_models_it_takes_is_said_only_where_it_is_known(spearman: float, n: int, needed: int | None) -> None:
    assert models_needed(spearman, n) == needed


def test_a_benchmark_that_ranks_the_other_way_round_is_said_to() -> None:
    found = only(scores("bench", [1, 2, 3, 4, 5, 6]), scores("use", [6, 5, 4, 3, 2, 1]))
    assert (found.verdict, found.conclusive) == ("opposite", False)
    assert found.p_opposite == pytest.approx(1 / 720)
    assert found.sentence.startswith(
        "Of 6 models those that do better on bench tend to do worse on use: "
        "Spearman −1.000, one-sided p of one as low = 0.001."
    )


def test_an_order_that_other_users_might_undo_is_not_conclusive() -> None:
    # In perfect order, by next to nothing.
    means = [0.5, 0.501, 0.502, 0.503, 0.504]
    luck = np.random.default_rng(0).permuted(np.tile([1.0, -1.0], (5, 30)), axis=1)
    by_model = {f"m{at:02}": by_user((f"u{n}", mean + luck[at, n]) for n in range(60)) for at, mean in enumerate(means)}
    found = only(Side.of_items("a", "evaluation", "accuracy", by_model), scores("d", means))
    assert found.spearman.value == pytest.approx(1)
    assert found.spearman.p is not None
    assert found.spearman.p < 0.05
    assert found.spearman.ci95 is not None
    assert found.spearman.ci95[0] < 0
    assert (found.verdict, found.conclusive) == ("open", False)
    assert "but with other users there might be no correlation (95 % interval" in found.sentence


def test_models_with_fewer_items_are_pointed_out() -> None:
    even = items("a", [0.1, 0.4, 0.9], users=20)
    assert only(even, scores("d", [1, 2, 3])).notes == ()
    by_model = {
        f"m{at:02}": by_user((f"u{n}", n % 3 + at) for n in range(20 - (5 if at == 2 else 0))) for at in range(3)
    }
    found = only(Side.of_items("a", "evaluation", "accuracy", by_model), scores("d", [1, 2, 3]))
    assert found.benchmark.items == (15, 20)
    assert found.downstream.items is None
    (note,) = found.notes
    assert note.startswith("Models have 15 to 20 scored items on a: each is averaged over its own")


def test_one_user_is_no_lack_of_items() -> None:
    found = only(items("a", [0.1, 0.5, 0.9], users=1), scores("d", [1, 2, 3]))
    assert found.spearman.ci95 is None
    assert found.spearman.reason == "no interval: there is one user, and resampling takes several"
