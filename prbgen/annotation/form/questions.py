"""The questions of a round, read from the TOML file that a campaign manager edits."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, cast, get_args

from prbgen.annotation.form.asked import EQUAL, NONE, Asked, AskedKind
from prbgen.annotation.form.table import Table
from prbgen.annotation.form.wording import described
from prbgen.errors import InputError
from prbgen.schema import Round, Shown

# What Argilla takes.
TITLE, DESCRIPTION, OPTION = 500, 1000, 500
MARKS = range(11)
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")

LEAST_ASPECTS = 10  # room for pairs that are added later and have more aspects than any before
MOST_ASPECTS = 499  # with "none" all that Argilla takes
_ANSWER = "{answer}"

# What the rest of prbgen counts on: (kind, whether it is asked of each answer).
_NEEDED: dict[Round, dict[str, tuple[AskedKind, bool]]] = {
    "quality": dict.fromkeys(("factuality", "relevance", "helpfulness"), ("rating", True)),
    "blind": {"adherence": ("rating", True), "better": ("choice", False)},
    "rubric": {"covers": ("aspects", True), "adherence": ("rating", True), "better": ("choice", False)},
}


def read_questions(text: str, where: str, round_: Round, aspects: int = 0) -> tuple[Asked, ...]:
    """What is asked, in the order in which raters get it.

    `where` names the file in faults. `aspects` is the greatest number of aspects of a pair; the file may name another
    number (the key aspects, as a frozen one has it), and the greater one holds.

    Raises:
        InputError: the file is not as it should be; names the table, the key and what would be right.
    """
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{where}: not a TOML file: {error}") from None
    file = Table(where, tables)
    said = file.whole("aspects")
    if said is not None and not 1 <= said <= MOST_ASPECTS:
        file.fault("aspects", f"must be from 1 to {MOST_ASPECTS}")
    labels = max(said or LEAST_ASPECTS, aspects)
    order = file.text("order", 20, default="question")
    if order not in ("question", "answer"):
        file.fault(
            "order", "must be 'question' (each about A, then about B) or 'answer' (all about A, then all about B)"
        )
    questions = file.tables("question")
    file.end()

    asked: list[Asked] = []
    for number, values in enumerate(questions, 1):
        new = tuple(_question(values, f"{where}: question {number}", labels))
        taken = {name for one in asked for name in (one.name, one.question)}
        if twice := [name for one in new for name in (one.question, one.name) if name in taken]:
            raise InputError(f"{where}: question {number}: 'name' {twice[0]!r} is used twice; give it another")
        asked += new
    _check_needed(asked, where, round_)
    return tuple(asked if order == "question" else sorted(asked, key=lambda one: _group(one, asked)))


def _group(one: Asked, asked: list[Asked]) -> tuple[int, str, int]:
    """A run of questions about each answer is asked about A first, then about B."""
    place = asked.index(one)
    start = place
    while start and asked[start].shown and asked[start - 1].shown:
        start -= 1
    return start, one.shown or "", place


def _question(values: Mapping[str, Any], where: str, labels: int) -> Iterator[Asked]:
    name = values.get("name")
    table = Table(f"{where} ({name!r})" if isinstance(name, str) else where, values)
    question = table.text("name", 200)
    if not _NAME.fullmatch(question):
        table.fault("name", "must be up to 40 lower-case letters, digits and _, a letter first")
    kind = _kind(table)
    title = table.text("title", TITLE)
    description = table.text("description", DESCRIPTION, default="")
    required = table.flag("required", default=True)
    each = table.flag("each_answer", default=False)
    if each and _ANSWER not in title:
        table.fault("title", f"must have {_ANSWER} where A or B shall stand, since it is asked of each answer")
    options, unknown = _options(table, kind, labels)
    table.end()
    sides: tuple[Shown | None, ...] = ("A", "B") if each else (None,)
    for shown in sides:
        one = Asked(
            name=f"{question}_{shown.lower()}" if shown else question,
            question=question,
            shown=shown,
            kind=kind,
            title=_named(title, shown),
            description=_named(description, shown),
            required=required,
            options=options,
            unknown=unknown,
        )
        if len(described(one)) > DESCRIPTION:
            table.fault("scale", f"and 'description' have more than {DESCRIPTION} characters together; say it in less")
        yield one


def _kind(table: Table) -> AskedKind:
    kind = table.text("kind", 20)
    if kind not in get_args(AskedKind):
        table.fault("kind", f"must be one of {', '.join(get_args(AskedKind))}")
    return cast("AskedKind", kind)


def _named(text: str, shown: Shown | None) -> str:
    return text.replace(_ANSWER, shown) if shown else text


def _options(table: Table, kind: str, labels: int) -> tuple[tuple[tuple[str, str], ...], int | None]:
    if kind == "rating":
        return _scale(table)
    if kind == "aspects":
        none = table.text("none", OPTION)
        return (*((str(number), str(number)) for number in range(1, labels + 1)), (NONE, none)), None
    if kind == "choice":
        options = table.texts("options", OPTION)
        if len(options) < 2 or len(set(options.values())) < len(options):
            table.fault("options", "must be two or more, with different texts")
        if any(not 0 < len(value) <= 200 for value in options):
            table.fault("options", "have a name that is empty or longer than 200 characters")
        return tuple(options.items()), None
    return (), None


def _scale(table: Table) -> tuple[tuple[tuple[str, str], ...], int | None]:
    scale = table.texts("scale", OPTION)
    wrong = [mark for mark in scale if mark not in map(str, MARKS)]
    if wrong:
        table.fault("scale", f"has a mark {wrong[0]!r}; marks are whole numbers from {MARKS[0]} to {MARKS[-1]}")
    if len(scale) < 2:
        table.fault("scale", "must have two marks or more, each with its meaning")
    unknown = table.whole("unknown")
    if unknown is not None and str(unknown) not in scale:
        table.fault("unknown", f"must be a mark of the scale: {', '.join(scale)}")
    if len(scale) - (unknown is not None) < 2:
        table.fault("scale", "must have two marks or more beside the unknown one")
    return tuple(sorted(scale.items(), key=lambda option: int(option[0]))), unknown


def _check_needed(asked: list[Asked], where: str, round_: Round) -> None:
    for question, (kind, each) in _NEEDED[round_].items():
        found = next((one for one in asked if one.question == question), None)
        like = f"kind = {kind!r}" + (" and each_answer = true" if each else "")
        if found is None:
            raise InputError(f"{where}: question {question!r} is missing; round {round_} needs it, with {like}")
        if found.kind != kind or (found.shown is not None) != each:
            want = like if each else f"{like}, without each_answer"
            raise InputError(f"{where}: question {question!r} must have {want}")
        if kind == "choice" and {value for value, _ in found.options} != {"A", "B", EQUAL}:
            raise InputError(f"{where}: question {question!r}: 'options' must be A, B and {EQUAL}")
    for one in asked:
        if one.kind == "aspects" and round_ != "rubric":
            raise InputError(
                f"{where}: question {one.question!r}: 'kind' aspects is for round rubric, which shows them"
            )
    if not any(one.required for one in asked):
        raise InputError(f"{where}: no question has required = true; Argilla needs one")
