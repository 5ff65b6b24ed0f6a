from __future__ import annotations

import itertools
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prbgen.annotation.items import Item
from prbgen.annotation.plan import Plan, contents, extend
from prbgen.recipe import AnnotationSettings
from prbgen.schema import Pair, Round
from tests.annotation.plan.rated_pairs import rated_pair, rated_pairs, write

ROUNDS = st.sampled_from(get_args(Round))
SHARES = st.sampled_from([0.0, 0.05, 0.07, 0.3, 1.0])


def lean(items: list[Item]) -> dict[tuple[str, str], int]:
    """How many more chosen answers stand on A than on B, by subset and strategy."""
    lean: Counter[tuple[str, str]] = Counter()
    for item in items:
        if item.kind == "pair":
            lean[item.subset, item.strategy] += 1 if item.chosen == "A" else -1
    return lean


def version(pair: Pair, number: int) -> Pair:
    """The pair with another text, 0: the one that it began with."""
    return pair.model_copy(update={"rejected": f"{pair.rejected} changed {number}"}) if number else pair


def unmarked(items: Iterable[Item]) -> list[Item]:
    return [item.model_copy(update={"withdrawn": False}) for item in items]


@st.composite
def campaigns(draw: st.DrawFn) -> tuple[list[list[Pair]], list[AnnotationSettings]]:
    """pairs.jsonl as it stands at each push: pairs are added, go and come back; texts of some change, and back again.

    At least one pair is always there.
    """
    pairs = rated_pairs(draw(st.integers(1, 12)))
    versions = {pair.pair_id: 0 for pair in pairs}
    stands = [pairs]
    for _ in range(draw(st.integers(0, 4))):
        places = st.integers(0, len(pairs) - 1)
        for at in draw(st.sets(places, max_size=3)):
            versions[pairs[at].pair_id] = draw(st.integers(0, 2))
        gone = draw(st.just(frozenset()) | st.frozensets(places, max_size=min(3, len(pairs) - 1)))
        pairs = pairs + rated_pairs(draw(st.integers(0, 8)), first=len(pairs))
        versions = {pair.pair_id: versions.get(pair.pair_id, 0) for pair in pairs}
        stands.append([version(pair, versions[pair.pair_id]) for at, pair in enumerate(pairs) if at not in gone])
    base = AnnotationSettings(gold=draw(SHARES), repeats=draw(SHARES), seed=draw(st.integers(0, 5)))
    samples = [draw(st.sampled_from([0, 1, 5, 9])) for _ in stands]
    return stands, [base.model_copy(update={"sample": sample}) for sample in samples]


@given(campaigns(), ROUNDS, st.randoms(use_true_random=False))
def test_whatever_is_added_or_changed_the_invariants_of_a_round_hold(
    campaign: tuple[list[list[Pair]], list[AnnotationSettings]], round_: Round, rng: random.Random
) -> None:
    items: tuple[Item, ...] = ()
    seen: set[str] = set()
    any_gone = False
    with TemporaryDirectory() as folder:
        for pairs, wanted in zip(*campaign, strict=True):
            there = {pair.pair_id for pair in pairs}
            any_gone = any_gone or not seen <= there
            seen |= there
            path = write(Path(folder), pairs)
            plan = extend(path, items, round_, wanted, None)
            shuffled = write(Path(folder), rng.sample(pairs, len(pairs)))
            assert extend(shuffled, items, round_, wanted, None) == plan

            assert unmarked(plan.items[: len(items)]) == unmarked(items)
            assert plan.added == len(plan.items) - len(items)
            assert len({item.id for item in plan.items}) == len(plan.items)
            assert all(re.fullmatch(r"[0-9a-f]{16}-" + item.content_hash, item.id) for item in plan.items)

            # Whoever asks for all items gets those whose text holds.
            holding = {item.id for item, _ in contents(path, unmarked(plan.items), round_)}
            assert [item.id in holding for item in plan.items] == [not item.withdrawn for item in plan.items]
            live = [item for item in plan.items if not item.withdrawn]
            assert [item for item, _ in contents(path, plan.items, round_)] == live
            in_round = Counter(item.pair_id for item in live if item.kind == "pair")
            assert in_round == Counter({item.pair_id for item in plan.items if item.kind == "pair"} & there)
            assert len(in_round) >= min(wanted.sample or len(pairs), len(pairs))
            assert any_gone or all(abs(each) <= 1 for each in lean(live).values())

            added = plan.items[len(items) :]
            assert not any(item.withdrawn for item in added)
            vacant = {(item.pair_id, item.kind) for item in plan.items[: len(items)] if item.withdrawn}
            assert plan.replacing == {item.id for item in added if (item.pair_id, item.kind) in vacant}

            again = extend(path, plan.items, round_, wanted, None)
            assert (again.items, again.added, again.replacing) == (plan.items, 0, frozenset())
            items = plan.items


