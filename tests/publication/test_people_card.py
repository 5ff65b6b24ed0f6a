"""What a card says of what people found."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from huggingface_hub import DatasetCard
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from prbgen.publication.card import render_card
from prbgen.publication.facts import Facts, Result
from prbgen.publication.figures import Tally
from prbgen.publication.plots import Plot
from prbgen.publication.ratings import RatingsWritten
from prbgen.recipe import PublicationSettings
from prbgen.resources import resource
from prbgen.schema import Pair
from prbgen.validation.report import Figure, Gate
from tests.publication.reports import (
    UNKNOWN,
    build_agreement,
    build_portrait,
    build_report,
    build_validation,
    empty_portrait,
    figure,
    untested,
)

Make = Callable[..., Pair]
TEMPLATE = resource("data_cards") / "dataset_card.md.j2"
PROSE = ("title", "license", "recruitment", "pay", "consent", "ethics", "generator_terms", "removal")
# What is blank is not stated, so it makes another card.
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
hostile = example("x|y `z` <script>alert(1)</script>\n---\n```\n# Title **b** [a](b) ![i](j) &amp; \\| $x$ {{ 1 }}")


def carded(pair: Pair, *, left_out: int = 0, validated: bool = False, **fields: Any) -> str:
    tally = Tally()
    tally.add(pair, "test" if validated else "test_unvalidated", validated=validated)
    tally.left_out = left_out
    return render_card(TEMPLATE, Facts(tally.figures(), fields.pop("origin", "lamp-qa"), "d1", **fields))


def rated(pair: Pair, **report: Any) -> str:
    made = build_report(**report)
    return carded(pair, validation=build_validation([pair], report=made), gates=made.gates)


def test_the_text_gives_the_figures_of_people(make_pair: Make) -> None:
    card = rated(make_pair())
    raw = "0.81 (0.71 to 0.91)"
    for row in (
        "| `quality` | 1 | 1 | 0 | 0.70 | 10.0 s |",
        "| `r-2` | `quality` | 1 of 4 | unknown | `too few gold items right` |",
        "| `withdrawn by the rater` | `quality` | 2 |",
        f"| `quality` | `factuality` | `ordinal` | all | 4 | 10 | 0.41 (0.31 to 0.51) | {raw} | 0.72 (0.62 to 0.82) |",
        f"| `quality` | `factuality` | `ordinal` | that count | 3 | 10 | 0.61 (0.51 to 0.71) | {raw} | 0.72 (",
        "| `quality` | `factuality` | all | 0.80 (0.70 to 0.90) | 12 |",
        "| `quality` | `factuality` | that count | 0.90 (0.80 to 1.00) | 12 |",
        f"| `Society_and_Culture` | `quality` | `factuality` | 0.61 (0.51 to 0.71) | {raw} | 0.72 (",
        "| pairs (users) | 3 (2) | 3 (2) |",
        "| general quality, chosen less rejected | 0.50 (0.40 to 0.60) | 0.02 (-0.08 to 0.12) |",
        "| `factuality`, chosen less rejected | 0.06 (0.04 to 0.08) | 0.06 (0.04 to 0.08) |",
        "| equality of general quality (TOST, margin 0.20): p | 0.0123 | 0.0123 |",
        "| the same: 90 % interval | -0.11 to 0.12 | -0.11 to 0.12 |",
        "| the same: equal within the margin | yes | yes |",
        "| P(chosen better) - P(rejected better) in general quality | 0.500 (0.400 to 0.600) | 0.500 (",
        "| `factuality` | `quadratic` | 0.44 (0.34 to 0.54) | 12 |",
        "| `too few ratings` | 2 |",
        "| `Art_and_Entertainment` | 3 | 1 |",
        "| `equivalence` | `pass` | `p is below .05` |",
    ):
        assert f"\n{row}" in card
    assert "by majority: 0.660 (0.560 to 0.760)" in card
    assert "Raters are not the askers" in card


def test_what_is_null_is_unknown_with_the_reason(make_pair: Make) -> None:
    nothing_twice = Figure(value=None, reason="no item came twice")
    unknown = build_agreement().counted.model_copy(update={"alpha": UNKNOWN, "intra_rater": nothing_twice})
    nothing = empty_portrait()
    card = rated(
        make_pair(),
        agreement=(build_agreement(counted=unknown),),
        rated=nothing,
        validated=nothing,
        blind=None,
        judge=(),
    )
    for row in (
        "| that count | 3 | 10 | unknown (`only one rater`) | 0.81 (0.71 to 0.91) |",
        "| `quality` | `factuality` | that count | unknown (`no item came twice`) | 0 |",
        "| general quality of `chosen` | unknown (`only one rater`) | unknown (`only one rater`) |",
        "| equality of general quality (TOST, margin 0.20): p | unknown (`nobody rated them`) | unknown (`",
        "| the same: 90 % interval | unknown (`nobody rated them`) | unknown (",
        "| the same: equal within the margin | unknown (`nobody rated them`) | unknown (",
    ):
        assert row in card
    assert "posts alone is unknown" in card
    assert "Unknown: no judge scored what people rated." in card
    assert "None" not in card.replace("None of these pairs was checked.", "")


def test_a_question_that_only_some_pairs_have_figures_for_is_unknown_elsewhere(make_pair: Make) -> None:
    card = rated(make_pair(), rated=build_portrait(questions={"tone": figure(0.3)}), validated=build_portrait())
    assert "| `tone`, chosen less rejected | 0.30 (0.20 to 0.40) | unknown |" in card


def test_a_test_that_did_not_show_equality_does_not_say_that_it_did(make_pair: Make) -> None:
    equivalence = build_portrait().equivalence.model_copy(update={"equivalent": False, "p": 0.4})
    card = rated(make_pair(), rated=build_portrait(equivalence=equivalence))
    assert "| the same: equal within the margin | not shown | yes |" in card


def test_without_ratings_the_card_says_so(make_pair: Make) -> None:
    card = carded(make_pair())
    assert "Nobody has rated these pairs." in card
    assert "### Agreement" not in card
    assert "No results of reward models are given." in card


def test_ratings_by_programs_are_announced_loudly(make_pair: Make) -> None:
    card = rated(make_pair(), simulated=True)
    assert "> **Warning: no person has rated these pairs.**" in card
    assert "**The raters are programs." in card
    assert "human-feedback" not in DatasetCard(card).data.to_dict()["tags"]  # type: ignore[no-untyped-call]
    assert "rated by people to the extent" not in card
    assert "Warning" not in rated(make_pair())


def test_what_the_recipe_does_not_say_is_not_stated(make_pair: Make) -> None:
    card = rated(make_pair())
    for row in ("how they were recruited", "what they were paid", "what they consented to", "ethics"):
        assert f"| {row} | not stated |" in card
    assert "Generators' terms of use:\nnot stated." in card
    assert "How to have a person's posts removed: not stated." in card
    blank = PublicationSettings(pay=" \r\n", ethics=" ")
    card = carded(make_pair(), validation=build_validation([make_pair()]), publication=blank)
    assert "| what they were paid | not stated |" in card
    assert "| ethics | not stated |" in card
    stated = PublicationSettings(pay="12 EUR an hour", removal="Write to us", generator_terms="No competing models")
    card = carded(make_pair(), validation=build_validation([make_pair()]), publication=stated)
    for words in ("| what they were paid | `12 EUR an hour` |", "removed: `Write to us`.", "\n`No competing models`."):
        assert words in card


def test_ratings_of_pairs_that_are_left_out_are_announced(make_pair: Make) -> None:
    fields: dict[str, Any] = {"validation": build_validation([make_pair()]), "left_out": 2, "validated": True}
    card = carded(make_pair(), **fields, ratings=RatingsWritten(12, 2, 8))
    assert "has 12 ratings by 2 raters" in card
    assert "8 of them are of pairs that are not in this dataset" in card
    assert "not in this dataset" not in carded(make_pair(), **fields, ratings=RatingsWritten(12, 2, 0))


def test_results_are_a_table_and_what_is_not_known_of_them_says_so(make_pair: Make) -> None:
    results = (
        Result("scalar:org/rm", "none", 0.5123, (0.4, 0.6), 85, 5, "all", "test"),
        Result("judge:org/lm", "profile", 0.5, None, None, None),
        Result("scalar:org/rm", "shuffled", None, None, 0, 90),
    )
    card = carded(make_pair(), results=results)
    assert "| `scalar:org/rm` | `none` | `all` | `test` | 0.512 | 0.400 to 0.600 | 85 | 5 |" in card
    assert "| `scalar:org/rm` | `shuffled` | not stated | not stated | unknown | unknown | 0 | 90 |" in card
    assert "| `judge:org/lm` | `profile` | not stated | not stated | 0.500 | unknown | unknown | unknown |" in card


@pytest.mark.parametrize("script", [True, False])
def test_the_evaluation_script_is_shown_only_if_it_is_there(make_pair: Make, script: bool) -> None:
    card = carded(make_pair(), script=script)
    assert ("uv run evaluate.py" in card) is script
    assert "never show them to a reward model under test" in card


def test_plots_are_linked_with_words_for_who_cannot_see_them(make_pair: Make) -> None:
    plots = (Plot("plots/words.png", "Words: 1.5"), Plot("plots/quality.png", "a](x) ![b"))
    card = carded(make_pair(), validation=build_validation([make_pair()]), plots=plots)
    assert "![Words: 1.5](plots/words.png)" in card
    page = MarkdownIt("gfm-like", {"linkify": False}).render(card)
    assert re.findall(r"<img [^>]*>", page) == [
        '<img src="plots/words.png" alt="Words: 1.5" />',
        '<img src="plots/quality.png" alt="a](x) ![b" />',
    ]


@settings(max_examples=15, deadline=None)
@given(text=texts)
@hostile
def test_no_text_from_elsewhere_acts_as_markdown_or_html(make_pair: Make, text: str) -> None:
    shapes = []
    for each in (text, "m"):
        said = build_report(
            agreement=(build_agreement(question=each, subset=each), build_agreement(question=each)),
            blind=None,
            verdicts={each: 1},
            subsets={each: (0, 1)},
            gates=(Gate(name=each, state="fail", said=each),),
            uncounted={"quality": {each: 1}},
            rated=build_portrait(
                balance=Figure(value=None, reason=each), questions={each: figure()}, equivalence=untested(each)
            ),
        )
        card = carded(
            make_pair(),
            validation=build_validation([make_pair()], report=said),
            gates=said.gates,
            publication=PublicationSettings(**dict.fromkeys(PROSE, each), authors=(each, "B"), languages=(each,)),
            results=(Result(each, each, 0.5, None, 1, 0, each, each),),
            citation=True,
        )
        metadata = DatasetCard(card).data.to_dict()  # type: ignore[no-untyped-call]
        assert metadata["pretty_name"] == metadata["license"] == metadata["language"][0] == each
        page = MarkdownIt("gfm-like", {"linkify": False}).render(DatasetCard(card).text)
        shapes.append(re.findall(r"<[^<>]*>", page))
    assert shapes[0] == shapes[1]
