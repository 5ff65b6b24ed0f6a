"""The record of who got what, which lives in the run: with pseudonyms, as all in it."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from prbgen.annotation.campaign import Campaign
from prbgen.errors import InputError
from prbgen.schema import Record


class Assigned(Record):
    """Which item (by id) went to whom (pseudonyms), of which campaign, in how many batches so far."""

    campaign: str
    batches: int
    raters: dict[str, tuple[str, ...]]


def read_assigned(path: Path) -> dict[str, tuple[str, ...]]:
    """The pseudonyms of those in whose sheets an item is, by its id.

    Raises:
        InputError: the file is not there, or not as it was written.
    """
    return _read(path).raters


def assigned_before(path: Path, campaign: Campaign) -> Assigned:
    """What was assigned earlier in a campaign; nothing where there is no file.

    Raises:
        InputError: the file is not as it was written, or another campaign's.
    """
    if not path.exists():
        return Assigned(campaign=campaign.id, batches=0, raters={})
    before = _read(path)
    if before.campaign != campaign.id:
        raise InputError(f"{path}: is of another round or run; restore this round's from a copy")
    return before


def _read(path: Path) -> Assigned:
    try:
        return Assigned.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        what = error.strerror if isinstance(error, OSError) else "not as it was written"
        raise InputError(f"{path}: {what}; restore it from a copy") from None