@given(st.integers(1, 60), SHARES, SHARES)
def test_gold_and_repeated_items_are_a_share_of_the_pairs_rounded_up(count: int, gold: float, repeats: float) -> None:
    pairs = rated_pairs(count + 80, strategies=("avoid",))
    wanted = AnnotationSettings(gold=gold, repeats=repeats, sample=count)
    with TemporaryDirectory() as folder:
        kinds = Counter(item.kind for item in extend(write(Path(folder), pairs), (), "rubric", wanted, None).items)
    hundredths = {"gold": round(gold * 100), "repeat": round(repeats * 100)}
    assert kinds == Counter({"pair": count} | {kind: ceil(count * each / 100) for kind, each in hundredths.items()})


def test_a_share_counts_as_it_is_written(tmp_path: Path) -> None:
    # In floating point, .07 of 100 is a little more than 7.
    plan = plan_of(tmp_path, rated_pairs(100), sample=100, gold=0.07, repeats=0)
    assert Counter(item.kind for item in plan.items) == {"pair": 100, "gold": 7}


def plan_of(folder: Path, pairs: list[Pair], *, round: Round = "rubric", **wanted: float) -> Plan:  # noqa: A002
    return extend(write(folder, pairs), (), round, AnnotationSettings(**wanted), None)  # type: ignore[arg-type]


def sides(plan: Plan) -> dict[str, str]:
    return {item.pair_id: item.chosen or "" for item in plan.items if item.kind == "pair"}


def withdrawn(plan: Plan) -> list[str]:
    return [item.id for item in plan.items if item.withdrawn]


def test_sides_differ_by_seed_and_from_round_to_round(tmp_path: Path) -> None:
    pairs = rated_pairs(40)
    rubric, quality = sides(plan_of(tmp_path, pairs)), sides(plan_of(tmp_path, pairs, round="quality"))
    other = sides(plan_of(tmp_path, pairs, seed=1))
    for one, two in ((rubric, quality), (rubric, other), (quality, other)):
        same = sum(one[pair_id] == two[pair_id] for pair_id in one)
        assert 20 < same < 60


def test_pairs_on_one_question_get_their_sides_independently(tmp_path: Path) -> None:
    pairs = [
        rated_pair(number, strategy=strategy, generator=generator)
        for number in range(60)
        for strategy in ("avoid", "counter")
        for generator in ("SECRET/x", "SECRET/y")
    ]
    stand = sides(plan_of(tmp_path, pairs))
    four = [[stand[pair.pair_id] for pair in pairs[at : at + 4]] for at in range(0, len(pairs), 4)]
    for one, other in ((0, 1), (0, 2), (1, 3)):
        assert 15 < sum(each[one] == each[other] for each in four) < 45


def test_a_rater_finds_no_rhythm_in_the_sides(tmp_path: Path) -> None:
    items = [item for item in plan_of(tmp_path, rated_pairs(100, ("avoid",))).items if item.kind == "pair"]
    changes = sum(one.chosen != two.chosen for one, two in itertools.pairwise(items))
    assert 30 < changes < 70


def test_a_repeat_shows_the_same_with_the_sides_changed_over_and_looks_like_any_pair(tmp_path: Path) -> None:
    path = write(tmp_path, rated_pairs(30))
    plan = extend(path, (), "rubric", AnnotationSettings(repeats=0.2), None)
    shown = {item.id: content for item, content in contents(path, plan.items, "rubric")}
    repeats = [item for item in plan.items if item.kind == "repeat"]
    assert len(repeats) == 12
    for item in repeats:
        first = next(each for each in plan.items if each.id == item.repeats)
        once, twice = shown[first.id], shown[item.id]
        assert twice == once.model_copy(update={"a": once.b, "b": once.a})
        assert {first.chosen, item.chosen} == {"A", "B"}
        assert item.id[:16] not in {first.id[:16], item.pair_id}


def test_a_pair_whose_text_changed_is_rated_anew_on_the_same_side(tmp_path: Path) -> None:
    pairs = rated_pairs(10)
    first = plan_of(tmp_path, pairs, gold=0, repeats=0)
    new = pairs[3].model_copy(update={"chosen": "Quite another answer"})
    path = write(tmp_path, [*pairs[:3], new, *pairs[4:]])
    plan = extend(path, first.items, "rubric", AnnotationSettings(gold=0, repeats=0), None)
    old = next(item for item in first.items if item.pair_id == new.pair_id)
    assert withdrawn(plan) == [old.id]
    (added,) = plan.items[len(first.items) :]
    assert (added.pair_id, added.chosen) == (old.pair_id, old.chosen)
    assert added.content_hash != old.content_hash
    assert plan.replacing == {added.id}

    back = extend(write(tmp_path, pairs), plan.items, "rubric", AnnotationSettings(gold=0, repeats=0), None)
    assert (back.added, withdrawn(back), back.replacing) == (0, [added.id], frozenset())


