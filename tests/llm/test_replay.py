"""Replies from another ledger."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prbgen.errors import PrbgenError
from prbgen.llm.ledger import Ledger, Result, Sent
from prbgen.llm.model import Call, Message
from prbgen.llm.replay import Replayed
from prbgen.llm.route import UnansweredError
from prbgen.llm.traffic import Traffic
from prbgen.model_settings import ModelSettings
from tests.processes import python

CALL = Call(ModelSettings(name="openai/gpt-4o"), (Message("user", "Tea?"),), "answer", item="films/0_1_0")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "replies.sqlite"


async def fill(path: Path) -> None:
    with Ledger(path) as ledger:
        for key, outcome in (("k0", "stop"), ("k1", "length")):
            number = await ledger.begin(Sent(key, "answer", "films/0_1_0", "openai/gpt-4o", False, ""))
            await ledger.finish(number, Result(outcome, "Tea."))  # type: ignore[arg-type]
        await ledger.finish(
            await ledger.begin(Sent("k2", "answer", "", "m", False, "")), Result("timeout", None, "late")
        )


async def test_a_reply_on_record_is_given_as_it_ended(path: Path) -> None:
    await fill(path)
    before = path.read_bytes()
    traffic = Traffic()
    replayed = Replayed(path, traffic)
    assert await replayed.send(CALL, "k0") == ("Tea.", "stop")
    assert await replayed.send(CALL, "k1") == ("Tea.", "length")
    assert (traffic.recorded, traffic.sent) == (2, 0)
    await replayed.close()
    assert path.read_bytes() == before


async def test_a_missing_request_is_named(path: Path) -> None:
    await fill(path)
    replayed = Replayed(path)
    for key in ("k2", "k3"):
        with pytest.raises(UnansweredError) as error:
            await replayed.send(CALL, key)
        assert error.value.reason == (f"not in replies.sqlite: answer of films/0_1_0 by openai/gpt-4o, request {key}")
        assert error.value.unusable is None
    await replayed.close()


def test_a_ledger_that_is_not_there_or_no_ledger_is_refused(path: Path) -> None:
    with pytest.raises(PrbgenError, match=r"replies\.sqlite"):
        Replayed(path)
    path.write_text("dear diary, " * 100)
    with pytest.raises(PrbgenError, match="not a ledger, or damaged"):
        Replayed(path)


def test_neither_litellm_nor_a_transport_is_imported() -> None:
    code = "import prbgen.llm.replay, sys, json; print(json.dumps(sorted(sys.modules)))"
    loaded = json.loads(python(code))
    assert not [name for name in loaded if name.startswith(("litellm", "prbgen.llm.transports"))]
