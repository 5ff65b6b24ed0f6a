"""A rater at work in a browser, from the sign-in to the line in ratings.jsonl."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from prbgen.annotation.campaign import Place
from prbgen.annotation.items import Item
from prbgen.run import Run, read_records
from prbgen.schema import Rating
from tests.annotation.browser.page import (
    LAPTOP,
    choose,
    item,
    open_dataset,
    read_guidelines,
    screenshot,
    sign_in,
    submit,
)
from tests.annotation.conftest import Prbgen, roster
from tests.annotation.server.embedded import Server

NAMES = [f"{question}_{side}" for side in "ab" for question in ("factuality", "relevance", "helpfulness")]


def by_mouse(page: Page, marks: list[int]) -> None:
    for name, mark in zip(NAMES, marks, strict=True):
        choose(page, name, str(mark))
    submit(page)


def by_keyboard(page: Page, marks: list[int]) -> None:
    page.locator(".questions-form").focus()
    for name, mark in zip(NAMES, marks, strict=True):
        expect(page.locator(f"[id^={name}_]:focus")).to_have_count(1)
        page.keyboard.press(str(mark))
        expect(page.locator(f"#{name}_{mark}")).to_be_checked()
    with page.expect_response(lambda answer: "/responses" in answer.url):
        page.keyboard.press("Enter")


def test_what_a_rater_chooses_in_the_page_comes_back_by_pull(
    run: Run, argilla: Server, prbgen: Prbgen, browser: Browser, tmp_path: Path
) -> None:
    name = f"rater-{argilla.url[-4:]}-{tmp_path.name[-12:]}".replace("_", "-")
    pushed = prbgen("push", "--round", "quality", "--raters", roster(tmp_path, [name]), "--raters-per-item", 1)
    [account] = pushed["accounts"]
    dataset = pushed["datasets"]["quality"]["where"].split("/")[-2]
    context = browser.new_context(viewport=LAPTOP)  # type: ignore[arg-type]
    page = context.new_page()
    sign_in(page, argilla.url, account["username"], account["password"])
    screenshot(page, "datasets", tmp_path)
    seen = [open_dataset(page, argilla.url, dataset).locator(".question").inner_text()]
    assert "Choose 0 when you can't tell" in read_guidelines(page)
    by_mouse(page, [5, 4, 3, 2, 1, 0])
    expect(page.locator(f"#{NAMES[0]}_5")).not_to_be_checked()
    seen.append(item(page).locator(".question").inner_text())
    by_keyboard(page, [0, 1, 2, 3, 4, 5])
    expect(page.locator(f"#{NAMES[0]}_0")).not_to_be_checked()
    context.close()

    [pulled] = prbgen("pull", "--round", "quality")["rounds"]
    assert (pulled["ratings"], pulled["raters"], pulled["flagged"]) == (12, 1, {})
    place = Place.of(run, "quality")
    rated: dict[str, dict[str, object]] = {}
    for each in read_records(place.ratings, Rating):
        rated.setdefault(each.item, {})[f"{each.question}_{(each.shown or '').lower()}"] = each.value
    expected = [[5, 4, 3, 2, 1, None], [None, 1, 2, 3, 4, 5]]
    assert sorted(str([marks[name] for name in NAMES]) for marks in rated.values()) == sorted(map(str, expected))
    assert set(rated) <= {each.id for each in read_records(place.items, Item)}
    assert len(seen) == 2
