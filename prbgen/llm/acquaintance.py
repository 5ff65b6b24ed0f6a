"""What a server has shown of itself: tells a passing fault from an address at which there is no such server."""

from __future__ import annotations

import time

from prbgen.errors import ModelError
from prbgen.llm.model import CallError
from prbgen.llm.route import UnansweredError
from prbgen.model_settings import ModelSettings
from prbgen.text import one_line

# So often one call knocks at a server that has never answered before nobody is taken to be there.
_KNOCKS = 3
# So many calls got no completion over so many seconds, and none ever did: there is nothing that completes. One or two
# may be prompts that are filtered, a moment may be a proxy that starts.
_IN_VAIN, _PATIENCE = 3, 10.0


class Acquaintance:
    """One model at one place, over the calls of this process."""

    def __init__(self) -> None:
        self.fault: CallError | None = None
        self.completed = False
        self._answered = False
        self._in_vain: dict[str, float] = {}

    def succeeded(self) -> None:
        """A completion came."""
        self._answered = self.completed = True

    def failed(self, error: CallError) -> None:
        """A fault came instead, described in words that may be shown."""
        self.fault = error
        if not self.may_be_nobody(error):
            self._answered = True

    def why(self, kind: str) -> str:
        """A kind of fault in words, with what was said where the latest fault was of this kind."""
        said = f": {one_line(str(self.fault), 100)}" if self.fault and self.fault.kind == kind else ""
        return kind.replace("_", " ") + said

    def may_be_nobody(self, error: CallError) -> bool:
        """Whether this may be no outage, but an address at which there is no server."""
        return error.kind == "connection" and not self._answered

    def put_up_with(self, error: CallError, model: ModelSettings, key: str, attempts: int) -> None:
        """Let a call (`key`) that has failed so often be tried again, if that has any hope.

        Raises:
            ModelError: nobody is there, or nothing that gives completions.
            UnansweredError: a server that never gave a completion gives this call none either.
        """
        where = f" at {model.api_base}" if model.api_base else ""
        if self.may_be_nobody(error) and attempts >= _KNOCKS:
            raise ModelError(f"{model.label} cannot be reached{where} (is the server up, and the network?): {error}")
        if error.kind == "no_completion" and not self.completed:
            now = time.monotonic()
            self._in_vain.setdefault(key, now)
            if len(self._in_vain) >= _IN_VAIN and now - min(self._in_vain.values()) >= _PATIENCE:
                raise ModelError(
                    f"{model.label} answers{where} but gives no completions (are name and address those of a chat"
                    f" model?): {error}"
                )
            if attempts >= _KNOCKS:
                raise UnansweredError(f"no reply (no completion): {error}", attempts, fault=error.kind)
