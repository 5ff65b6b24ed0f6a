import html
import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import argilla as rg
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.annotation.argilla.settings import adopt, changeable, differences, fields_of, settings_of
from prbgen.annotation.form.asked import Asked, Form
from prbgen.annotation.form.read import read_form
from prbgen.annotation.items import Content, ShownAspect, ShownPost
from prbgen.schema import Round
from tests.annotation.server.embedded import API_KEY, Server

_texts = st.text() | st.lists(
    st.sampled_from(
        ["</script>", "<script>x()</script>", "$&", "$'", "#TEMPLATE#", "{{a}}", "&lt;", "<!--", "\r\n", "'", '"']
    )
).map("".join)


@given(_texts, _texts, _texts | st.none())
def test_no_text_holds_what_a_page_could_take_for_its_own_and_all_show_as_written(
    text: str, other: str, maybe: str | None
) -> None:
    content = Content(
        question=text,
        a=other,
        b=text,
        posts=(ShownPost(category=maybe, text=other),),
        aspects=(ShownAspect(aspect=text, reason=maybe), ShownAspect(aspect=other, reason=None)),
    )
    item = fields_of(content)["item"]
    assert not set("".join(_leaves(item))) & set("<>\"'$#{}`\r\0")
    json.dumps(item, ensure_ascii=False).encode()  # nothing that UTF-8 can't say
    assert _shown(item["question"]) == _kept(text)
    assert [_shown(aspect["aspect"]) for aspect in item["aspects"]] == [_kept(text), _kept(other)]
    assert [aspect["number"] for aspect in item["aspects"]] == [1, 2]
    assert item["posts"][0]["category"] == (None if maybe is None else fields_of(_plain(maybe))["item"]["a"])


def _plain(text: str) -> Content:
    return Content(question="", a=text, b="")


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _leaves(each)


def _shown(escaped: str) -> str:
    return html.unescape(escaped)


def _kept(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c if c in "\n\t" or (c >= " " and c != "\x7f") else "\N{REPLACEMENT CHARACTER}" for c in lines)


@pytest.fixture
def client(server: Server) -> rg.Argilla:
    return rg.Argilla(api_url=server.url, api_key=API_KEY)


@pytest.fixture
def publish(client: rg.Argilla) -> Callable[[rg.Settings], rg.Dataset]:
    def published(settings: rg.Settings) -> rg.Dataset:
        name = f"form-{uuid.uuid4().hex[:8]}"
        workspace = rg.Workspace(name=name, client=client).create()
        rg.Dataset(name=name, workspace=workspace.name, settings=settings, client=client).create()
        dataset = client.datasets(name, workspace=workspace.name)
        assert dataset is not None
        dataset.settings.get()
        return dataset

    return published


def edited(form: Form, name: str, **values: Any) -> Form:
    asked = tuple(replace(one, **values) if one.name == name else one for one in form.asked)
    return replace(form, asked=asked)


@pytest.mark.parametrize("round_", ["quality", "blind", "rubric"])
def test_a_published_form_comes_back_as_it_was(
    client: rg.Argilla, publish: Callable[[rg.Settings], rg.Dataset], round_: Round
) -> None:
    wanted = settings_of(read_form(round_, [], 5), 3, client)
    there = publish(wanted).settings
    assert differences(there, wanted) == []
    assert not changeable(there, wanted)
    assert there.distribution.min_submitted == 3
    assert not there.allow_extra_metadata
    assert [(one.name, one.visible_for_annotators) for one in there.metadata] == [("subset", False)]


def test_what_argilla_lets_change_is_no_difference_and_gets_there(
    client: rg.Argilla, publish: Callable[[rg.Settings], rg.Dataset]
) -> None:
    form = read_form("rubric", [], 5)
    dataset = publish(settings_of(form, 3, client))
    options = (("equal", "the same"), ("A", "the left one"), ("B", "the right one"))
    form = edited(form, "better", title="Which?", description="Say it.", options=options)
    scale = tuple((mark, f"now {mark}") for mark, _ in form.asked[2].options)
    form = edited(form, "adherence_a", options=scale)
    form = replace(form, guidelines="# New", layout="<p>{{{record.fields.item.question}}}</p>")
    wanted = settings_of(form, 4, client)

    assert differences(dataset.settings, wanted) == []
    assert changeable(dataset.settings, wanted)
    adopt(dataset.settings, wanted)
    dataset.settings.update()

    again = client.datasets(dataset.name, workspace=dataset.workspace.name)
    assert again is not None
    again.settings.get()
    assert not changeable(again.settings, wanted)
    assert again.guidelines == "# New"
    assert again.settings.distribution.min_submitted == 4


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda form: replace(form, asked=form.asked[:-1]), "question comment is not wanted any more"),
        (
            lambda form: replace(form, asked=(*form.asked, Asked("new", "new", None, "text", "New", "", False))),
            "question new is new",
        ),
        (lambda form: edited(form, "comment", required=True), "question comment: required was no, is now yes"),
        (
            lambda form: edited(form, "better", kind="text", options=()),
            "question better: kind was label_selection, is now text",
        ),
        (
            lambda form: edited(form, "adherence_a", options=tuple((str(mark), "x") for mark in range(4))),
            "question adherence_a: options was 1, 2, 3, 4, 5, is now 0, 1, 2, 3",
        ),
        (lambda form: replace(form, asked=form.asked[::-1]), "order of questions was covers_a, "),
    ],
)
def test_what_argilla_does_not_let_change_is_said_in_plain_words(
    client: rg.Argilla, edit: Callable[[Form], Form], said: str
) -> None:
    form = read_form("rubric", [], 5)
    found = differences(settings_of(form, 3, client), settings_of(edit(form), 3, client))
    assert found
    assert found[0].startswith(said)


def test_argilla_really_refuses_what_is_called_a_difference(
    server: Server, client: rg.Argilla, publish: Callable[[rg.Settings], rg.Dataset]
) -> None:
    dataset = publish(settings_of(read_form("rubric", [], 5), 3, client))
    better, comment = (next(q for q in dataset.settings.questions if q.name == name) for name in ("better", "comment"))
    with httpx.Client(base_url=f"{server.url}/api/v1", headers={"X-Argilla-Api-Key": API_KEY}, timeout=60) as rest:
        fewer = {"type": "label_selection", "options": [{"value": "A", "text": "A"}, {"value": "B", "text": "B"}]}
        assert rest.patch(f"/questions/{better.id}", json={"settings": fewer}).status_code == 422
        assert rest.patch(f"/questions/{better.id}", json={"settings": {"type": "text"}}).status_code == 422
        assert rest.delete(f"/questions/{comment.id}").status_code == 422
        new = {"name": "new", "title": "New", "settings": {"type": "text"}}
        assert rest.post(f"/datasets/{dataset.id}/questions", json=new).status_code == 422
        assert rest.patch(f"/questions/{comment.id}", json={"required": True}).json()["required"] is False


def test_the_settings_module_does_not_load_the_sdk() -> None:
    source = Path(__file__).parents[3] / "prbgen" / "annotation" / "argilla" / "settings.py"
    assert "\nimport argilla" not in source.read_text(encoding="utf-8")
