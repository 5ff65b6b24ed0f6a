"""Rows of pairs for tests of conditions."""

from __future__ import annotations

from typing import Any

ASPECT, EVIDENCE, REASON, NARRATIVE = "ASPECT-GOLD", "EVIDENCE-GOLD", "REASON-GOLD", "NARRATIVE-GOLD"


def pair_row(number: int, *, posts: int = 4, **changes: Any) -> dict[str, Any]:
    """A row of one user each, in a category of all."""
    texts = [f"Post {post} of user {number}." for post in range(posts)]
    return {
        "id": f"q{number}",
        "question": f"What now, number {number}?",
        "profile": [{"category": "cooking", "id": f"{number}_{at}", "text": text} for at, text in enumerate(texts)],
        "rubric_aspects": [{"aspect": f"{ASPECT} {number}", "evidence": EVIDENCE, "reason": REASON}],
        "narrative": NARRATIVE,
        "category": "cooking",
        "chosen": f"Do this, {number}.",
        "rejected": f"Do that, {number}.",
        "pair_id": f"p{number}",
        "user_key": f"u{number}",
        "strategy": "avoid",
        "generator": "scripted/x",
    } | changes


def plain_row(number: int, **changes: Any) -> dict[str, Any]:
    """A row as RewardBench has them."""
    told = {"prompt": f"Why {number}?", "chosen": f"good {number}", "rejected": f"bad {number}"}
    return told | {"subset": "chat", "id": number} | changes
