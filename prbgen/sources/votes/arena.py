"""Chatbot Arena conversations (Zheng et al., arXiv 2306.05685): people ask two models at once and vote."""

from __future__ import annotations

from collections.abc import Sequence

from prbgen.errors import InputError
from prbgen.sources.fields import Fields, Notes, kind_of
from prbgen.sources.files import some
from prbgen.sources.parts import Part
from prbgen.sources.raw import RawRow
from prbgen.sources.rows import read_rows
from prbgen.sources.votes.vote import Vote, Votes

SUBSET = "Arena"
# Columns that no other data has together.
TELLING = frozenset({"question_id", "winner", "judge", "conversation_a", "conversation_b", "anony"})
COLUMNS = TELLING | {"language"}
_TIES = {"tie": "that are ties", "tie (bothbad)": "that call both answers bad"}

# Role and content.
_Message = tuple[str, str]


def arena_votes(parts: Sequence[Part]) -> Votes:
    """The votes for one of two answers to one question. A user is a `judge`; the language is the category, so that
    a stranger's votes that stand in for the user's are in the same one.

    Left out are ties and "both bad", votes by people who knew the models' names, and conversations of several turns:
    there a vote is on the whole of two conversations, which part after the first answer, and not on two answers to one
    question.

    Raises:
        InputError: a row is no such conversation.
    """
    votes = Votes()
    for part in parts:
        for raw in read_rows(part.path, part.label, COLUMNS):
            _take(raw, part.split, votes)
    return votes


def _take(raw: RawRow, split: str, votes: Votes) -> None:
    if raw.fault:
        raise InputError(f"{raw.where}: {raw.fault}")
    if not isinstance(raw.value, dict):
        raise InputError(f"{raw.where}: is {kind_of(raw.value)}, should be an object")
    notes = Notes()
    row = Fields(raw.value, "", notes)
    name, user, winner = (row.text(each, blank=False) for each in ("question_id", "judge", "winner"))
    one, two = _messages(row, "conversation_a"), _messages(row, "conversation_b")
    category = row.optional_text("language")
    if winner and winner not in (*_TIES, "model_a", "model_b"):
        row.fault("winner", f"should be model_a, model_b, {' or '.join(_TIES)}")
    if notes.faults:
        raise InputError(f"{raw.where}: {some(notes.faults, most=3)}")
    if why := _unusable(winner, row.value.get("anony"), one, two):
        votes.left_out[why] += 1
        return
    preferred, other = (one, two) if winner == "model_a" else (two, one)
    votes.add(Vote(name, user, name, one[0][1], preferred[1][1], other[1][1], category, split, raw.where))


def _unusable(winner: str, is_blind: object, one: Sequence[_Message], two: Sequence[_Message]) -> str | None:
    """Why a row is no vote on two answers to one question; null if it is."""
    if winner in _TIES:
        return _TIES[winner]
    if is_blind is False:
        return "by people who saw the models' names"
    if len(one) > 2 or len(two) > 2:
        return "on conversations of several turns"
    if any([role for role, _ in each] != ["user", "assistant"] for each in (one, two)) or one[0] != two[0]:
        return "not on two answers to one question"
    return None


def _messages(row: Fields, name: str) -> list[_Message]:
    messages = []
    for each in row.objects(name):
        role, content = each.text("role"), each.text("content")
        if role in ("user", "assistant"):
            messages.append((role, content))
        elif role:
            each.fault("role", "should be user or assistant")
    return messages
