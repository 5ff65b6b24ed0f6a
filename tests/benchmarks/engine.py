"""How fast and how lean the engine under every stage is, beside its peers.

    python tests/benchmarks/engine.py [a] [b] ...     (none: all)

a  time for 2,000 calls with a heavy tail, over the best schedule; peers: the openai SDK, bare LiteLLM
b  use of a rate limit of 50 requests/s, and requests refused
c  CPU per call, over bare LiteLLM
d  time and memory until a run with 100,000 recorded replies sends a new call
e  memory at 100,000 items beyond that at 1,000
f  time for 500 items of two calls, over the fastest of distilabel and bespokelabs-curator; items and calls with faults

Each client runs in a process of its own against a mock provider in another one. The figures want an idle machine.
The peers of f are installed into environments of their own in the user's cache, about 1.5 GB.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable

from engine_calls import cpu_per_call, over_schedule, under_rate_limit
from engine_memory import memory
from engine_peers import peers
from engine_resume import resume
from outcome import Outcome

BENCHMARKS: dict[str, Callable[[], Iterable[Outcome]]] = {
    "a": over_schedule,
    "b": under_rate_limit,
    "c": cpu_per_call,
    "d": resume,
    "e": memory,
    "f": peers,
}


def main() -> int:
    """Run the chosen benchmarks and print one line a target; 1 if one is missed."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("which", nargs="*", metavar="LETTER", help=f"any of {', '.join(BENCHMARKS)}; none: all")
    # Not by `choices`: argparse would look there for the empty list that stands for all.
    chosen: list[str] = options.parse_args().which or list(BENCHMARKS)
    if unknown := set(chosen) - set(BENCHMARKS):
        options.error(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    outcomes: list[Outcome] = []
    try:
        for letter in chosen:
            outcomes.extend(BENCHMARKS[letter]())
    finally:
        print(*outcomes, sep="\n")
    return int(not all(outcome.met for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
