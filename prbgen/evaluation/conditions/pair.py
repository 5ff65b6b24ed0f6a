"""A pair as an evaluation keeps it: with what its condition may show, and nothing more."""

from __future__ import annotations

from prbgen.evaluation.settings import Condition
from prbgen.schema import Post, PreferencePair, Record

# Which conditions show posts, the asker's own or a stranger's; which of them rest on the asker's own posts; and which
# show a rubric. No other condition keeps them, so that none can show them.
SHOW_POSTS: tuple[Condition, ...] = ("profile", "shuffled")
REST_ON_POSTS: tuple[Condition, ...] = (*SHOW_POSTS, "planner")
SHOW_ASPECTS: tuple[Condition, ...] = ("oracle", "planner")


class PreparedPair(Record):
    """A pair without its scoring standard.

    `posts` are those that can be shown: the asker's own, under `shuffled` a stranger's, under `planner` those that the
    planner sees, until it has seen them; none under other conditions. `aspects` are gold ones under `oracle`, inferred
    ones under `planner`, else null; `posts_lost` of the last posts were too long for the planner. `lacking` says why it
    cannot be scored, null if it can.
    """

    pair_id: str | None
    id: str
    question: str
    chosen: str
    rejected: str
    category: str | None
    subset: str
    user_key: str
    strategy: str | None
    generator: str | None
    posts: tuple[Post, ...] = ()
    aspects: tuple[str, ...] | None = None
    posts_lost: int = 0
    lacking: str | None = None

    @property
    def key(self) -> str:
        """What joins results on the same pair."""
        return self.pair_id or self.question_key

    @property
    def question_key(self) -> str:
        """What is the same for all pairs on one question."""
        return f"{self.subset}/{self.id}"

    @classmethod
    def of(cls, pair: PreferencePair, condition: Condition, posts: int, *, answers: bool = True) -> PreparedPair:
        """What the condition needs of a pair: of its first `posts` posts, those that have text; gold aspects under
        `oracle` alone; narrative, evidence and reasons never. A profile that is not known (null) shows what an empty
        one does, the bare question, as in the published script. Without `answers` it is a question alone.
        """
        shown = (pair.profile or ())[:posts] if condition in REST_ON_POSTS else ()
        gold = tuple(each.aspect for each in pair.rubric_aspects or ()) if condition == "oracle" else None
        texts = {"question": pair.question}
        if answers:
            texts |= {"chosen": pair.chosen, "rejected": pair.rejected}
        lacking = [name for name, text in texts.items() if not text.strip()]
        if gold == ():
            lacking.append("rubric_aspects")
        return cls(
            pair_id=pair.pair_id,
            id=pair.id,
            question=pair.question,
            chosen=pair.chosen,
            rejected=pair.rejected,
            category=pair.category,
            subset=pair.subset,
            user_key=pair.user_key,
            strategy=pair.strategy,
            generator=pair.generator,
            posts=tuple(post for post in shown if post.text),
            aspects=gold,
            lacking=f"no {', '.join(lacking)}" if lacking else None,
        )
