from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from prbgen.annotation.items import Item
from prbgen.annotation.plan import extend
from prbgen.recipe import AnnotationSettings
from prbgen.schema import SUBSETS, Pair, Round
from tests.annotation.plan.rated_pairs import rated_pair, write

SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=4)


def uneven(sizes: list[int]) -> list[Pair]:
    """Strata of these sizes."""
    strata = [(subset, strategy) for strategy in ("avoid", "swap") for subset in SUBSETS][: len(sizes)]
    return [
        rated_pair(number, subset=subset, strategy=strategy)
        for size, (subset, strategy) in zip(sizes, strata, strict=True)
        for number in range(size)
    ]


def sample(path: Path, size: int, earlier: tuple[Item, ...] = (), round_: Round = "rubric") -> tuple[Item, ...]:
    wanted = AnnotationSettings(sample=size, gold=0, repeats=0)
    return extend(path, earlier, round_, wanted, None).items


def ids(items: tuple[Item, ...]) -> set[str]:
    return {item.pair_id for item in items}


@given(SIZES, st.integers(1, 50), st.integers(1, 50))
def test_a_larger_sample_holds_the_smaller_one_drawn_at_once_or_in_steps(sizes: list[int], one: int, two: int) -> None:
    small, large = sorted((one, two))
    with TemporaryDirectory() as folder:
        path = write(Path(folder), uneven(sizes))
        first = sample(path, small)
        at_once = ids(sample(path, large))
        assert ids(first) <= at_once
        assert ids(sample(path, large, first)) == at_once
        assert ids(sample(path, large, round_="quality")) == at_once


@given(SIZES, st.integers(1, 50))
def test_a_sample_is_in_proportion_and_has_one_of_each_stratum_where_it_fits(sizes: list[int], size: int) -> None:
    with TemporaryDirectory() as folder:
        items = sample(write(Path(folder), uneven(sizes)), size)
    total = min(size, sum(sizes))
    counts = Counter((item.subset, item.strategy) for item in items)
    assert counts.total() == total
    assert len(counts) >= min(total, len(sizes))
    whole = Counter(pair.provenance.subset + pair.strategy for pair in uneven(sizes))
    for (subset, strategy), count in counts.items():
        share = total * whole[subset + strategy] / sum(sizes)
        # Small strata have one whatever their share, which the others make up for.
        assert count == 1 or abs(count - share) < 1 + len(sizes)


def test_shares_are_exact_where_they_are_whole(tmp_path: Path) -> None:
    items = sample(write(tmp_path, uneven([60, 30, 10])), 20)
    assert Counter(item.subset for item in items) == dict(zip(SUBSETS, (12, 6, 2), strict=True))


def test_an_extension_makes_up_for_what_the_first_sample_could_not_know(tmp_path: Path) -> None:
    first = sample(write(tmp_path, uneven([12])), 10)
    items = sample(write(tmp_path, uneven([50, 50])), 20, first)
    assert items[:10] == first
    assert Counter(item.subset for item in items) == {SUBSETS[0]: 10, SUBSETS[1]: 10}


def test_another_seed_draws_another_sample(tmp_path: Path) -> None:
    path = write(tmp_path, uneven([40, 40]))
    other = extend(path, (), "rubric", AnnotationSettings(sample=20, gold=0, repeats=0, seed=1), None).items
    assert ids(sample(path, 20)) != ids(other)
