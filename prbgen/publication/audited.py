"""What the latest audit of a run says, if it is about the pairs that are staged."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

# In the folder of an audit; the page also beside the card, which links it.
PAGE, DOCUMENT = "audit.html", "audit.json"


class AuditedShortcut(BaseModel):
    """How often a shallow model tells chosen from rejected; both are null where that could not be measured."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    accuracy: float | None
    ci95: tuple[float, float] | None

    @model_validator(mode="after")
    def _both_or_none(self) -> Self:
        if (self.accuracy is None) != (self.ci95 is None):
            raise ValueError("an accuracy and its interval come together")
        return self


class Audited(BaseModel):
    """What a card says of an audit; `data` is the hash of the pairs that it is about."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    data: str
    verdict: Literal["clean", "leaks", "unclear"]
    shortcut: dict[str, AuditedShortcut]


def read_audit(folder: Path, digest: str) -> Audited | None:
    """The audit in a folder; null if there is none (half of one is none), or if it is not about these pairs."""
    try:
        audit = Audited.model_validate_json((folder / DOCUMENT).read_bytes())
    except (OSError, ValidationError):
        return None
    return audit if audit.data == digest and (folder / PAGE).is_file() else None
