"""A study as a whole, of raters that a script answers for."""

from __future__ import annotations

import asyncio
import re
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path

import pytest

from prbgen.downstream.correlate.readers.read import read_sides
from prbgen.downstream.study.folder import StudyFolder
from prbgen.downstream.study.report import document, write_study
from prbgen.downstream.study.settings import read_study
from prbgen.downstream.study.steps import Course, Steps
from prbgen.downstream.study.study import Studied, conduct
from prbgen.errors import InputError, InterruptError, PrbgenError
from prbgen.llm.templates import Prompts
from tests.cli.test_bon import here, models, script

__all__ = ["here", "models"]

Conducted = Callable[..., Studied]


@pytest.fixture
def conducted(here: Path, models: dict[str, str]) -> Conducted:
    """Conducts a study of some of the raters, in a folder named out; what is said is in `said`."""

    def of(*raters: str, n: int = 2, said: list[str] | None = None) -> Studied:
        tables = "".join(f'[[models]]\nscorer = "rate:{models[name]}"\n' for name in raters)
        best = f'[best_of_n]\npolicy = "{models["policy"]}"\njudge = "{models["judge"]}"\nn = {n}\n'
        (here / "my.toml").write_text(f'conditions = ["none", "profile"]\n[data]\npath = "pairs.jsonl"\n{tables}{best}')
        say = said.append if said is not None else lambda _: None
        study, folder = read_study(here / "my.toml"), StudyFolder(here / "out")
        return asyncio.run(conduct(study, folder, Prompts(None), stop=asyncio.Event(), course=Course(), say=say))

    return of


def curves_of(studied: Studied) -> set[str]:
    assert studied.curves
    return {Path(curve.scorer).stem for curve in studied.curves.models.values()}


def test_curves_are_of_the_models_that_this_study_scored_alone(here: Path, conducted: Conducted) -> None:
    assert curves_of(conducted("good", "flat", "bad")) == {"good", "flat", "bad"}
    assert curves_of(conducted("good", "bad")) == {"good", "bad"}
    # What it said of the earlier candidates is stale now, and it says nothing any more.
    (here / "bad.jsonl").unlink()
    found = conducted("good", "flat", "bad", n=4)
    assert curves_of(found) == {"good", "flat"}
    assert {step.partition(".jsonl")[2] for step in found.failed} == {", none", ", profile", ""}
    assert found.fell_short
    assert found.correlations
    assert found.judged
    assert [each.n_models for each in found.correlations.comparisons] == [2, 2]
    # The same people on both sides.
    sides = [read_sides([found.folder.evaluations], "benchmark"), read_sides([found.judged.folder], "downstream")]
    assert len({side.people for each in sides for side in each}) == 1


def test_what_judging_takes_is_said_before_and_what_is_unjudged_afterwards(here: Path, conducted: Conducted) -> None:
    said: list[str] = []
    aspects = {"aspects": [{"number": 1, "found": "so", "score": 1}]}
    # Of the other sample there is no usable reply.
    script(here / "judge.jsonl", {"match": "Sample 0,", "reply": aspects}, {"reply": "no JSON"})
    found = conducted("good", "bad", said=said)
    assert any(line.startswith("To ask scripted/") and "16 - " in line for line in said)
    assert found.fell_short
    assert not found.failed
    assert list(found.short.values()) == ["8 of 16 candidates are unjudged"]
    write_study(found)
    assert "8 of 16 candidates are unjudged" in found.folder.page.read_text()
    assert document(found)["short"] == found.short


def test_the_page_has_drawings_as_a_whole_and_what_figures_rest_on(conducted: Conducted) -> None:
    found = conducted("good", "flat", "bad", n=4)
    assert not found.fell_short
    write_study(found)
    page = found.folder.page.read_text()
    drawings = [b64decode(each).decode() for each in re.findall(r"data:image/svg\+xml;base64,([^\"]*)\"", page)]
    assert [each.rstrip().endswith("</svg>") for each in drawings] == [True, True]
    assert found.correlations
    assert all(each.sentence in page.replace("&#39;", "'") for each in found.correlations.comparisons)
    gap = found.correlations.differences[0]
    assert f"less <bdi>{gap.first}</bdi>, downstream <bdi>{gap.downstream}</bdi>" in page
    origins = {each["what"].rpartition("/")[2]: each["hashes"] for each in document(found)["origins"]}
    assert found.curves
    assert origins["policy.jsonl"] == {"answers": found.curves.answers}
    assert origins["judge.jsonl"].keys() == {"prompt"}
    assert origins["good.jsonl, none"].keys() == {"model and settings", "pairs"}
    assert all(text[:16] in page for hashes in origins.values() for text in hashes.values())
    at_n = {Path(name).stem: share.value for name, share in found.best_of_n.items() if share}
    assert at_n == pytest.approx({"good": 1, "flat": 0.625, "bad": 0})


def test_a_folder_that_holds_something_else_is_left_as_it_is(here: Path, conducted: Conducted) -> None:
    (here / "out").mkdir()
    (here / "out" / "study.toml").write_text("# mine\n")
    with pytest.raises(InputError, match="out: is neither empty nor a folder of studies; name another one with --out"):
        conducted("good", "bad")
    assert [file.name for file in (here / "out").iterdir() if file.name != ".lock"] == ["study.toml"]
    assert (here / "out" / "study.toml").read_text() == "# mine\n"


def test_a_step_that_ends_itself_ends_alone_and_an_interrupt_meanwhile_is_not_lost(here: Path) -> None:
    (here / "my.toml").write_text('[data]\npath = "pairs.jsonl"\n[[models]]\nscorer = "scalar:a"\n')
    study, folder = read_study(here / "my.toml"), StudyFolder(here / "out")

    async def main() -> None:
        stop = asyncio.Event()
        steps = Steps(study, folder, Prompts(None), stop, Course(), lambda _: None)

        async def used_up(own: asyncio.Event) -> str:
            own.set()
            raise PrbgenError("the budget is used up")

        async def done(own: asyncio.Event) -> str:
            return "stopped" if own.is_set() else "done"

        async def interrupted(own: asyncio.Event) -> str:
            stop.set()
            raise PrbgenError("no such model")

        assert await steps._own("one", used_up) is None
        assert await steps._own("two", done) == "done"
        assert steps.failed == {"one": "the budget is used up"}
        with pytest.raises(InterruptError):
            await steps._own("three", interrupted)

    asyncio.run(main())


def test_a_study_is_kept_to_one_process(here: Path, conducted: Conducted) -> None:
    with StudyFolder(here / "out").kept(), pytest.raises(InputError, match="another process is at work"):
        conducted("good", "bad")
