"""PRISM (Kirk et al., arXiv 2404.16019): people rate up to four answers to the question that opens a conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prbgen.errors import InputError
from prbgen.sources.fields import Fields, Notes, kind_of
from prbgen.sources.files import some
from prbgen.sources.parts import Part
from prbgen.sources.rows import read_rows
from prbgen.sources.votes.vote import Vote, Votes

SUBSET = "PRISM"
# Columns that no other data has; and those of the same answers in another shape.
TELLING = frozenset({"utterance_id", "user_prompt", "model_response"})
COLUMNS = TELLING | {
    *("interaction_id", "conversation_id", "user_id", "turn", "within_turn_id"),
    *("conversation_type", "score", "if_chosen"),
}
_EMPTY = "EMPTY STRING"  # PRISM's word for an answer without a character


@dataclass(frozen=True, slots=True)
class _Utterance:
    """One answer and its score, 1 to 100. The first turn is 0."""

    interaction: str
    conversation: str
    user: str
    turn: int
    within_turn: int
    category: str | None
    prompt: str
    response: str
    score: float
    is_chosen: bool
    where: str

    @property
    def asked(self) -> tuple[str, str, str, str | None]:
        """What all answers to one question share."""
        return self.user, self.conversation, self.prompt, self.category


def prism_votes(part: Part) -> Votes:
    """The votes in `utterances.jsonl`: one for each conversation, on its first turn.

    Preferred is the answer that PRISM marks as chosen. It is the best rated one, drawn by chance among equals; so the
    other is the worst rated one (ties by number), and equal scores are no vote.

    Later turns are left out: there one model answers twice, what is said depends on what was chosen before, and the
    votes of a conversation tell about each other. Survey, feedback and metadata are not used: profiles are votes.

    Raises:
        InputError: a row is no utterance.
    """
    firsts: dict[str, list[_Utterance]] = {}
    later: set[str] = set()
    for utterance in _utterances(part):
        if utterance.turn:
            later.add(utterance.interaction)
        else:
            firsts.setdefault(utterance.interaction, []).append(utterance)
    votes = Votes()
    votes.left_out["on later turns"] = len(later)
    for utterances in firsts.values():
        _take(utterances, part.split, votes)
    return votes


def _take(utterances: Sequence[_Utterance], split: str, votes: Votes) -> None:
    if len({each.asked for each in utterances}) > 1:
        votes.left_out["whose rows contradict each other"] += 1
        return
    chosen = [each for each in utterances if each.is_chosen]
    others = [each for each in utterances if not each.is_chosen and each.response not in ("", _EMPTY)]
    if not (chosen and others):
        votes.left_out["without two answers, one of them chosen"] += 1
        return
    best = min(chosen, key=lambda each: (-each.score, each.within_turn, each.response))
    worst = min(others, key=lambda each: (each.score, each.within_turn, each.response))
    if best.score <= worst.score:
        told = "that are ties" if best.score == worst.score else "whose chosen answer is rated below all others"
        votes.left_out[told] += 1
        return
    votes.add(
        Vote(
            id=best.interaction,
            user=best.user,
            conversation=best.conversation,
            question=best.prompt,
            preferred="" if best.response == _EMPTY else best.response,
            other=worst.response,
            category=best.category,
            split=split,
            where=best.where,
        )
    )


def _utterances(part: Part) -> Iterator[_Utterance]:
    for raw in read_rows(part.path, part.label, COLUMNS):
        if raw.fault:
            raise InputError(f"{raw.where}: {raw.fault}")
        if not isinstance(raw.value, dict):
            raise InputError(f"{raw.where}: is {kind_of(raw.value)}, should be an object")
        notes = Notes()
        row = Fields(raw.value, "", notes)
        utterance = _Utterance(
            interaction=row.text("interaction_id", blank=False),
            conversation=row.text("conversation_id", blank=False),
            user=row.text("user_id", blank=False),
            turn=int(_number(row, "turn", whole=True)),
            within_turn=int(_number(row, "within_turn_id", whole=True)),
            category=row.optional_text("conversation_type"),
            prompt=row.text("user_prompt"),
            response=row.text("model_response"),
            score=_number(row, "score"),
            is_chosen=_truth(row, "if_chosen"),
            where=raw.where,
        )
        if notes.faults:
            raise InputError(f"{raw.where}: {some(notes.faults, most=3)}")
        yield utterance


def _number(row: Fields, name: str, *, whole: bool = False) -> float:
    value = row.value.get(name)
    if type(value) is int or (type(value) is float and (value.is_integer() if whole else value == value)):
        return value
    row.fault(name, f"is {kind_of(value)}, should be a {'whole ' if whole else ''}number")
    return 0


def _truth(row: Fields, name: str) -> bool:
    value = row.value.get(name)
    if not isinstance(value, bool):
        row.fault(name, f"is {kind_of(value)}, should be true or false")
    return value is True
