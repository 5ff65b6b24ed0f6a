"""What can be added to: names, and where each is written (MODULE:NAME). A new one is one file, and one line here.

What a line names is imported when it is first asked for. CONTRIBUTING.md says what a file of each kind holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

# How `rejected` breaks the rubric, `[pair] strategy`: a `Strategy` of generation/strategies/base.py.
STRATEGIES: dict[str, str] = {
    "avoid": "prbgen.generation.strategies.avoid:Avoid",
    "counter": "prbgen.generation.strategies.counter:Counter",
    "swap": "prbgen.generation.strategies.swap:Swap",
    "generic": "prbgen.generation.strategies.generic:Generic",
}

# What is checked on each answer, in this order: an `AnswerCheck` of generation/check/base.py.
ANSWER_CHECKS: dict[str, str] = {
    "words": "prbgen.generation.check.words:check",
    "whole": "prbgen.generation.check.whole:check",
    "language": "prbgen.generation.check.language:check",
    "refusal": "prbgen.generation.check.refusal:check",
    "talk": "prbgen.generation.check.talk:check",
    "leak": "prbgen.generation.check.leak:check",
}

# What is checked on both answers together: a `PairCheck` of generation/check/base.py.
PAIR_CHECKS: dict[str, str] = {
    "length_ratio": "prbgen.generation.check.length:check",
    "layout": "prbgen.generation.check.layout:check",
    "near_copy": "prbgen.generation.check.copies:check",
}

# Data of other shapes than pairs, the first that knows it: an `Opener` of sources/source.py.
SOURCES: dict[str, str] = {
    "prism": "prbgen.sources.votes.recognised:open_prism",
    "arena": "prbgen.sources.votes.recognised:open_arena",
}


@dataclass(frozen=True)
class ScorerKind:
    """A kind of reward model: `opens` names an `Opener` of evaluation/scorers/opening.py, `takes` the settings and
    limits that say something to it; any other is refused where a user set it. `on_cluster`: the workers of a cluster
    can do its work.
    """

    opens: str
    takes: tuple[str, ...] = ()
    on_cluster: bool = False


_LOADED = ("device", "dtype", "batch_tokens", "revision", "trust_remote_code", "share_prefix", "max_tokens")
_CALLED = ("concurrency", "timeout", "rpm")
_LLM = ("max_tokens", "api_base", "options", *_CALLED, "tpm", "budget_usd", "budget_tokens")

# Reward models, `--scorer KIND:MODEL`.
SCORERS: dict[str, ScorerKind] = {
    "scalar": ScorerKind("prbgen.evaluation.scorers.scalar.scalar_scorer:open_scalar", _LOADED, on_cluster=True),
    "judge": ScorerKind("prbgen.evaluation.scorers.judge:open_judge", _LLM, on_cluster=True),
    "rate": ScorerKind(
        "prbgen.evaluation.scorers.rate:open_rate", (*_LLM, "samples", "token_probabilities"), on_cluster=True
    ),
    "http": ScorerKind("prbgen.evaluation.scorers.http:open_http", _CALLED),
    "pooling": ScorerKind("prbgen.evaluation.scorers.pooling:open_pooling", ("max_tokens", "api_base", *_CALLED)),
}

# Figures of scored pairs: a `Metric` of evaluation/metrics/figures.py. One that is no field of `Figures` stands among
# its `further` ones.
METRICS: dict[str, str] = {
    "margins": "prbgen.evaluation.metrics.biases:margins",
    "order_consistency": "prbgen.evaluation.metrics.biases:order_consistency",
    "position_bias": "prbgen.evaluation.metrics.biases:position_bias",
    "length_bias": "prbgen.evaluation.metrics.biases:length_bias",
}

# How well two rankings of models agree, as tables call it and where it is computed: a `Formula` of
# downstream/correlate/coefficients.py. One that is no field of `Coefficients` stands among its `further` ones.
COEFFICIENTS: dict[str, tuple[str, str]] = {
    "spearman": ("Spearman", "prbgen.downstream.correlate.formulas:spearman"),
    "kendall": ("Kendall tau-b", "prbgen.downstream.correlate.formulas:kendall"),
    "weighted_tau": ("weighted tau", "prbgen.downstream.correlate.formulas:weighted_tau"),
    "pearson": ("Pearson", "prbgen.downstream.correlate.formulas:pearson"),
    "ndcg_linear": ("NDCG, linear gain", "prbgen.downstream.correlate.formulas:ndcg_linear"),
    "ndcg_exponential": ("NDCG, exponential gain", "prbgen.downstream.correlate.formulas:ndcg_exponential"),
    "rbo": ("rank-biased overlap", "prbgen.downstream.correlate.formulas:rbo"),
    "top1": ("best 1 found", "prbgen.downstream.correlate.formulas:top1"),
    "top3": ("best 3 found", "prbgen.downstream.correlate.formulas:top3"),
}


@cache
def load(where: str) -> Any:
    """What stands at MODULE:NAME."""
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)
