"""A process that pushes what it reads: one job a line of JSON in, one outcome a line out.

The client takes the Hub's address from the environment once, on import; one process serves many tests. It doesn't
really wait: its waits are part of the outcome.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from prbgen.errors import PrbgenError
from prbgen.publication.hub import Destination, Published, push


def outcome(job: dict[str, Any]) -> dict[str, Any]:
    waits: list[Any] = []
    said: list[str] = []
    time.sleep = waits.append
    os.environ.pop("HF_TOKEN", None)
    if token := job.pop("token"):
        os.environ["HF_TOKEN"] = token
    last = job.pop("last", None)
    folder, to = Path(job.pop("folder")), Destination.parse(job.pop("to"))
    try:
        known = Published.model_validate(last) if last else None
        published = push(folder, to, last=known, progress=said.append, **job)
    except PrbgenError as error:
        return {"error": str(error), "code": error.exit_code, "said": said, "waits": waits}
    return {"published": published.model_dump(), "said": said, "waits": waits}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(outcome(json.loads(line))), flush=True)
