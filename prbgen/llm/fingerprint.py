"""What makes two calls the same work: resuming, replay and the promise never to pay twice rest on this one hash."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from prbgen.llm.model import Call
from prbgen.model_settings import ModelSettings

VERSION = 1
# Bytes that are read of a file's beginning and of its end.
_END = 2**20

# Settings of a model that do not change what it is asked, each with the reason.
NOT_THE_WORK = {
    "api_base": "a server that moved is the same model",
    "base_url": "likewise",
    "api_key": "who pays changes nothing",
    "api_version": "a newer interface to the same model",
    "organization": "who pays changes nothing",
    "timeout": "patience changes nothing",
    "concurrency": "speed changes nothing",
    "extra_headers": "for proxies and tracing",
    "headers": "likewise",
    "user": "for the provider's own bookkeeping",
    "metadata": "likewise",
    "aws_access_key_id": "who pays changes nothing",
    "aws_secret_access_key": "who pays changes nothing",
    "aws_session_token": "who pays changes nothing",
    "azure_ad_token": "who pays changes nothing",
    "vertex_credentials": "who pays changes nothing",
    "vertex_project": "who pays changes nothing",
}


def fingerprint(call: Call) -> str:
    """The key of a call: 32 hex digits over model, messages, sampling parameters, reply schema and sample index.

    Of a call for several replies it tells that, and not how many: whoever wants more finds those that there are.
    """
    params = {name: value for name, value in call.model.params.items() if name not in NOT_THE_WORK}
    work: dict[str, Any] = {
        "version": VERSION,
        "model": _identity(call.model),
        "messages": [[message.role, message.content] for message in call.messages],
        "params": params,
        "schema": call.schema,
        "sample": call.sample,
    }
    if call.n > 1:
        work["n"] = "several"
    canonical = json.dumps(work, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]


def _identity(model: ModelSettings) -> str:
    """A model's name; for a file on this machine its name and content, wherever it lies."""
    if not model.on_this_machine:
        return model.name
    path = Path(model.name.partition("/")[2])
    if not path.is_file():
        return model.label
    status = path.stat()
    return f"{model.label}@{_digest(path, status.st_size, status.st_mtime_ns)}"


@cache
def _digest(path: Path, size: int, _changed: int) -> str:
    """Of a whole script, of both ends of weights: gigabytes would take too long at every start."""
    with path.open("rb") as file:
        ends = file.read(_END)
        if size > _END:
            file.seek(max(_END, size - _END))
            ends += file.read(_END)
    return hashlib.sha256(size.to_bytes(8) + ends).hexdigest()[:16]
