"""Results of evaluations that never took place: real folders, the same ones each time."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import log
from pathlib import Path
from typing import Any

from prbgen.evaluation.item import Letter, ScoredItem
from prbgen.evaluation.metrics.figures import figures
from prbgen.evaluation.settings import CONDITIONS, Condition, Kind
from prbgen.evaluation.summary import Cost, ModelFacts, Summary
from prbgen.registry import SCORERS
from prbgen.run import as_line

SUBSETS = ("Art_and_Entertainment", "Lifestyle_and_Personal_Development", "Society_and_Culture")
CATEGORIES = ("cooking", "writers", "travel", "parenting", "philosophy", "rpg")
ASPECT = {"aspect": "SECRET-ASPECT", "evidence": "", "reason": ""}
GENERATORS = ("anthropic/claude-haiku-4-5", "openai/gpt-4o-mini")
ADDED: dict[Condition, float] = {"none": 0.0, "shuffled": -0.02, "profile": 0.05, "planner": 0.08, "oracle": 0.25}


@dataclass(frozen=True)
class Model:
    """A made-up reward model: `skill` is its accuracy without any history."""

    scorer: str
    skill: float
    parameters: int | None = None
    family: str | None = None
    gain: float = 1.0
    fails: float = 0.0

    @property
    def kind(self) -> Kind:
        return next((kind for kind in SCORERS if self.scorer.startswith(f"{kind}:")), "scalar")

    @property
    def pairwise(self) -> bool:
        return self.kind == "judge"


MODELS = (
    Model("scalar:Skywork/Skywork-Reward-V2-Llama-3.1-8B", 0.62, 8_030_000_000, "Meta"),
    Model("scalar:Skywork/Skywork-Reward-V2-Qwen3-0.6B", 0.55, 596_000_000, "Qwen"),
    Model("scalar:Skywork/Skywork-Reward-V2-Qwen3-4B", 0.60, 4_020_000_000, "Qwen", gain=1.5),
    Model("scalar:allenai/Llama-3.1-70B-Instruct-RM-RB2", 0.63, 70_600_000_000, "Meta", gain=0.3),
    Model("judge:openai/gpt-4o-mini", 0.61, None, "OpenAI", gain=1.2, fails=0.03),
    Model("judge:anthropic/claude-haiku-4-5", 0.64, None, "Anthropic", gain=1.4, fails=0.01),
    Model("rate:hosted_vllm/Qwen/Qwen2.5-32B-Instruct", 0.58, 32_800_000_000, "Qwen", gain=-0.6, fails=0.06),
    Model("http:http://127.0.0.1:8000/score", 0.51, None),
)


@dataclass(frozen=True)
class Sample:
    """What to write: `change` may alter a summary before it is written."""

    models: Sequence[Model] = MODELS
    conditions: Sequence[Condition] = CONDITIONS
    pairs: int = 300
    data: str = "./pairs.jsonl"
    split: str | None = "test"
    digest: str = "d1"
    seed: int = 0
    change: dict[str, Any] = field(default_factory=dict)


def write_results(folder: Path, sample: Sample | None = None) -> list[Path]:
    """The folders of one result each, below `folder`."""
    sample = sample or Sample()
    written = []
    for at, model in enumerate(sample.models):
        for condition in sample.conditions:
            items = list(made_items(model, condition, sample))
            summary = made_summary(model, condition, items, sample).model_copy(update=sample.change)
            written.append(write_result(folder / f"{at}-{condition}", summary, items))
    return written


def write_result(folder: Path, summary: Summary, items: Iterable[ScoredItem]) -> Path:
    """One folder of results."""
    folder.mkdir(parents=True)
    (folder / "summary.json").write_text(summary.model_dump_json(), encoding="utf-8")
    (folder / "items.jsonl").write_text("".join(map(as_line, items)), encoding="utf-8")
    return folder


def write_pairs(path: Path, pairs: int = 300, text: str = "") -> Path:
    """The pairs that samples are about; `text` stands in each question and answer."""
    rows = (
        {
            "id": f"q{n}", "pair_id": f"p{n}", "subset": SUBSETS[n % 3], "user_key": f"u{n // 2}", "split": "test",
            "question": f"How do I keep basil alive on my sill, {n}? {text}",
            "narrative": "SECRET-NARRATIVE", "rubric_aspects": [ASPECT],
            "chosen": f"You wrote that your kitchen faces north, so put it under a lamp. ({n}) {text}",
            "rejected": f"Water it every day and keep it in the sun; all basil likes that. ({n}) {text}",
        }
        for n in range(pairs)
    )  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def made_items(model: Model, condition: Condition, sample: Sample) -> Iterable[ScoredItem]:
    """Pairs are as hard for all models; each model adds luck of its own."""
    ease, luck = random.Random(sample.seed), random.Random(f"{sample.seed} {model.scorer} {condition}")
    accuracy = min(0.97, model.skill + model.gain * ADDED[condition])
    for n in range(sample.pairs):
        hard = ease.gauss(0, 1)
        words = ease.randint(70, 120), ease.randint(70, 120)
        margin = log(accuracy / (1 - accuracy)) - hard + luck.gauss(0, 1.3) + 0.004 * (words[0] - words[1])
        facts: dict[str, Any] = {
            "pair_id": f"p{n}", "id": f"q{n}", "subset": SUBSETS[n % 3], "category": CATEGORIES[n % 7 % 6],
            "strategy": ("avoid", "counter")[n % 2], "generator": GENERATORS[n % 2], "user_key": f"u{n // 2}",
            "words_chosen": words[0], "words_rejected": words[1],
        }  # fmt: skip
        if luck.random() < model.fails:
            reason = luck.choice(("the reply is not in the format that was asked for", "the model refused", "too long"))
            yield ScoredItem(**facts, outcome="unscored", reason=reason)
            continue
        shows = condition in ("profile", "shuffled")
        short = shows and luck.random() < 0.04
        facts |= {"truncated": short, "posts_shown": (4 if short else 10) if shows else 0}
        if model.pairwise:
            verdicts: tuple[Letter, Letter] = ("A", "B") if margin > 0 else ("B", "A")
            if abs(margin) < 0.25:
                verdicts = ("A", "A")
            outcome = {"AB": "win", "BA": "loss"}.get("".join(verdicts), "tie")
            yield ScoredItem(**facts, verdict_ab=verdicts[0], verdict_ba=verdicts[1], outcome=outcome)  # type: ignore[arg-type]
        else:
            scores = round(5 + margin / 2, 3), round(5 - margin / 2, 3)
            outcome = "win" if scores[0] > scores[1] else "loss" if scores[0] < scores[1] else "tie"
            yield ScoredItem(**facts, score_chosen=scores[0], score_rejected=scores[1], outcome=outcome)  # type: ignore[arg-type]


def made_summary(model: Model, condition: Condition, items: Sequence[ScoredItem], sample: Sample) -> Summary:
    """The summary of these items."""
    return Summary(
        **dict(figures(items, resamples=200)),
        scorer=model.scorer,
        condition=condition,
        note="upper bound" if condition == "oracle" else None,
        data=sample.data,
        split=sample.split,
        posts=10,
        protocol="prbgen",
        planner="openai/gpt-4o-mini" if condition == "planner" else None,
        pairs=f"{sample.digest}-{len(items)}",
        model=ModelFacts(
            kind=model.kind,
            name=model.scorer.partition(":")[2],
            parameters=model.parameters,
            family=model.family,
        ),
        cost=_cost(model, len(items)) if model.kind in ("judge", "rate") else None,
        planner_usd=0.01 if condition == "planner" else None,
        fingerprint=model.scorer,
        settings={},
        versions={"prbgen": "0"},
        scoring_seconds=12.5,
    )


def _cost(model: Model, pairs: int) -> Cost:
    """Of one provider the price is known."""
    usd = 0.1431 if "openai" in model.scorer else None
    return Cost(calls=pairs * 2, prompt_tokens=900_000, reply_tokens=9_000, usd=usd)
