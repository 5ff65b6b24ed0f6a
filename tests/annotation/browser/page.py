"""Argilla's own page in a real browser, as a rater uses it.

What was tried out on argilla-server 2.8.0, and what the functions here rely on:

- Sign-in: inputs named "Username" and "Password", Enter.
- An item is in a frame of its own (`.custom_field_component iframe`); keys that are pressed while the focus is in it
  don't reach Argilla. Tab at its end, or a click on the form, leads back.
- A mark or option is the input `#NAME_VALUE` (`#relevance_a_4`, `#better_equal`, `#covers_a_none`). It is hidden: the
  mouse clicks `label[for=NAME_VALUE]`.
- Keys: when an item opens, the focus is on the first question (after a click elsewhere, Tab puts it there). A number
  marks a rating or picks a choice, and moves on to the next question. Where several can be ticked it ticks or unticks
  the option with that number on the little key, and stays: wait until it is ticked before the next key, since 1 and 2
  in quick succession are 12. Arrow down and up go to the next and the previous question, Shift+Enter begins to write a
  comment, Enter submits, Backspace discards, Ctrl+S saves a draft, arrow right and left go to the next and the
  previous item.
- Guidelines: the button "Guidelines" below the item (`.panel__header`) unfolds `.annotation-guidelines`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect, sync_playwright

LAPTOP = {"width": 1440, "height": 900}
PHONE = {"width": 420, "height": 800}


def executable() -> str:
    """A Chromium that is installed here; PRBGEN_TEST_CHROMIUM names another. Skips the test if there is none."""
    if named := os.environ.get("PRBGEN_TEST_CHROMIUM"):
        return named
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    pytest.skip("no Chromium here: install the package chromium, or name one in PRBGEN_TEST_CHROMIUM")


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser without a window; ends with the block."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable(), args=["--no-sandbox", "--disable-background-networking"]
        )
        try:
            yield browser
        finally:
            browser.close()


def sign_in(page: Page, url: str, user: str, password: str) -> None:
    """Log in at a server, up to its list of datasets."""
    page.goto(f"{url}/sign-in")
    page.fill('input[name="Username"]', user)
    page.fill('input[name="Password"]', password)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda now: "sign-in" not in now)
    page.wait_for_load_state("networkidle")


def open_dataset(page: Page, url: str, dataset_id: str) -> FrameLocator:
    """Open the first pending item of a dataset; returns the frame that shows it."""
    page.goto(f"{url}/dataset/{dataset_id}/annotation-mode")
    return item(page)


def item(page: Page) -> FrameLocator:
    """The frame of the item that is open, once it is drawn."""
    frame = page.frame_locator(".custom_field_component iframe")
    expect(frame.locator("#answer-b")).to_be_visible()
    return frame


def read_guidelines(page: Page) -> str:
    """Unfold the guidelines, return their text, and fold them again."""
    button = page.locator(".panel__header", has_text="Guidelines").first
    button.click()
    text = page.locator(".annotation-guidelines").first.inner_text()
    button.click()
    return text


def choose(page: Page, name: str, *values: str) -> None:
    """Click options of a question (`name` as in the form: "relevance_a", "better")."""
    for value in values:
        page.locator(f'label[for="{name}_{value}"]').click()


def submit(page: Page) -> None:
    """Click Submit and wait until the server has the answers."""
    with page.expect_response(lambda answer: "/responses" in answer.url and answer.request.method in ("POST", "PUT")):
        page.locator(".button--submit").click()


def screenshot(page: Page, name: str, folder: Path) -> Path:
    """Keep a picture of what is to be seen, in PRBGEN_TEST_SCREENSHOTS if that is set, otherwise in `folder`."""
    kept = Path(os.environ.get("PRBGEN_TEST_SCREENSHOTS", folder))
    kept.mkdir(parents=True, exist_ok=True)
    path = kept / f"{name}.png"
    page.screenshot(path=path)
    return path
