"""What validation leaves in a run, and whether it still is about what is there."""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path

from pydantic import ValidationError

from prbgen.annotation.rated import rated_digest, rated_rounds
from prbgen.digest import file_sha256
from prbgen.errors import InputError
from prbgen.recipe import ValidationSettings
from prbgen.run import Run, as_line, cannot_write, read_records, whole_file
from prbgen.schema import Verdict
from prbgen.validation.report import Report
from prbgen.validation.validation import Validation


class OutdatedError(InputError):
    """The validation is about other pairs, ratings or settings than there are now."""


def inputs_hash(run: Run, settings: ValidationSettings) -> str:
    """16 hex digits over all that validation rests on: pairs, ratings, settings.

    Raises:
        InputError: a file is not as it was written.
        OSError: one cannot be read.
    """
    held = "\n".join((file_sha256(run.pairs), rated_digest(run), settings.model_dump_json()))
    return blake2b(held.encode(), digest_size=8).hexdigest()


def write(run: Run, validation: Validation) -> None:
    """Write both files, each whole or not at all; the report, which says what they are about, comes last.

    Raises:
        PrbgenError: the disk refuses.
    """
    report, verdicts = _paths(run)
    try:
        report.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(report, error) from None
    with whole_file(verdicts) as file:
        file.writelines(map(as_line, validation.verdicts.values()))
    with whole_file(report) as file:
        file.write(json.dumps(validation.report.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n")


def read(run: Run, settings: ValidationSettings) -> Validation | None:
    """What validation has left; null if there is nothing.

    Raises:
        OutdatedError: it is about other pairs, ratings or settings than there are now.
        InputError: it is not as it was written.
    """
    report, verdicts = _paths(run)
    found = read_report(run)
    if found is None:
        return None
    if found.inputs != inputs_hash(run, settings):
        raise OutdatedError(f"{report}: pairs, ratings or [validation] have changed since; {_again(run)}")
    decided = {each.pair_id: each for each in read_records(verdicts, Verdict)}
    totals = sum(each.validated for each in decided.values()), len(decided)
    if totals != tuple(map(sum, zip(*found.subsets.values(), strict=True))):
        raise InputError(f"{verdicts}: not as it was written; {_again(run)}")
    return Validation(found, decided, rated_rounds(run))


def read_report(run: Run) -> Report | None:
    """The report alone, whatever it is about; null if there is none.

    Raises:
        InputError: it is not as it was written.
    """
    path, _ = _paths(run)
    try:
        return Report.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        what = error.strerror if isinstance(error, OSError) else "not as it was written"
        raise InputError(f"{path}: {what}; {_again(run)}") from None


def _paths(run: Run) -> tuple[Path, Path]:
    return run.annotation / "agreement.json", run.annotation / "verdicts.jsonl"


def _again(run: Run) -> str:
    return f"validate again: prbgen validate {run.folder}"
