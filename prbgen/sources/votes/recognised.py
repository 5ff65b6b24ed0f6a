"""Tells benchmarks of votes from other data, by the names of files and of columns, and opens them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import PurePosixPath

from prbgen.errors import InputError
from prbgen.sources.files import names_in
from prbgen.sources.hub import fetch_file, names_on_hub
from prbgen.sources.names import proper_split
from prbgen.sources.parts import Part, absolute, hub_id
from prbgen.sources.rows import is_data_file, read_rows
from prbgen.sources.source import Wanted
from prbgen.sources.turns import ANSWER_COLUMNS
from prbgen.sources.votes import arena, prism
from prbgen.sources.votes.source import VoteSource, refuse_other_subsets
from prbgen.text import one_line, storable

# Of PRISM's files this one is read; the others are known by their names.
_UTTERANCES, _BESIDE = "utterances", {"conversations", "survey"}
_CONVERSATION = frozenset({"conversation_id", "conversation_history", "user_id"})


def prism_part(data: str) -> Part | None:
    """PRISM's utterances at a place: a file with their columns, or `utterances.jsonl` of a folder or on the Hub.

    Null if that is no PRISM.

    Raises:
        InputError: it is PRISM without its utterances, or the Hub cannot be reached.
    """
    part = _candidate(data)
    columns = first_columns([part]) if part else frozenset()
    if part and columns >= _CONVERSATION:
        raise InputError(f"{part.label}: PRISM's conversations; name its utterances.jsonl, or the folder with both")
    return part if columns >= prism.TELLING else None


def is_arena(parts: Sequence[Part]) -> bool:
    """Whether files are Chatbot Arena conversations; what has chosen and rejected answers is a table of pairs."""
    columns = first_columns(parts)
    return columns >= arena.TELLING and columns.isdisjoint(ANSWER_COLUMNS)


def open_prism(wanted: Wanted) -> VoteSource | None:
    """PRISM, which has one subset and one split.

    Raises:
        InputError: as `prism_part`, or another subset or split is asked for.
    """
    part = prism_part(wanted.data)
    if part is None:
        return None
    name = one_line(hub_id(wanted.data) or absolute(wanted.data).name or wanted.data)
    refuse_other_subsets(name, prism.SUBSET, wanted.subsets)
    if wanted.split and proper_split(wanted.split) != "test":
        raise InputError(f"{name}: no split {wanted.split}; PRISM is not divided, all of it is test")
    return VoteSource(name, prism.SUBSET, partial(prism.prism_votes, part), wanted.least)


def open_arena(wanted: Wanted) -> VoteSource | None:
    """Chatbot Arena, known by its columns, so that its only subset is looked at afterwards.

    Raises:
        InputError: another subset is asked for.
    """
    pairs = wanted.table
    if pairs is None or not is_arena(pairs.parts):
        return None
    refuse_other_subsets(pairs.name, arena.SUBSET, wanted.subsets)
    return VoteSource(pairs.name, arena.SUBSET, partial(arena.arena_votes, pairs.parts), wanted.least)


def first_columns(parts: Sequence[Part]) -> frozenset[str]:
    """The columns of the first row there is; none where it cannot be read."""
    for part in parts:
        for raw in read_rows(part.path, part.label, _asked()):
            return frozenset(raw.value) if isinstance(raw.value, dict) else frozenset()
    return frozenset()


def _asked() -> Collection[str]:
    return {*prism.TELLING, *_CONVERSATION, *arena.TELLING, *ANSWER_COLUMNS}


def _candidate(data: str) -> Part | None:
    if repo := hub_id(data):
        name = _utterances(names_on_hub(repo), repo)
        return Part(fetch_file(repo, name), f"{repo}/{name}", prism.SUBSET, "") if name else None
    place = absolute(data)
    if place.is_dir():
        name = _utterances(names_in(place), data)
        return Part(place / name, storable(f"{place.name}/{name}"), prism.SUBSET, "") if name else None
    if place.is_file() and is_data_file(place.name):
        return Part(place, storable(place.name), prism.SUBSET, "")
    return None


def _utterances(names: Sequence[str], place: str) -> str | None:
    files = {name: PurePosixPath(name).name.split(".")[0] for name in names if is_data_file(name)}
    found = [name for name, stem in files.items() if stem == _UTTERANCES]
    if len(found) > 1:
        raise InputError(f"{place}: holds {' and '.join(found[:2])}; name one of them")
    if not found and set(files.values()) >= _BESIDE:
        raise InputError(f"{place}: PRISM is read from utterances.jsonl, which is not there")
    return found[0] if found else None
