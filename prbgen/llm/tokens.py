"""How many tokens a text has, counted on this machine by an encoding that LiteLLM ships: nothing is downloaded."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from prbgen.llm.model import Call

# The encodings that LiteLLM ships, and the names that tiktoken gives to their files; any other one it would download.
_SHIPPED = {
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
}
# Tokens that a chat template adds to each message.
_AROUND = 4
# Tokens that begin the reply.
_BEGIN = 3
# How far a count may be off, as factors: with a model's own encoding little is added that cannot be seen.
_OWN, _OTHERS = (0.98, 1.02), (0.9, 1.3)


@dataclass(frozen=True)
class Tokenizer:
    """`count` tells the tokens of a text by the encoding `name`, which is the model's own or (not `own`) stands in for
    it; the model may see so many times what was counted: `low` to `high`.
    """

    name: str
    own: bool
    count: Callable[[str], int]

    @property
    def low(self) -> float:
        """The least that the model may see of a token that was counted."""
        return (_OWN if self.own else _OTHERS)[0]

    @property
    def high(self) -> float:
        """The most that it may see."""
        return (_OWN if self.own else _OTHERS)[1]

    def prompt(self, call: Call) -> int:
        """The tokens of all messages of a call, as LiteLLM counts them, and of the form of the reply; what two calls
        share one after the other is counted once.
        """
        *before, last = (message.content for message in call.messages)
        texts = [*before, last[: call.shared], last[call.shared :]]
        # Providers show the model the form of the reply, too.
        texts.append(json.dumps(call.schema) if call.schema else "")
        return sum(map(self.count, filter(None, texts))) + _AROUND * len(call.messages) + _BEGIN


@cache
def tokenizer_of(model: str) -> Tokenizer:
    """The tokenizer for a model by its LiteLLM name: its own for OpenAI's, else the nearest thing to one."""
    import tiktoken

    try:
        own = tiktoken.encoding_name_for_model(model.rpartition("/")[2])
    except KeyError:
        own = ""
    name = own if own in _SHIPPED else "cl100k_base"
    encoding = _encoding(name)
    if encoding is None:
        return Tokenizer("four bytes a token", own=False, count=lambda text: -(-len(text.encode()) // 4))

    # Much of a prompt comes again in the next one; the texts are large, so few are kept.
    @lru_cache(maxsize=16)
    def count(text: str) -> int:
        # Ordinary: a post may hold what looks like a control token.
        return len(encoding.encode_ordinary(text))

    return Tokenizer(name, own == name, count)


def _encoding(name: str) -> Any:
    """A tiktoken encoding, or null where LiteLLM no longer ships it."""
    import tiktoken

    package = find_spec("litellm")
    if package is None or package.origin is None:
        return None
    folder = Path(package.origin).parent / "litellm_core_utils" / "tokenizers"
    if not (folder / _SHIPPED[name]).is_file():
        return None
    # As LiteLLM sets it, too, when it is imported; that takes seconds.
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    return tiktoken.get_encoding(name)
