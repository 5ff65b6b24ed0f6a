"""Which candidates are meant."""

from __future__ import annotations

from prbgen.api.folders import data_folder
from prbgen.api.given import Place, path
from prbgen.downstream.folders import Answers
from prbgen.errors import InputError


def answers_of(data: str, candidates: Place | None) -> Answers:
    """Those in the folder `candidates`; without one, the only ones below results/DATA.

    Raises:
        InputError: there are none, or several.
    """
    named = path(candidates, "candidates")
    if named:
        if not Answers(named).about.is_file():
            raise InputError(f"{named}: no candidates in it; `prbgen bon sample` writes them")
        return Answers(named)
    below = data_folder(data)
    found = sorted(folder for folder in below.glob("bon-*") if Answers(folder).about.is_file())
    if not found:
        command = f"prbgen bon sample {data} --policy MODEL"
        raise InputError(f"{below}: no candidates for {data}; `{command}` writes them")
    if len(found) > 1:
        names = ", ".join(folder.name for folder in found)
        raise InputError(f"{below}: has several sets of candidates ({names}); name one with --candidates")
    return Answers(found[0])
