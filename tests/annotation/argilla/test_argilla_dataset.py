"""A dataset is made, repaired, brought up to date or left alone."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from prbgen.annotation.argilla import dataset as module
from prbgen.annotation.argilla.connection import Connection, connect
from prbgen.annotation.argilla.dataset import Dataset, ensure_dataset, find_dataset
from prbgen.annotation.argilla.records import push
from prbgen.annotation.argilla.workspace import datasets_in, ensure_workspace
from prbgen.annotation.form.asked import Form
from prbgen.errors import InputError, PrbgenError
from tests.annotation.argilla.faulty import Fault, Faulty
from tests.annotation.argilla.rounds import FORM, HASTY, campaign, ids, ids_there, items
from tests.annotation.server.embedded import API_KEY, Server


def asked(connection: Connection, dataset: Dataset) -> dict[str, dict[str, object]]:
    return {each["name"]: each for each in connection.call("GET", f"datasets/{dataset.id}/questions")["items"]}


def test_it_is_published_as_the_form_says_and_made_once(owner: Connection) -> None:
    round_ = campaign()
    workspace = ensure_workspace(owner, round_.workspace, ours=[])
    assert find_dataset(owner, workspace, round_.dataset) is None
    made = ensure_dataset(owner, workspace, round_, FORM, 3)
    assert made == Dataset(made.id, round_.dataset, workspace)
    there = owner.call("GET", f"datasets/{made.id}")
    assert (there["status"], there["guidelines"]) == ("ready", FORM.guidelines)
    assert there["distribution"] == {"strategy": "overlap", "min_submitted": 3}
    questions = asked(owner, made)
    assert list(questions) == [each.name for each in FORM.asked]
    assert [each["required"] for each in questions.values()] == [each.required for each in FORM.asked]
    assert ensure_dataset(owner, workspace, round_, FORM, 3) == made
    assert find_dataset(owner, workspace, round_.dataset) == made


def test_wording_and_numbers_are_brought_up_to_date(owner: Connection) -> None:
    round_ = campaign()
    workspace = ensure_workspace(owner, round_.workspace, ours=[])
    made = ensure_dataset(owner, workspace, round_, FORM, 2)
    push(owner, made, items(2), lambda _: None)
    factuality, covers, better, comment = FORM.asked
    reworded = replace(
        FORM,
        guidelines="Other guidelines.",
        layout="<h1>{{record.fields.item.question}}</h1>",
        asked=(
            replace(factuality, title="How true is A?"),
            replace(covers, description="Tick all that apply."),
            replace(better, options=(("A", "The first"), ("B", "The second"), ("equal", "No difference"))),
            comment,
        ),
    )
    updated = ensure_dataset(owner, workspace, round_, reworded, 4)
    assert updated == replace(made, updated=True)
    there = owner.call("GET", f"datasets/{made.id}")
    assert (there["guidelines"], there["distribution"]["min_submitted"]) == ("Other guidelines.", 4)
    questions = asked(owner, made)
    assert questions["factuality_a"]["title"] == "How true is A?"
    assert questions["covers_a"]["description"] == "Tick all that apply."
    assert questions["better"]["settings"]["options"][0]["text"] == "The first"  # type: ignore[index]
    [field] = owner.call("GET", f"datasets/{made.id}/fields")["items"]
    assert field["settings"]["template"].startswith("<h1>")
    assert not ensure_dataset(owner, workspace, round_, reworded, 4).updated
    assert ids_there(owner, made) == ids(2)


def without_comment(form: Form) -> Form:
    return replace(form, asked=form.asked[:-1])


def with_another_scale(form: Form) -> Form:
    first, *rest = form.asked
    return replace(form, asked=(replace(first, options=first.options[:-1]), *rest))


def with_one_more(form: Form) -> Form:
    return replace(form, asked=(*form.asked, replace(form.asked[-1], name="remark")))


@pytest.mark.parametrize(
    ("edited", "named"),
    [(without_comment, "comment"), (with_another_scale, "factuality_a"), (with_one_more, "remark")],
)
def test_other_questions_are_refused_by_name(owner: Connection, edited: object, named: str) -> None:
    round_ = campaign()
    workspace = ensure_workspace(owner, round_.workspace, ours=[])
    made = ensure_dataset(owner, workspace, round_, FORM, 2)
    before = owner.call("GET", f"datasets/{made.id}"), asked(owner, made)
    with pytest.raises(InputError, match=f"{named}.*push --new") as raised:
        ensure_dataset(owner, workspace, round_, edited(FORM), 4)  # type: ignore[operator]
    assert "\n" not in str(raised.value)
    assert (owner.call("GET", f"datasets/{made.id}"), asked(owner, made)) == before


def test_a_question_edited_on_the_server_is_worded_anew(owner: Connection) -> None:
    round_ = campaign()
    workspace = ensure_workspace(owner, round_.workspace, ours=[])
    made = ensure_dataset(owner, workspace, round_, FORM, 2)
    owner.call("PATCH", f"questions/{asked(owner, made)['factuality_a']['id']}", json={"title": "Is A false?"})
    assert ensure_dataset(owner, workspace, round_, FORM, 2).updated
    assert asked(owner, made)["factuality_a"]["title"] == "Is A true?"


@pytest.mark.parametrize("last_word", ["datasets", "fields", "questions", "publish"])
def test_an_unfinished_dataset_is_finished_by_the_next_push(
    faulty: Faulty, last_word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_OTHERS_TURN", 0.2)
    round_ = campaign()
    with connect(faulty.url, API_KEY, HASTY) as connection:
        workspace = ensure_workspace(connection, round_.workspace, ours=[])
        faulty.plan = lambda _, method, path: (
            Fault(status=500, lost=last_word != "datasets")
            if method in {"POST", "PUT", "PATCH"} and path.endswith(last_word)
            else None
        )
        with pytest.raises(PrbgenError):
            ensure_dataset(connection, workspace, round_, FORM, 2)
        faulty.plan = lambda *_: None
        [left] = datasets_in(connection, workspace)
        assert left["status"] == "draft"
        made = ensure_dataset(connection, workspace, round_, FORM, 2)
        [there] = datasets_in(connection, workspace)
        assert (there["id"], there["status"]) == (made.id, "ready")
        assert list(asked(connection, made)) == [each.name for each in FORM.asked]


def test_an_answer_that_is_lost_at_publishing_loses_no_dataset(faulty: Faulty) -> None:
    round_ = campaign()
    with connect(faulty.url, API_KEY, HASTY) as connection:
        workspace = ensure_workspace(connection, round_.workspace, ours=[])
        lost: list[int] = []

        def plan(number: int, _: str, path: str) -> Fault | None:
            if path.endswith("/publish") and not lost:
                lost.append(number)
                return Fault(lost=False)
            return None

        faulty.plan = plan
        made = ensure_dataset(connection, workspace, round_, FORM, 2)
        assert [each["id"] for each in datasets_in(connection, workspace)] == [made.id]
        assert lost


def test_two_managers_make_one_dataset(server: Server) -> None:
    round_, barrier = campaign(), threading.Barrier(2)
    made: list[str] = []

    def manage() -> None:
        with connect(server.url, API_KEY) as connection:
            barrier.wait()
            workspace = ensure_workspace(connection, round_.workspace, ours=[round_.dataset])
            made.append(ensure_dataset(connection, workspace, round_, FORM, 2).id)

    threads = [threading.Thread(target=manage) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 2
    assert made[0] == made[1]
