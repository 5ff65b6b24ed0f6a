"""Finds question and answers in the shapes that preference data has: texts, message lists, whole dialogues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prbgen.sources.fields import Fields, kind_of

QUESTION_COLUMNS = ("question", "prompt", "instruction", "query", "input")
ANSWER_COLUMNS = ("chosen", "rejected")
_HUMAN, _ASSISTANT = "\n\nHuman:", "\n\nAssistant:"


@dataclass(frozen=True, slots=True)
class Turns:
    """The last question, "" where there is none, and the two answers to it."""

    question: str
    chosen: str
    rejected: str


def read_turns(row: Fields) -> Turns:
    """The turns of a row that has the columns `chosen` and `rejected`.

    An answer is a text, the last message of an assistant in a list of messages, or what follows the shared beginning
    of two dialogues of "Human:" and "Assistant:". The question is the first column of `QUESTION_COLUMNS` that has one,
    else what the user says last before the chosen answer.
    """
    before_chosen, chosen = _answer(row, "chosen")
    _, rejected = _answer(row, "rejected")
    asked = _question(row)
    dialogue = _shared_dialogue(chosen, rejected)
    if dialogue:
        return Turns(dialogue.question if asked is None else asked, dialogue.chosen, dialogue.rejected)
    return Turns(before_chosen if asked is None else asked, chosen, rejected)


def _answer(row: Fields, name: str) -> tuple[str, str]:
    """What the user says last before an answer, "" where that cannot be told, and the answer."""
    value = row.value[name]
    if not isinstance(value, str | list):
        return "", row.fault(name, f"is {kind_of(value)}, should be text or a list of messages")
    if isinstance(value, str):
        return "", row.text(name)
    if all(isinstance(each, str) for each in value) and value:
        return "", row.fault(name, "is a list of texts, should be one answer or a list of messages")
    messages = _messages(row, name, "assistant")
    asked = _up_to(messages[:-1], "user")
    return (asked[-1].text("content") if asked else ""), (messages[-1].text("content") if messages else "")


def _question(row: Fields) -> str | None:
    """What the columns of a question say, null if nothing."""
    for name in QUESTION_COLUMNS:
        value = row.value.get(name)
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        if isinstance(value, list):
            messages = _messages(row, name, "user")
            return messages[-1].text("content") if messages else ""
        if not isinstance(value, str):
            return row.fault(name, f"is {kind_of(value)}, should be text or a list of messages")
        text = _last_of_dialogue(row.text(name))
        context = row.optional_text("input") if name == "instruction" else None
        return f"{text}\n\n{context}" if context else text
    return None


def _messages(row: Fields, name: str, role: str) -> list[Fields]:
    """The messages of a list up to the last of this role; if there is none, that is a fault."""
    messages = list(row.objects(name))
    found = _up_to(messages, role)
    # What is no message has been noted already.
    if not found and len(messages) == len(row.value[name]):
        row.fault(name, f"no message of role {role}")
    return found


def _up_to(messages: Sequence[Fields], role: str) -> list[Fields]:
    """The messages up to the last of this role."""
    places = [at for at, message in enumerate(messages) if _role(message) == role]
    return list(messages[: places[-1] + 1]) if places else []


def _role(message: Fields) -> object:
    role = message.value.get("role")
    return "user" if role == "human" else role


def _shared_dialogue(chosen: str, rejected: str) -> Turns | None:
    """The turns of two dialogues up to the last "Assistant:" that they share; null if they are none."""
    if not (_is_dialogue(chosen) and _is_dialogue(rejected)):
        return None
    end = chosen.rfind(_ASSISTANT)
    while end >= 0 and not rejected.startswith(chosen[: end + len(_ASSISTANT)]):
        end = chosen.rfind(_ASSISTANT, 0, end)
    if end < 0:
        return None
    answer = end + len(_ASSISTANT)
    return Turns(_last_of_dialogue(chosen[:end]), chosen[answer:].strip(), rejected[answer:].strip())


def _is_dialogue(text: str) -> bool:
    return text.lstrip().startswith(_HUMAN.lstrip())


def _last_of_dialogue(text: str) -> str:
    """What "Human:" says last in a dialogue; any other text as it is."""
    if not _is_dialogue(text):
        return text
    return f"\n\n{text.lstrip()}".rpartition(_HUMAN)[2].partition(_ASSISTANT)[0].strip()
