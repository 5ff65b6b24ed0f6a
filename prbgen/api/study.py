"""All of it for a list of reward models: `prbgen study`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.api.display import QUIET, Display
from prbgen.api.given import Place, path, place
from prbgen.errors import InputError

if TYPE_CHECKING:
    from prbgen.downstream.study.settings import Study
    from prbgen.downstream.study.steps import Course
    from prbgen.downstream.study.study import Studied


def study(
    study: Place | None = None,
    *,
    demo: bool = False,
    out: Place | None = None,
    prompts: Place | None = None,
    display: Display = QUIET,
) -> Studied:
    """Evaluate reward models, Best-of-N, PPO, correlations, in one report. What is done is kept.

    Args:
        study: STUDY.toml: which models, on what data.
        demo: Instead of it, a small study that needs no key.
        out: For all of it (studies/STUDY, or demo-study).
        prompts: A folder with templates that come before the shipped ones.
        display: Is told how it goes.

    Raises:
        InputError: the study cannot be read, or there is nothing to report.
        InterruptError: there was a Ctrl-C; what is there is kept.
        PrbgenError: it cannot be done at all. A model that fails is left out: see `failed` and `short` of the result.
    """
    from prbgen.downstream.study.demo import demo_study
    from prbgen.downstream.study.report import write_study
    from prbgen.downstream.study.settings import read_study

    if demo == (study is not None):
        raise InputError("name a STUDY.toml, or say --demo; `prbgen init DIR` writes an example")
    if study is None:
        folder = path(out, "out") or Path("demo-study")
        asked = demo_study(folder, _demo_pairs(folder / "run", display))
    else:
        asked, folder = read_study(place(study, "study")), path(out, "out") or Path("studies") / Path(study).stem
    studied = _conducted(asked, folder, path(prompts, "prompts"), display)
    write_study(studied)
    return studied


def _demo_pairs(folder: Path, display: Display) -> Path:
    """The pairs of `prbgen demo`, made where they are not there yet."""
    from prbgen.api.generate import generate
    from prbgen.recipe import shipped_recipe
    from prbgen.run import Run

    if not Run(folder).finished:
        generate(shipped_recipe("demo"), run=folder, display=display)
    return folder


def _conducted(study: Study, folder: Path, own_prompts: Path | None, display: Display) -> Studied:
    from prbgen.api.running import Say, worked
    from prbgen.downstream.study.folder import StudyFolder
    from prbgen.downstream.study.steps import Course
    from prbgen.downstream.study.study import conduct
    from prbgen.llm.templates import Prompts

    course, prompts = Course(), Prompts(own_prompts)

    async def work(stop: asyncio.Event, say: Say) -> Studied:
        return await conduct(study, StudyFolder(folder), prompts, stop=stop, course=course, say=say)

    return worked(work, lambda: _progress(course), display)


def _progress(course: Course) -> str:
    from prbgen.api.lines import scoring_line

    return f"{course.step}: {scoring_line(course.tally)}" if course.tally else f"{course.step} ..."
