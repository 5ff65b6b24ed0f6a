"""All records of a dataset, page by page from Argilla's database (its search index may lag behind)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from prbgen.annotation.argilla.connection import Connection
from prbgen.errors import PrbgenError

PAGE = 100  # records; some 2 MB of long posts and answers
_SWEEPS = 5


def records(connection: Connection, dataset: str, **include: str) -> Iterator[dict[str, Any]]:
    """Each record once, as the server describes it, in the order of insertion. `dataset` is the server's id.

    What is inserted meanwhile comes at the end. When something is deleted meanwhile, later ones move up and would be
    missed: a page begins with the last record of the one before, and if it doesn't, all are read again for those.

    Raises:
        PrbgenError: the server does not answer, or so much is deleted that no reading gets through.
    """
    seen: set[str] = set()
    for _ in range(_SWEEPS):
        read, last = 0, ""
        while True:
            params = {"offset": max(read - 1, 0), "limit": PAGE, **include}
            page = connection.call("GET", f"datasets/{dataset}/records", params=params)["items"]
            if read and (not page or page[0]["id"] != last):
                break
            new = page[1:] if read else page
            for record in new:
                if record["id"] not in seen:
                    seen.add(record["id"])
                    yield record
            if len(page) < PAGE:
                return
            read, last = read + len(new), page[-1]["id"]
    raise PrbgenError(f"{connection.url}: records are being deleted faster than they can be read; try again later")
