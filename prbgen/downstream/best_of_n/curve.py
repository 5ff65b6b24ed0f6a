"""What reward models bring when they choose the best of k answers: a curve over k for each of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from prbgen.downstream.best_of_n.best_of_k import Floats, any_of_k, best_of_k, judges_best_of_k, ks_up_to
from prbgen.downstream.best_of_n.curve_plot import curves_plot
from prbgen.downstream.best_of_n.points import ByUser
from prbgen.downstream.best_of_n.reading import (
    Judged,
    read_judged,
    read_judging,
    read_scores,
    read_scoring,
)
from prbgen.downstream.facts import Curve, Curves, QuestionQualities, ScoringFacts
from prbgen.downstream.folders import Answers, JudgedBy, Scored
from prbgen.errors import InputError
from prbgen.run import as_line, whole_file, write_record


@dataclass(frozen=True)
class Scorers:
    """Who scored a policy's answers, by the names of their folders; `unfinished` are folders without all scores, or
    with those of other answers than there are now.
    """

    done: Mapping[str, ScoringFacts]
    unfinished: tuple[Path, ...]


def judge_of(answers: Answers, judge: str = "") -> JudgedBy:
    """The judge of this name, as it is recorded or as its folder is called; without a name the only one there is.

    Raises:
        InputError: there is none, or not only one.
    """
    sampling = answers.sampling()
    folders = [answers.judged(file.parent.name) for file in sorted((answers.folder / "judges").glob("*/judging.json"))]
    if not folders:
        raise InputError(f"{answers.folder}: nobody has judged these answers; `prbgen bon judge` does")
    if judge:
        named = [each for each in folders if each.folder.name == judge]
        # What is stale is refused only where it is asked for.
        named = named or [each for each in folders if read_judging(each, sampling).judge == judge]
    else:
        named = folders
    if len(named) == 1:
        return named[0]
    known = ", ".join(each.folder.name for each in named or folders)
    wrong = "is no judge of these answers" if not named else "several judges judged these answers"
    raise InputError(f"--judge{f' {judge}:' if judge else ':'} {wrong}; name one of {known}")


def scorers_of(answers: Answers, only: Collection[str] | None = None) -> Scorers:
    """Who scored the answers, sorted by the names of their folders; `only` those with these names, if it is given.

    Raises:
        InputError: nobody did.
    """
    sampling = answers.sampling()
    folders = [Scored(each) for each in sorted((answers.folder / "scores").glob("*")) if each.is_dir()]
    done, unfinished = {}, []
    for each in folders:
        if only is not None and each.folder.name not in only:
            continue
        facts = read_scoring(each) if each.about.is_file() and each.scores.is_file() else None
        if facts and facts.answers == sampling.answers:
            done[each.folder.name] = facts
        else:
            unfinished.append(each.folder)
    if not done:
        todo = "run `prbgen bon score` again" if unfinished else "`prbgen bon score` does"
        raise InputError(f"{answers.folder}: no reward model has scored these answers, as they are now; {todo}")
    return Scorers(done, tuple(unfinished))


def draw_curves(
    answers: Answers,
    judged_by: JudgedBy,
    *,
    only: Collection[str] | None = None,
    seed: int = 0,
    resamples: int = 2000,
    say: Callable[[str], None] = lambda _: None,
) -> Curves:
    """The curves of all reward models that scored these answers, by this judge; writes curve.json, curve.svg, and for
    each reward model the qualities of each question.

    Args:
        answers: Of a policy.
        judged_by: Whose qualities count: see `judge_of`.
        only: The names of the folders of those reward models that are wanted; null means all.
        seed: Of the draws of users, for 95 % intervals.
        resamples: How many draws.
        say: Is told what is being done.

    Raises:
        InputError: something is missing, damaged, or about other answers.
    """
    sampling = answers.sampling()
    judging, scorers = read_judging(judged_by, sampling), scorers_of(answers, only)
    say("Reading candidates and judgements ...")
    judged, ks = read_judged(answers, judged_by), ks_up_to(sampling.n)
    answers.refuse_others(sampling, "prbgen bon curve")
    models = {}
    for name, facts in scorers.done.items():
        say(f"{facts.scorer}: choosing the best of k ...")
        models[name] = _curve(answers.scored(name), facts, judged, ks, judged_by.qualities(name), (seed, resamples))
    curves = Curves(
        data=sampling.data,
        split=sampling.split,
        policy=sampling.policy,
        condition=sampling.condition,
        judge=judging.judge,
        n=sampling.n,
        ks=ks,
        answers=sampling.answers,
        questions=len(judged.keys),
        models=models,
        seed=seed,
        resamples=resamples,
    )
    say("Drawing ...")
    with whole_file(judged_by.plot) as file:
        file.write(curves_plot(curves))
    write_record(judged_by.curve, curves)
    return curves


def _curve(
    scored: Scored, facts: ScoringFacts, judged: Judged, ks: tuple[int, ...], path: Path, draws: tuple[int, int]
) -> Curve:
    by_user, usable, unusable = ByUser(judged.users, ks), 0, 0
    with whole_file(path) as file:
        for which, scores in read_scores(scored, judged):
            qualities = judged.qualities[which]
            both = ~(np.isnan(scores) | np.isnan(qualities))
            usable, unusable = usable + int(both.sum()), unusable + int((~both.any(axis=1)).sum())
            chosen, random, oracle = (
                choose(scores, qualities, ks) for choose in (best_of_k, any_of_k, judges_best_of_k)
            )
            by_user.add(judged.user[which], chosen, random, oracle)
            for row in _rows(judged, which, ks, chosen):
                file.write(as_line(row))
    seed, resamples = draws
    return Curve(
        scorer=facts.scorer,
        condition=facts.condition,
        note=facts.note,
        points=by_user.points(seed=seed, resamples=resamples),
        usable=usable,
        unusable=unusable,
    )


def _rows(judged: Judged, which: slice, ks: tuple[int, ...], chosen: Floats) -> list[QuestionQualities]:
    by_question = zip(judged.keys[which], judged.user_keys[which], chosen.T.tolist(), strict=True)
    return [
        # NaN is not equal to itself.
        QuestionQualities(
            key=key, user_key=user, quality={str(k): each for k, each in zip(ks, found, strict=True) if each == each}
        )
        for key, user, found in by_question
    ]
