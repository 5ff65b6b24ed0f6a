"""The driver and all workers have the same prbgen: what goes between them is its own."""

from __future__ import annotations

import platform

from prbgen import __version__
from prbgen.errors import InputError


def refuse_other_version(version: str) -> None:
    """To be asked in a worker, with the driver's version.

    Raises:
        InputError: this node has another one.
    """
    if version != __version__:
        raise InputError(
            f"node {platform.node()} has prbgen {__version__}, but the driver has {version}:"
            " install the same version on all nodes"
        )
