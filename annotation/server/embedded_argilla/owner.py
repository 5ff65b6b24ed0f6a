"""The first account, which may do everything; its name, password and API key come from the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

USERNAME, PASSWORD, API_KEY = "EMBEDDED_ARGILLA_USERNAME", "EMBEDDED_ARGILLA_PASSWORD", "EMBEDDED_ARGILLA_API_KEY"
MISSING = f"no owner yet: set {USERNAME}, {PASSWORD} and {API_KEY} for the first start"
_SHORTEST_PASSWORD = 8


class OwnerError(Exception):
    """There is no owner and none can be made; the message says what to set."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Who the owner shall be."""

    username: str
    password: str = field(repr=False)
    api_key: str = field(repr=False)


def from_environment() -> Owner | None:
    """The owner that the environment names, if it does; the variables are removed, so that nobody inherits them.

    Raises:
        OwnerError: one of the three is missing, or the password is too short for Argilla.
    """
    values = {name: os.environ.pop(name, "") for name in (USERNAME, PASSWORD, API_KEY)}
    if not any(values.values()):
        return None
    missing = [name for name, value in values.items() if not value]
    if missing:
        raise OwnerError(f"{', '.join(missing)} not set: the owner needs a name, a password and an API key")
    if len(values[PASSWORD]) < _SHORTEST_PASSWORD:
        raise OwnerError(f"{PASSWORD}: at least {_SHORTEST_PASSWORD} characters, please")
    return Owner(values[USERNAME], values[PASSWORD], values[API_KEY])


async def ensure(owner: Owner | None) -> None:
    """Makes the owner's account on the first start; later the account stays as it is, whatever the environment says.

    Raises:
        OwnerError: there is no owner yet, and the environment names none.
    """
    from argilla_server.contexts import accounts
    from argilla_server.database import AsyncSessionLocal, async_engine
    from argilla_server.models import User, UserRole

    try:
        async with AsyncSessionLocal() as db:
            if await User.get_by(db, role=UserRole.owner):
                return
            if owner is None:
                raise OwnerError(MISSING)
            await User.create(
                db,
                first_name=owner.username,
                username=owner.username,
                role=UserRole.owner,
                api_key=owner.api_key,
                password_hash=accounts.hash_password(owner.password),
                workspaces=[],
            )
    finally:
        # Its connections belong to the event loop of this call.
        await async_engine.dispose()
