"""`--ray`: work that goes to a cluster, or to several processes on this machine."""

from __future__ import annotations

import argparse


def add_ray_flag(parser: argparse._ActionsContainer) -> None:
    """`--ray ADDRESS`."""
    where = "work on a Ray cluster: HOST:PORT, auto (one that runs here), or local (processes on this machine)"
    parser.add_argument("--ray", metavar="ADDRESS", help=where)
