"""Who we are on which Argilla server, and requests to it."""

from __future__ import annotations

import os
import re
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast

import httpx

from prbgen.annotation.argilla.patience import ATTEMPTS, GOES_ON, Patience, PatientTransport, RefusedError
from prbgen.errors import InputError, PrbgenError

if TYPE_CHECKING:
    import argilla as rg

Role = Literal["owner", "admin", "annotator"]
OLDEST, TOO_NEW = (2, 6), (3, 0)
_TIMEOUT = httpx.Timeout(120.0, connect=10.0)  # seconds; a slow server takes its time over a batch
_KEY = "X-Argilla-Api-Key"
_SPACES = ".hf.space"
_VARIABLE = "HF_TOKEN"


@dataclass(frozen=True)
class Connection:
    """A server that answers, and the user whose key it accepts."""

    url: str
    version: str
    username: str
    role: Role
    _key: str = field(repr=False)
    _http: httpx.Client = field(repr=False)
    _options: Mapping[str, Any] = field(repr=False)

    def call(self, method: str, path: str, **request: Any) -> Any:
        """The JSON that the server answers to a request to /api/v1/`path`; `request` as httpx takes it.

        Raises:
            RefusedError: the server won't have it.
            PrbgenError: it does not answer, or with something else than JSON.
        """
        response = self._http.request(method, f"/api/v1/{path}", **request)
        try:
            return response.json() if response.content else None
        except ValueError:
            raise PrbgenError(f"{self.url}: what answers {method} /api/v1/{path} is no Argilla") from None

    @cached_property
    def sdk(self) -> rg.Argilla:
        """Argilla's own client, over the same transport. Nothing of the SDK can be made before it."""
        import argilla as rg

        return rg.Argilla(api_url=self.url, api_key=self._key, retries=0, **self._options)


@contextmanager
def connect(url: str, key: str, patience: Patience = Patience()) -> Iterator[Connection]:  # noqa: B008 (a value)
    """Connect as the user whose key it is. A private Space of Hugging Face is opened with the variable HF_TOKEN.

    Raises:
        InputError: the address, the server's version or the key can't be used, or its user may not lay out anything.
        PrbgenError: the server does not answer.
    """
    address = _address(url)
    shown = str(address.copy_with(username=None, password=None)).rstrip("/")
    if not _sendable(key):
        raise InputError(f"{shown}: no key for it: set ARGILLA_API_KEY to the one on Argilla's page My settings")
    headers, secrets = {_KEY: key}, [key]
    if token := _token(address):
        headers["Authorization"] = f"Bearer {token}"
        secrets.append(token)
    transport = PatientTransport(httpx.HTTPTransport(proxy=_proxy(address)), shown, secrets, patience)
    auth = (address.username, address.password) if address.username else None
    options: dict[str, Any] = {
        "headers": headers, "timeout": _TIMEOUT, "mounts": {"all://": transport}, "auth": auth,
    }  # fmt: skip
    with httpx.Client(base_url=shown, **options) as http:
        version = _version(http, shown)
        me = _me(http, shown)
        if me["role"] == "annotator":
            raise InputError(f'{shown}: "{me["username"]}" is an annotator; use the key of an owner or an admin')
        yield Connection(shown, version, me["username"], cast(Role, me["role"]), key, http, options)


def _address(url: str) -> httpx.URL:
    try:
        address = httpx.URL(url.strip())
        if address.scheme in {"http", "https"} and address.host:
            return address.copy_with(query=None, fragment=None)
    except (httpx.InvalidURL, ValueError):
        pass
    # It is not shown: what can't be taken apart may hold a password anywhere.
    raise InputError("the address of Argilla should look like http://localhost:6900: ARGILLA_API_URL")


def _sendable(secret: str) -> bool:
    """Whether it can stand in a header."""
    return bool(secret.strip()) and secret.isascii() and secret.isprintable()


def _token(address: httpx.URL) -> str | None:
    """What opens a private Space; null for any other host, and where it would be sent for all to read."""
    token = os.environ.get(_VARIABLE, "").strip()
    if not token or address.scheme != "https" or not address.host.endswith(_SPACES):
        return None
    if not _sendable(token):
        raise InputError(f"{_VARIABLE}: is no token of Hugging Face; set it to one that may read the Space")
    return token


def _proxy(address: httpx.URL) -> str | None:
    """The one that the environment names for this address, as httpx would take it."""
    if urllib.request.proxy_bypass(address.host):
        return None
    proxies = urllib.request.getproxies()
    return proxies.get(address.scheme) or proxies.get("all")


def _version(http: httpx.Client, shown: str) -> str:
    try:
        # Whoever mistypes the address should not have to wait.
        said = http.get("/api/v1/version", extensions={ATTEMPTS: 2}).json()["version"]
        numbers = re.match(r"(\d+)\.(\d+)", said)
    except RefusedError as refused:
        if refused.status in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN} or httpx.codes.is_redirect(
            refused.status
        ):
            raise InputError(str(refused)) from None
        numbers = None
    except PrbgenError as error:
        raise PrbgenError(str(error).removesuffix(f"; {GOES_ON}") + "; is the address right, and is it up?") from None
    except (ValueError, KeyError, TypeError):
        numbers = None
    if numbers is None:
        private = f", and {_VARIABLE} if it is a private Space" if httpx.URL(shown).host.endswith(_SPACES) else ""
        raise InputError(f"{shown}: something answers there, but no Argilla 2; check ARGILLA_API_URL{private}")
    if not OLDEST <= (int(numbers[1]), int(numbers[2])) < TOO_NEW:
        raise InputError(f"{shown}: Argilla {said} runs there; prbgen works with 2.6 and later, but below 3")
    return str(said)


def _me(http: httpx.Client, shown: str) -> dict[str, str]:
    try:
        me = http.get("/api/v1/me").json()
        return {name: str(me[name]) for name in ("username", "role")}
    except RefusedError as refused:
        raise InputError(str(refused)) from None
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{shown}: something answers there, but no Argilla 2; check ARGILLA_API_URL") from None
