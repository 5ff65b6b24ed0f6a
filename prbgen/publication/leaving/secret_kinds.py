"""What keys, tokens and passwords in addresses look like, whoever they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

# Those of detect-secrets that know a secret by a mark of its own. Left out, as people's prose raises false alarms:
# entropy (any long word), KeywordDetector ("the password: ..."), IPPublicDetector (an address is no secret),
# ArtifactoryDetector ("AKCregistered") and IbmCloudIamDetector (any word of 44 letters after "key"). Own patterns stand
# in for OpenAIDetector, which knows too few, BasicAuthDetector ("File:Name@2x.png" in an address), and NpmDetector,
# whose time grows with the square of a line.
_PLUGINS = (
    "AWSKeyDetector",
    "AzureStorageKeyDetector",
    "CloudantDetector",
    "DiscordBotTokenDetector",
    "GitHubTokenDetector",
    "GitLabTokenDetector",
    "IbmCosHmacDetector",
    "JwtTokenDetector",
    "MailchimpDetector",
    "PrivateKeyDetector",
    "PypiTokenDetector",
    "SendGridDetector",
    "SlackDetector",
    "SoftlayerDetector",
    "SquareOAuthDetector",
    "StripeDetector",
    "TelegramBotTokenDetector",
    "TwilioKeyDetector",
)
# What detect-secrets does not know. No letter stands before them: images within a page are one long word.
_OWN = {
    "Hugging Face token": re.compile(r"(?<![\w+/=-])(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    "Anthropic key": re.compile(r"(?<![\w+/=-])sk-ant-[\w-]{20,}", re.ASCII),
    "key of a model provider": re.compile(r"(?<![\w+/=-])sk-(?!ant-)(?=[\w-]*[0-9])[\w-]{32,}", re.ASCII),
    "Google key": re.compile(r"(?<![\w+/=-])AIza[\w-]{35}", re.ASCII),
    "Groq or xAI key": re.compile(r"(?<![\w+/=-])(?:gsk_|xai-)[A-Za-z0-9]{40,}"),
    "npm token": re.compile(r"(?<![\w+/=-])npm_[A-Za-z0-9]{36}|:_authToken=\s*[A-Fa-f0-9-]{36}"),
    "GitHub token": re.compile(r"(?<![\w+/=-])github_pat_\w{30,}", re.ASCII),
    "Private Key": re.compile(r"BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY"),
    "password in an address": re.compile(
        r"\b[a-z][a-z0-9+.-]{1,20}://[\w.%+~-]{0,64}:(?!(?:pass(?:word|wd)?|pwd|secret|token|x+)@)"
        r"([^\s:/@{}<>$*\[\]]{4,200})@[\w\[]",
        re.IGNORECASE | re.ASCII,
    ),
}
# Patterns are slow, and most lines have no word as long as a key and none of the shorter marks.
_LONG_WORD = re.compile(r"[0-9A-Za-z_+/=-]{20}")
_SHORT_MARKS = ("PRIVATE KEY", "PuTTY-User-Key-File", "xox", "XOX", "://")
_SHOWN = 4


@dataclass(frozen=True)
class Likeness:
    """What a text looks to hold; `begins` are the first four characters of it, never more."""

    kind: str
    begins: str


def likenesses(text: str) -> tuple[Likeness, ...]:
    """What looks like a secret in a text, each kind and beginning once."""
    found: dict[str, Likeness] = {}
    for line in text.splitlines():
        if _LONG_WORD.search(line) or any(mark in line for mark in _SHORT_MARKS):
            for secret, kind in _in_line(line):
                # A key may look like that of two kinds: the first stands.
                found.setdefault(secret, Likeness(kind, secret[:_SHOWN]))
    return tuple(dict.fromkeys(found.values()))


def _in_line(line: str) -> Iterator[tuple[str, str]]:
    for kind, pattern in _OWN.items():
        for match in pattern.finditer(line):
            yield match[match.lastindex or 0], kind
    for plugin in _plugins():
        for secret in plugin.analyze_string(line):
            yield secret, plugin.secret_type


@cache
def _plugins() -> tuple[Any, ...]:
    """The plugins themselves: the scanner of detect-secrets would let pass lines that say so, and ask providers."""
    from detect_secrets.settings import get_plugins, transient_settings

    with transient_settings({"plugins_used": [{"name": name} for name in _PLUGINS]}):
        return tuple(sorted(get_plugins(), key=lambda plugin: type(plugin).__name__))
