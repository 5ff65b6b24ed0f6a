"""Only what prbgen itself says is shown: what matters of a library's words is an error, or a reason, here."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import transformers


@contextmanager
def quiet() -> Iterator[None]:
    """Without the tables, bars and warnings of transformers and torch, and the Hub client's word on every try."""
    hub = logging.getLogger("huggingface_hub")
    hub_level = hub.level
    hub.setLevel(logging.ERROR)
    verbosity, bars = transformers.logging.get_verbosity(), transformers.logging.is_progress_bar_enabled()
    transformers.logging.set_verbosity(logging.ERROR)
    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        hub.setLevel(hub_level)
        transformers.logging.set_verbosity(verbosity)
        if bars:
            transformers.logging.enable_progress_bar()  # type: ignore[no-untyped-call]
