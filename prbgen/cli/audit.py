"""Can somebody who sees neither user nor question tell chosen from rejected? And what else does a set hold?"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.errors import InputError
from prbgen.recipe import load_recipe
from prbgen.run import Run, whole_file
from prbgen.schema import Question

if TYPE_CHECKING:
    from prbgen.generate.audit.overlap import OtherData
    from prbgen.generate.audit.results import Audit


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`audit DATA... [...]`."""
    parser.add_argument("data", metavar="DATA", nargs="+", help="a run, a folder or file of pairs, or a Hub id")
    parser.add_argument("--subset", metavar="NAME", action="append", default=[], help="only this subset (repeatable)")
    parser.add_argument("--split", metavar="NAME", default="", help="only this split (default: all)")
    parser.add_argument("--each", action="store_true", help="each strategy and generator apart, side by side")
    parser.add_argument("--against", metavar="DATA", help="what should share no user and no question with the pairs")
    parser.add_argument("--against-split", metavar="NAME", default="", help="only this split of it (default: all)")
    parser.add_argument("--embedding", metavar="MODEL", help="go by sentence embeddings, too: a name or a folder")
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        help="put audit.html and audit.json there (default: of one run RUN/audit, else nowhere)",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Audit, write the report, and show it. Returns 1 if a set leaks."""
    own = _own_run(arguments)
    # Nobody may change the pairs of a run while its audit is made.
    with own.locked() if own else nullcontext():
        audits = _made(arguments)
        document = asdict(audits[0]) if len(audits) == 1 else {"sets": [asdict(each) for each in audits]}
        folder = own.audit if own else arguments.out
        if folder:
            _write(audits, document, folder)
        if own:
            from prbgen.publish.of_run import restage
            from prbgen.terminal import stderr

            remark = partial(stderr().print, markup=False, soft_wrap=True)
            restage(own, load_recipe(own.recipe), remark)
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(document)
    else:
        from prbgen.cli.audit_tables import show

        show(audits, folder)
    return 1 if any(each.verdict == "leaks" for each in audits) else 0


def _own_run(arguments: argparse.Namespace) -> Run | None:
    """The run whose audit this becomes: it is asked for alone, as a whole, and the report is to go nowhere else."""
    elsewhere = len(arguments.data) > 1 or arguments.subset or arguments.split or arguments.each or arguments.out
    return None if elsewhere else _as_run(arguments.data[0])


def _made(arguments: argparse.Namespace) -> list[Audit]:
    from prbgen.cli.live_line import live_saying
    from prbgen.terminal import stderr

    with live_saying(stderr(), "Reading ...") as say:
        against = _other(arguments.against, arguments.against_split, say) if arguments.against else None
        return [each for data in arguments.data for each in _audits(data, arguments, against, say)]


def _as_run(data: str) -> Run | None:
    run = Run(Path(data))
    if not (run.recipe.is_file() and run.pairs.is_file()):
        return None
    if not run.pairs.stat().st_size:
        raise InputError(f"{data}: this run has no pairs; `prbgen status {data}` says why")
    return run


def _other(data: str, split: str, say: Callable[[str], None]) -> OtherData:
    """The users and questions of another split: of pairs, or of questions that nobody has answered yet."""
    from prbgen.generate.audit.overlap import OtherData
    from prbgen.recipe import SourceSettings
    from prbgen.sources import SourceReport, read_questions
    from prbgen.sources.pairs import PairSource
    from prbgen.terminal import stderr

    source = PairSource.at(data, split=split)
    say(f"Reading {source.name} ...")
    other = OtherData(source.name)
    if source.has_answers():
        for pair in source.read():
            other.add(pair)
        return other
    report = SourceReport()
    for question in read_questions(SourceSettings(path=data, split=split), report=report):
        if isinstance(question, Question):
            other.add(question)
    if report.rejected:
        stderr().print(
            f"{report.rejected:,} rows of {source.name} cannot be read: they are in no overlap", markup=False
        )
    return other


def _audits(
    data: str, arguments: argparse.Namespace, against: OtherData | None, say: Callable[[str], None]
) -> Iterator[Audit]:
    """Of one place: the whole set, or the pairs of each strategy and generator."""
    from prbgen.generate.audit import audit
    from prbgen.generate.audit.making import History, MadeBy
    from prbgen.sources.pairs import PairSource

    source = PairSource.at(data, subsets=arguments.subset, split=arguments.split)
    run = _as_run(data)
    # Of a part of a run nobody knows what it took.
    history = History(run) if run and not (arguments.subset or arguments.split) else None
    # Of several sets those at the same kind of place, such as runs/recipe, would all have one name.
    name = data if len(arguments.data) > 1 else source.name

    def of(made_by: MadeBy | None, name: str) -> Audit:
        say(f"Auditing {name} ...")
        pairs = (pair for pair in source.read() if made_by in (None, MadeBy(pair.strategy, pair.generator)))
        making = history.making(made_by) if history else None
        # One small set is no reason to give up the others.
        strict = len(arguments.data) == 1 and made_by is None
        return audit(name, pairs, embedding=arguments.embedding, against=against, making=making, strict=strict)

    if not arguments.each:
        yield of(None, name)
        return
    for made_by in dict.fromkeys(MadeBy(pair.strategy, pair.generator) for pair in source.read()):
        which = f"{made_by.strategy or 'strategy unknown'}, {made_by.generator or 'model unknown'}"
        yield of(made_by, f"{name}, {which}" if len(arguments.data) > 1 else which)


def _write(audits: Sequence[Audit], document: dict[str, Any], folder: Path) -> None:
    """The report, as a page and for programs."""
    from prbgen.generate.audit.page import render_page

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be the folder of a report ({error.strerror or error})") from None
    with whole_file(folder / "audit.html") as file:
        file.write(render_page(audits))
    with whole_file(folder / "audit.json") as file:
        file.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
