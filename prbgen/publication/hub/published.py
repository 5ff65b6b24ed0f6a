"""What is known of a push once it is done."""

from __future__ import annotations

from prbgen.schema import Record


class Published(Record):
    """A dataset as it was put on the Hub; kept, so that the next push knows what is its own.

    `commit` holds the data. `ours` is the commit of the main branch that the next push may build on: `commit` itself,
    or for a pull request what it was before. `tag` is vX.Y.Z, null for a pull request; `pull_request` is its address,
    null where the main branch holds the data. `fingerprint` is for the record: a SHA-256 over names and hashes of all
    files.
    """

    endpoint: str
    repo: str
    commit: str
    ours: str | None
    tag: str | None
    pull_request: str | None
    fingerprint: str
