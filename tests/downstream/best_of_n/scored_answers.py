"""A policy's answers, scored and judged, that nobody wrote: real folders, the same ones each time."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prbgen.downstream.candidates import Candidate, CandidateRow, Judgement, JudgementRow, ScoreRow
from prbgen.downstream.facts import Judging, Sampling, ScoringFacts
from prbgen.downstream.folders import Answers
from prbgen.evaluation.settings import Condition
from prbgen.evaluation.summary import Cost, ModelFacts, Share
from prbgen.run import as_line
from prbgen.schema import Record

NOTHING = Cost(calls=0, prompt_tokens=0, reply_tokens=0, usd=0.0)
JUDGE = "local/judge"
Numbers = Sequence[Sequence[float | None]]


@dataclass(frozen=True)
class Drawn:
    """What is drawn: so many questions of so many users, each with n candidates; a model's score is its skill times
    the quality, and noise.
    """

    questions: int = 30
    users: int = 10
    n: int = 4
    skills: Mapping[str, float] | None = None
    seed: int = 0

    def write(self, folder: Path) -> Answers:
        """As the commands leave it."""
        chance = random.Random(self.seed)
        qualities = [[chance.randrange(7) / 6 for _ in range(self.n)] for _ in range(self.questions)]
        users = [f"user-{number % self.users}" for number in range(self.questions)]
        answers = write_answers(folder, qualities, users=users)
        skills = self.skills if self.skills is not None else {"good": 4.0, "poor": 0.5}
        for name, skill in skills.items():
            scores = [[skill * quality + chance.gauss(0, 1) for quality in row] for row in qualities]
            write_scores(answers, name, scores)
        return answers


def write_answers(folder: Path, qualities: Numbers, users: Sequence[str] | None = None, version: str = "1") -> Answers:
    """Candidates, and what their judge says of them; null is a candidate that could not be judged."""
    answers = Answers(folder)
    folder.mkdir(parents=True, exist_ok=True)
    users = users or [f"user-{number}" for number in range(len(qualities))]
    rows = [
        CandidateRow(
            key=f"S/q{number}",
            id=f"q{number}",
            subset="S",
            category=None,
            user_key=user,
            posts_shown=0,
            candidates=tuple(Candidate(text=f"answer {each}") for each in range(len(row))),
        )
        for number, (row, user) in enumerate(zip(qualities, users, strict=True))
    ]
    lines(answers.candidates, rows)
    about(
        answers.about,
        Sampling(
            data="pairs.jsonl",
            split=None,
            policy="local/policy",
            condition="none",
            posts=10,
            n=max(map(len, qualities)),
            settings={},
            questions=len(rows),
            candidates=sum(map(len, qualities)),
            missing=0,
            truncated=0,
            reasons={},
            answers=version,
            cost=None,
            versions={},
        ),
    )
    return write_judgements(answers, "judge", qualities, version=version)


def write_judgements(
    answers: Answers, name: str, qualities: Numbers, *, judge: str = JUDGE, version: str = "1"
) -> Answers:
    judged = answers.judged(name)
    judged.folder.mkdir(parents=True, exist_ok=True)
    rows = [
        JudgementRow(
            key=f"S/q{number}",
            judgements=tuple(
                Judgement(reason="unparsed") if each is None else Judgement(scores=(1,), quality=each) for each in row
            ),
        )
        for number, row in enumerate(qualities)
    ]
    lines(judged.judgements, rows)
    quality = Share(value=None)
    kept = Judging(
        judge=judge, prompt="0", answers=version, judged=0, unjudged=0, reasons={}, quality=quality, by_subset={},
        cost=NOTHING, versions={},
    )  # fmt: skip
    about(judged.about, kept)
    return answers


def write_scores(
    answers: Answers, name: str, scores: Numbers, *, condition: Condition = "none", version: str = "1"
) -> None:
    scored = answers.scored(name)
    scored.folder.mkdir(parents=True, exist_ok=True)
    rows = [
        ScoreRow(
            key=f"S/q{number}",
            scores=tuple(row),
            reasons=tuple(None if each is not None else "?" for each in row),
            posts_shown=0,
            truncated=False,
        )
        for number, row in enumerate(scores)
    ]
    lines(scored.scores, rows)
    about(
        scored.about,
        ScoringFacts(
            scorer=f"scalar:org/{name}",
            condition=condition,
            note=None,
            posts=10,
            planner=None,
            answers=version,
            model=ModelFacts(kind="scalar", name=f"org/{name}"),
            fingerprint="0",
            settings={},
            scored=0,
            unscored=0,
            truncated=0,
            reasons={},
            cost=None,
            planner_usd=None,
            versions={},
            scoring_seconds=0.0,
        ),
    )


def lines(path: Path, rows: Iterable[Record]) -> None:
    path.write_text("".join(map(as_line, rows)), encoding="utf-8")


def about(path: Path, record: Record) -> None:
    path.write_text(json.dumps(record.model_dump(mode="json")), encoding="utf-8")


def changed(path: Path, **values: Any) -> None:
    """Change what a file of facts says."""
    path.write_text(json.dumps(json.loads(path.read_text()) | values), encoding="utf-8")
