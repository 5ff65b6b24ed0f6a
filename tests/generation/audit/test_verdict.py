from math import sqrt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from prbgen.generation.audit.results import Shortcut
from prbgen.generation.audit.verdict import pairs_needed, verdict_on

UNMEASURED = Shortcut(None, None, "all alike")


def shortcut(low: float, accuracy: float, high: float) -> Shortcut:
    return Shortcut(accuracy, (low, high))


@st.composite
def measured(draw: st.DrawFn) -> Shortcut:
    """Any accuracy within its interval."""
    return shortcut(*sorted(draw(st.tuples(*[st.integers(0, 1000).map(lambda each: each / 1000)] * 3))))


ANY = st.dictionaries(st.sampled_from(["length", "surface", "tfidf", "embedding"]), measured(), min_size=1)


@pytest.mark.parametrize(
    ("given_shortcuts", "verdict"),
    [
        ([shortcut(0.45, 0.5, 0.55), shortcut(0.5, 0.55, 0.599)], "clean"),
        ([shortcut(0.45, 0.5, 0.55), shortcut(0.551, 0.6, 0.65)], "leaks"),
        ([shortcut(0.551, 0.575, 0.599)], "clean"),
        ([shortcut(0.4, 0.5, 0.6)], "unclear"),
        ([shortcut(0.55, 0.6, 0.65)], "unclear"),
        ([shortcut(0.3, 0.5, 0.7), shortcut(0.8, 0.9, 1)], "leaks"),
        ([shortcut(0.45, 0.5, 0.55), UNMEASURED], "clean"),
        ([UNMEASURED, shortcut(0.6, 0.7, 0.8)], "leaks"),
        ([UNMEASURED], "unclear"),
        ([], "unclear"),
    ],
)
def test_a_verdict_follows_the_bounds_of_what_was_measured(given_shortcuts: list[Shortcut], verdict: str) -> None:
    assert verdict_on(given_shortcuts) == verdict


def test_four_times_the_pairs_halve_an_interval() -> None:
    assert pairs_needed([shortcut(0.3, 0.5, 0.6999)], 100) == 400
    assert pairs_needed([shortcut(0.45, 0.65, 0.85)], 100) == 401


def test_to_be_clean_takes_all_shortcuts_and_to_leak_takes_one() -> None:
    needs_400, needs_900 = shortcut(0.3, 0.5, 0.6999), shortcut(0.2, 0.5, 0.7999)
    clear = shortcut(0.45, 0.5, 0.55)
    assert pairs_needed([needs_400, needs_900, clear, UNMEASURED], 100) == 900
    almost_leaks = shortcut(0.545, 0.65, 0.755)
    assert pairs_needed([needs_900, almost_leaks], 100) == 111


def test_how_many_pairs_are_needed_is_not_known_where_nothing_was_measured() -> None:
    assert pairs_needed([UNMEASURED], 100) is None


@given(ANY, st.integers(1, 100_000))
def test_with_the_pairs_that_it_asks_for_the_verdict_is_clear(shortcuts: dict[str, Shortcut], pairs: int) -> None:
    assume(verdict_on(shortcuts.values()) == "unclear")
    needed = pairs_needed(shortcuts.values(), pairs)
    assert needed is not None
    assert needed > pairs
    root = sqrt(needed * 1.000001 / pairs)
    shrunk = {
        kind: shortcut(
            each.accuracy - (each.accuracy - each.ci95[0]) / root,
            each.accuracy,
            each.accuracy + (each.ci95[1] - each.accuracy) / root,
        )
        for kind, each in shortcuts.items()
        if each.accuracy is not None and each.ci95
    }
    assert verdict_on(shrunk.values()) != "unclear"


@given(ANY, measured())
def test_a_further_shortcut_never_clears_a_set_that_was_not_clean(
    shortcuts: dict[str, Shortcut], more: Shortcut
) -> None:
    before, after = verdict_on(shortcuts.values()), verdict_on([*shortcuts.values(), more])
    assert after != "clean" or before == "clean"
    assert before != "leaks" or after == "leaks"


@given(ANY, st.floats(0, 0.5))
def test_higher_accuracies_never_make_a_leaking_set_clean(shortcuts: dict[str, Shortcut], by: float) -> None:
    def raised(each: Shortcut) -> Shortcut:
        assert each.accuracy is not None
        assert each.ci95 is not None
        return shortcut(*(min(value + by, 1.0) for value in (each.ci95[0], each.accuracy, each.ci95[1])))

    before, after = (
        verdict_on(shortcuts.values()),
        verdict_on(map(raised, shortcuts.values())),
    )
    assert after != "clean" or before == "clean"
