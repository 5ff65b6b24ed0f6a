"""Rounds are asked apart: whoever has seen more of a person than a round shows can't rate in that round any more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from prbgen.annotation.campaign import CAMPAIGN, EARLIER, ROUNDS, Campaign, Place
from prbgen.errors import InputError
from prbgen.run import Run
from prbgen.schema import Round

_MOST_NAMES = 3


def refuse_mixing(run: Run, round_: Round, raters: Mapping[str, str], *, senior: bool) -> None:
    """Refuse raters ({pseudonym: username}) of this round, or of its adjudication (`senior`), who still rate in an
    earlier round, or have been let into a later one, or into the other of this round and its adjudication.

    Raises:
        InputError: names the raters, the other round and what to do.
    """
    for other in campaigns(run):
        shared = sorted(raters[each] for each in set(other.raters) & set(raters))
        if not (shared and other.opened_at):
            continue
        who = _names(shared)
        if other.round == round_ and other.senior != senior:
            did = "rated in" if senior else "adjudicates"
            raise InputError(f"{who}: {did} this round; disagreements want somebody else")
        if ROUNDS.index(other.round) > ROUNDS.index(round_):
            raise InputError(
                f"{who}: in the round {other.round}, which shows more of the asker than {round_} may: take other raters"
            )
        if other.round != round_ and other.closed_at is None:
            sheets = " --from FOLDER" if other.way == "sheets" else ""
            raise InputError(
                f"{who}: still in the round {other.round}, and may see {round_} only after it; close it first:"
                f" prbgen annotate pull {run.folder} --round {other.round}{sheets} --close"
            )


def campaigns(run: Run) -> Iterator[Campaign]:
    """All campaigns of a run: its rounds, those begun afresh since, and adjudications."""
    for place in ("*", "*/adjudication", f"{EARLIER}/*", f"{EARLIER}/*/adjudication"):
        for file in sorted(run.annotation.glob(f"{place}/{CAMPAIGN}")):
            if campaign := Place(file.parent).load():
                yield campaign


def _names(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
