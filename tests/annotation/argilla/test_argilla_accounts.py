"""Workspaces, raters' accounts, and the end of a round."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from prbgen.annotation.argilla.accounts import Accounts, ensure_raters, reset_password
from prbgen.annotation.argilla.close import close
from prbgen.annotation.argilla.connection import Connection, connect
from prbgen.annotation.argilla.dataset import ensure_dataset
from prbgen.annotation.argilla.records import push
from prbgen.annotation.argilla.responses import responses, usernames
from prbgen.annotation.argilla.workspace import Workspace, ensure_workspace
from prbgen.annotation.roster import Rater
from prbgen.errors import InputError, PrbgenError
from tests.annotation.argilla.faulty import Fault, Faulty
from tests.annotation.argilla.rounds import FORM, HASTY, as_rater, campaign, items, laid_out, new_name, respond
from tests.annotation.server.embedded import API_KEY, Server


@pytest.fixture
def admin(server: Server, owner: Connection) -> Iterator[Connection]:
    """An admin who is in no workspace yet."""
    body = {"username": new_name(), "password": "a long password", "first_name": "A", "role": "admin"}
    user = owner.call("POST", "users", json=body)
    with connect(server.url, user["api_key"]) as connection:
        yield connection


def invite(owner: Connection, workspace: Workspace, username: str) -> None:
    [user] = [user for user in owner.call("GET", "users")["items"] if user["username"] == username]
    owner.call("POST", f"workspaces/{workspace.id}/users", json={"user_id": user["id"]})


def nothing(_: str, __: str) -> None:
    raise AssertionError("no password is to be shown")


def members(connection: Connection, workspace: Workspace) -> set[str]:
    return {user["username"] for user in connection.call("GET", f"workspaces/{workspace.id}/users")["items"]}


def test_a_workspace_is_made_once(owner: Connection) -> None:
    name = new_name()
    made = ensure_workspace(owner, name, ours=[])
    assert made.name == name
    assert ensure_workspace(owner, name, ours=[]) == made


def test_a_workspace_with_somebody_elses_dataset_is_left_alone(owner: Connection) -> None:
    workspace, dataset = laid_out(owner)
    with pytest.raises(InputError, match=f'somebody else\'s: it holds the dataset "{dataset.name}"; name another'):
        ensure_workspace(owner, workspace.name, ours=["another"])
    assert ensure_workspace(owner, workspace.name, ours=[dataset.name]) == workspace


def test_an_admin_without_rights_is_told_whom_to_ask(owner: Connection, admin: Connection) -> None:
    name = new_name()
    with pytest.raises(InputError, match=f'no workspace "{name}" and may make none; ask an owner .* --workspace'):
        ensure_workspace(admin, name, ours=[])
    workspace = ensure_workspace(owner, name, ours=[])
    with pytest.raises(InputError, match="ask an owner"):
        ensure_workspace(admin, name, ours=[])
    invite(owner, workspace, admin.username)
    assert ensure_workspace(admin, name, ours=[]) == workspace


def test_an_admin_lays_out_a_round_with_raters_whom_an_owner_has_added(
    server: Server, owner: Connection, admin: Connection
) -> None:
    round_ = campaign()
    workspace = ensure_workspace(owner, round_.workspace, ours=[])
    invite(owner, workspace, admin.username)
    inside, outside, unknown = new_name(), new_name(), new_name()
    shown: dict[str, str] = {}
    ensure_raters(owner, workspace, [Rater(inside)], shown.__setitem__)
    ensure_raters(owner, ensure_workspace(owner, new_name(), ours=[]), [Rater(outside)], shown.__setitem__)
    with pytest.raises(InputError) as raised:
        ensure_raters(admin, workspace, [Rater(inside), Rater(outside), Rater(unknown)], nothing)
    assert f'not in the workspace "{workspace.name}": {outside}, {unknown}; ask an owner' in str(raised.value)
    assert ensure_raters(admin, workspace, [Rater(inside)], nothing) == Accounts((), (), ())

    dataset = ensure_dataset(admin, workspace, round_, FORM, 2)
    push(admin, dataset, items(1), lambda _: None)
    [record] = admin.call("GET", f"datasets/{dataset.id}/records")["items"]
    respond(as_rater(server, inside, shown[inside]), record["id"], factuality_a=3).raise_for_status()
    seen = usernames(admin, dataset)
    assert [each.rater for each in responses(admin, dataset, seen, str.upper)] == [inside.upper()]
    close(admin, workspace)
    assert list(responses(admin, dataset, seen, str))
    with pytest.raises(InputError, match=f'"{admin.username}", an admin, does not see who .* use the key of an owner'):
        list(responses(admin, dataset, usernames(admin, dataset), str))


def test_new_raters_can_log_in_with_what_was_shown_before_they_were_created(server: Server, owner: Connection) -> None:
    workspace = ensure_workspace(owner, new_name(), ours=[])
    shown: dict[str, str] = {}

    def show(username: str, password: str) -> None:
        assert username not in {user["username"] for user in owner.call("GET", "users")["items"]}
        shown[username] = password

    one, two = Rater(new_name(), first_name=" Åsa ", last_name=" "), Rater(new_name(), "a password of theirs")
    done = ensure_raters(owner, workspace, [one, two], show)
    names = (one.username, two.username)
    assert done == Accounts(created=names, added=names, overtaken=())
    assert list(shown) == [one.username]
    assert as_rater(server, one.username, shown[one.username]).get("/me").json()["first_name"] == "Åsa"
    assert as_rater(server, two.username, "a password of theirs").get("/me").json()["role"] == "annotator"
    assert ensure_raters(owner, workspace, [one, two], nothing) == Accounts((), (), ())
    elsewhere = ensure_workspace(owner, new_name(), ours=[])
    assert ensure_raters(owner, elsewhere, [one], nothing) == Accounts((), (one.username,), ())
    as_rater(server, one.username, shown[one.username])


def test_owners_and_admins_are_no_raters_and_nobody_is_created_then(owner: Connection, admin: Connection) -> None:
    workspace = ensure_workspace(owner, new_name(), ours=[])
    new = new_name()
    with pytest.raises(InputError) as raised:
        ensure_raters(owner, workspace, [Rater(new), Rater(owner.username), Rater(admin.username)], nothing)
    assert f"{owner.username} (owner), {admin.username} (admin)" in str(raised.value)
    assert new not in {user["username"] for user in owner.call("GET", "users")["items"]}


def test_who_is_in_the_workspace_but_not_expected_there_is_refused_before_anything_changes(
    owner: Connection, admin: Connection
) -> None:
    workspace = ensure_workspace(owner, new_name(), ours=[])
    invite(owner, workspace, admin.username)  # admins don't rate
    earlier, stranger, new = (Rater(f"{name}-{new_name()}", "a long password") for name in ("earlier", "other", "new"))
    ensure_raters(owner, workspace, [earlier, stranger], nothing)
    with pytest.raises(InputError) as raised:
        ensure_raters(owner, workspace, [new], nothing, expected=lambda name: name == earlier.username)
    assert str(raised.value) == (
        f'{owner.url}: in the workspace "{workspace.name}", but no rater of this round: {stranger.username};'
        " name them in --raters or take them out in Argilla"
    )
    assert new.username not in {user["username"] for user in owner.call("GET", "users")["items"]}
    raters = [new, stranger]
    done = ensure_raters(owner, workspace, raters, nothing, expected=lambda name: name == earlier.username)
    assert done.added == (new.username,)


@pytest.mark.parametrize(
    ("raters", "why"),
    [
        ([Rater("")], "some printable characters"),
        ([Rater(" eva")], "no space at either end"),
        ([Rater("e\nva")], "some printable characters"),
        ([Rater("eva", "short")], "8 to 100 characters"),
        ([Rater("eva", "x" * 101)], "8 to 100 characters"),
        ([Rater("eva", "ü" * 40)], "at most 72 bytes"),
        ([Rater("eva"), Rater("ida"), Rater("eva")], "named 2 times"),
    ],
)
def test_what_argilla_would_not_take_is_said_before(owner: Connection, raters: list[Rater], why: str) -> None:
    with pytest.raises(InputError, match=f"^rater .*{why}") as raised:
        ensure_raters(owner, Workspace("none", "none"), raters, nothing)
    assert "short" not in str(raised.value)


def test_two_managers_who_create_the_same_accounts_know_whose_passwords_hold(server: Server) -> None:
    raters = [Rater(new_name()) for _ in range(4)]
    name, barrier = new_name(), threading.Barrier(2)
    found: list[tuple[Accounts, dict[str, str]]] = []

    def manage() -> None:
        with connect(server.url, API_KEY) as connection:
            barrier.wait()
            workspace = ensure_workspace(connection, name, ours=[])
            shown: dict[str, str] = {}
            found.append((ensure_raters(connection, workspace, raters, shown.__setitem__), shown))

    threads = [threading.Thread(target=manage) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    [(one, shown_by_one), (two, shown_by_two)] = found
    assert sorted(one.created + two.created) == sorted(rater.username for rater in raters)
    for accounts, shown in ((one, shown_by_one), (two, shown_by_two)):
        for username in accounts.created:
            as_rater(server, username, shown[username])
        assert not set(accounts.overtaken) & set(accounts.created)
        assert set(shown) == set(accounts.created + accounts.overtaken)
    with connect(server.url, API_KEY) as connection:
        inside = members(connection, ensure_workspace(connection, name, ours=[]))
        assert inside == {rater.username for rater in raters}


def test_an_account_whose_creation_was_not_answered_keeps_the_password_shown(server: Server, faulty: Faulty) -> None:
    with connect(faulty.url, API_KEY, HASTY) as connection:
        workspace = ensure_workspace(connection, new_name(), ours=[])
        lost: list[int] = []

        def plan(number: int, method: str, path: str) -> Fault | None:
            if (method, path) == ("POST", "/api/v1/users") and not lost:
                lost.append(number)
                return Fault(lost=False)
            return None

        faulty.plan = plan
        shown: dict[str, str] = {}
        rater = Rater(new_name())
        done = ensure_raters(connection, workspace, [rater], shown.__setitem__)
        assert lost
        assert done.overtaken == ()
        as_rater(server, rater.username, shown[rater.username])


def test_a_push_that_ended_between_account_and_workspace_goes_on(server: Server, faulty: Faulty) -> None:
    with connect(faulty.url, API_KEY, HASTY) as connection:
        workspace = ensure_workspace(connection, new_name(), ours=[])
        adding = f"/api/v1/workspaces/{workspace.id}/users"
        faulty.plan = lambda _, method, path: Fault(status=500) if (method, path) == ("POST", adding) else None
        rater = Rater(new_name())
        shown: dict[str, str] = {}
        with pytest.raises(PrbgenError, match="the same command goes on"):
            ensure_raters(connection, workspace, [rater], shown.__setitem__)
        faulty.plan = lambda *_: None
        assert ensure_raters(connection, workspace, [rater], nothing).added == (rater.username,)
        as_rater(server, rater.username, shown[rater.username])


def test_a_new_password_replaces_the_old_one(server: Server, owner: Connection) -> None:
    workspace = ensure_workspace(owner, new_name(), ours=[])
    rater = Rater(new_name(), "the first password")
    ensure_raters(owner, workspace, [rater], nothing)
    as_rater(server, rater.username, reset_password(owner, rater.username))
    with pytest.raises(AssertionError, match=r"401|nauthorized|credentials"):
        as_rater(server, rater.username, "the first password")
    for other in (new_name(), owner.username):
        with pytest.raises(InputError, match=f'there is no rater "{other}"'):
            reset_password(owner, other)


def test_after_the_close_nobody_rates_and_all_stays_until_it_is_opened_again(server: Server, owner: Connection) -> None:
    workspace, dataset = laid_out(owner)
    raters = [Rater(new_name(), "a long password") for _ in range(2)]
    ensure_raters(owner, workspace, raters, nothing)
    push(owner, dataset, items(2), lambda _: None)
    one, two = owner.call("GET", f"datasets/{dataset.id}/records")["items"]
    with ExitStack() as stack:
        first, second = (stack.enter_context(as_rater(server, each.username, "a long password")) for each in raters)
        assert respond(first, one["id"], factuality_a=4).status_code == 201
        names = [rater.username for rater in raters]
        close(owner, workspace)
        assert members(owner, workspace) == set()
        for rater in (first, second):
            assert respond(rater, two["id"], factuality_a=4).status_code == 403
        close(owner, workspace)
        [kept] = responses(owner, dataset, usernames(owner, dataset), str)
        assert (kept.rater, kept.values) == (names[0], {"factuality_a": 4})
        ensure_raters(owner, workspace, raters, nothing)
        assert respond(second, two["id"], factuality_a=1).status_code == 201
