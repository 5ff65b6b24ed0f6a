"""What earlier commands left and what this one brings become one file: pairs of several generators and strategies side
by side, in source order, and nothing is lost that this command did not make anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain

from prbgen.generation.earlier import Earlier
from prbgen.generation.results import Line, Lines, Results, Variant
from prbgen.run import Run, whole_file


def merge(run: Run, earlier: Earlier, results: Results, variant: Variant) -> None:
    """Renew pairs.jsonl and rejects.jsonl.

    What there was stays, byte for byte, but for lines of this variant about the questions of this command (they were
    made anew) and for faults of the source (it was read anew).

    Raises:
        PrbgenError: the disk refuses.
    """
    questions = results.questions
    done = set(questions)
    for path, old, new in (
        (run.pairs, earlier.pairs, results.pairs),
        (run.rejects, earlier.rejects, results.rejects),
    ):
        kept = [
            line
            for line in old.lines
            if line.variant is not None and (line.variant != variant or line.question not in done)
        ]
        with whole_file(path) as file:
            file.writelines(_in_order(questions, old, kept, new))


def _in_order(questions: list[str], old: Lines, kept: list[Line], new: Lines) -> Iterator[str]:
    by_question: defaultdict[str, list[tuple[Line, Lines]]] = defaultdict(list)
    for lines, source in ((kept, old), (new.lines, new)):
        for line in lines:
            by_question[line.question].append((line, source))
    for question in in_source_order(questions, (line.question for line in old.lines)):
        for line, source in sorted(by_question.pop(question, ()), key=lambda each: each[0].variant or ("", "")):
            yield source.text(line)


def in_source_order(questions: list[str], before: Iterable[str]) -> list[str]:
    """All questions once: those of this command in their order, and each other one after the one that it followed."""
    known = set(questions)
    following: defaultdict[str | None, dict[str, None]] = defaultdict(dict)
    last = None
    for question in before:
        if question in known:
            last = question
        else:
            following[last][question] = None
    return [*following[None], *chain.from_iterable([question, *following[question]] for question in questions)]
