"""How long `prbgen validate` and `prbgen publish` take for a campaign of some size, and what memory.

    python tests/benchmarks/validate_and_publish.py [--pairs 5000]

Three raters rate every pair on sheets, in the rounds quality and rubric; profiles have a few short posts. The named
peer of the bootstrap is the krippendorff package, called anew for each resample of users (which leaves the raters as
they are): it runs for some resamples, and is taken as that fast for all.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import krippendorff
import numpy as np

from prbgen.annotation.rated import rated_rounds
from prbgen.recipe import ValidationSettings
from prbgen.run import Run
from prbgen.validation.agreement import agreement
from prbgen.validation.pairs import rated_pairs
from tests.validation.panel import rate_both, rated_run

PEER_RESAMPLES = 30
_PEAK = "import resource, sys; from prbgen.cli import main; code = main(sys.argv[1:]);"
_PEAK += "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr); sys.exit(code)"


def command(*words: str) -> tuple[float, int]:
    """Run prbgen in a fresh process: seconds, and peak memory in MB."""
    begun = time.monotonic()
    done = subprocess.run([sys.executable, "-c", _PEAK, *words], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return time.monotonic() - begun, int(done.stderr.splitlines()[-1])


def peer_seconds(run: Run, resamples: int) -> float:
    """The alphas of all questions of round quality in as many resamples, by the krippendorff package."""
    quality = rated_rounds(run)[0]
    raters = sorted({rating.rater for rating in quality.ratings})
    chance = np.random.default_rng(0)
    seconds = 0.0
    for scale in quality.scales:
        said: dict[tuple[Any, ...], list[float]] = {}
        for rating in quality.ratings:
            if rating.kind == "pair" and rating.question == scale.question and isinstance(rating.value, int):
                unit = said.setdefault((rating.item, rating.shown), [float("nan")] * len(raters))
                unit[raters.index(rating.rater)] = rating.value
        table = np.array(list(said.values())).T
        begun = time.monotonic()
        for _ in range(PEER_RESAMPLES):
            drawn = chance.integers(table.shape[1], size=table.shape[1])
            krippendorff.alpha(reliability_data=table[:, drawn], level_of_measurement="ordinal")
        seconds += (time.monotonic() - begun) * resamples / PEER_RESAMPLES
    return seconds


def own_seconds(run: Run) -> float:
    """Alpha, raw agreement and AC1 of the same questions, over users and raters, over all pairs and in each subset."""
    quality = rated_rounds(run)[0]
    pairs = {pair.pair_id: pair for pair in rated_pairs(run.pairs)}
    begun = time.monotonic()
    agreement(quality, pairs, (), ValidationSettings())
    return time.monotonic() - begun


def main() -> None:
    """Print seconds, memory, and the ratio to the peer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5000)
    pairs = parser.parse_args().pairs
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["PRBGEN_RATERS_KEY"] = str(folder / "raters.key")
        run = rated_run(folder / "run", questions=pairs // 2)
        with contextlib.redirect_stdout(io.StringIO()):
            rate_both(run, folder / "rounds")
        for words in (("validate", str(run.folder)), ("publish", str(run.folder), "--to", str(folder / "out"))):
            seconds, memory = command(*words)
            print(f"prbgen {words[0]}: {pairs:,} pairs, {seconds:.1f} s, {memory} MB", flush=True)
        ours, peer = own_seconds(run), peer_seconds(run, ValidationSettings().resamples)
        print(f"agreement of round quality, 1,000 resamples: {ours:.1f} s; krippendorff: {peer:.1f} s for alpha alone,")
        print(f"of all pairs alone, over users alone; ratio {peer / ours:.2f}")


if __name__ == "__main__":
    main()
