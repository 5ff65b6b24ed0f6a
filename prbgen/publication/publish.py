"""The stage as a whole: stage a dataset, look at all that would leave, then let it leave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from prbgen.digest import pairs_digest
from prbgen.errors import InputError
from prbgen.publication.audited import read_audit
from prbgen.publication.facts import Result
from prbgen.publication.folder import check_folder, copy_to
from prbgen.publication.hub import HUB, Destination, Published, check_access, push
from prbgen.publication.leaving.audit import audit_gate
from prbgen.publication.leaving.leaks import leak_gate
from prbgen.publication.leaving.personal_data import PersonalReport, personal_report
from prbgen.publication.leaving.roundtrip import check_rows
from prbgen.publication.leaving.secret_found import must_not_leave, secrets_gate
from prbgen.publication.leaving.secret_scan import scan_secrets
from prbgen.publication.names import RATINGS
from prbgen.publication.of_run import stage_run
from prbgen.publication.past import Past
from prbgen.publication.ratings import rating_rows
from prbgen.publication.results import read_results
from prbgen.publication.selection import Selection
from prbgen.publication.stage import Staged
from prbgen.recipe import Recipe
from prbgen.run import Run, read_records, whole_file
from prbgen.schema import Pair
from prbgen.validation.report import Gate
from prbgen.validation.validate import verified
from prbgen.validation.validation import Validation

Say = Callable[[str], None]


@dataclass(frozen=True)
class Request:
    """What is to be published, and where.

    `to` is a folder or "hub:ORG/NAME". `unvalidated`: also the pairs that people have not validated. `allow` names
    gates that may be red. `results` are what evaluate.py has written, for the card. The rest is about the Hub: see
    `hub.push`.
    """

    to: str
    unvalidated: bool = False
    allow: frozenset[str] = frozenset()
    results: tuple[Path, ...] = ()
    pull_request: bool = False
    public: bool = False
    onto: str | None = None


@dataclass(frozen=True)
class Publication:
    """What was published: null is where it did not go. `gates` are all that were looked at, allowed ones among them."""

    staged: Staged
    gates: tuple[Gate, ...]
    personal: PersonalReport
    folder: Path | None
    hub: Published | None


def publish(run: Run, recipe: Recipe, request: Request, say: Say = lambda _: None) -> Publication:
    """Stage RUN/dataset, check it, and bring it to a folder or to the Hub: all of it, or nothing.

    Raises:
        InputError: nothing is validated, the validation is about other pairs or ratings, a place is taken, or a gate is
            red and not allowed.
        PrbgenError: what was staged is not what it was made of, the disk refuses, or the Hub cannot be used.
    """
    to = Destination.parse(request.to) if request.to.startswith(HUB) else Path(request.to).expanduser()
    if isinstance(to, Path):
        _refuse_flags_of_the_hub(request)
        check_folder(to, run)
    else:
        check_access(to, pull_request=request.pull_request)
    validation = verified(run, recipe.validation, say)
    if validation is None and not request.unvalidated:
        raise InputError(
            f"{run.folder}: no pair is validated; `prbgen validate {run.folder}` weighs the ratings, and"
            " --include-unvalidated publishes without"
        )
    if validation and not (validation.validated or request.unvalidated):
        raise InputError(
            f"{run.folder}: people have validated none of {len(validation.verdicts)} pairs; verdicts.jsonl says why,"
            " and --include-unvalidated publishes them as such"
        )
    say("Looking for passages of narratives and rubrics in questions and answers ...")
    selection = Selection(run.pairs, validation.validated if validation else frozenset(), request.unvalidated)
    known = (
        *((*validation.report.gates, _closed(validation)) if validation else ()),
        leak_gate(selection.published()),
        audit_gate(read_audit(run.audit, pairs_digest(read_records(run.pairs, Pair)))),
    )
    results = _results(request, selection)
    personal = _personal(run, selection, say)

    def stage(gates: tuple[Gate, ...]) -> tuple[Staged, Gate]:
        say("Staging the dataset ...")
        staged = stage_run(
            run,
            recipe,
            validation,
            unvalidated=request.unvalidated,
            results=results,
            gates=gates,
            personal=personal.found,
        )
        return staged, _secrets(staged.folder, say)

    staged, secrets = stage(known)
    gates = (*known, secrets)
    _refuse(gates, request.allow)
    if secrets.state != "pass":
        # It was allowed, which the card is to say, too.
        staged, _ = stage(gates)
    say("Comparing every row that `datasets` loads with the pairs ...")
    ratings = {(RATINGS, RATINGS): lambda: rating_rows(validation)} if validation else None
    check_rows(staged.folder, selection, ratings)
    if isinstance(to, Path):
        copy_to(to, run)
        return Publication(staged, gates, personal, to, None)
    past = Past(run)
    published = push(
        staged.folder,
        to,
        version=recipe.publication.version,
        last=past.of(to.repo),
        onto=request.onto,
        pull_request=request.pull_request,
        public=request.public,
        progress=say,
    )
    past.note(published)
    return Publication(staged, gates, personal, None, published)


def _refuse_flags_of_the_hub(request: Request) -> None:
    asked = {"--pull-request": request.pull_request, "--public": request.public, "--onto": request.onto}
    if given := [flag for flag, value in asked.items() if value]:
        raise InputError(f"{given[0]} is for the Hub, and --to {request.to} is a folder (the Hub: --to hub:ORG/NAME)")


def _closed(validation: Validation) -> Gate:
    """The gate "closed": the published ratings tell which items were gold."""
    still = [rated.round for rated in validation.rounds if rated.open]
    if not still:
        return Gate(name="closed", state="pass", said="no round is open any more")
    said = f"people can still rate in round {', '.join(still)}, and what is published tells its gold items"
    return Gate(name="closed", state="fail", said=f"{said}: prbgen annotate pull RUN --round {still[0]} --close")


def _results(request: Request, selection: Selection) -> tuple[Result, ...]:
    if not request.results:
        return ()
    published = frozenset(pair.pair_id for pair in selection.published())
    return tuple(read_results(path, published) for path in request.results)


def _secrets(folder: Path, say: Say) -> Gate:
    found = scan_secrets(folder, lambda done, of: say(f"Looking for keys and passwords: {done / of:.0%} ..."))
    if own := must_not_leave(found):
        raise InputError(f"nothing was published: {own[0]} has the value of {own[0].variable}, a secret of yours")
    return secrets_gate(found)


def _personal(run: Run, selection: Selection, say: Say) -> PersonalReport:
    """What may be personal data, noted in the run for whoever publishes; it is no part of the dataset."""
    say("Looking for personal data ...")
    report = personal_report(selection.published())
    with whole_file(run.folder / "personal_data.json") as file:
        file.write(report.model_dump_json(indent=2) + "\n")
    return report


def _refuse(gates: tuple[Gate, ...], allow: frozenset[str]) -> None:
    names = [gate.name for gate in gates]
    if unknown := sorted(allow - set(names)):
        raise InputError(f"--allow {unknown[0]}: no such gate; there are {', '.join(names)}")
    red = [gate for gate in gates if gate.state == "fail" and gate.name not in allow]
    if red:
        told = "; ".join(f"{gate.name}: {gate.said}" for gate in red)
        flags = " ".join(f"--allow {gate.name}" for gate in red)
        raise InputError(f"nothing was published, as these gates are red: {told}. To publish nevertheless: {flags}")
