"""How comparisons look in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from prbgen.cli.console import stdout
from prbgen.evaluation.comparing.records import (
    Changed,
    DatasetComparison,
    DatasetFacts,
    Ranking,
    ResultChange,
    ResultFacts,
    ResultsComparison,
    Words,
)
from prbgen.formatting import chance, interval, number, signed
from prbgen.text import one_line

# Names of a kind that are shown; --json has all.
_NAMES = 12
_KINDS = ("subset", "split", "strategy", "generator", "category")


def show(found: DatasetComparison | ResultsComparison) -> None:
    """The whole comparison."""
    out = stdout()
    if found.kind == "datasets":
        _show_datasets(found, out)
    else:
        _show_results(found, out)


def _show_datasets(found: DatasetComparison, out: Console) -> None:
    out.print(f"old  {_name(found.old.name)}\nnew  {_name(found.new.name)}", soft_wrap=True)
    out.print(_what_changed(found))
    out.print(_side_by_side(found.old, found.new))
    for which, examples in (
        ("old", found.questions.examples_only_old),
        ("new", found.questions.examples_only_new),
    ):
        if examples:
            out.print(f"- questions only in {which}, for one: {_name(', '.join(examples))}", soft_wrap=True)


def _what_changed(found: DatasetComparison) -> Table:
    questions, pairs = found.questions, found.pairs
    table = _table("", "count")
    rows = {
        "questions in both": questions.same,
        "  found by their text, under another id": questions.other_id,
        "  another text under the same id": questions.reworded,
        "questions only in old": questions.only_old,
        "questions only in new": questions.only_new,
        "pairs in both, of these questions": pairs.joined,
        "  unchanged": pairs.unchanged,
        "  other answers": _changed(pairs.answers),
        "  another rubric or narrative": _changed(pairs.rubric),
        "  another profile": _changed(pairs.profile),
        "pairs only in old, of these questions": pairs.only_old,
        "pairs only in new, of these questions": pairs.only_new,
    }
    for title, count in rows.items():
        table.add_row(title, count if isinstance(count, str) else f"{count:,}")
    return table


def _changed(found: Changed) -> str:
    return f"{found.changed:,} of {found.compared:,}" if found.compared else "not comparable"


def _side_by_side(old: DatasetFacts, new: DatasetFacts) -> Table:
    table = _table("", "old", "new")
    table.add_row("pairs", f"{old.pairs:,}", f"{new.pairs:,}")
    table.add_row("questions", f"{old.questions:,}", f"{new.questions:,}")
    table.add_row("users", *("unknown" if each.users is None else f"{each.users:,}" for each in (old, new)))
    table.add_row("words in chosen: median, mean", _words(old.words_chosen), _words(new.words_chosen))
    table.add_row("words in rejected: median, mean", _words(old.words_rejected), _words(new.words_rejected))
    for kind in _KINDS:
        _add_names(table, kind, getattr(old, f"by_{kind}"), getattr(new, f"by_{kind}"))
    return table


def _add_names(table: Table, kind: str, old: Mapping[str, int], new: Mapping[str, int]) -> None:
    names = sorted({*old, *new}, key=lambda name: (-old.get(name, 0) - new.get(name, 0), name))
    for name in names[:_NAMES]:
        table.add_row(f"{kind} {_name(name, 60)}", *(f"{each.get(name, 0):,}" for each in (old, new)))
    if rest := names[_NAMES:]:
        table.add_row(
            f"{len(rest):,} more of {kind}", *(f"{sum(each.get(name, 0) for name in rest):,}" for each in (old, new))
        )


def _words(words: Words) -> str:
    return f"{words.median:g}, {words.mean:.1f}"


def _show_results(found: ResultsComparison, out: Console) -> None:
    by_conditions: dict[tuple[str, str], list[ResultChange]] = {}
    for change in found.changes:
        by_conditions.setdefault((change.old.condition, change.new.condition), []).append(change)
    for conditions, changes in by_conditions.items():
        out.print(_accuracies(_either(*conditions), changes))
    for remark, scorers in _remarks(found.changes).items():
        # What holds for all needs no names.
        of = "" if len(scorers) == len(found.changes) > 1 else f"{_name(', '.join(scorers))}: "
        out.print(f"- {of}{escape(remark)}", soft_wrap=True)
    for ranking in found.rankings:
        _show_ranking(ranking, out)
    _show_alone("old", found.only_old, out)
    _show_alone("new", found.only_new, out)


def _either(old: str, new: str) -> str:
    """What both are, or what each is."""
    return old if old == new else f"{old} (old) and {new} (new)"


def _accuracies(condition: str, changes: Iterable[ResultChange]) -> Table:
    table = _table(f"accuracy under {condition} on what both scored", "old", "new", "difference, 95 %", "p", "on")
    for column in table.columns[1:]:
        column.no_wrap = True
    for change in changes:
        paired, difference = change.paired, change.paired.difference
        table.add_row(
            _name(_scorers(change), 160),
            number(paired.first),
            number(paired.second),
            f"{signed(difference.value)}\n{interval(difference.ci95, sign=True)}".rstrip(),
            chance(paired.p),
            f"{paired.n:,} {change.joined_by}" if change.joined_by else "",
        )
    return table


def _remarks(changes: Iterable[ResultChange]) -> dict[str, list[str]]:
    """What is to be known of the differences, and the results that it is about."""
    found: dict[str, list[str]] = {}
    for change in changes:
        condition = _either(change.old.condition, change.new.condition)
        for remark in _remarks_on(change):
            found.setdefault(remark, []).append(f"{_scorers(change)} under {condition}")
    return found


def _scorers(change: ResultChange) -> str:
    old, new = change.old, change.new
    return new.label if old.scorer == new.scorer else _either(old.label, new.label)


def _remarks_on(change: ResultChange) -> Iterable[str]:
    paired = change.paired
    if paired.reason:
        yield paired.reason
    if change.differs:
        yield f"not the same: {'; '.join(one_line(each, 120) for each in change.differs)}"
    if not change.same_data:
        how = {"pairs": "the same pair_ids", "questions": "the same questions, with other pairs"}
        joined = f"; compared on {how[change.joined_by]}" if change.joined_by else ""
        yield f"the pairs are not the same, or not in all of their texts{joined}"
    left, things = paired.left_out, change.joined_by or "pairs"
    if left.unscored:
        yield f"{left.unscored:,} {things} are left out, as one result or both have them unscored"
    if paired.n and (left.only_first or left.only_second):
        yield f"{things} that are left out: {left.only_first:,} only in old, {left.only_second:,} only in new"


def _show_ranking(ranking: Ranking, out: Console) -> None:
    table = _table(f"rank under {ranking.condition}", "old", "new")
    for each in sorted(ranking.scorers, key=lambda each: (each.new is None, each.new or 0, each.label)):
        table.add_row(_name(each.label, 80), *(str(rank or "unknown") for rank in (each.old, each.new)))
    out.print(table)
    if ranking.kendall is None or ranking.spearman is None:
        out.print(f"- rank correlation: unknown ({escape(ranking.reason or '')})", soft_wrap=True)
    else:
        out.print(f"- rank correlation: Kendall {ranking.kendall:.2f}, Spearman {ranking.spearman:.2f}", soft_wrap=True)


def _show_alone(which: str, results: Iterable[ResultFacts], out: Console) -> None:
    for each in results:
        out.print(f"- only in {which}: {_name(each.scorer)}, {each.condition} ({_name(each.folder)})", soft_wrap=True)


def _name(name: str, limit: int = 300) -> str:
    return escape(one_line(name, limit))


def _table(first: str, *others: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, overflow="fold", min_width=16)
    for title in others:
        table.add_column(title, overflow="fold", justify="right")
    return table
