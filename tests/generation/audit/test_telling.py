import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.generation.audit.results import Telling
from prbgen.generation.audit.telling import telling
from tests.generation.audit.made_up import made_up, pair, turned_round

WORDY = st.lists(st.sampled_from(["tea", "milk", "sugar,", "why?", "no."])).map(" ".join)


def named(found: tuple[Telling, ...], name: str) -> Telling:
    return next(each for each in found if each.name == name)


def test_a_favourite_word_is_named_with_its_side_and_counts() -> None:
    pairs = made_up(100, 1, change=lambda chosen, rejected, user: (chosen, "Delve into " * (user % 4 > 0) + rejected))
    first = telling(pairs)[0]
    having = sum(each.rejected.startswith("Delve") for each in pairs)
    assert first.kind == "term"
    assert first.name in {"delve", "into", "delve into"}
    assert (first.favours, first.chosen, first.rejected) == ("rejected", 0, having)
    assert first.z == pytest.approx(-(having**0.5), abs=1e-6)


def test_what_goes_no_further_than_the_furthest_of_many_by_chance_is_marked() -> None:
    nothing = [telling(made_up(200, seed), most=1000) for seed in range(5)]
    assert sum(not each.by_chance for found in nothing for each in found) <= 1
    assert any(found for found in nothing)
    favourite = telling(made_up(200, 1, change=lambda chosen, rejected, _: ("Zuzu " + chosen, rejected)))
    assert not named(favourite, "zuzu").by_chance


def test_a_feature_counts_where_one_side_has_more_of_it() -> None:
    pairs = [
        pair(number, "Yes, no, so." if number < 40 else "Yes.", "So, yes.", f"user {number}") for number in range(50)
    ]
    commas = named(telling(pairs), "commas")
    assert (commas.kind, commas.favours, commas.chosen, commas.rejected) == ("feature", "chosen", 40, 10)
    assert commas.z == pytest.approx(30 / 50**0.5, abs=1e-6)


def test_terms_and_features_stand_together_furthest_from_chance_first() -> None:
    found = telling(made_up(100, 2, change=lambda chosen, rejected, _: (chosen + " Zuzu", rejected + "?")), most=7)
    assert len(found) == 7
    assert {each.kind for each in found} == {"term", "feature"}
    sizes = [abs(each.z) for each in found]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] >= 2


def test_a_term_of_very_few_pairs_is_not_named() -> None:
    def rarely(count: int) -> set[str]:
        pairs = made_up(60, 3)
        spoilt = [each.model_copy(update={"chosen": "Zuzu. " + each.chosen}) for each in pairs[:count]]
        return {each.name for each in telling([*spoilt, *pairs[count:]], most=1000)}

    assert "zuzu" not in rarely(4)
    assert "zuzu" in rarely(5)


def test_words_of_scripts_without_spaces_are_terms() -> None:
    pairs = [pair(number, "私は猫", "私は犬", f"user {number}") for number in range(9)]
    assert {each.name: each.favours for each in telling(pairs)} == {
        "猫": "chosen",
        "は 猫": "chosen",
        "犬": "rejected",
        "は 犬": "rejected",
    }


def test_no_pairs_and_pairs_that_do_not_differ_have_nothing_to_tell() -> None:
    assert telling([]) == ()
    assert telling([pair(number, "", "", str(number)) for number in range(20)]) == ()
    assert telling([pair(number, "Yes.", "Yes.", str(number)) for number in range(20)]) == ()


@given(st.lists(st.tuples(WORDY, WORDY), max_size=25))
def test_turning_all_pairs_round_turns_what_tells_round(answers: list[tuple[str, str]]) -> None:
    pairs = [pair(number, *each, user=str(number)) for number, each in enumerate(answers)]
    other = {"chosen": "rejected", "rejected": "chosen"}
    mirrored = [
        (each.kind, each.name, other[each.favours], each.rejected, each.chosen, -each.z) for each in telling(pairs)
    ]
    turned = telling([turned_round(each) for each in pairs])
    assert [(each.kind, each.name, each.favours, each.chosen, each.rejected, each.z) for each in turned] == mirrored


def test_the_order_of_pairs_does_not_matter() -> None:
    pairs = made_up(80, 4)
    assert telling(random.Random(0).sample(pairs, len(pairs))) == telling(pairs)
