"""The page in a real browser: light and dark, narrow and wide, sorting, and texts that mean harm."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from prbgen.evaluation.report.page import render_page
from prbgen.evaluation.report.report import make_report
from prbgen.evaluation.results import found_results
from tests.annotation.browser.page import launched
from tests.evaluation.results_samples import MODELS, Model, Sample, write_pairs, write_results

HARM = "<script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'>\u202eעברית"
# Contrast of all text that is seen with what lies behind it, as WCAG 2 has it; colours come from the computed styles.
CONTRASTS = """() => {
  const canvas = document.createElement("canvas"); canvas.width = canvas.height = 1;
  const context = canvas.getContext("2d", {willReadFrequently: true});
  const known = {};
  const parse = (text) => {
    if (!(text in known)) {
      context.clearRect(0, 0, 1, 1); context.fillStyle = text; context.fillRect(0, 0, 1, 1);
      known[text] = [...context.getImageData(0, 0, 1, 1).data];
    }
    return known[text];
  };
  const light = ([r, g, b]) => {
    const part = (v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const found = {};
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || ["SCRIPT", "STYLE"].includes(element.tagName)) continue;
    const style = getComputedStyle(element);
    const colour = element.closest("svg") ? style.fill : style.color;
    const key = colour + " on " + behind(element).join();
    if (key in found) continue;
    const pair = [light(parse(colour)), light(behind(element))].sort((a, b) => b - a);
    found[key] = (pair[0] + 0.05) / (pair[1] + 0.05);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    data = write_pairs(folder / "pairs.jsonl", text=HARM + "wide" * 300)
    models = (*MODELS, Model(f"scalar:{HARM}{'wide' * 40}", 0.6, 3_000_000_000))
    write_results(folder / "r", Sample(models, pairs=120, data=str(data), change={"reasons": {HARM: 2}}))
    page = folder / "report.html"
    page.write_text(render_page(make_report(found_results([folder / "r"]))), encoding="utf-8")
    return page


class Opened:
    """A page and whatever it complained about or asked for."""

    def __init__(self, browser: Browser, file: Path, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page: Page = self.context.new_page()
        self.trouble: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.trouble.append(message.text))
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(file.as_uri())


@pytest.fixture(
    params=[("light", 360), ("light", 1400), ("dark", 360), ("dark", 1400)], ids=lambda each: f"{each[0]}-{each[1]}"
)
def opened(request: pytest.FixtureRequest, browser: Browser, file: Path) -> Iterator[Opened]:
    scheme, width = request.param
    opened = Opened(browser, file, color_scheme=scheme, viewport={"width": width, "height": 900})
    yield opened
    opened.context.close()


def test_nothing_sticks_out_nothing_is_fetched_and_nothing_harms(opened: Opened, file: Path) -> None:
    page = opened.page
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert (
        page.evaluate(
            "[...document.querySelectorAll('main *')].filter((each) => !each.closest('.wide, svg, .unseen') && "
            "each.getBoundingClientRect().right > window.innerWidth + 1).map((each) => each.outerHTML.slice(0, 80))"
        )
        == []
    )
    assert page.evaluate("window.harmed") is None
    assert (opened.trouble, opened.asked) == ([], [file.as_uri()])


def test_text_can_be_read(opened: Opened) -> None:
    opened.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    contrasts = opened.page.evaluate(CONTRASTS)
    assert len(contrasts) > 5
    assert {pair: ratio for pair, ratio in contrasts.items() if ratio < 4.5} == {}


def test_ticks_stand_apart(opened: Opened) -> None:
    opened.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    axes = opened.page.locator("svg.axis").evaluate_all(
        "axes => axes.map((axis) => [...axis.querySelectorAll('text')].map((text) => text.getBoundingClientRect()))"
        ".map((boxes) => boxes.map((box) => [box.left, box.right]))"
    )
    assert max(map(len, axes)) == 3
    for ticks in axes:
        assert all(before[1] + 2 < after[0] for before, after in itertools.pairwise(ticks))


def test_the_first_accuracies_are_seen_and_what_is_cut_off_casts_a_shadow(opened: Opened) -> None:
    page = opened.page
    width = page.evaluate("window.innerWidth")
    for kind in ("conditions", "board"):
        cell = page.locator(f"table.{kind}").first.locator("tbody tr").first.locator("td").first
        box = cell.bounding_box()
        assert box
        assert box["x"] + box["width"] <= width
    assert "linear-gradient" in page.locator(".wide").first.evaluate("each => getComputedStyle(each).backgroundImage")
    boards = page.locator(".wide:has(.board)").evaluate_all(
        "boxes => boxes.map((each) => each.scrollWidth <= each.clientWidth)"
    )
    assert all(boards) == (width > 1000)


def column(page: Page, at: int) -> list[str]:
    values: list[str] = page.locator("table.board").first.evaluate(
        "(table, at) => [...table.tBodies[0].rows].map((row) => row.cells[at].dataset.value)", at
    )
    return values


def test_tables_are_sorted_by_click_and_by_key_and_say_so(browser: Browser, file: Path) -> None:
    page = Opened(browser, file).page
    heads = page.locator("table.board").first.locator("thead th")
    before = column(page, 1)
    assert heads.nth(1).get_attribute("aria-sort") == "descending"
    heads.nth(1).get_by_role("button").click()
    assert column(page, 1) == before[::-1]
    assert heads.nth(1).get_attribute("aria-sort") == "ascending"
    button = heads.nth(0).get_by_role("button")
    button.focus()
    page.keyboard.press("Enter")
    names = column(page, 0)
    assert names == sorted(names, key=str.casefold)
    assert [heads.nth(at).get_attribute("aria-sort") for at in (0, 1)] == ["ascending", "none"]
    page.keyboard.press("Space")
    assert column(page, 0) == names[::-1]
    # Unknown sizes stay last, whichever way.
    parameters = heads.nth(10).get_by_role("button")
    for turned in (True, False):
        parameters.click()
        sizes = column(page, 10)
        known = [int(each) for each in sizes if each]
        assert known == sorted(known, reverse=turned)
        assert sizes[len(known) :] == [""] * 3


def test_the_page_is_whole_without_script(browser: Browser, file: Path) -> None:
    opened = Opened(browser, file, java_script_enabled=False)
    assert opened.page.locator("th button").count() == 0
    assert opened.page.locator("table.board tbody tr").count() == 45
    pair = opened.page.locator("details.pair").first
    assert not pair.locator(".answers").is_visible()
    pair.locator("summary").click()
    assert pair.locator(".answers").is_visible()
    assert HARM[:30] in pair.locator(".answers").inner_text()
