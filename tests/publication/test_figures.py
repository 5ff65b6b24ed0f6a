from __future__ import annotations

from collections.abc import Callable

import pytest

from prbgen.publication.figures import CheckCount, Part, Prompt, Spread, Tally
from prbgen.schema import Check, Pair, RubricAspect

Make = Callable[..., Pair]


def tally_of(*pairs: Pair, validated: bool = False) -> Tally:
    tally = Tally()
    for pair in pairs:
        tally.add(pair, f"{pair.provenance.split}_unvalidated", validated=validated)
    return tally


def test_figures_count_what_is_there(varied_pairs: list[Pair]) -> None:
    figures = tally_of(*varied_pairs).figures()
    assert (figures.pairs, figures.validated, figures.questions, figures.users) == (7, 0, 5, 5)
    assert figures.parts == (
        Part("Art_and_Entertainment", "test_unvalidated", 3),
        Part("Art_and_Entertainment", "train_unvalidated", 1),
        Part("Lifestyle_and_Personal_Development", "test_unvalidated", 2),
        Part("Society_and_Culture", "test_unvalidated", 1),
    )
    assert figures.strategies == {"avoid": 6, "counter": 1}
    assert figures.generators == {"openai/gpt-4o-mini": 6, "anthropic/claude-haiku-4-5": 1}
    assert figures.rubric_kinds == {"gold": 6, "inferred": 1}
    assert figures.rubric_models == {"openai/gpt-4o": 1}
    assert figures.prompts == (Prompt("answer", "5f1d", 7),)
    assert figures.toy_models == ()


def test_validated_pairs_are_counted_by_subset_and_split(make_pair: Make) -> None:
    tally = Tally()
    tally.add(make_pair(0), "test", validated=True)
    tally.add(make_pair(1), "test_unvalidated", validated=False)
    tally.left_out += 1
    figures = tally.figures()
    assert [(part.split, part.pairs, part.validated) for part in figures.parts] == [
        ("test", 1, 1),
        ("test_unvalidated", 1, 0),
    ]
    assert (figures.validated, figures.left_out, figures.pairs) == (1, 1, 2)


def test_the_same_parts_can_be_read_by_subset_and_by_split(varied_pairs: list[Pair]) -> None:
    figures = tally_of(*varied_pairs).figures()
    assert figures.subsets["Art_and_Entertainment"] == {"test_unvalidated": 3, "train_unvalidated": 1}
    assert list(figures.splits["test_unvalidated"].items()) == [
        ("Art_and_Entertainment", 3),
        ("Lifestyle_and_Personal_Development", 2),
        ("Society_and_Culture", 1),
    ]


def test_words_are_counted_at_white_space_and_by_side(make_pair: Make) -> None:
    pairs = [make_pair(n, chosen=" ".join(["word"] * n), rejected="one\u00a0two,three") for n in (1, 2, 9)]
    figures = tally_of(*pairs).figures()
    assert figures.words_chosen == Spread(mean=4.0, median=2, least=1, most=9)
    assert figures.words_rejected == Spread(mean=2.0, median=2, least=2, most=2)


def test_aspects_are_counted_once_a_question(make_pair: Make) -> None:
    def aspects(count: int) -> tuple[RubricAspect, ...]:
        return tuple(RubricAspect(aspect=str(each), evidence=None, reason=None) for each in range(count))

    pairs = [
        make_pair(0, rubric_aspects=aspects(6)),
        make_pair(0, rubric_aspects=aspects(6), strategy="swap"),
        make_pair(0, rubric_aspects=aspects(2), subset="Society_and_Culture"),
    ]
    figures = tally_of(*pairs).figures()
    assert figures.aspects == Spread(mean=4.0, median=4.0, least=2, most=6)
    assert figures.questions == 2


def test_checks_are_counted_by_name_side_and_outcome(make_pair: Make) -> None:
    checks = (
        Check(name="words", side="rejected", outcome="fail"),
        Check(name="words", side="chosen", outcome="pass"),
        Check(name="gap", side=None, outcome="unknown"),
    )
    pairs = [make_pair(0, checks=checks), make_pair(1, checks=checks[:2])]
    assert tally_of(*pairs).figures().checks == (
        CheckCount("gap", None, passed=0, failed=0, unknown=1),
        CheckCount("words", "chosen", passed=2, failed=0, unknown=0),
        CheckCount("words", "rejected", passed=0, failed=2, unknown=0),
    )


def test_embedded_and_scripted_models_are_toys_whatever_they_wrote(make_pair: Make) -> None:
    pairs = [
        make_pair(0, generator="scripted/replies.toml"),
        make_pair(1, made={"rubric_kind": "extracted", "rubric_model": "local/smollm2-135m"}),
        make_pair(2, generator="localized/model"),
    ]
    assert tally_of(*pairs).figures().toy_models == ("local/smollm2-135m", "scripted/replies.toml")


def test_figures_of_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="nothing was counted"):
        Tally().figures()
