"""Names beside points cover no point and no other name."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from prbgen.drawing.labels import Box, placed, width

FIELD = Box(84, 696, 56, 386)


@given(
    st.lists(
        st.tuples(st.floats(84, 696), st.floats(56, 386), st.integers(1, 44)), min_size=1, max_size=14
    )
)  # fmt: skip
def test_names_lie_in_the_field_and_over_no_point_and_no_other_name(drawn: list[tuple[float, float, int]]) -> None:
    points, names = [(x, y) for x, y, _ in drawn], ["x" * letters for *_, letters in drawn]
    found = placed(names, points, FIELD)
    if found is None:
        return
    assert sorted(each.name for each in found) == sorted(names)
    boxes = []
    for each in found:
        left = each.x if each.anchor == "start" else each.x - width(each.name)
        # A little less than all of it: the base line is where letters end.
        boxes.append(Box(left, left + width(each.name), each.y - 10, each.y + 3))
    for place, box in enumerate(boxes):
        assert box.within(FIELD)
        assert not any(box.meets(other) for other in boxes[:place])
        assert not any(box.left < x < box.right and box.top < y < box.bottom for x, y in points)
