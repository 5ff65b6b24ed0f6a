"""The stage as a whole: from a run's pairs and ratings to a report and a verdict on every pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from prbgen.annotation.rated import RatedRound, rated_rounds
from prbgen.errors import InputError
from prbgen.recipe import ValidationSettings
from prbgen.run import Run
from prbgen.schema import Verdict
from prbgen.validation.agreement import agreement
from prbgen.validation.blind import blind
from prbgen.validation.files import inputs_hash, read
from prbgen.validation.gates import gates
from prbgen.validation.judge import judge_found
from prbgen.validation.marks import marks
from prbgen.validation.pairs import RatedPair, rated_pairs
from prbgen.validation.portrait import portrait
from prbgen.validation.raters import found_raters, left_out
from prbgen.validation.report import Agreement, Report
from prbgen.validation.rules import unmet
from prbgen.validation.validation import Validation
from prbgen.validation.verdicts import counts, verdicts


def validate(run: Run, settings: ValidationSettings, say: Callable[[str], None] = lambda _: None) -> Validation:
    """Weigh the ratings of a run. Nothing is written; the same pairs, ratings and settings give the same result.

    Args:
        run: A run whose rounds were pulled.
        settings: Thresholds, and the seed of the bootstrap.
        say: Told what is going on.

    Raises:
        InputError: no ratings count, or a file is not as it was written.
    """
    say("Reading pairs and ratings ...")
    inputs = inputs_hash(run, settings)
    rounds = rated_rounds(run)
    if not any(each.ratings for each in rounds):
        raise InputError(_nothing(run, rounds))
    pairs = {pair.pair_id: pair for pair in rated_pairs(run.pairs)}
    raters = found_raters(rounds)
    out = {each.round: left_out(raters, each.round) for each in rounds}
    marked = marks(pairs.values(), rounds, out)
    missed = [unmet(each, rounds, settings) for each in marked]
    decided = verdicts(marked, missed)
    good = {each.pair_id for each in decided if each.validated}
    rated = portrait([each for each in marked if each.rated], rounds, settings)
    validated = portrait([each for each in marked if each.pair.pair_id in good], rounds, settings)
    simulated = any(each.settings.simulated for each in rounds)
    agreed: list[Agreement] = []
    for each in rounds:
        say(f"Weighing how far raters agree in round {each.round} ...")
        agreed += agreement(each, pairs, out[each.round], settings)
    say("Comparing the judge with people ...")
    report = Report(
        inputs=inputs,
        settings=settings,
        simulated=simulated,
        raters=raters,
        uncounted={each.round: dict(each.uncounted) for each in rounds if each.uncounted},
        agreement=tuple(agreed),
        rated=rated,
        validated=validated,
        blind=blind(pairs.values(), rounds, out),
        judge=judge_found(marked, rounds, settings),
        verdicts=counts(missed),
        subsets=dict(_by_subset(pairs.values(), decided)),
        gates=gates(rated, validated, settings, simulated),
    )
    return Validation(report, {each.pair_id: each for each in decided}, rounds)


def verified(run: Run, settings: ValidationSettings, say: Callable[[str], None] = lambda _: None) -> Validation | None:
    """What validation has left in a run, made again to see that it is what the ratings give; null if there is nothing.

    Raises:
        InputError: it is not, or it is about other pairs, ratings or settings than there are now.
    """
    found = read(run, settings)
    if found is None:
        return None
    again = validate(run, settings, say)
    if (found.report, found.verdicts) != (again.report, again.verdicts):
        raise InputError(
            f"{run.annotation}: agreement.json or verdicts.jsonl is not what the ratings give; validate again:"
            f" prbgen validate {run.folder}"
        )
    return again


def _by_subset(pairs: Iterable[RatedPair], decided: Iterable[Verdict]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Each subset with its validated and all its pairs, in source order."""
    found: dict[str, tuple[int, int]] = {}
    for pair, verdict in zip(pairs, decided, strict=True):
        validated, total = found.get(pair.subset, (0, 0))
        found[pair.subset] = validated + verdict.validated, total + 1
    yield from found.items()


def _nothing(run: Run, rounds: Sequence[RatedRound]) -> str:
    lost = {reason: count for each in rounds for reason, count in each.uncounted.items()}
    if lost:
        told = "; ".join(f"{count} x {reason}" for reason, count in lost.items())
        return f"{run.folder}: no rating counts ({told})"
    return (
        f"{run.folder}: nothing was pulled; once a round is rated: prbgen annotate pull {run.folder} --round quality"
        " (sheets: --from FOLDER)"
    )
