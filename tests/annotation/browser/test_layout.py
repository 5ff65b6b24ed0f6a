"""What raters see, in Argilla's own page."""

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_args

import argilla as rg
import pytest
from playwright.sync_api import Browser, Dialog, FloatRect, FrameLocator, Page, expect

from prbgen.annotation.argilla.settings import fields_of, settings_of
from prbgen.annotation.form.read import read_form
from prbgen.annotation.items import Content, ShownAspect, ShownPost
from prbgen.schema import Round
from tests.annotation.browser.page import (
    LAPTOP,
    PHONE,
    item,
    open_dataset,
    screenshot,
    sign_in,
)
from tests.annotation.server.embedded import API_KEY, Server

PASSWORD = "a password of the tests"
HOSTILE = (
    "first </script><script>parent.ran = 1; window.ran = 1; alert(1)</script>"
    " <img src=x onerror='parent.ran = 2; ran = 2'>"
    " <svg onload=alert(3)> {{record}} {{{a}}} {{#each posts}} </details></div></section></article> $& $' $` $$ "
    "#TEMPLATE# #RECORD_OBJECT# <!--<script> &lt;b&gt; \"double\" 'single' `tick` ${x} \u2028 \x00 \u202e last"
)
ROUNDS: tuple[Round, ...] = get_args(Round)


class Opened(NamedTuple):
    page: Page
    item: FrameLocator
    dataset: rg.Dataset
    rater: str


@pytest.fixture
def opened(server: Server, browser: Browser) -> Iterator[Callable[..., Opened]]:
    """Publishes contents in a dataset of their own and opens it as a rater."""
    contexts = []

    def open_as_rater(round_: Round, *contents: Content, viewport: dict[str, int] = LAPTOP) -> Opened:
        client = rg.Argilla(api_url=server.url, api_key=API_KEY)
        name = f"layout-{uuid.uuid4().hex[:8]}"
        workspace = rg.Workspace(name=name, client=client).create()
        settings = settings_of(read_form(round_, [], 5), 2, client)
        dataset = rg.Dataset(name=name, workspace=workspace.name, settings=settings, client=client).create()
        dataset.records.log(
            [
                rg.Record(id=str(number), fields=fields_of(content), metadata={"subset": "LP"})
                for number, content in enumerate(contents)
            ]
        )
        rater = rg.User(username=name, password=PASSWORD, role="annotator", client=client).create()
        rater.add_to_workspace(workspace)
        context = browser.new_context(viewport=viewport)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        sign_in(page, server.url, name, PASSWORD)
        return Opened(page, open_dataset(page, server.url, str(dataset.id)), dataset, name)

    yield open_as_rater
    for context in contexts:
        context.close()


def content(round_: Round, question: str = "What shall I plant on a balcony that faces north?") -> Content:
    return Content(
        question=question,
        a="Ferns.\n\n1. Boston fern\n2. Hart's-tongue",
        b="لا تزرع اللبلاب.\n\nIvy and " + "lily" * 60,
        posts=()
        if round_ == "quality"
        else (
            ShownPost(category="Gardening", text="My cats sleep out there.\nBoth of them. " * 20),
            ShownPost(category=None, text="אני עובדת בלילות"),
        ),
        aspects=()
        if round_ != "rubric"
        else (
            ShownAspect(aspect="Nothing that is poisonous to cats", reason="Two cats sleep out there."),
            ShownAspect(aspect="Little watering", reason=None),
        ),
    )


def box(item: FrameLocator, selector: str) -> FloatRect:
    found = item.locator(selector).bounding_box()
    assert found is not None
    return found


@pytest.mark.parametrize("round_", ROUNDS)
def test_answers_stand_side_by_side_on_a_laptop_and_one_below_the_other_on_a_phone(
    opened: Callable[..., Opened], round_: Round, tmp_path: Path
) -> None:
    page, item, *_ = opened(round_, content(round_))
    a, b = box(item, "#answer-a"), box(item, "#answer-b")
    assert abs(a["y"] - b["y"]) < 1
    assert a["x"] + a["width"] < b["x"]
    assert screenshot(page, f"{round_}-laptop", tmp_path).stat().st_size > 10_000

    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    page.wait_for_function("document.querySelector('.custom_field_component iframe').offsetWidth < 420")
    a, b = box(item, "#answer-a"), box(item, "#answer-b")
    assert abs(a["x"] - b["x"]) < 1
    assert a["y"] + a["height"] < b["y"]
    assert b["width"] < PHONE["width"]
    assert_all_to_be_seen(page)
    screenshot(page, f"{round_}-phone", tmp_path)


