"""A policy writes N answers to each question of a dataset; reward models will choose among them.

The policy is any model that LiteLLM reaches, or a server of your own (--policy hosted_vllm/NAME --policy-api-base URL).
It sees what reward models see. Every reply is on record: the same command goes on, asks again for what failed, and with
a larger --n asks for the rest alone.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.api.clusters import cluster_of
from prbgen.api.lines import scoring_line
from prbgen.cli.bon.sample_flags import add_sample_flags, sampling_of
from prbgen.cli.ray_flag import add_ray_flag

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster
    from prbgen.downstream.best_of_n.asking import SampleTally
    from prbgen.downstream.best_of_n.policy import SamplingSettings
    from prbgen.downstream.facts import Sampling
    from prbgen.downstream.folders import Answers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`bon sample DATA --policy MODEL [...]`."""
    add_sample_flags(parser)
    default = "for candidates.jsonl and sampling.json (default: results/DATA/bon-POLICY-CONDITION)"
    parser.add_argument("--out", metavar="DIR", type=Path, help=default)
    parser.add_argument("--json", action="store_true", help="print sampling.json")
    add_ray_flag(parser)


def run(arguments: argparse.Namespace) -> int:
    """Sample and say what came of it. Returns 1 if candidates are missing."""
    from prbgen.downstream.best_of_n.asking import SampleTally
    from prbgen.downstream.folders import Answers

    settings, folder = sampling_of(arguments)
    answers, tally = Answers(folder), SampleTally()
    with cluster_of(arguments.ray) as cluster:
        sampling = sampled(settings, answers, arguments.prompts, tally, cluster)
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(sampling.model_dump(mode="json"))
    else:
        show_sampling(sampling, answers, tally)
    return 1 if sampling.missing else 0


def sampled(
    settings: SamplingSettings,
    answers: Answers,
    own_prompts: Path | None,
    tally: SampleTally,
    cluster: Cluster | None = None,
) -> Sampling:
    """Have the policy write, with a line that says how far it is."""
    from prbgen.cli.working import Say, worked
    from prbgen.downstream.best_of_n.sample import sample
    from prbgen.llm.templates import Prompts

    prompts = Prompts(own_prompts)

    async def work(stop: asyncio.Event, say: Say) -> Sampling:
        return await sample(settings, answers, prompts, stop=stop, tally=tally, say=say, cluster=cluster)

    return worked(work, lambda: _progress(tally))


def _progress(tally: SampleTally) -> str:
    missing = [f"{tally.missing:,} missing"] if tally.missing else []
    return scoring_line(tally, f"{tally.candidates:,} candidates", *missing)


def show_sampling(sampling: Sampling, answers: Answers, tally: SampleTally) -> None:
    """What was written, what is missing and why, and where it is."""
    from rich.markup import escape

    from prbgen.cli.console import stdout
    from prbgen.formatting import usd
    from prbgen.text import one_line

    split = f", split {sampling.split}" if sampling.split else ""
    asked = f"{sampling.questions:,} questions of {sampling.data}{split}, condition {sampling.condition}"
    lines = [f"{sampling.policy} wrote {sampling.candidates:,} candidates ({sampling.n} a question) to {asked}"]
    if sampling.missing:
        lines.append(f"- {sampling.missing:,} candidates are missing; the same command asks again where a call failed")
        examples = _examples(answers)
        lines += [f"  - {count:,} x: {examples.get(kind, kind)}" for kind, count in sampling.reasons.items()]
    if sampling.truncated:
        lines.append(f"- {sampling.truncated:,} candidates are cut off at --max-tokens")
    if tally.shortened:
        lines.append(f"- {tally.shortened:,} questions lost posts, as their prompts were too long")
    if cost := sampling.cost:
        price = "of unknown price" if cost.usd is None else usd(cost.usd)
        lines.append(f"- {cost.calls:,} calls, {price}")
    out = stdout()
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        out.print(f"{indent}{escape(one_line(line))}", soft_wrap=True)
    out.print(f"candidates  {escape(str(answers.folder))}  (candidates.jsonl, sampling.json)", soft_wrap=True)


def _examples(answers: Answers) -> dict[str, str]:
    """The first reason of each kind, whole."""
    from prbgen.downstream.candidates import CandidateRow, kind_of
    from prbgen.run import read_records

    found: dict[str, str] = {}
    for row in read_records(answers.candidates, CandidateRow):
        for reason in (row.reason, *(each.reason for each in row.candidates)):
            if reason:
                found.setdefault(kind_of(reason), reason)
    return found
