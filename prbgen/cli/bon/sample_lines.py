"""What a policy wrote, in lines."""

from __future__ import annotations

from rich.markup import escape

from prbgen.api.bon.sampling import SampledCandidates
from prbgen.cli.console import stdout
from prbgen.downstream.candidates import kind_of
from prbgen.formatting import usd
from prbgen.text import one_line


def show(sampled: SampledCandidates) -> None:
    """What was written, what is missing and why, and where it is."""
    split = f", split {sampled.split}" if sampled.split else ""
    asked = f"{sampled.questions:,} questions of {sampled.data}{split}, condition {sampled.condition}"
    lines = [f"{sampled.policy} wrote {sampled.candidates:,} candidates ({sampled.n} a question) to {asked}"]
    if sampled.missing:
        lines.append(f"- {sampled.missing:,} candidates are missing; the same command asks again where a call failed")
        examples = _examples(sampled)
        lines += [f"  - {count:,} x: {examples.get(kind, kind)}" for kind, count in sampled.reasons.items()]
    if sampled.truncated:
        lines.append(f"- {sampled.truncated:,} candidates are cut off at --max-tokens")
    if sampled.shortened:
        lines.append(f"- {sampled.shortened:,} questions lost posts, as their prompts were too long")
    if cost := sampled.cost:
        price = "of unknown price" if cost.usd is None else usd(cost.usd)
        lines.append(f"- {cost.calls:,} calls, {price}")
    out = stdout()
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        out.print(f"{indent}{escape(one_line(line))}", soft_wrap=True)
    out.print(f"candidates  {escape(str(sampled.folder))}  (candidates.jsonl, sampling.json)", soft_wrap=True)


def _examples(sampled: SampledCandidates) -> dict[str, str]:
    """The first reason of each kind, whole."""
    found: dict[str, str] = {}
    for row in sampled.read_candidates():
        for reason in (row.reason, *(each.reason for each in row.candidates)):
            if reason:
                found.setdefault(kind_of(reason), reason)
    return found
