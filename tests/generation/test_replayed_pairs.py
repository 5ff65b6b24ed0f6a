"""The pairs of a run, built again from its replies alone."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from prbgen.generation.build import Builder
from prbgen.generation.tools import Tools
from prbgen.llm.gateway import Gateway
from prbgen.llm.ledger import Ledger, Result, Sent
from prbgen.llm.ledger.export import export
from prbgen.llm.model import Call, Finish
from prbgen.llm.templates import Prompts
from prbgen.llm.way import Way
from prbgen.recipe import load_recipe
from prbgen.sources import read_questions
from tests.processes import python


def replayed(project: Any, replies: Path) -> Any:
    """The same project elsewhere, with nothing but these replies."""
    again = type(project)(project.folder / "again", project.rows, project.rules, project.tables)
    again.folder.mkdir()
    again.generate(way=Way(replay=replies))
    assert not again.calls()
    return again.run


def test_an_exported_ledger_gives_the_same_bytes_without_a_call_also_where_replies_were_corrected_or_cut_off(
    project: Any, new_row: Any
) -> None:
    project.rows = [new_row(number) for number in range(4)]
    project.tables["checks"] = {"mode": "report"}
    project.rules = [
        {"stage": "answer", "match": "has 150 words", "reply": "{digest} is short."},
        {"stage": "answer", "match": "day 0", "reply": "word " * 150, "times": 2},
        {"stage": "answer", "match": "day 1", "reply": "Cut o", "finish": "length"},
        {"stage": "answer", "reply": "{digest}, then {digest}, then {digest}."},
    ]
    pairs, rejects = project.generate()
    assert (len(pairs), len(rejects)) == (3, 1)
    with Ledger(project.run.ledger, read_only=True) as ledger:
        assert export(ledger, project.folder / "replies.sqlite") == 10
    run = replayed(project, project.folder / "replies.sqlite")
    assert run.pairs.read_bytes() == project.run.pairs.read_bytes()
    assert run.rejects.read_bytes() == project.run.rejects.read_bytes()
    with Ledger(run.ledger, read_only=True) as ledger:
        assert ledger.query("SELECT count(*) FROM attempts") == [(0,)]


def test_a_request_that_is_not_there_rejects_its_item_and_is_named(project: Any) -> None:
    project.tables["source"] = {"limit": 2}
    project.generate()
    project.tables["source"] = {}
    run = replayed(project, project.run.ledger)
    assert run.pairs.read_bytes() == project.run.pairs.read_bytes()
    missing = run.rejects.read_text()
    assert "not in ledger.sqlite: answer of " in missing
    assert "1_2_0 by scripted/model.jsonl, request " in missing


class _Recorder:
    """A route that makes replies up and puts them on record, as if a provider had given them."""

    waits = True

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def send(self, call: Call, key: str) -> tuple[str, Finish]:
        reply = f"{key}, then {key}, then {key}."
        sent = Sent(key, call.stage, call.item, call.model.label, call.corrective, "")
        await self._ledger.finish(await self._ledger.begin(sent), Result("stop", reply))
        return reply, "stop"

    async def exchange(self) -> None: ...

    async def close(self) -> None: ...


def test_a_providers_replies_are_replayed_without_its_library_or_a_key(project: Any) -> None:
    project.tables = {"models": {"answer": "openai/gpt-4o-mini", "rubric": "openai/gpt-4o-mini"}}
    recipe, prompts = load_recipe(project.write()), Prompts()

    async def record() -> None:
        with Ledger(project.folder / "replies.sqlite") as ledger:
            gateway = Gateway(ledger, prompts, _Recorder(ledger))
            builder = Builder(Tools(recipe, prompts, gateway))
            for question in read_questions(recipe.source):
                await builder.build(question)
            await gateway.close()

    asyncio.run(record())
    code = "import sys; from prbgen.cli import main; code = main(sys.argv[1:]); print(code, 'litellm' in sys.modules)"
    words = ["generate", str(project.folder / "recipe.toml"), "--replay", str(project.folder / "replies.sqlite")]
    assert python(code, *words).splitlines()[-1] == "0 False"
    pairs = (project.folder / "runs" / "recipe" / "pairs.jsonl").read_text().splitlines()
    assert len(pairs) == 3
