"""What names say: which subset and which split a file, a config or a category belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from prbgen.recipe import SourceSettings
from prbgen.schema import SUBSETS

DEFAULT_SUBSET = "default"
ALL, RATINGS = "all", "ratings"  # configs of a published dataset that are no subsets
UNVALIDATED = "_unvalidated"  # ends the names of splits whose pairs no people have validated
_SPLITS = {"train": "train", "validation": "validation", "valid": "validation", "dev": "validation", "test": "test"}
PROPER_SPLITS = tuple(dict.fromkeys(_SPLITS.values()))
_UNVALIDATED = {name: name for name in (f"{split}{UNVALIDATED}" for split in PROPER_SPLITS)}


@dataclass(frozen=True)
class Selection:
    """Which subsets (none: all of them) and which split ("": all) are asked for, by their proper names.

    `any_config`: every declared config is a subset, also beside those that are called like LaMP-QA's. `one_split`:
    where `split` is "" and files are of several splits, the first one that people have validated is meant.
    """

    subsets: tuple[str, ...]
    split: str
    any_config: bool = False
    one_split: bool = False

    @classmethod
    def of(cls, source: SourceSettings) -> Selection:
        """What the settings ask for."""
        return cls(_proper_subsets(source.subsets), proper_split(source.split))

    @classmethod
    def of_pairs(cls, subsets: Iterable[str], split: str, *, one_split: bool = False) -> Selection:
        """What is asked for of pairs, which may have subsets of any name."""
        return cls(_proper_subsets(subsets), proper_split(split), any_config=True, one_split=one_split)

    def takes(self, subset: str) -> bool:
        """Whether questions of this subset are asked for."""
        return not self.subsets or subset in self.subsets

    def takes_split(self, split: str) -> bool:
        """Whether this split is asked for."""
        return not self.split or split == self.split

    @property
    def known(self) -> tuple[str, ...]:
        """The subsets that a name can mean: LaMP-QA's own before those that the user names."""
        return tuple(dict.fromkeys(SUBSETS + self.subsets))


def _proper_subsets(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(proper_subset(name, SUBSETS) or name for name in names))


def proper_split(name: str) -> str:
    """The split that a name means: `dev` and `valid` are `validation`; any other name is its own."""
    return _SPLITS.get(name.casefold(), name)


def proper_subset(name: str, known: tuple[str, ...]) -> str | None:
    """The known subset that a name or category spells ("Art & Entertainment"), null if none."""
    return next((subset for subset in known if _plain(subset) == _plain(name)), None)


def subset_in_path(path: str, selection: Selection) -> str | None:
    """The subset that a path names, the deepest if several; null if none.

    LaMP-QA's names are found anywhere; the user's own, which may be short, only as whole words.
    """
    plain = _plain(path)
    places = [(plain.rfind(_plain(subset)), subset) for subset in SUBSETS]
    if max(places)[0] >= 0:
        return max(places)[1]
    whole = [(place, subset) for subset in selection.subsets if (place := _last_word(plain, subset)) >= 0]
    return max(whole)[1] if whole else None


def split_in_path(path: str, above: str, selection: Selection) -> str | None:
    """The split that a path names, the deepest if several; else the one that the folder above it is called."""
    found = [(_last_word(_plain(path), word), split) for word, split in _split_words(selection).items()]
    place, split = max(found)
    return split if place >= 0 else _split_words(selection).get(_plain(above))


def _split_words(selection: Selection) -> dict[str, str]:
    asked = {_plain(selection.split): selection.split} if selection.split else {}
    return {**_SPLITS, **_UNVALIDATED, **asked}


def _last_word(plain: str, word: str) -> int:
    matches = list(re.finditer(rf"(?<![a-z0-9]){re.escape(_plain(word))}(?![a-z0-9])", plain))
    return matches[-1].start() if matches else -1


def _plain(name: str) -> str:
    return re.sub(r"[^\w/]+", "_", name.casefold().replace("&", "and"))
