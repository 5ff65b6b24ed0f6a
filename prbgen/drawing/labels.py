"""Where the names of points go: beside them, and over nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

LINE = 14.0  # height of a name
_LETTER = 6.7  # width of a letter, at most on average
_REACH = 6.0  # of a point
_GAP = 9.0
_START: Literal["start"] = "start"
_END: Literal["end"] = "end"


@dataclass(frozen=True)
class Box:
    """A part of the drawing."""

    left: float
    right: float
    top: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether both cover a place."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def within(self, other: Box) -> bool:
        """Whether all of it lies in another."""
        across = self.left >= other.left and self.right <= other.right
        return across and self.top >= other.top and self.bottom <= other.bottom


@dataclass(frozen=True)
class Placed:
    """A name, with the end of its base line that is nearer to its point; `leader` is that point if it is far."""

    name: str
    x: float
    y: float
    anchor: Literal["start", "end"]
    leader: tuple[float, float] | None


def placed(
    names: Sequence[str], points: Sequence[tuple[float, float]], field: Box, lines: Sequence[Box] = ()
) -> list[Placed] | None:
    """The names, each near its point (x, y), not over `lines`; null if they do not all fit into the field."""
    taken = [*lines] + [Box(x - _REACH, x + _REACH, y - _REACH, y + _REACH) for x, y in points]
    found = []
    for place in sorted(range(len(points)), key=lambda each: (points[each][1], points[each][0], names[each])):
        spot = _spot(names[place], points[place], field, taken)
        if spot is None:
            return None
        taken.append(spot[1])
        found.append(spot[0])
    return found


def width(name: str) -> float:
    """How wide a name is, at most."""
    return _LETTER * len(name)


def _spot(name: str, point: tuple[float, float], field: Box, taken: Sequence[Box]) -> tuple[Placed, Box] | None:
    x, y = point
    for shift, rightwards in product(sorted(range(-14, 15), key=abs), (True, False)):
        left = x + _GAP if rightwards else x - _GAP - width(name)
        middle = y + shift * LINE / 2
        box = Box(left, left + width(name), middle - LINE / 2, middle + LINE / 2)
        if box.within(field) and not any(box.meets(other) for other in taken):
            far = abs(shift) > 2
            near, anchor = (box.left, _START) if rightwards else (box.right, _END)
            return Placed(name, near, box.bottom - 3.5, anchor, (x, y) if far else None), box
    return None
