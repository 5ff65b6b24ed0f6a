"""A policy's candidates for questions of a few people, and judges to judge them."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prbgen.downstream.best_of_n.judge import judge
from prbgen.downstream.best_of_n.judge_settings import JudgeSettings, judge_model
from prbgen.downstream.candidates import Candidate, CandidateRow, JudgementRow
from prbgen.downstream.facts import Judging, Sampling
from prbgen.downstream.folders import Answers, JudgedBy
from prbgen.evaluation.scoring import Tally
from prbgen.evaluation.settings import DataSettings
from prbgen.llm.templates import Prompts
from prbgen.recipe import LimitSettings
from prbgen.run import as_line, read_records
from tests.evaluation.asking_rows import pair_row

SUBSETS = ("Art_and_Entertainment", "Society_and_Culture")


def question(number: int, *, aspects: int = 2, **changes: Any) -> dict[str, Any]:
    """A row of DATA: two questions in a row are of one user."""
    rubric = [{"aspect": f"Wish {at} of {number}", "evidence": None, "reason": None} for at in range(1, aspects + 1)]
    made = {"rubric_aspects": rubric, "subset": SUBSETS[number % 2], "user_key": f"u{number // 2}"}
    return pair_row(number) | made | changes


def covering(*scores: int) -> dict[str, Any]:
    """A reply of the judge."""
    return {"aspects": [{"number": at, "found": "so", "score": score} for at, score in enumerate(scores, 1)]}


@dataclass
class Bench:
    """Everything below `folder`; `texts` are the candidates of each question, null for one without a text."""

    folder: Path
    rows: list[dict[str, Any]]
    texts: list[list[str | None]]
    policy: str = "openai/gpt-4o-mini"
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.data.write_text("".join(json.dumps(row) + "\n" for row in self.rows))
        self.answers.folder.mkdir(exist_ok=True)
        rows = [self._row(row, texts) for row, texts in zip(self.rows, self.texts, strict=False)]
        self.answers.candidates.write_text("".join(map(as_line, rows)))
        known = sum(text is not None for texts in self.texts for text in texts)
        sampling = Sampling(
            data=str(self.data), split=None, policy=self.policy, condition="none", posts=10,
            n=max(map(len, self.texts)), settings={}, questions=len(self.texts), candidates=known,
            missing=sum(map(len, self.texts)) - known, truncated=0, reasons={}, answers="abc", cost=None, versions={},
        )  # fmt: skip
        self.answers.about.write_text(sampling.model_dump_json())

    @staticmethod
    def _row(row: dict[str, Any], texts: list[str | None]) -> CandidateRow:
        candidates = tuple(Candidate(text=text, reason=None if text else "an empty reply") for text in texts)
        return CandidateRow(
            key=f"{row['subset']}/{row['id']}", id=row["id"], subset=row["subset"], category="cooking",
            user_key=row["user_key"], posts_shown=0, candidates=candidates,
        )  # fmt: skip

    @property
    def data(self) -> Path:
        return self.folder / "data.jsonl"

    @property
    def answers(self) -> Answers:
        return Answers(self.folder / "bon")

    @property
    def script(self) -> Path:
        return self.folder / "judge.jsonl"

    @property
    def judged(self) -> JudgedBy:
        return self.answers.judged("judge")

    def scripted(self, *rules: dict[str, Any]) -> str:
        """A judge by these rules; its calls can be looked up in `calls`."""
        self.script.write_text("".join(json.dumps(line) + "\n" for line in ({"record": "calls.jsonl"}, *rules)))
        return f"scripted/{self.script}"

    @property
    def calls(self) -> list[dict[str, Any]]:
        path = self.folder / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def settings(
        self, model: str, *, limit: int = 0, limits: LimitSettings | None = None, **more: Any
    ) -> JudgeSettings:
        data = DataSettings(str(self.data), limit=limit)
        return JudgeSettings(data, judge_model(model, **more), limits or LimitSettings())

    def judge(self, settings: JudgeSettings | str, stop: asyncio.Event | None = None) -> Judging:
        chosen = self.settings(settings) if isinstance(settings, str) else settings
        work = judge(
            chosen, self.answers, self.judged, Prompts(), stop=stop or asyncio.Event(), tally=Tally(),
            say=self.said.append,
        )  # fmt: skip
        return asyncio.run(work)

    @property
    def judgements(self) -> list[JudgementRow]:
        return list(read_records(self.judged.judgements, JudgementRow))


def bench(folder: Path, questions: int = 4, n: int = 3) -> Bench:
    """So many questions with n candidates each."""
    texts: list[list[str | None]] = [[f"Answer {at} to {number}." for at in range(n)] for number in range(questions)]
    return Bench(folder, [question(number) for number in range(questions)], texts)
