"""What raters see of a pair: nothing that tells which answer is which, or where the rubric comes from."""

from __future__ import annotations

from collections import defaultdict, deque
from hashlib import blake2b

from prbgen.annotation.items import Content, ShownAspect, ShownPost
from prbgen.annotation.plan.chance import digits
from prbgen.schema import Pair, Post, Round, Shown


def shown_posts(pair: Pair) -> tuple[ShownPost, ...]:
    """The posts that the prompt had, in that order; whole, even those that the token budget shortened there."""
    left: dict[str, deque[Post]] = defaultdict(deque)
    for post in pair.profile:
        left[post.id].append(post)
    posts = (left[id_].popleft() for id_ in pair.provenance.posts_shown if left[id_])
    return tuple(ShownPost(category=post.category, text=post.text) for post in posts)


def show(pair: Pair, round_: Round, answer: str, other: str, side: Shown) -> Content:
    """What a round shows of a pair, with `answer` on `side` and `other` beside it."""
    return Content(
        question=pair.question,
        a=answer if side == "A" else other,
        b=answer if side == "B" else other,
        posts=() if round_ == "quality" else shown_posts(pair),
        aspects=tuple(ShownAspect(aspect=each.aspect, reason=each.reason) for each in pair.rubric_aspects)
        if round_ == "rubric"
        else (),
    )


def content_hash(content: Content) -> str:
    """16 hex digits over all that is shown."""
    return blake2b(content.model_dump_json().encode(), digest_size=8).hexdigest()


def disguised_id(content: Content, *words: object) -> str:
    """The id of a gold or repeated item: it looks like that of a pair."""
    shown = content_hash(content)
    return f"{digits(*words, shown)}-{shown}"
