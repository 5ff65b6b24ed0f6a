"""Scores are those of one answer alone, whatever batch, order, padding or prefix they are computed with."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from prbgen.evaluation.scorers.scalar import loading
from prbgen.evaluation.scorers.scalar.classifier import Candidates, Classifier
from tests.data_cards.tiny import TEMPLATE
from tests.evaluation.scorers.scalar.tiny_classifiers import (
    DECODERS,
    ENCODERS,
    ENDS_WITH_EOS,
    Pad,
    alone,
    load,
    save,
    settings,
)

LONG = "I walked along the river and thought of the book that you once gave me. " * 4
GROUPS = [
    Candidates(
        0, LONG + "Which one first?", ["The short one.", "The long one, as it is the better one of the two. " * 2]
    ),
    Candidates(1, "Which?", ["This.", "That one there, I should say, and no other.", "Neither.", "This."]),
    Candidates(2, LONG * 2, ["", "Yes. " * 9, "No, " * 4, "Perhaps", "Perhaps not"]),
    Candidates(3, "And then?", ["Nothing " * 30]),
]


def scores_of(classifier: Classifier, groups: list[Candidates]) -> dict[tuple[int, str], float]:
    found: dict[tuple[int, str], float] = {}
    for each in classifier.score(groups):
        assert each.reason is None
        group = next(group for group in groups if group.place == each.place)
        found |= {(each.place, answer): score for answer, score in zip(group.answers, each.scores, strict=True)}
    return found


def check(folder: Path) -> None:
    """Against one answer alone: batches of one, a few and all; with and without a shared prefix; in another order."""
    expected = {
        (group.place, answer): alone(folder, group.message, answer) for group in GROUPS for answer in group.answers
    }
    assert max(expected.values()) - min(expected.values()) > 0.1
    mixed = random.Random(0).sample(GROUPS, len(GROUPS))
    loaded = loading.load(settings(folder))
    for groups, tokens in ((GROUPS, 1), (GROUPS, 1000), (mixed, 300), (mixed, 100_000)):
        plain, shared = (
            Classifier(loaded, settings(folder, batch_tokens=tokens, share_prefix=share)) for share in (False, True)
        )
        assert scores_of(plain, groups) == pytest.approx(expected, abs=1e-4)
        assert scores_of(shared, groups) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("kind", [*DECODERS, *ENCODERS])
def test_scores_do_not_depend_on_batch_order_or_padding(tmp_path: Path, kind: str, side: str) -> None:
    check(save(tmp_path / kind, kind, side=side))


@pytest.mark.parametrize("kind", ["llama", "qwen2", "gemma2"])
@pytest.mark.parametrize("pad", ["eos", "none"])
def test_a_pad_token_that_is_the_last_one_or_none_changes_nothing(tmp_path: Path, kind: str, pad: Pad) -> None:
    check(save(tmp_path / kind, kind, pad=pad, template=ENDS_WITH_EOS))


@pytest.mark.parametrize(("kind", "template"), [("llama", None), ("gpt2", TEMPLATE), ("bert", None)])
def test_two_logits_make_one_score_with_and_without_a_chat_template(
    tmp_path: Path, kind: str, template: str | None
) -> None:
    check(save(tmp_path / kind, kind, labels=2, template=template))


@pytest.mark.parametrize("kind", DECODERS)
def test_decoders_share_a_prefix_and_encoders_say_that_they_cannot(tmp_path: Path, kind: str) -> None:
    shares = load(save(tmp_path / kind, kind))
    plain = load(tmp_path / kind, share_prefix=False)
    assert shares.remark is None
    assert plain.remark is None
    assert shares.fingerprint != plain.fingerprint


def test_an_encoder_says_that_it_cannot_share(tmp_path: Path) -> None:
    remark = load(save(tmp_path / "bert", "bert")).remark
    assert remark
    assert "cannot share" in remark


def test_equal_answers_have_equal_scores(tmp_path: Path) -> None:
    folder = save(tmp_path / "llama", "llama")
    answers = ["The same.", "Not the same " * 5, "The same.", "Another", "The same."]
    for share in (True, False):
        (found,) = load(folder, share_prefix=share, batch_tokens=10_000).score([Candidates(7, LONG, answers)])
        assert found.scores[0] == found.scores[2] == found.scores[4]


def test_equal_answers_alone_are_scored(tmp_path: Path) -> None:
    folder = save(tmp_path / "llama", "llama")
    (found,) = load(folder).score([Candidates(7, LONG * 3, ["Same.", "Same."])])
    assert found.scores == pytest.approx([alone(folder, LONG * 3, "Same.")] * 2, abs=1e-4)


def test_texts_with_halves_of_characters_are_scored(tmp_path: Path) -> None:
    (found,) = load(save(tmp_path / "llama", "llama")).score([Candidates(0, "Which \ud800?", ["This \udfff."])])
    assert found.reason is None


def test_what_is_too_long_is_said_and_not_cut(tmp_path: Path) -> None:
    classifier = load(save(tmp_path / "llama", "llama"), max_tokens=60)
    assert classifier.limit == 60
    groups = [Candidates(0, "Which?", ["This.", LONG]), Candidates(1, "Why?", ["So."]), Candidates(2, "Who?", [])]
    found = {each.place: each for each in classifier.score(groups)}
    assert (found[0].scores, found[0].reason) == ((), "too long")
    assert found[1].reason is None
    assert (found[2].scores, found[2].reason) == ((), None)


def test_a_template_that_fails_on_one_text_leaves_that_alone_unscored(tmp_path: Path) -> None:
    raising = "{% if 'boom' in messages[0]['content'] %}{{ raise_exception('no booms') }}{% endif %}" + TEMPLATE
    classifier = load(save(tmp_path / "llama", "llama", template=raising))
    groups = [Candidates(0, "Why?", ["so", "thus"]), Candidates(1, "boom", ["so", "thus"])]
    fine, failed = sorted(classifier.score(groups), key=lambda each: each.place)
    assert (len(fine.scores), fine.reason) == (2, None)
    assert failed.scores == ()
    assert failed.reason == "the chat template cannot take it: no booms"
