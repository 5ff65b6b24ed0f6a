"""What does not fit is halved; what cannot be scored has a reason, and takes nothing else with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from prbgen.evaluation.scorers.scalar import loading
from prbgen.evaluation.scorers.scalar.classifier import Candidates, Classifier
from tests.evaluation.scorers.scalar.tiny_classifiers import alone, save, settings

LONG = "I walked along the river and thought of the book. " * 6
GROUPS = [Candidates(place, LONG, [f"Answer {place} " * 3, "Another one", "A third " * 2]) for place in range(3)]
CPU = "[enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"


@pytest.mark.parametrize("share", [True, False])
@pytest.mark.parametrize("error", [torch.cuda.OutOfMemoryError("CUDA out of memory"), RuntimeError(CPU)])
def test_a_batch_that_memory_lacks_for_is_halved(tmp_path: Path, share: bool, error: Exception) -> None:
    folder = save(tmp_path / "llama", "llama")
    loaded = loading.load(settings(folder))
    classifier = Classifier(loaded, settings(folder, share_prefix=share, batch_tokens=100_000))
    sizes: list[int] = []

    def two_at_most(_: Any, args: Any, inputs: Any) -> None:
        rows = len(inputs["input_ids"])
        sizes.append(rows)
        if rows > 2:
            raise error

    loaded.model.base_model.register_forward_pre_hook(two_at_most, with_kwargs=True)
    found = list(classifier.score(GROUPS))
    assert max(sizes) > 2
    for each in found:
        group = GROUPS[each.place]
        assert each.scores == pytest.approx([alone(folder, LONG, answer) for answer in group.answers], abs=1e-3)
    assert sorted(each.place for each in found) == [0, 1, 2]
    # It is not tried again and again.
    assert sum(size > 2 for size in sizes) <= 4


@pytest.mark.parametrize("share", [True, False])
def test_one_answer_that_does_not_fit_costs_its_own_group_alone(tmp_path: Path, share: bool) -> None:
    folder = save(tmp_path / "llama", "llama")
    loaded = loading.load(settings(folder))
    classifier = Classifier(loaded, settings(folder, share_prefix=share))

    def short_alone(_: Any, args: Any, inputs: Any) -> None:
        if inputs["input_ids"].shape[1] > 500:
            raise RuntimeError(CPU)

    loaded.model.base_model.register_forward_pre_hook(short_alone, with_kwargs=True)
    groups = [*GROUPS, Candidates(9, LONG, ["Short", "Long " * 300])]
    found = {each.place: each for each in classifier.score(groups)}
    assert found[9].scores == ()
    assert str(found[9].reason).startswith("out of memory at one answer of ")
    assert all(found[place].reason is None for place in range(3))


def test_a_prefix_that_memory_lacks_for_is_not_shared(tmp_path: Path) -> None:
    folder = save(tmp_path / "llama", "llama")
    loaded = loading.load(settings(folder))
    classifier = Classifier(loaded, settings(folder))

    def no_cache(_: Any, args: Any, inputs: Any) -> None:
        if inputs["use_cache"]:
            raise RuntimeError(CPU)

    loaded.model.base_model.register_forward_pre_hook(no_cache, with_kwargs=True)
    (found,) = classifier.score(GROUPS[:1])
    expected = [alone(folder, LONG, answer) for answer in GROUPS[0].answers]
    assert found.scores == pytest.approx(expected, abs=1e-4)


def test_a_score_that_is_no_number_and_a_model_that_fails_are_reasons(tmp_path: Path) -> None:
    folder = save(tmp_path / "llama", "llama")
    loaded = loading.load(settings(folder))
    classifier = Classifier(loaded, settings(folder))
    wrong = iter(["nan", "failure"])

    def failing(module: Any, inputs: Any, output: Any) -> Any:
        if next(failing.turns) == "nan":  # type: ignore[attr-defined]
            return output * float("nan")
        raise IndexError("index out of range in self")

    failing.turns = wrong  # type: ignore[attr-defined]
    loaded.model.score.register_forward_hook(failing)
    reasons = {each.reason for each in classifier.score([Candidates(0, "Which?", ["This."])])}
    reasons |= {each.reason for each in classifier.score([Candidates(1, "Which?", ["That."])])}
    assert reasons == {"a score is not finite", "the model failed: index out of range in self"}
