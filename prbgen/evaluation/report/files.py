"""The files of a report."""

from __future__ import annotations

from pathlib import Path

from prbgen.errors import InputError
from prbgen.evaluation.report.latex import render_latex
from prbgen.evaluation.report.markdown import render_markdown
from prbgen.evaluation.report.page import render_page
from prbgen.evaluation.report.report import Report
from prbgen.run import whole_file


def write_report(report: Report, folder: Path) -> tuple[Path, ...]:
    """Write report.html, report.md and report.tex; returns where they are.

    Raises:
        InputError: the folder cannot be one.
    """
    # Before anything is written: what cannot be rendered leaves the files of an earlier report as they are.
    texts = {"html": render_page(report), "md": render_markdown(report), "tex": render_latex(report)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be the folder of a report ({error.strerror or error})") from None
    for ending, text in texts.items():
        with whole_file(folder / f"report.{ending}") as file:
            file.write(text)
    return tuple(folder / f"report.{ending}" for ending in texts)
