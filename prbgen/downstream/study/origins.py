"""What the figures of a study rest on: the versions of packages, and hashes of models, prompts, pairs and answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from prbgen.downstream.correlate.readers.policies import TrainedPolicy, found_policies
from prbgen.downstream.facts import Judging, ScoringFacts
from prbgen.downstream.study.study import Studied
from prbgen.run import read_record


@dataclass(frozen=True)
class Origin:
    """Of one result: `what` it is, `hashes` by what they are of, and `versions` of packages."""

    what: str
    hashes: Mapping[str, str]
    versions: Mapping[str, str]


def origins_of(studied: Studied) -> list[Origin]:
    """Of all results, in the order in which they came about.

    Raises:
        InputError: a file that was just read is gone.
    """
    return [*_evaluations(studied), *_best_of_n(studied), *_policies(studied)]


def versions_in(origins: list[Origin]) -> dict[str, str]:
    """Of all packages; where results did not have the same, all of them."""
    found: dict[str, dict[str, None]] = {}
    for origin in origins:
        for name, version in origin.versions.items():
            found.setdefault(name, {})[version] = None
    return {name: ", ".join(versions) for name, versions in sorted(found.items())}


def _evaluations(studied: Studied) -> Iterator[Origin]:
    for evaluated in studied.report.sets:
        for entry in evaluated.entries:
            found = entry.summary
            hashes = {"model and settings": found.fingerprint, "pairs": found.pairs}
            yield Origin(f"{found.scorer}, {found.condition}", hashes, found.versions)


def _best_of_n(studied: Studied) -> Iterator[Origin]:
    if not (studied.curves and studied.judged):
        return
    answers = studied.folder.answers
    sampling = answers.sampling()
    yield Origin(f"Best-of-N, {sampling.policy}", {"answers": sampling.answers}, sampling.versions)
    judging = read_record(studied.judged.about, Judging, "prbgen study")
    yield Origin(f"Best-of-N, judge {judging.judge}", {"prompt": judging.prompt}, judging.versions)
    for name in studied.curves.models:
        facts = read_record(answers.scored(name).about, ScoringFacts, "prbgen study")
        yield Origin(f"Best-of-N, {facts.scorer}", {"model and settings": facts.fingerprint}, facts.versions)


def _policies(studied: Studied) -> Iterator[Origin]:
    """Of trained ones, where something is said of them."""
    if not (studied.study.ppo and studied.correlations):
        return
    for place in studied.study.ppo.results:
        for policy in found_policies(place):
            yield from _policy(policy)


def _policy(policy: TrainedPolicy) -> Iterator[Origin]:
    said, what = policy.sampling, f"policy trained with {policy.reward_model}"
    yield Origin(f"{what}: {said.policy}", {"answers": said.answers}, said.versions)
    for _, judging in policy.judged():
        yield Origin(f"{what}, judge {judging.judge}", {"prompt": judging.prompt}, judging.versions)
