"""How large what comes from elsewhere may be: far above all real data, and too little to take a machine down."""

from __future__ import annotations

from pathlib import Path

from prbgen.errors import InputError

# The longest profile of LaMP-QA has 1,488 posts, the median has 36 to 73; a post is seldom longer than 20 kB.
LONGEST_ROW = 64 * 2**20  # characters of a row as JSON
MOST_ENTRIES = 100_000  # posts, aspects or messages in a row
# What is read as a whole: summaries, sheets, headers. A sheet of 10,000 items with their posts has less than a tenth.
LARGEST_WHOLE = 256 * 2**20  # bytes
# Packed text shrinks to a fifth, tables that are packed already hardly at all; a bomb, to a thousandth.
MOST_UNPACKED = 2**30  # bytes that a packed file may hold, however small it is
MOST_TIMES = 100  # beyond that: the size of what it holds over its own


def too_long_row(where: str) -> InputError:
    """What to say of a row that nobody has written."""
    return InputError(
        f"{where}: longer than {LONGEST_ROW // 2**20} MiB: no row of posts and answers is; shorten or remove it"
    )


def too_many_entries(where: str, column: str, count: int) -> InputError:
    """What to say of a list that nobody has written."""
    return InputError(f"{where}: {column}: has {count:,} entries, at most {MOST_ENTRIES:,} can be; shorten it")


def regular(path: Path) -> Path:
    """The path, if it is a file with a content: a pipe or a device may never end.

    Raises:
        InputError: it is something else.
        OSError: there is nothing.
    """
    path.stat()
    if not path.is_file():
        raise InputError(f"{path}: is no regular file; copy its content into one")
    return path


def read_whole(path: Path, most: int = LARGEST_WHOLE) -> bytes:
    """The content of a file that is read as a whole.

    Raises:
        InputError: it is absurdly large, or no regular file.
        OSError: it cannot be read.
    """
    if regular(path).stat().st_size > most:
        raise InputError(f"{path}: larger than {most // 2**20} MiB: no such file is; is it the right one?")
    return path.read_bytes()
