"""Names that a dataset gives to its configs and splits, from those that the source uses."""

from __future__ import annotations

import re

from prbgen.errors import InputError

ALL = "all"
RATINGS = "ratings"
UNVALIDATED = "_unvalidated"
_RESERVED = (ALL, RATINGS)


def split_name(split: str, *, validated: bool) -> str:
    """The published split of a pair: that of the source once people have validated it.

    Raises:
        InputError: `datasets` would not take the name.
    """
    if split.endswith(UNVALIDATED):
        raise InputError(f"split {split!r} cannot be published: {UNVALIDATED} at its end has a meaning of its own")
    name = split if validated else split + UNVALIDATED
    if not re.fullmatch(r"\w+", name) or name == ALL:
        raise InputError(f"split {split!r} cannot be published: a name of letters, digits and _ is needed, not {ALL!r}")
    return name


def config_name(subset: str) -> str:
    """The config of a subset: its name, which is also that of its folder.

    Raises:
        InputError: the name is taken, or no folder or no `datasets` config can have it.
    """
    if subset in _RESERVED:
        raise InputError(f"subset {subset!r} cannot be published: configs of that name have a meaning of their own")
    if not re.fullmatch(r"\w([\w .,&+-]*\w)?", subset) or subset.startswith("__"):
        raise InputError(
            f"subset {subset!r} cannot be published: a name of letters, digits, spaces and _ . , & + - is needed"
        )
    return subset
