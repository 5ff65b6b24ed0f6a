"""Can somebody who sees neither user nor question tell chosen from rejected? And what else does a set hold?"""

from __future__ import annotations

import argparse
from pathlib import Path

from prbgen.cli.showing import as_keywords


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`audit DATA... [...]`."""
    parser.add_argument("data", metavar="DATA", nargs="+", help="a run, a folder or file of pairs, or a Hub id")
    parser.add_argument("--subset", metavar="NAME", action="append", default=[], help="only this subset (repeatable)")
    parser.add_argument("--split", metavar="NAME", default="", help="only this split (default: all)")
    parser.add_argument("--each", action="store_true", help="each strategy and generator apart, side by side")
    parser.add_argument("--against", metavar="DATA", help="what should share no user and no question with the pairs")
    parser.add_argument("--against-split", metavar="NAME", default="", help="only this split of it (default: all)")
    parser.add_argument("--embedding", metavar="MODEL", help="go by sentence embeddings, too: a name or a folder")
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        help="put audit.html and audit.json there (default: of one run RUN/audit, else nowhere)",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Audit, write the report, and show it. Returns 1 if a set leaks."""
    from prbgen.api.audit import audit

    audited = audit(**as_keywords(arguments))
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(audited.document())
    else:
        from prbgen.cli.audit_tables import show

        show(audited.sets, audited.folder)
    return 1 if audited.leaks else 0
