"""The end of a round: nobody rates any more, and all that was rated stays."""

from __future__ import annotations

from prbgen.annotation.argilla.accounts import users_in
from prbgen.annotation.argilla.connection import Connection
from prbgen.annotation.argilla.patience import RefusedError
from prbgen.annotation.argilla.workspace import Workspace

_GONE = 404


def close(connection: Connection, workspace: Workspace) -> None:
    """Take all raters out of a workspace. `ensure_raters` lets them in again."""
    for user in users_in(connection, workspace):
        if user["role"] != "annotator":
            continue
        try:
            connection.call("DELETE", f"workspaces/{workspace.id}/users/{user['id']}")
        except RefusedError as refused:
            if refused.status != _GONE:
                raise
