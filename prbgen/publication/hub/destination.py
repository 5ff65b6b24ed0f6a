"""Where on the Hub a dataset goes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from prbgen.errors import InputError

HUB = "hub:"
_NAME = re.compile(r"\w([\w.-]*\w)?", re.ASCII)
_MOST = 96


@dataclass(frozen=True)
class Destination:
    """A dataset on the Hub, which need not be there yet. `repo` is ORG/NAME."""

    repo: str

    def __str__(self) -> str:
        return HUB + self.repo

    @classmethod
    def parse(cls, text: str) -> Destination:
        """Read `hub:ORG/NAME`.

        Raises:
            InputError: it has another form, or the Hub does not allow such a name.
        """
        repo = text.removeprefix(HUB)
        parts = repo.split("/")
        if repo == text or len(parts) != 2:
            raise InputError(f"{text!r}: a dataset on the Hub is written {HUB}ORG/NAME (ORG may be your own name)")
        if len(repo) > _MOST or not all(_allowed(part) for part in parts):
            raise InputError(
                f"{text!r}: the Hub allows no such name: ASCII letters, digits, - _ . only, no - or . at either end,"
                f" no -- or .., no .git at the end, at most {_MOST} characters in all"
            )
        return cls(repo)


def _allowed(part: str) -> bool:
    return bool(_NAME.fullmatch(part)) and "--" not in part and ".." not in part and not part.endswith(".git")
