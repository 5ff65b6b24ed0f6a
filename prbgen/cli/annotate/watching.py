"""What a push shows while it works: new accounts at once, and a bar for the records; and its result."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prbgen.annotation.bring import Brought, Watch
    from prbgen.annotation.laid import Laid

Account = dict[str, str]


@contextmanager
def watching(accounts: list[Account], *, json: bool) -> Iterator[Watch]:
    """A bar on stderr as long as the block lasts. New accounts are added to the list, and shown.

    They are shown before they are made, as nobody can ask for a password again; with --json on stderr.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from prbgen.annotation.bring import Watch
    from prbgen.terminal import stderr

    console = stderr()

    def password(username: str, secret: str) -> None:
        stream = sys.stderr if json else sys.stdout
        if not accounts:
            print("new accounts (each password is shown this once: pass it on)", file=stream)
        print(f"  {username}  {secret}", file=stream, flush=True)
        accounts.append({"username": username, "password": secret})

    columns = (TextColumn("records"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("records", total=None)
        yield Watch(password, lambda done, total: bar.update(task, completed=done, total=total))


def result_of(laid: Laid, brought: Brought, accounts: list[Account]) -> dict[str, Any]:
    """What a push or an adjudication did, for programs."""
    campaign = brought.campaign
    dataset = {
        "round": campaign.round,
        "senior": campaign.senior,
        "closed_at": campaign.closed_at,
        "items": sum(not item.withdrawn for item in laid.items),
        "raters": len(campaign.raters),
        "workspace": campaign.workspace if campaign.way == "argilla" else None,
        "name": campaign.dataset if campaign.way == "argilla" else None,
        "where": brought.where,
        "reworded": brought.reworded,
    }
    return {
        "created": brought.created,
        "updated": brought.updated,
        "unchanged": brought.unchanged,
        "kept": brought.kept,
        "sheets": brought.sheets,
        "overtaken": list(brought.overtaken),
        "short": list(laid.short),
        "notes": list(laid.notes),
        "accounts": accounts,
        "datasets": {campaign.round: dataset},
    }


def show(result: dict[str, Any]) -> None:
    """The same for people."""
    from rich.markup import escape

    from prbgen.cli.console import stdout
    from prbgen.terminal import stderr

    remarks, out = stderr(), stdout()
    for remark in result["short"]:
        remarks.print(f"[yellow]short[/] {escape(remark)}", soft_wrap=True)
    for remark in result["notes"]:
        remarks.print(remark, soft_wrap=True, markup=False)
    if result["kept"]:
        told = "records show what their pair no longer says, and stay: people have rated them"
        remarks.print(f"{result['kept']} {told}", soft_wrap=True, markup=False)
    for name in result["overtaken"]:
        told = "somebody else made this account at the same moment: the password shown above is void"
        remarks.print(f"{name}: {told}", soft_wrap=True, markup=False)
    if result["sheets"] == 0:
        told = "no new sheet: every item has its raters (--raters-per-item N asks for more)"
        remarks.print(told, soft_wrap=True, markup=False)
    out.print(f"{result['created']} records created, {result['updated']} updated, {result['unchanged']} unchanged")
    for name, dataset in result["datasets"].items():
        who = "senior raters" if dataset["senior"] else "raters"
        out.print(f"round    {name}: {dataset['items']} items for {dataset['raters']} {who}", soft_wrap=True)
        where = "rate at " if dataset["workspace"] else "sheets  "
        out.print(f"{where} {escape(dataset['where'])}", soft_wrap=True)
