"""What Argilla takes for a username and a password."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from prbgen.annotation.roster import Rater, name_key
from prbgen.errors import InputError

SHORTEST_PASSWORD, LONGEST_PASSWORD = 8, 100  # characters
MOST_BYTES = 72  # of a password: Argilla's hash takes no more


def check_raters(raters: Sequence[Rater]) -> None:
    """Argilla's own rules, before it is asked.

    Raises:
        InputError: names the rater and what is wrong.
    """
    for rater in raters:
        name, password = rater.username, rater.password
        fault = None
        if not name.strip() or name != name.strip() or not name.isprintable():
            fault = "a username is some printable characters with no space at either end"
        elif password is not None and not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
            fault = f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters"
        elif password is not None and len(password.encode()) > MOST_BYTES:
            fault = f"a password has at most {MOST_BYTES} bytes"
        if fault:
            raise InputError(f"rater {name!r}: {fault}")
    [(name, times)] = Counter(name_key(rater.username) for rater in raters).most_common(1) or [("", 0)]
    if times > 1:
        raise InputError(f"rater {name!r}: named {times} times")
