"""Batches, common prefixes and the token that is read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from prbgen.evaluation.scorers.scalar.plan import batches, common_prefix, pooled_at, shared_prefix

ROWS = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=12).map(tuple), min_size=1, max_size=5)


@given(st.lists(st.integers(1, 50), max_size=40), st.integers(1, 200), st.none() | st.integers(1, 5))
def test_batches_hold_everything_once_within_the_budget(lengths: list[int], tokens: int, rows: int | None) -> None:
    found = batches(lengths, tokens, rows)
    assert sorted(place for batch in found for place in batch) == list(range(len(lengths)))
    for batch in found:
        assert len(batch) == 1 or max(lengths[place] for place in batch) * len(batch) <= tokens
        assert rows is None or len(batch) <= rows
    in_order = [lengths[place] for batch in found for place in batch]
    assert in_order == sorted(lengths, reverse=True)


@given(ROWS, st.none() | st.integers(0, 2))
def test_a_prefix_is_the_longest_that_leaves_each_row_its_token(rows: list[tuple[int, ...]], pad: int | None) -> None:
    length = common_prefix(rows, pad)
    assert len({row[:length] for row in rows}) == 1
    assert all(length <= pooled_at(row, pad) for row in rows)
    longer = length + 1
    assert len({row[:longer] for row in rows}) > 1 or any(longer > pooled_at(row, pad) for row in rows)


@given(ROWS, st.integers(0, 2))
def test_the_token_that_is_read_is_the_last_that_is_no_padding(rows: list[tuple[int, ...]], pad: int) -> None:
    for row in rows:
        at = pooled_at(row, pad)
        assert all(token == pad for token in row[at + 1 :])
        assert row[at] != pad or (at == 0 and set(row) == {pad})
        assert pooled_at(row, None) == len(row) - 1


def test_a_prefix_is_shared_only_where_that_pays() -> None:
    def rows(prefix: int, rest: int, count: int) -> list[tuple[int, ...]]:
        return [(9,) * prefix + (at,) * rest for at in range(count)]

    assert shared_prefix(rows(2000, 135, 2), None) == 2000
    assert shared_prefix(rows(100, 135, 16), None) == 100
    assert shared_prefix(rows(100, 135, 2), None) == 0
    assert shared_prefix(rows(300, 4000, 2), None) == 0
