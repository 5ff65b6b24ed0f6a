"""What all commands print: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from rich.console import Console


def stdout() -> Console:
    """For results. Piped output is 120 columns wide, unless COLUMNS says otherwise."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else 120
    return Console(highlight=False, width=width)


def print_json(document: Any) -> None:
    """One JSON document on stdout."""
    print(json.dumps(document, indent=2, ensure_ascii=False))


def money(spent: list[dict[str, Any]]) -> str:
    """What was spent in words; where prices are not known it says so instead of guessing."""
    unpriced = sum(each["unpriced"] for each in spent)
    known = sum(each["cost_usd"] or 0.0 for each in spent)
    if unpriced and not known:
        return "cost unknown"
    return f"{known:.4f} USD" + (f" and {unpriced} calls of unknown price" if unpriced else "")
