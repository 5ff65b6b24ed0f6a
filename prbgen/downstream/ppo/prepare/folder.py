"""The folder of `prbgen ppo prepare`: whole or not at all, and never over something that it did not put there."""

from __future__ import annotations

from pathlib import Path

from prbgen.digest import file_sha256
from prbgen.downstream.ppo.prepare.facts import PreparedFacts
from prbgen.errors import InputError

ABOUT = "prepared.json"


def refuse_foreign(folder: Path) -> None:
    """See whether all that is in a folder comes from an earlier run, unchanged, and so may be replaced.

    Raises:
        InputError: something else is there.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; name a folder with --out")
    if not folder.is_dir():
        return
    known = _known(folder / ABOUT)
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or name not in known:
            raise InputError(
                f"{folder}: holds {name}, which `prbgen ppo prepare` did not put there; name another folder"
            )
        if name != ABOUT and (not path.is_file() or file_sha256(path) != known[name]):
            raise InputError(f"{folder}: {name} was changed since it was prepared; move it away or name another folder")


def _known(about: Path) -> dict[str, str]:
    try:
        facts = PreparedFacts.model_validate_json(about.read_bytes())
    except (OSError, ValueError):
        return {}
    return facts.files | {ABOUT: ""}
