"""How far a round is, by what the server or the sheets say now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from prbgen.annotation.answers import Answers
from prbgen.annotation.campaign import ROUNDS, Campaign, Place, Way
from prbgen.annotation.ratings.progress import Progress, progress
from prbgen.errors import InputError
from prbgen.run import Run
from prbgen.schema import Round


@dataclass(frozen=True)
class Standing:
    """A round, how far it is, and the usernames of its raters by pseudonym, for the eyes of who runs it."""

    campaign: Campaign
    progress: Progress
    names: dict[str, str]


def rounds_of(run: Run, way: Way) -> list[Round]:
    """All rounds that are rated this way.

    Raises:
        InputError: there is none.
    """
    opened = [
        (name, campaign.way) for name in ROUNDS if (campaign := Place.of(run, name).load()) and campaign.opened_at
    ]
    found = [name for name, its_way in opened if its_way == way]
    if not found and opened:
        told = "on sheets: --from FOLDER names them" if way == "argilla" else "in Argilla: leave --from out"
        raise InputError(f"{run.folder}: its rounds are rated {told}")
    if not found:
        raise InputError(f"{run.folder}: no round was pushed: prbgen annotate push {run.folder} --round quality")
    return found


def standing(came: Answers) -> Standing:
    """How far a round is by the answers to it."""
    now = datetime.now(UTC)
    counted = progress(came.campaign, came.form, came.items, came.responses, now, came.assigned)
    return Standing(came.campaign, counted, came.names)
