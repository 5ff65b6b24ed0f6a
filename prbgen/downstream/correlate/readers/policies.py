"""Policies that were trained with reward models as a result downstream: the judged quality of their answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from prbgen.downstream.candidates import CandidateRow, JudgementRow
from prbgen.downstream.correlate.side import Side, by_user
from prbgen.downstream.facts import Judging, Sampling
from prbgen.downstream.folders import Answers, JudgedBy
from prbgen.errors import InputError
from prbgen.run import read_record, read_records
from prbgen.text import one_line


@dataclass(frozen=True)
class TrainedPolicy:
    """The answers of a policy that was trained with `reward_model`."""

    answers: Answers
    sampling: Sampling
    reward_model: str

    def judged(self) -> list[tuple[JudgedBy, Judging]]:
        """By whom.

        Raises:
            InputError: by nobody, or of earlier answers.
        """
        files = sorted(self.answers.folder.glob("judges/*/judging.json"))
        if not files:
            raise InputError(f"{self.answers.folder}: its answers are not judged yet; see `prbgen ppo answer --help`")
        found = [(JudgedBy(file.parent), read_record(file, Judging, "prbgen ppo answer")) for file in files]
        for judge, judging in found:
            if judging.answers != self.sampling.answers:
                raise InputError(f"{judge.folder}: is about earlier answers; have them judged anew")
        return found


def found_policies(place: Path) -> list[TrainedPolicy]:
    """The folders with answers of such policies: this one, or those below it."""
    found = []
    for file in sorted(place.rglob("sampling.json")):
        sampling = read_record(file, Sampling, "prbgen ppo answer")
        if sampling.reward_model is not None:
            found.append(TrainedPolicy(Answers(file.parent), sampling, sampling.reward_model))
    return found


def read_policies(found: Iterable[TrainedPolicy]) -> list[Side]:
    """A side for all of them together, or one for each judge and data, where there are several.

    Raises:
        InputError: a file is missing, damaged or out of date, or two policies have the same reward model.
    """
    groups: dict[tuple[str, ...], dict[str, tuple[TrainedPolicy, JudgedBy]]] = {}
    for policy in {each.answers.folder.resolve(): each for each in found}.values():
        for judge, judging in policy.judged():
            group = groups.setdefault(_key(policy.sampling, judging), {})
            if earlier := group.get(policy.reward_model):
                raise InputError(
                    f"{earlier[0].answers.folder} and {policy.answers.folder}: both are policies trained with"
                    f" {policy.reward_model}; name only one of them"
                )
            group[policy.reward_model] = policy, judge
    return [_side(key, group) for key, group in groups.items()]


def _key(sampling: Sampling, judging: Judging) -> tuple[str, ...]:
    return (
        sampling.data,
        sampling.condition,
        f"split {sampling.split or 'unknown'}",
        f"judge {judging.judge}",
        f"prompt {judging.prompt[:8]}",
    )


def _side(key: tuple[str, ...], group: dict[str, tuple[TrainedPolicy, JudgedBy]]) -> Side:
    data, condition, *aspects = key
    policy, first = next(iter(group.values()))
    return Side.of_items(
        f"trained policies, {one_line(data, 80)}, {condition}",
        "policies",
        "quality",
        {model: by_user(_qualities(each.answers, judge)) for model, (each, judge) in group.items()},
        people=(data, policy.sampling.split),
        aspects=tuple(aspects),
        place=str(first.folder),
    )


def _qualities(answers: Answers, judge: JudgedBy) -> Iterator[tuple[str, float]]:
    rows, judged = read_records(answers.candidates, CandidateRow), read_records(judge.judgements, JudgementRow)
    try:
        for row, judgement in zip(rows, judged, strict=True):
            if row.key != judgement.key:
                raise ValueError
            known = [each.quality for each in judgement.judgements if each.quality is not None]
            if known:
                yield row.user_key, sum(known) / len(known)
    except ValueError:
        raise InputError(f"{judge.judgements}: not the questions of {answers.candidates}; judge them anew") from None
