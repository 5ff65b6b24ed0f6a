"""When a model is of no use: it failed on all that it was first asked, and so would go on."""

from __future__ import annotations

from pathlib import Path

from prbgen.errors import ModelError

# So many failures of a model that has never worked show that it will not come right.
TRIAL = 10
_EXAMPLES = 3


class Trial:
    """Counts failures until something works; from then on nothing more is asked of a model."""

    def __init__(self, name: str, ledger: Path, what: str) -> None:
        """Args: the model's `name` in messages, the `ledger` with its replies, if it has any, and `what` was to be done
        ("pairs could be scored").
        """
        self._name, self._ledger, self._what = name, ledger, what
        self._works = False
        self._failures = 0
        self._examples: dict[str, None] = {}

    def worked(self) -> None:
        """It is of use."""
        self._works = True

    def failed(self, reason: str) -> None:
        """One more failure.

        Raises:
            ModelError: there have been `TRIAL` of them, and nothing has worked.
        """
        self._failures += 1
        if len(self._examples) < _EXAMPLES:
            self._examples[reason] = None
        self.check()

    def check(self, most: int = TRIAL) -> None:
        """Raises ModelError if there have been `most` failures or more, and nothing has worked."""
        if self._works or self._failures < most:
            return
        again = f" (replies are on record in {self._ledger}: move it away to ask anew)" if self._ledger.exists() else ""
        what = f"none of {self._failures} {self._what}; given up, as: {'; '.join(self._examples)}{again}"
        raise ModelError(f"{self._name}: {what}")
