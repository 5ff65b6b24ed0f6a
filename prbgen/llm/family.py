"""Which family of models a model belongs to: a judge prefers what its own family writes."""

from __future__ import annotations

import re

# By names of models, as a model may be served by anybody; most also within a longer word, such as codellama.
_FAMILIES = {
    "OpenAI": ("gpt", "davinci"),
    "Anthropic": ("claude",),
    "Google": ("gemini", "gemma", "palm"),
    "Meta": ("llama",),
    "Qwen": ("qwen", "qwq", "qvq"),
    "Mistral": ("mistral", "mixtral", "ministral", "magistral", "codestral", "pixtral", "devstral"),
    "DeepSeek": ("deepseek",),
    "Cohere": ("command-r", "command-a", "cohere"),
    "xAI": ("grok",),
    "Zhipu": ("glm-", "chatglm"),
    "Moonshot": ("kimi", "moonshot"),
    "Ai2": ("olmo", "tulu"),
    "IBM": ("granite",),
    "Nvidia": ("nemotron",),
    "Hugging Face": ("smollm", "zephyr"),
}
# Too short to be looked for within words.
_WHOLE_WORDS = {"OpenAI": r"o\d", "Cohere": "aya", "Microsoft": "phi", "Amazon": "nova|titan", "01.AI": "yi"}


def families(name: str) -> frozenset[str]:
    """The families that a model's name tells of; several for a distilled one, none where it tells of none."""
    model = name.casefold().rpartition("/")[2]
    within = {family for family, parts in _FAMILIES.items() if any(part in model for part in parts)}
    whole = {family for family, word in _WHOLE_WORDS.items() if re.search(rf"(?<![a-z])({word})(?![a-z])", model)}
    return frozenset(within | whole)


def family_of(name: str) -> str | None:
    """Those families in one line, in alphabetical order; null where the name tells of none."""
    return ", ".join(sorted(families(name))) or None


def related(one: str, other: str) -> bool:
    """Whether two models are the same, or of one family as far as their names tell."""
    return one == other or bool(families(one) & families(other))
