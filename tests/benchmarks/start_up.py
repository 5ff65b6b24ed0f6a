"""Seconds that `prbgen --help` takes, beside Python's own start.

    python tests/benchmarks/start_up.py [--runs 11]

Each figure is the median over whole processes, run in turn. Target: `prbgen --help` within 0.3 s.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

TARGET_SECONDS = 0.3
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "prbgen --help": [sys.executable, "-m", "prbgen", "--help"],
}


def main() -> int:
    """Run both in turn and print the medians; 1 if the target is missed."""
    options = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    options.add_argument("--runs", type=int, default=11)
    runs = options.parse_args().runs
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(runs):
        for name, command in COMMANDS.items():
            started = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            seconds[name].append(time.perf_counter() - started)
    medians = {name: statistics.median(each) for name, each in seconds.items()}
    for name, median in medians.items():
        print(f"{name:<16} {median:.3f} s")
    bare, ours = medians.values()
    print(f"ratio            {ours / bare:.2f} (target: prbgen --help within {TARGET_SECONDS} s)")
    return int(ours > TARGET_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
