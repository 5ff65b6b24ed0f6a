"""Sides of comparisons that never took place: in memory, and as files in the formats of those who write them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from prbgen.downstream.candidates import Candidate, CandidateRow, Judgement, JudgementRow
from prbgen.downstream.correlate.coefficients import Floats
from prbgen.downstream.correlate.side import Side, by_user
from prbgen.downstream.facts import Curve, Curves, Judging, Point, QuestionQualities, Sampling
from prbgen.evaluation.settings import Condition
from prbgen.evaluation.summary import Cost, Share
from prbgen.run import as_line

QUESTIONS = 40


def scores(label: str, values: Sequence[float]) -> Side:
    """A side without items; its models are m00, m01 ..."""
    return Side.of_scores(label, {f"m{at:02}": value for at, value in enumerate(values)})


def items(label: str, means: Sequence[float] | Floats, users: int = 60, seed: int = 0, noise: float = 0.3) -> Side:
    """A side with one item of each user: what a model is worth, the user's ease, which all sides share, and luck."""
    ease = np.random.default_rng(99).normal(0, noise, users)
    luck = np.random.default_rng(seed).normal(0, noise, (users, len(means)))
    values = np.array(means) + ease[:, None] + luck
    by_model = {
        f"m{at:02}": by_user((f"u{user}", float(value)) for user, value in enumerate(values[:, at]))
        for at in range(len(means))
    }
    return Side.of_items(label, "best_of_n", "quality", by_model)


def sampling(answers: str = "a1", reward_model: str | None = None, policy: str = "openai/policy") -> Sampling:
    """What is known of a policy's answers."""
    return Sampling(
        data="data/pairs", split="test", policy=policy, condition="profile", posts=10, n=4, settings={},
        questions=QUESTIONS, candidates=4 * QUESTIONS, missing=0, truncated=0, reasons={}, answers=answers, cost=None,
        reward_model=reward_model, versions={},
    )  # fmt: skip


def write_best_of_n(
    folder: Path,
    skills: Mapping[str, float],
    *,
    conditions: Sequence[Condition] = ("profile",),
    ks: Sequence[int] = (1, 2, 4),
    judge: str = "openai/judge",
    answers: str = "a1",
    stale: bool = False,
) -> Path:
    """A Best-of-N folder, and in it that of a judge, which is returned."""
    judged = folder / "judges" / judge.replace("/", "-")
    judged.mkdir(parents=True)
    (folder / "sampling.json").write_text(sampling("other" if stale else answers).model_dump_json())
    curves = {}
    for condition in conditions:
        for at, (model, skill) in enumerate(skills.items()):
            luck = random.Random(f"{model} {condition}")
            rows = [
                QuestionQualities(
                    key=f"Art/q{n}",
                    user_key=f"u{n // 2}",
                    quality={str(k): 0.4 + skill * (1 - 1 / k) + luck.gauss(0, 0.02) * (k > 1) for k in ks},
                )
                for n in range(QUESTIONS)
            ]
            name = f"rm{at}-{condition}"
            (judged / f"{name}.jsonl").write_text("".join(map(as_line, rows)))
            curves[name] = Curve(
                scorer=model, condition=condition, note=None, usable=4 * QUESTIONS, unusable=0,
                points=tuple(_point(k, [row.quality[str(k)] for row in rows]) for k in ks),
            )  # fmt: skip
    found = Curves(
        data="data/pairs", split="test", policy="openai/policy", condition="profile", judge=judge, n=max(ks),
        ks=tuple(ks), answers=answers, questions=QUESTIONS, models=curves, seed=0, resamples=2000,
    )  # fmt: skip
    (judged / "curve.json").write_text(found.model_dump_json())
    return judged


def _point(k: int, qualities: Sequence[float]) -> Point:
    share = Share(value=sum(qualities) / len(qualities), n=len(qualities))
    return Point(k=k, quality=share, random=share, oracle=share, recovered=Share(value=None), questions=len(qualities))


def write_policy(
    folder: Path, reward_model: str | None, quality: float, *, judges: Sequence[str] = ("openai/judge",)
) -> Path:
    """Answers of a policy that was trained with a reward model: two to each question, the second one unjudged in every
    third question, and none judged in the last.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sampling.json").write_text(sampling(reward_model=reward_model).model_dump_json())
    rows = [
        CandidateRow(
            key=f"Art/q{n}", id=f"q{n}", subset="Art", category=None, user_key=f"u{n // 2}", posts_shown=3,
            candidates=(Candidate(text="one"), Candidate(text="two")),
        )
        for n in range(QUESTIONS)
    ]  # fmt: skip
    (folder / "candidates.jsonl").write_text("".join(map(as_line, rows)))
    for judge in judges:
        judged = folder / "judges" / judge.replace("/", "-")
        judged.mkdir(parents=True)
        luck = random.Random(f"{reward_model} {judge}")
        lines = []
        for n, row in enumerate(rows):
            known = Judgement(quality=min(1.0, max(0.0, quality + luck.gauss(0, 0.05))))
            missing = Judgement(reason="the reply is not in the format that was asked for")
            pair = (missing, missing) if n == QUESTIONS - 1 else (known, missing if n % 3 == 0 else known)
            lines.append(as_line(JudgementRow(key=row.key, judgements=pair)))
        (judged / "judgements.jsonl").write_text("".join(lines))
        about = Judging(
            judge=judge, prompt="p1", answers="a1", judged=0, unjudged=0, reasons={}, quality=Share(value=None),
            by_subset={}, cost=Cost(calls=1, prompt_tokens=None, reply_tokens=None, usd=None), versions={},
        )  # fmt: skip
        (judged / "judging.json").write_text(about.model_dump_json())
    return folder
