from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from prbgen.evaluation.report import latex, markdown
from prbgen.evaluation.report.report import Report, make_report
from prbgen.evaluation.report.wording import cost, parameters
from prbgen.evaluation.results import found_results
from prbgen.evaluation.summary import Cost
from prbgen.text import one_line
from tests.evaluation.results_samples import MODELS, Model, Sample, made_summary, write_results

GITHUB = MarkdownIt("commonmark").enable("table")
ANY = st.text() | st.text("\\`*_{}[]()#+-.!|~$<>&\"':@ %^,", max_size=30)
# What an escaped character looks like in LaTeX, longest first.
PRINTED = {escape: character for character, escape in latex._SPECIAL.items()}


def sample(folder: Path, name: str = "scalar:a&b_c|d") -> Report:
    write_results(folder / "r", Sample((*MODELS[:1], Model(name, 0.5)), pairs=30, data="./some_data & more|"))
    return make_report(found_results([folder / "r"]))


def read_latex(text: str) -> str:
    """What LaTeX would print; refuses what it would take for a command."""
    text, found = re.sub(r"(?<=[-,'])\{\}", "", text), ""
    while text:
        escape = next((each for each in sorted(PRINTED, key=len, reverse=True) if text.startswith(each)), None)
        if escape:
            found, text = found + PRINTED[escape], text[len(escape) :]
        else:
            assert text[0] not in "\\{}&%$#_~^"
            found, text = found + text[0], text[1:]
    return found


@given(ANY)
def test_latex_prints_any_text_as_it_is(text: str) -> None:
    escaped = latex.escaped(text)
    assert read_latex(escaped) == one_line(text)
    assert not re.search(r"--|,,|''|``|\?`|!`|<<|>>", escaped)


@given(ANY)
def test_markdown_shows_any_text_as_it_is_and_keeps_to_its_cell(text: str) -> None:
    table = f"| a | b |\n| --- | ---: |\n| {markdown.escaped(text)} | end |\n"
    shown = GITHUB.render(table)
    cells = re.findall(r"<td[^>]*>(.*?)</td>", shown, re.DOTALL)
    assert [unescape(cell) for cell in cells] == [one_line(text), "end"]
    assert "<script" not in shown


def test_markdown_tables_are_tables(tmp_path: Path) -> None:
    report = sample(tmp_path)
    text = markdown.render_markdown(report)
    shown = GITHUB.render(text)
    boards, contrasts = report.sets[0].boards, report.sets[0].contrasts
    assert shown.count("<table>") == 1 + len(boards) + len(contrasts) == 10
    assert "scalar:a&amp;b_c|d" in shown
    assert "Leaderboard under oracle (upper bound)" in shown
    assert "| " not in re.sub("<[^>]*>", "", shown)


def test_latex_tables_have_as_many_cells_as_columns(tmp_path: Path) -> None:
    text = latex.render_latex(sample(tmp_path))
    tables = re.findall(r"\\begin\{tabular\}\{(\w+)\}\n(.*?)\\end\{tabular\}", text, re.DOTALL)
    assert len(tables) == 10
    for columns, body in tables:
        rows = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert len(rows) == 3
        assert all(len(re.findall(r"(?<!\\)&", row)) == len(columns) - 1 for row in rows)
        assert [body.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [1, 1, 1]
    assert text.count(r"\begin{table}") == text.count(r"\end{table}")
    assert "(upper bound)" in text
    assert r"scalar:a\&b\_c\textbar{}d" in text


def test_a_latex_row_never_begins_with_an_argument(tmp_path: Path) -> None:
    report = sample(tmp_path, name="[2cm]*{}")
    lines = latex.render_latex(report).splitlines()
    assert sum(line.startswith("{}[2cm]*") for line in lines) > 5
    assert not any(line.startswith(("[", "*")) for line in lines)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (parameters(None), "–"),
        (parameters(596_000_000), "596M"),
        (parameters(8_030_000_000), "8.03B"),
        (parameters(12), "12"),
    ],
)
def test_figures_read_well_and_unknown_ones_are_no_zero(shown: str, expected: str) -> None:
    assert shown == expected


@pytest.mark.parametrize(
    ("usd", "planner", "expected"),
    [(None, None, "price unknown"), (1.5, None, "$1.50"), (1.5, 0.01, "$1.50 + $0.0100 planner")],
)
def test_what_a_planner_cost_stands_beside_the_model_s_own_cost(
    usd: float | None, planner: float | None, expected: str
) -> None:
    found = made_summary(MODELS[0], "planner", [], Sample())
    spent = Cost(calls=1, prompt_tokens=1, reply_tokens=1, usd=usd)
    assert cost(found.model_copy(update={"cost": spent, "planner_usd": planner})) == expected
    assert cost(found.model_copy(update={"cost": None, "planner_usd": None})) == "–"
