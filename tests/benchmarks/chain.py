"""The chain of two calls an item that prbgen and its peers are compared on (f), in plain Python: all clients import it.

A client is a script that takes the server's address, a scratch folder of its own, and how many items to do with how
many calls at once. The last line that it prints is a JSON object with `finished`, the items that got both replies.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine_client import MODEL, question

__all__ = ["MODEL", "Job", "first", "run", "second"]


@dataclass(frozen=True)
class Job:
    """What a client is to do."""

    api_base: str
    folder: Path
    items: int
    concurrency: int


def first(number: int) -> str:
    """The first prompt of an item."""
    return question(number).strip()


def second(prompt: str, reply: str) -> str:
    """The second prompt of an item, which holds the first one and its reply."""
    return f"{prompt}\n\nThis is a draft of the answer:\n{reply}\n\nMake it shorter."


def run(client: Callable[[Job], int]) -> None:
    """Run a client, which returns how many items it finished, as the command line says."""
    options = argparse.ArgumentParser()
    options.add_argument("api_base")
    options.add_argument("folder", type=Path)
    for name in ("--items", "--concurrency"):
        options.add_argument(name, type=int, required=True)
    job = Job(**vars(options.parse_args()))
    os.environ["OPENAI_API_KEY"] = "none"
    print("\n" + json.dumps({"finished": client(job)}))