def assert_all_to_be_seen(page: Page) -> None:
    """The frame is as high as what is in it, and nothing runs out at the side."""
    page.wait_for_function(
        """() => {
            const frame = document.querySelector(".custom_field_component iframe");
            const inside = frame.contentDocument.body;
            return Math.abs(frame.offsetHeight - inside.offsetHeight) < 20 && inside.scrollWidth <= frame.offsetWidth;
        }"""
    )


def test_the_rubric_shows_aspects_with_number_and_reason(opened: Callable[..., Opened]) -> None:
    item = opened("rubric", content("rubric")).item
    assert [text.split("\n\n") for text in item.locator("li").all_inner_texts()] == [
        ["1", "Nothing that is poisonous to cats", "Two cats sleep out there."],
        ["2", "Little watering"],
    ]


def test_posts_fold_and_unfold_by_keyboard_and_the_frame_grows_with_them(opened: Callable[..., Opened]) -> None:
    page, item, *_ = opened("blind", content("blind"))
    text, before = item.locator("details > .text").first, box(item, "body")["height"]
    expect(text).to_be_hidden()
    item.locator("summary").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(text).to_be_visible()
    assert box(item, "body")["height"] > before + 100
    assert_all_to_be_seen(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(item.locator(".post[open]")).to_have_count(2)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    expect(text).to_be_hidden()
    assert_all_to_be_seen(page)


def test_posts_are_open_as_a_whole_in_the_blind_round_and_closed_below_the_answers_in_the_rubric(
    opened: Callable[..., Opened],
) -> None:
    item = opened("blind", content("blind")).item
    expect(item.locator(".post > summary").last).to_be_visible()
    assert box(item, ".posts")["y"] < box(item, "#answer-a")["y"]

    page, item, *_ = opened("rubric", content("rubric"))
    expect(item.locator(".post > summary").first).to_be_hidden()
    before, answer = box(item, "body")["height"], box(item, "#answer-a")
    assert box(item, ".posts")["y"] > answer["y"] + answer["height"]
    item.locator(".posts > summary").focus()
    page.keyboard.press("Enter")
    expect(item.locator(".post > summary").last).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(item.locator(".post > .text").first).to_be_visible()
    assert box(item, "body")["height"] > before + 100
    assert_all_to_be_seen(page)


def test_six_aspects_with_reasons_and_the_beginning_of_both_answers_are_in_view_on_a_laptop(
    opened: Callable[..., Opened],
) -> None:
    reason = "She has asked three times how to do this by hand, and never once about a device for it."
    aspects = tuple(ShownAspect(aspect="Something to do by hand on a short evening", reason=reason) for _ in range(6))
    long = content("rubric").model_copy(update={"aspects": aspects, "a": "Ferns. " * 400, "b": "Ivy. " * 400})
    page, item, *_ = opened("rubric", long)
    expect(item.locator(".reason")).to_have_count(6)
    bottom = page.viewport_size["height"] - 100  # type: ignore[index]  # below is the bar with the guidelines
    assert box(item, ".question")["y"] > 0
    for side in ("a", "b"):
        five_lines = 5 * 24
        assert box(item, f"#answer-{side} .text")["y"] + five_lines < bottom


def test_each_text_runs_in_its_own_direction(opened: Callable[..., Opened]) -> None:
    item = opened("blind", content("blind")).item
    directions = "texts => texts.map(text => getComputedStyle(text).direction)"
    assert item.locator("#answer-a .text").evaluate_all(directions) == ["ltr"]
    assert item.locator("#answer-b .text").evaluate_all(directions) == ["rtl"]
    assert item.locator("details > .text").evaluate_all(directions) == ["ltr", "rtl"]
    assert item.locator(".text:not([dir=auto])").count() == 0


@pytest.mark.parametrize("round_", ["blind", "rubric"])
def test_hostile_texts_do_not_run_and_show_as_they_are(opened: Callable[..., Opened], round_: Round) -> None:
    hostile = Content(
        question=HOSTILE,
        a=HOSTILE,
        b=HOSTILE,
        posts=(ShownPost(category=HOSTILE, text=HOSTILE), ShownPost(category=None, text="after")),
        aspects=(ShownAspect(aspect=HOSTILE, reason=HOSTILE),) if round_ == "rubric" else (),
    )
    page, *_ = opened(round_, hostile)
    said: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        said.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.reload()
    shown = item(page)

    as_shown = HOSTILE.replace("\x00", "\N{REPLACEMENT CHARACTER}")
    texts = shown.locator(".text").evaluate_all("texts => texts.map(text => text.textContent)")
    posts, answers = [as_shown, "after"], [as_shown, as_shown]
    parts = [as_shown, as_shown, *answers, *posts] if round_ == "rubric" else [*posts, *answers]
    assert texts == [as_shown, *parts]
    assert shown.locator(".category").all_text_contents() == [as_shown]
    assert page.evaluate("window.ran") is None
    assert shown.locator("body").evaluate("() => window.ran ?? null") is None
    assert shown.locator("img, svg, b").count() == 0
    assert said == []


def test_nothing_tells_which_answer_was_chosen(opened: Callable[..., Opened]) -> None:
    page = opened("rubric", content("rubric")).page
    frame = next(frame for frame in page.frames if frame.parent_frame)
    whole = (page.content() + frame.content() + frame.evaluate("JSON.stringify(record)")).lower()
    for word in ("chosen", "rejected", "strategy", "generator", "scripted/"):
        assert word not in whole
    assert frame.evaluate("record.metadata") == {}
    assert frame.evaluate("record.suggestions") == []


def test_the_item_follows_a_change_of_colours(opened: Callable[..., Opened]) -> None:
    page, item, *_ = opened("quality", content("quality"))
    colour = "text => getComputedStyle(text).color"
    question = item.locator(".question")
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    expect(item.locator("html")).to_have_attribute("data-theme", "light")
    light = question.evaluate(colour)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    expect(item.locator("html")).to_have_attribute("data-theme", "dark")
    assert question.evaluate(colour) != light


def test_the_page_gets_nothing_from_elsewhere(opened: Callable[..., Opened], server: Server) -> None:
    page = opened("rubric", content("rubric")).page
    asked: list[str] = []
    page.on("requestfinished", lambda request: asked.append(request.url))
    reached: list[str] = []
    page.route(
        lambda url: not url.startswith((server.url, "data:", "about:", "blob:")),
        lambda route: reached.append(route.request.url),
    )
    page.reload()
    item(page)
    assert asked
    assert reached == []


def test_the_rubric_can_be_rated_by_keyboard_alone(opened: Callable[..., Opened], server: Server) -> None:
    page, _, dataset, rater = opened("rubric", content("rubric"))

    def press(keys: str, name: str) -> None:
        expect(page.locator(f"[id^={name.rsplit('_', 1)[0]}_]:focus")).to_have_count(1)
        for key in keys:
            page.keyboard.press(key)
        expect(page.locator(f"#{name}")).to_be_checked()

    press("1", "covers_a_1")
    press("2", "covers_a_2")
    page.keyboard.press("ArrowDown")
    press("11", "covers_b_none")
    page.keyboard.press("ArrowDown")
    press("4", "adherence_a_4")
    press("1", "adherence_b_1")
    press("3", "better_equal")
    with page.expect_response(lambda answer: "/responses" in answer.url):
        page.keyboard.press("Enter")
    expected = {"covers_a": ["1", "2"], "covers_b": ["none"], "adherence_a": 4, "adherence_b": 1, "better": "equal"}
    assert _submitted(server, dataset, rater) == [expected]


def _submitted(server: Server, dataset: rg.Dataset, rater: str) -> list[dict[str, Any]]:
    with server.client() as rest:
        records = rest.get(f"/datasets/{dataset.id}/records", params={"include": "responses"}).json()["items"]
        users = {user["id"]: user["username"] for user in rest.get("/users").json()["items"]}
    responses = [response for record in records for response in record["responses"]]
    assert {(users[response["user_id"]], response["status"]) for response in responses} == {(rater, "submitted")}
    return [{name: value["value"] for name, value in response["values"].items()} for response in responses]
