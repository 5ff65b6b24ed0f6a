"""Share the replies of a run: `export` writes a ledger without anything private, which `generate --replay` takes."""

from __future__ import annotations

import argparse
from pathlib import Path

from prbgen.errors import InputError
from prbgen.run import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`ledger export RUN FILE`."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    export = actions.add_parser("export", help="write the replies of a run into a new file", description=__doc__)
    export.add_argument("run", metavar="RUN", type=Path, help="a run folder")
    export.add_argument("file", metavar="FILE", type=Path, help="the file to write, such as replies.sqlite")
    export.add_argument("--force", action="store_true", help="replace FILE if it exists")
    export.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Write the file; the run is only read."""
    from prbgen.llm.ledger import Ledger
    from prbgen.llm.ledger.export import export
    from prbgen.terminal import stderr

    source = Run.existing(arguments.run)
    if arguments.file.resolve().parent == source.folder.resolve():
        raise InputError(f"{arguments.file}: lies in the run itself; name a file outside of it")
    owner = source.owner()
    with Ledger(source.ledger, read_only=True) as ledger:
        replies = export(ledger, arguments.file, force=arguments.force)
    if owner:
        stderr().print(
            f"{source.folder}: {owner} is working on this run; what comes from now on is not in the file",
            soft_wrap=True,
            markup=False,
        )
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json({"file": str(arguments.file), "replies": replies})
    else:
        from prbgen.cli.console import stdout

        stdout().print(
            f"{replies} replies in {arguments.file}; `prbgen generate RECIPE --replay {arguments.file}` builds the"
            " same pairs from them, without a call or a key",
            soft_wrap=True,
            markup=False,
        )
    return 0
