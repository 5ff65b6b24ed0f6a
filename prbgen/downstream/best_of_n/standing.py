"""How curves are shown: in which order, beside whose random choice and oracle, and under which names."""

from __future__ import annotations

from prbgen.downstream.facts import Curve, Curves
from prbgen.text import middle_out


def ranked(curves: Curves) -> list[Curve]:
    """The best one at N first, equal ones by the names of their folders; those without a figure at N last."""

    def key(each: tuple[str, Curve]) -> tuple[bool, float, str]:
        value = each[1].points[-1].quality.value
        return value is None, -(value or 0.0), each[0]

    return [curve for _, curve in sorted(curves.models.items(), key=key)]


def backdrop(curves: Curves) -> Curve | None:
    """Whose random choice and oracle stand for all: the curve with most questions at N. Where scores are missing they
    differ from curve to curve, as each has those of the answers that it can use; null where none can use any.
    """
    known = [curve for curve in ranked(curves) if any(point.questions for point in curve.points)]
    return max(known, key=lambda curve: (curve.points[-1].questions, curve.usable), default=None)


def short_name(curve: Curve, limit: int = 34) -> str:
    """Model and condition, without KIND and ORG, shortened in the middle: how names begin is often the same."""
    return middle_out(f"{curve.scorer.rpartition('/')[2].rpartition(':')[2]} ({curve.condition})", limit)
