from __future__ import annotations

from pathlib import Path

import pytest

from prbgen.annotation.apart import refuse_mixing
from prbgen.annotation.campaign import EARLIER, Campaign, Place
from prbgen.errors import InputError
from prbgen.recipe import AnnotationSettings
from prbgen.run import Run
from prbgen.schema import Round

ADA, BEN = {"rater-1": "ada"}, {"rater-2": "ben"}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


def lay_out(
    place: Place, round_: Round, *raters: str, closed: bool = False, senior: bool = False, opened: bool = True
) -> None:
    place.save(
        Campaign(
            id="0a1b2c3d",
            round=round_,
            senior=senior,
            way="argilla",
            workspace="w",
            dataset="d",
            settings=AnnotationSettings(),
            salt="s",
            key_check="k",
            raters=raters,
            opened_at="2026-11-30T10:00:00Z" if opened else None,
            closed_at="2026-11-30T12:00:00Z" if closed else None,
        )
    )


def test_a_later_round_waits_until_the_earlier_one_is_closed(run: Run) -> None:
    lay_out(Place.of(run, "quality"), "quality", "rater-1")
    with pytest.raises(InputError, match=r"ada: still in the round quality.*--close"):
        refuse_mixing(run, "rubric", ADA, senior=False)
    refuse_mixing(run, "rubric", BEN, senior=False)
    refuse_mixing(run, "quality", ADA, senior=False)
    lay_out(Place.of(run, "quality"), "quality", "rater-1", closed=True)
    refuse_mixing(run, "rubric", ADA, senior=False)


@pytest.mark.parametrize(("seen", "wanted"), [("rubric", "quality"), ("rubric", "blind"), ("blind", "quality")])
def test_nobody_goes_back_to_a_round_that_shows_less(run: Run, seen: Round, wanted: Round) -> None:
    lay_out(Place.of(run, seen), seen, "rater-1", closed=True)
    with pytest.raises(InputError, match=f"ada: in the round {seen}.*take other raters"):
        refuse_mixing(run, wanted, ADA | BEN, senior=False)


def test_rounds_begun_afresh_and_adjudications_count_too(run: Run) -> None:
    lay_out(Place(run.annotation / EARLIER / "rubric-1"), "rubric", "rater-1")
    lay_out(Place.of(run, "blind").adjudication, "blind", "rater-2", senior=True)
    with pytest.raises(InputError, match="ada"):
        refuse_mixing(run, "quality", ADA, senior=False)
    with pytest.raises(InputError, match="ben"):
        refuse_mixing(run, "quality", BEN, senior=False)


def test_nobody_adjudicates_what_they_rated_or_rates_what_they_adjudicate(run: Run) -> None:
    lay_out(Place.of(run, "rubric"), "rubric", "rater-1")
    lay_out(Place.of(run, "rubric").adjudication, "rubric", "rater-2", senior=True)
    with pytest.raises(InputError, match="ada: rated in this round"):
        refuse_mixing(run, "rubric", ADA, senior=True)
    with pytest.raises(InputError, match="ben: adjudicates this round"):
        refuse_mixing(run, "rubric", BEN, senior=False)
    refuse_mixing(run, "rubric", ADA, senior=False)
    refuse_mixing(run, "rubric", BEN, senior=True)


def test_a_round_that_nobody_was_let_into_binds_nobody(run: Run) -> None:
    lay_out(Place.of(run, "rubric"), "rubric", "rater-1", opened=False)
    refuse_mixing(run, "quality", ADA, senior=False)
