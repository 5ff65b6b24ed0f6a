"""From what an asker says, and answers to it, to token numbers: the chat template once, special tokens once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prbgen.errors import InputError
from prbgen.evaluation.scorers.scalar.plan import Row
from prbgen.evaluation.scorers.scorer import UnscoredError
from prbgen.text import one_line


class Encoder:
    """A model's tokenizer, with its chat template; without one message and answer are joined by an empty line."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def __call__(self, message: str, answers: Sequence[str]) -> list[Row]:
        """The tokens of each answer after the message, nothing cut and nothing padded.

        Raises:
            UnscoredError: the template or the tokenizer cannot take these texts.
        """
        try:
            return [tuple(ids) for ids in self._encoded(message, answers)["input_ids"]] if answers else []
        except Exception as error:  # whatever a template raises
            raise UnscoredError(f"the chat template cannot take it: {_said(error)}") from None

    def whole(self, message: str, answers: Sequence[str], limit: int) -> list[Row] | None:
        """The same; null if one of them is longer than `limit`.

        Raises:
            UnscoredError: the template or the tokenizer cannot take these texts.
        """
        rows = self(message, answers)
        return None if any(len(row) > limit for row in rows) else rows

    def check(self, name: str) -> None:
        """Try it.

        Raises:
            InputError: the template or the tokenizer cannot take a question and an answer, or leaves out one of them.
        """
        try:
            first, other = self._encoded("Which?", ["This.", "That one."])["input_ids"]
            [asked] = self._encoded("Why me?", ["This."])["input_ids"]
            types = self._encoded("Which?", ["This."]).get("token_type_ids")
        except Exception as error:  # whatever a template raises
            raise InputError(
                f"{name}: its chat template cannot take a question and an answer ({_said(error)})"
            ) from None
        if first in (other, asked):
            lost = "answer" if first == other else "question"
            raise InputError(f"{name}: its chat template leaves out the {lost}, so no score can rest on it")
        if types and any(types[0]):
            raise InputError(f"{name}: its tokenizer tells kinds of tokens apart (token_type_ids): not supported")

    def _encoded(self, message: str, answers: Sequence[str]) -> Any:
        # Tokenizers take no halves of surrogate pairs.
        message, *texts = (text.encode("utf-8", "replace").decode("utf-8") for text in (message, *answers))
        quiet = {"verbose": False}  # it would warn of long inputs, which are counted here anyway
        if self._tokenizer.chat_template is None:
            return self._tokenizer([f"{message}\n\n{text}" for text in texts], **quiet)
        asked = {"role": "user", "content": message}
        chats = [[asked, {"role": "assistant", "content": text}] for text in texts]
        return self._tokenizer.apply_chat_template(chats, tokenize=True, return_dict=True, tokenizer_kwargs=quiet)


def _said(error: Exception) -> str:
    return one_line(str(error)) or type(error).__name__
