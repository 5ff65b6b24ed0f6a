"""What has to hold before publication, at its edges."""

from __future__ import annotations

import numpy as np
import pytest

from prbgen.recipe import ValidationSettings
from prbgen.validation.gates import gates
from prbgen.validation.marks import PairMarks, marks
from prbgen.validation.portrait import portrait
from prbgen.validation.report import Gate, Portrait
from tests.validation.marked import a_pair, a_round, marked

SETTINGS = ValidationSettings()
ROUNDS = [a_round("quality", {}), a_round("rubric", {})]


def drawn(pairs: list[PairMarks]) -> Portrait:
    return portrait(pairs, ROUNDS, SETTINGS)


def with_gaps(*gaps: float) -> Portrait:
    """A pair by a user of its own for each gap in quality."""
    return drawn([marked(f"p{n}", f"u{n}", 4 + gap, 4) for n, gap in enumerate(gaps)])


def found(rated: Portrait, validated: Portrait | None = None, *, simulated: bool = False) -> dict[str, Gate]:
    each = gates(rated, rated if validated is None else validated, SETTINGS, simulated)
    assert [gate.name for gate in each] == ["equivalence", "balance", "validated", "simulated"]
    return {gate.name: gate for gate in each}


EVEN = with_gaps(*[0.1, -0.1] * 50)
NONE = drawn([])


def test_equal_pairs_pass_every_gate_and_say_by_what() -> None:
    each = found(EVEN)
    assert {gate.state for gate in each.values()} == {"pass"}
    assert each["equivalence"].said == (
        "general quality of chosen less that of rejected is +0.00 marks over 100 rated pairs of 100 users "
        "(90 % interval -0.02 to +0.02): equal within 0.2 (p below 0.001)"
    )
    assert each["validated"].said == "100 of 100 rated pairs validated"


def test_a_quality_that_is_not_shown_to_be_equal_fails() -> None:
    gaps = np.random.default_rng(1).normal(0.4, 0.8, 173)
    gate = found(with_gaps(*gaps))["equivalence"]
    assert gate.state == "fail"
    assert "not shown to be equal within 0.2 (p = " in gate.said
    assert found(with_gaps(0.1, -0.9, 1.2))["equivalence"].state == "fail"


def test_a_quality_that_cannot_be_tested_is_unknown() -> None:
    unrated = found(portrait(marks([a_pair()], [], {}), [], SETTINGS))["equivalence"]
    assert (unrated.state, unrated.said) == (
        "unknown",
        "equal general quality is not tested: round quality was not rated",
    )
    alike = found(with_gaps(0.1, 0.1, 0.1))["equivalence"]
    assert alike.state == "unknown"
    assert "no variation between users" in alike.said
    alone = found(with_gaps(0.1))["equivalence"]
    assert alone.state == "unknown"
    assert "1 rated pair;" in alone.said


@pytest.mark.parametrize("gap", [0.2, 1.0, -0.5])
def test_a_mean_beyond_the_margin_fails_even_where_nothing_can_be_tested(gap: float) -> None:
    gate = found(with_gaps(gap, gap, gap))["equivalence"]
    assert gate.state == "fail"
    assert gate.said.endswith("but that is beyond the margin of 0.2")


def test_an_imbalance_of_a_tenth_is_within_and_more_is_not() -> None:
    tenth = with_gaps(*[0.5] * 11, *[-0.5] * 9)
    assert tenth.balance.value == pytest.approx(0.1)
    gate = found(tenth)["balance"]
    assert gate.state == "pass"
    assert "though its interval reaches beyond" in gate.said
    more = with_gaps(*[-0.5] * 23, *[0.5] * 17)
    assert more.balance.value == pytest.approx(-0.15)
    assert found(more)["balance"].state == "fail"
    assert "beyond +-0.1" in found(more)["balance"].said


def test_an_imbalance_that_selection_makes_or_mends_fails_as_well() -> None:
    tilted = with_gaps(*[0.5] * 30, *[-0.5] * 10)
    for rated, validated in ((EVEN, tilted), (tilted, EVEN), (tilted, NONE)):
        assert found(rated, validated)["balance"].state == "fail"


def test_a_balance_without_value_is_unknown() -> None:
    gate = found(EVEN, NONE)["balance"]
    assert gate.state == "unknown"
    assert "of validated pairs not known" not in found(EVEN)["balance"].said
    assert "of validated pairs not known (there are no such pairs)" in gate.said
    assert found(NONE, NONE)["balance"].state == "unknown"


def test_a_balance_that_is_sure_says_nothing_of_its_interval_reaching_beyond() -> None:
    sure = with_gaps(*[0.5, -0.5] * 10, *[0.0] * 980)
    assert "reaches beyond" not in found(sure)["balance"].said


def test_nothing_validated_fails() -> None:
    gate = found(EVEN, NONE)["validated"]
    assert (gate.state, gate.said) == ("fail", "none of 100 rated pairs validated")


def test_simulated_rounds_fail() -> None:
    assert found(EVEN, simulated=True)["simulated"].state == "fail"
