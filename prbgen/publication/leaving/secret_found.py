"""Secrets that were found, and what that means for publishing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from prbgen.validation.report import Gate

_NAMED = 5


@dataclass(frozen=True)
class SecretFound:
    """Where something is a secret, or looks like one; the secret itself is not given.

    `number` is the line of a text file or the row of a Parquet file, from 1; null where it stands in the name of the
    file, goes over lines, or the file has neither. `variable` names the environment's variable whose value it is; null:
    it looks like a secret of the `kind`. `begins` are at most the first four characters, "" for the environment's.
    """

    file: str
    number: int | None
    pair_id: str | None
    column: str | None
    kind: str
    begins: str = ""
    variable: str | None = None

    def __str__(self) -> str:
        """On one line: the place, and what is there."""
        if self.pair_id is not None:
            place = f"{self.file}, pair {self.pair_id}"
        elif self.number is not None:
            place = f"{self.file}, {'row' if self.column else 'line'} {self.number}"
        else:
            place = self.file
        column = f", {self.column}" if self.column else ""
        begins = f", {self.begins}..." if self.begins else ""
        return f"{place}{column} ({self.kind}{begins})"


def must_not_leave(findings: Iterable[SecretFound]) -> tuple[SecretFound, ...]:
    """Those that no `--allow` may let pass: secrets of whoever runs this, not what looks like one."""
    return tuple(each for each in findings if each.variable is not None)


def secrets_gate(findings: Sequence[SecretFound]) -> Gate:
    """The gate "secrets", of what looks like a secret; for one that must not leave, there is nothing to allow."""
    if not findings:
        return Gate(name="secrets", state="pass", said="nothing in any file is or looks like a secret")
    named = "; ".join(str(each) for each in findings[:_NAMED])
    more = f"; and {len(findings) - _NAMED} more" if len(findings) > _NAMED else ""
    places = "1 place holds" if len(findings) == 1 else f"{len(findings)} places hold"
    return Gate(name="secrets", state="fail", said=f"{places} what looks like a secret: {named}{more}")
