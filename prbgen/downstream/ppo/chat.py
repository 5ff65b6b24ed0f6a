"""What a policy is asked, as its tokens.

Importing it raises MissingExtraError where transformers is not installed.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from prbgen.errors import InputError, MissingExtraError
from prbgen.llm.cleaning import cleaned_line

if not (find_spec("torch") and find_spec("transformers")):
    raise MissingExtraError("counting a policy's tokens", "ppo")

import transformers

from prbgen.evaluation.scorers.scalar.faults import one_line_errors
from prbgen.evaluation.scorers.scalar.quiet import quiet


def chat_tokenizer(name: str) -> Any:
    """A policy's tokenizer; it pads on the left, where prompts begin.

    Args:
        name: Of a model on the Hub, or a folder.

    Raises:
        InputError: there is none, or it has no chat template that takes a user's words.
    """
    with quiet(), one_line_errors(name, ""):
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, padding_side="left", trust_remote_code=False)
    if not tokenizer.chat_template:
        raise InputError(f"{name}: its tokenizer has no chat template, so nobody can tell what the policy is asked")
    encoded(tokenizer, "Why?")
    return tokenizer


def encoded(tokenizer: Any, words: str) -> list[int]:
    """The tokens of a user's words in the policy's chat template, up to where its answer begins.

    Raises:
        InputError: the template cannot take them.
    """
    said = [{"role": "user", "content": words}]
    try:
        with quiet():  # it would warn of long inputs, which are counted anyway
            # The template has the special tokens; none is added a second time.
            made: Any = tokenizer.apply_chat_template(said, add_generation_prompt=True, return_dict=True)
    except Exception as error:  # whatever a template raises
        what = cleaned_line(error) or type(error).__name__
        raise InputError(f"{tokenizer.name_or_path}: its chat template cannot take a user's words ({what})") from None
    return [int(each) for each in made["input_ids"]]


def prompt_tokens(name: str) -> Callable[[str], int]:
    """What counts the tokens of a prompt.

    Raises:
        InputError: as `chat_tokenizer`.
    """
    tokenizer = chat_tokenizer(name)
    return lambda words: len(encoded(tokenizer, words))