def test_what_checks_a_changed_pair_is_withdrawn_with_it(tmp_path: Path) -> None:
    pairs = rated_pairs(10)
    first = plan_of(tmp_path, pairs, gold=0.2, repeats=1)
    pair_id = next(item.donor for item in first.items if item.donor)
    new = [pair.model_copy(update={"chosen": "Other"}) if pair.pair_id == pair_id else pair for pair in pairs]
    plan = extend(write(tmp_path, new), first.items, "rubric", AnnotationSettings(gold=0.2, repeats=1), None)
    about = [item for item in first.items if pair_id in (item.pair_id, item.donor)]
    assert {item.kind for item in about} == {"pair", "repeat", "gold"}
    assert withdrawn(plan) == [item.id for item in about]
    added = [item for item in plan.items if item.id in plan.replacing]
    assert {(item.pair_id, item.kind) for item in added} == {(pair_id, "pair"), (pair_id, "repeat")}


def test_a_pair_that_is_gone_is_withdrawn_and_another_takes_its_place_in_the_sample(tmp_path: Path) -> None:
    pairs = rated_pairs(10)
    first = plan_of(tmp_path, pairs, sample=8, gold=0, repeats=0)
    lost = first.items[0]
    path = write(tmp_path, [pair for pair in pairs if pair.pair_id != lost.pair_id])
    plan = extend(path, first.items, "rubric", AnnotationSettings(sample=8, gold=0, repeats=0), None)
    assert plan.items[:8] == (lost.model_copy(update={"withdrawn": True}), *first.items[1:])
    assert plan.added == 1
    assert plan.replacing == frozenset()

    back = extend(write(tmp_path, pairs), plan.items, "rubric", AnnotationSettings(sample=8, gold=0, repeats=0), None)
    assert (back.added, withdrawn(back)) == (0, [])


def test_pairs_that_a_round_cannot_rate_are_left_out_with_the_reason(tmp_path: Path) -> None:
    pairs = [
        rated_pair(0),
        rated_pair(1, aspects=0),
        rated_pair(2, posts=()),
        rated_pair(3, aspects=6),
        rated_pair(4, posts=(), aspects=0),
    ]
    path = write(tmp_path, pairs)
    plans = {round_: extend(path, (), round_, AnnotationSettings(gold=0, repeats=0), 5) for round_ in get_args(Round)}
    assert plans["quality"].left_out == {}
    assert plans["blind"].left_out == {"no posts: nothing to infer from": 2}
    assert plans["rubric"].left_out == {
        "more than the 5 aspects that this round can ask about": 1,
        "no aspects: nothing to judge by": 2,
    }
    assert {each: len(plan.items) for each, plan in plans.items()} == {"quality": 5, "blind": 3, "rubric": 2}


def test_one_pair_alone_is_rated_and_repeated_and_the_missing_gold_is_named(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, [rated_pair(0)])
    assert [item.kind for item in plan.items] == ["pair", "repeat"]
    assert plan.remarks == ("no gold items instead of 1: they need another user's answer to another question",)


def test_two_equal_answers_are_an_item_as_any_other(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, [rated_pair(0, chosen="Same", rejected="Same")], gold=0)
    assert [item.kind for item in plan.items] == ["pair", "repeat"]
    assert len({item.id for item in plan.items}) == 2


def test_a_sample_that_is_larger_than_what_there_is_is_named(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, rated_pairs(3), sample=50, gold=0, repeats=0)
    assert len(plan.items) == 6
    assert plan.remarks == ("the sample is to have 50 pairs, but only 6 can be rated",)


def test_the_package_loads_nothing_heavy() -> None:
    heavy = ("jinja2", "numpy", "argilla", "httpx", "datasets", "litellm")
    code = f"import sys, prbgen.annotation.plan; print([each for each in {heavy} if each in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_a_rater_meets_gold_in_each_stretch_and_every_beginning_is_in_proportion(seed: int) -> None:
    with TemporaryDirectory() as folder:
        plan = plan_of(Path(folder), rated_pairs(210, ("avoid",)), seed=seed, repeats=0)
    kinds = [item.kind for item in plan.items]
    assert all("gold" in kinds[at : at + 42] for at in range(len(kinds) - 42))
    pairs = [item.subset for item in plan.items if item.kind == "pair"]
    whole = Counter(pairs)
    for end in range(1, len(pairs)):
        for subset, count in Counter(pairs[:end]).items():
            assert abs(count - whole[subset] * end / len(pairs)) < 3


def test_gold_items_follow_in_no_fixed_rhythm(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, rated_pairs(200, ("avoid",)), repeats=0)
    places = [place for place, item in enumerate(plan.items) if item.kind == "gold"]
    assert len({two - one for one, two in itertools.pairwise(places)}) > 4


@pytest.mark.parametrize("count", [4, 10, 100])
def test_a_repeat_comes_at_least_half_the_batch_later(tmp_path: Path, count: int) -> None:
    plan = plan_of(tmp_path, rated_pairs(count), repeats=0.2)
    place = {item.id: at for at, item in enumerate(plan.items)}
    repeats = [item for item in plan.items if item.repeats]
    assert repeats
    assert all(place[item.id] - place[item.repeats or ""] >= len(plan.items) // 2 for item in repeats)
