"""Keeps the Hub's client to its work: no bars, no log and no warnings of its own, no telemetry."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from logging import ERROR


@contextmanager
def quiet() -> Iterator[None]:
    """As long as it lasts, the client says nothing; what goes wrong it still raises."""
    from huggingface_hub import constants
    from huggingface_hub.utils.logging import get_verbosity, set_verbosity
    from huggingface_hub.utils.tqdm import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

    level, telemetry, bars = get_verbosity(), constants.HF_HUB_DISABLE_TELEMETRY, are_progress_bars_disabled()
    with warnings.catch_warnings():
        # The user may have forced the bars on or off; the client then warns that we cannot.
        warnings.simplefilter("ignore")
        set_verbosity(ERROR)
        constants.HF_HUB_DISABLE_TELEMETRY = True
        disable_progress_bars()
        try:
            yield
        finally:
            set_verbosity(level)
            constants.HF_HUB_DISABLE_TELEMETRY = telemetry
            if not bars:
                enable_progress_bars()
