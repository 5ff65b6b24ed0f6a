"""LiteLLM itself: takes seconds to import, so only when it is needed, and set up so that it keeps quiet."""

from __future__ import annotations

import logging
import os
from functools import cache
from typing import Any

from prbgen.llm.secrets import load_env_file


@cache
def litellm() -> Any:
    """The module."""
    load_env_file()
    # Or it tries to download a price list.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm
