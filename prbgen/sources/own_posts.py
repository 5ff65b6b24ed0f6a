"""Posts that repeat the question's own post: near-duplicates of its narrative, which would give the rubric away."""

from __future__ import annotations

from prbgen.schema import Post
from prbgen.sources.text import normalised

ALIKE = 85  # per cent of the characters of both texts together
CONTAINED_FROM = 100  # characters: shorter texts stand in others by chance


def without_own_posts(profile: tuple[Post, ...], narrative: str | None) -> tuple[tuple[Post, ...], int]:
    """The profile without the posts that repeat the narrative, and how many those were.

    Two texts repeat each other if they are alike by `ALIKE` per cent, or if one of at least `CONTAINED_FROM`
    characters stands in the other. Without a narrative there is nothing to compare.
    """
    if narrative is None:
        return profile, 0
    from rapidfuzz import fuzz

    own = normalised(narrative)

    def repeats(post: str) -> bool:
        shorter, longer = sorted((own, post), key=len)
        if len(shorter) >= CONTAINED_FROM and shorter in longer:
            return True
        return bool(fuzz.ratio(own, post, score_cutoff=ALIKE))

    kept = tuple(post for post in profile if not repeats(normalised(post.text)))
    return kept, len(profile) - len(kept)
