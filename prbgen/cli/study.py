"""Everything for a list of reward models, in one report: how often they are right, what they bring in Best-of-N and
PPO, and whether the one tells the other.

STUDY.toml says which models, on what data. What is done is kept: the same command goes on. With --demo, three tiny
models with random weights are made here and studied on the pairs of `prbgen demo`: what comes out says nothing of any
model, and shows what a study looks like.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.errors import InputError

if TYPE_CHECKING:
    from prbgen.downstream.study.settings import Study
    from prbgen.downstream.study.steps import Course
    from prbgen.downstream.study.study import Studied


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`study STUDY.toml [--out DIR]`."""
    parser.add_argument("study", metavar="STUDY.toml", nargs="?", type=Path, help="what to study")
    parser.add_argument("--demo", action="store_true", help="a small study that needs no key, in minutes")
    parser.add_argument("--out", metavar="DIR", type=Path, help="for all of it (default: studies/STUDY)")
    parser.add_argument("--prompts", metavar="DIR", type=Path, help="templates that come before the shipped ones")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do the study and say where its report is. Returns 1 if something was left out."""
    from prbgen.downstream.study.demo import demo_study
    from prbgen.downstream.study.report import document, write_study
    from prbgen.downstream.study.settings import read_study

    if arguments.demo == bool(arguments.study):
        raise InputError("name a STUDY.toml, or say --demo; `prbgen init DIR` writes an example")
    if arguments.demo:
        folder = arguments.out or Path("demo-study")
        study = demo_study(folder, _demo_pairs(folder / "run"))
    else:
        study = read_study(arguments.study)
        folder = arguments.out or Path("studies") / arguments.study.stem
    studied = _conducted(study, folder, arguments.prompts)
    write_study(studied)
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(document(studied))
    else:
        from prbgen.cli.study_tables import show

        show(studied)
    return 1 if studied.fell_short else 0


def _demo_pairs(folder: Path) -> Path:
    """The pairs of `prbgen demo`, made where they are not there yet."""
    from prbgen.cli.generate import generate_and_stage
    from prbgen.recipe import load_recipe, shipped_recipe
    from prbgen.run import Run

    run, path = Run(folder), shipped_recipe("demo")
    if not run.finished:
        generate_and_stage(load_recipe(path, {}), run, beside=path.parent)
    return folder


def _conducted(study: Study, folder: Path, own_prompts: Path | None) -> Studied:
    from prbgen.cli.working import Say, worked
    from prbgen.downstream.study.folder import StudyFolder
    from prbgen.downstream.study.steps import Course
    from prbgen.downstream.study.study import conduct
    from prbgen.llm.templates import Prompts

    course, prompts = Course(), Prompts(own_prompts)

    async def work(stop: asyncio.Event, say: Say) -> Studied:
        return await conduct(study, StudyFolder(folder), prompts, stop=stop, course=course, say=say)

    return worked(work, lambda: _progress(course))


def _progress(course: Course) -> str:
    from prbgen.cli.scoring_line import scoring_line

    return f"{course.step}: {scoring_line(course.tally)}" if course.tally else f"{course.step} ..."
