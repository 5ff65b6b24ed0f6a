"""Pass rates over all attempts of a run."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prbgen.generation.rates import Rates
from prbgen.schema import Check, Pair, Provenance, Reject

OUTCOMES = st.sampled_from(["pass", "fail", "unknown"])
CHECKS = st.lists(st.builds(Check, name=st.sampled_from("ab"), side=st.none(), outcome=OUTCOMES), max_size=4)


def made(*attempts: tuple[Check, ...], subset: str = "S", generator: str = "m") -> Pair:
    """A pair of which only what is counted is there: its last attempt was kept."""
    *earlier, last = attempts
    provenance = Provenance.model_construct(subset=subset, earlier_checks=tuple(earlier))
    return Pair.model_construct(strategy="avoid", generator=generator, checks=last, provenance=provenance)


def check(name: str, outcome: Any) -> Check:
    return Check(name=name, side="chosen", outcome=outcome)


def test_every_attempt_counts_and_what_could_not_be_told_is_in_no_rate() -> None:
    rates = Rates()
    rates.add(made((check("a", "fail"),), (check("a", "unknown"), check("b", "fail")), (check("a", "pass"),)))
    assert [(each.check, each.passed, each.failed, each.unknown, each.rate) for each in rates.checks()] == [
        ("a", 1, 1, 1, 0.5),
        ("b", 0, 1, 0, 0.0),
    ]
    of = rates.attempts()
    assert (of.attempts, of.passed, of.undecided, of.rate) == (3, 1, 0, 0.333333)


def test_an_attempt_that_fails_nothing_but_is_not_told_in_all_is_undecided() -> None:
    rates = Rates()
    rates.add(made((check("a", "pass"), check("b", "unknown"))))
    rates.add(made((check("a", "fail"), check("b", "unknown"))))
    of = rates.attempts()
    assert (of.attempts, of.passed, of.undecided, of.rate) == (2, 0, 1, 0.0)


def test_attempts_of_a_reject_count_but_not_one_that_only_wanted_a_reply() -> None:
    last = (check("a", "pass"),)
    reject = Reject(
        id="1", subset="S", stage="check", reasons=("judge: no reply",), checks=last, strategy="avoid", generator="m",
        earlier_checks=((check("a", "fail"),),),
    )  # fmt: skip
    rates = Rates()
    rates.add(reject)
    assert (rates.attempts().attempts, rates.attempts().passed) == (1, 0)


def test_rates_are_kept_apart_by_model_and_subset() -> None:
    rates = Rates()
    rates.add(made((check("a", "fail"),), subset="S", generator="m"))
    rates.add(made((check("a", "pass"),), subset="T", generator="n"))
    assert [(place.subset, place.generator, rates.attempts([place]).rate) for place in rates.places] == [
        ("S", "m", 0.0),
        ("T", "n", 1.0),
    ]


def test_nothing_told_is_no_rate() -> None:
    rates = Rates()
    assert (rates.checks(), rates.attempts().rate, rates.places) == ([], None, [])
    rates.add(made((check("a", "unknown"),)))
    assert rates.checks()[0].rate is None


@given(st.lists(st.tuples(st.sampled_from("ST"), st.lists(CHECKS, min_size=1, max_size=3)), max_size=6))
def test_places_add_up_to_the_whole(results: list[tuple[str, list[list[Check]]]]) -> None:
    rates = Rates()
    for subset, attempts in results:
        rates.add(made(*map(tuple, attempts), subset=subset))
    parts = [rates.attempts([place]) for place in rates.places]
    assert sum(part.attempts for part in parts) == rates.attempts().attempts
    assert sum(part.passed for part in parts) == rates.attempts().passed
    for each in rates.checks():
        of = [one for place in rates.places for one in rates.checks([place]) if one.check == each.check]
        assert sum(one.passed + one.failed + one.unknown for one in of) == each.passed + each.failed + each.unknown
