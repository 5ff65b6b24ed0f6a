"""Can a shallow model tell chosen from rejected? `prbgen audit`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.api.display import QUIET, Display
from prbgen.api.given import Place, names, path, refuse_none
from prbgen.errors import InputError
from prbgen.recipe import load_recipe
from prbgen.run import Run, whole_file
from prbgen.schema import Question

if TYPE_CHECKING:
    from prbgen.generation.audit.overlap import OtherData
    from prbgen.generation.audit.results import Audit


@dataclass(frozen=True)
class Audited:
    """Findings on each set of pairs, and the `folder` with audit.html and audit.json: null where there is none."""

    sets: tuple[Audit, ...]
    folder: Path | None

    @property
    def leaks(self) -> bool:
        """Whether a shallow model tells chosen from rejected in any of them."""
        return any(each.verdict == "leaks" for each in self.sets)

    def document(self) -> dict[str, Any]:
        """What JSON can hold: of one set its own fields, of several `sets`; what `prbgen audit --json` prints."""
        return asdict(self.sets[0]) if len(self.sets) == 1 else {"sets": [asdict(each) for each in self.sets]}


@dataclass(frozen=True)
class _Asked:
    """What is to be audited, and how."""

    data: tuple[str, ...]
    subsets: tuple[str, ...]
    split: str
    each: bool
    embedding: str | None


def audit(
    data: Place | Iterable[Place],
    *,
    subset: str | Iterable[str] = (),
    split: str = "",
    each: bool = False,
    against: Place | None = None,
    against_split: str = "",
    embedding: str | None = None,
    out: Place | None = None,
    display: Display = QUIET,
) -> Audited:
    """Can somebody who sees neither user nor question tell chosen from rejected? And what else does a set hold?

    Args:
        data: A run, a folder or file of pairs, or a Hub id; or several.
        subset: Only this subset, or these.
        split: Only this split (all).
        each: Each strategy and generator apart.
        against: What should share no user and no question with the pairs.
        against_split: Only this split of it (all).
        embedding: Go by sentence embeddings, too: a model's name or folder.
        out: Put audit.html and audit.json there (of one whole run RUN/audit, else nowhere).
        display: Is told how it goes.

    Raises:
        InputError: data cannot be read, there are too few pairs, or another process works on the run.
        MissingExtraError: `embedding` takes a part of prbgen that is not installed.
        PrbgenError: the disk refuses.
    """
    given = (data,) if isinstance(data, str) or not isinstance(data, Iterable) else tuple(data)
    asked = _Asked(tuple(map(str, given)), names(subset), split, each, embedding)
    refuse_none(data=asked.data)
    own = None if out is not None else _own_run(asked)
    # Nobody may change the pairs of a run while its audit is made.
    with own.locked() if own else nullcontext():
        with display.saying("Reading ...") as say:
            other = _other(str(against), against_split, say, display) if against else None
            audits = tuple(found for place in asked.data for found in _audits(place, asked, other, say))
        audited = Audited(audits, own.audit if own else path(out, "out"))
        if audited.folder:
            _write(audited, audited.folder)
        if own:
            from prbgen.publication.of_run import restage

            restage(own, load_recipe(own.recipe), display.remark)
    return audited


def _own_run(asked: _Asked) -> Run | None:
    """The run whose audit this becomes: it is asked for alone, and as a whole."""
    a_part = len(asked.data) > 1 or asked.subsets or asked.split or asked.each
    return None if a_part else _as_run(asked.data[0])


def _as_run(data: str) -> Run | None:
    run = Run(Path(data))
    if not (run.recipe.is_file() and run.pairs.is_file()):
        return None
    if not run.pairs.stat().st_size:
        raise InputError(f"{data}: this run has no pairs; `prbgen status {data}` says why")
    return run


def _other(data: str, split: str, say: Callable[[str], None], display: Display) -> OtherData:
    """The users and questions of another split: of pairs, or of questions that nobody has answered yet."""
    from prbgen.generation.audit.overlap import OtherData
    from prbgen.recipe import SourceSettings
    from prbgen.sources import SourceReport, read_questions
    from prbgen.sources.pairs import PairSource

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
        display.remark(f"{report.rejected:,} rows of {source.name} cannot be read: they are in no overlap")
    return other


def _audits(data: str, asked: _Asked, against: OtherData | None, say: Callable[[str], None]) -> Iterator[Audit]:
    """Of one place: the whole set, or the pairs of each strategy and generator."""
    from prbgen.generation.audit import audit as audit_pairs
    from prbgen.generation.audit.making import History, MadeBy
    from prbgen.sources.pairs import PairSource

    source = PairSource.at(data, subsets=asked.subsets, split=asked.split)
    run = _as_run(data)
    # Of a part of a run nobody knows what it took.
    history = History(run) if run and not (asked.subsets or asked.split) else None
    # Of several sets those at the same kind of place, such as runs/recipe, would all have one name.
    several = len(asked.data) > 1
    name = data if several else source.name

    def of(made_by: MadeBy | None, name: str) -> Audit:
        say(f"Auditing {name} ...")
        pairs = (pair for pair in source.read() if made_by in (None, MadeBy(pair.strategy, pair.generator)))
        making = history.making(made_by) if history else None
        # One small set is no reason to give up the others.
        strict = not several and made_by is None
        return audit_pairs(name, pairs, embedding=asked.embedding, against=against, making=making, strict=strict)

    if not asked.each:
        yield of(None, name)
        return
    for made_by in dict.fromkeys(MadeBy(pair.strategy, pair.generator) for pair in source.read()):
        which = f"{made_by.strategy or 'strategy unknown'}, {made_by.generator or 'model unknown'}"
        yield of(made_by, f"{name}, {which}" if several else which)


def _write(audited: Audited, folder: Path) -> None:
    """The report, as a page and for programs."""
    from prbgen.generation.audit.page import render_page

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be the folder of a report ({error.strerror or error})") from None
    with whole_file(folder / "audit.html") as file:
        file.write(render_page(audited.sets))
    with whole_file(folder / "audit.json") as file:
        file.write(json.dumps(audited.document(), indent=2, ensure_ascii=False) + "\n")
