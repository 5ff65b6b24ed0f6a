"""How long `prbgen evaluate` takes for many pairs beside the model itself, and in what memory.

    python tests/benchmarks/evaluate_stream.py [--pairs 100000]

The pairs have short texts and three posts; a reward server on this machine answers at once. It is killed (kill -9) in
mid-run, goes on, and is run once more with everything scored. Prints seconds, peak memory in MB, pairs a second, and
how many pairs the server was asked about twice: no more than were in flight.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from aiohttp import web

from tests.evaluation.asking_rows import pair_row
from tests.processes import ROOT

CONCURRENCY = 64
_PEAK = "import resource, sys; from prbgen.cli import main; code = main(sys.argv[1:]);"
_PEAK += "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr); sys.exit(code)"


class RewardServer:
    """Scores by length; `asked` counts requests by their prompt."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.url = ""
        ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._serve(ready)), daemon=True).start()
        ready.wait()

    async def _serve(self, ready: threading.Event) -> None:
        application = web.Application()
        application.router.add_post("/score", self._score)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/score"
        ready.set()
        await asyncio.Event().wait()

    async def _score(self, request: web.Request) -> web.Response:
        try:
            inputs = (await request.json())["inputs"]
        except ConnectionResetError:  # the process that asked was killed
            return web.Response()
        self.asked[inputs[0]["prompt"]] += 1
        return web.json_response({"scores": [len(each["response"]) + 0.5 for each in inputs]})


def evaluation(data: Path, server: RewardServer, folder: Path) -> subprocess.Popen[str]:
    """A process of its own that evaluates under `shuffled`, which is the condition that reads most."""
    words = ["evaluate", str(data), "--scorer", server.url, "--condition", "shuffled", "--out", str(folder), "--json"]
    command = [sys.executable, "-c", _PEAK, *words, "--concurrency", str(CONCURRENCY)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def timed(what: str, process: subprocess.Popen[str], pairs: int, server: RewardServer) -> None:
    """Wait for it, and print what it took; a rate counts what the server was asked about meanwhile."""
    asked = sum(server.asked.values())
    begun = time.monotonic()
    out, said = process.communicate()
    if process.returncode:
        raise SystemExit(said)
    seconds, summary = time.monotonic() - begun, json.loads(out)
    assert summary["n"] == pairs
    asked = sum(server.asked.values()) - asked
    rate = f"{asked:,} asked about, {asked / seconds:.0f} a second"
    print(f"{what:32}{seconds:8.1f} s {int(said.splitlines()[-1]):6} MB   {rate}", flush=True)


def main() -> int:
    """Print the figures; 1 if more was asked twice than was in flight."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000)
    pairs = parser.parse_args().pairs
    server = RewardServer()
    with tempfile.TemporaryDirectory() as name:
        data, folder = Path(name) / "pairs.jsonl", Path(name) / "results"
        with data.open("w", encoding="utf-8") as file:
            for number in range(pairs):
                file.write(json.dumps(pair_row(number, posts=3)) + "\n")
        killed = evaluation(data, server, folder)
        while len(server.asked) < pairs // 2 and killed.poll() is None:
            time.sleep(0.1)
        os.kill(killed.pid, signal.SIGKILL)
        killed.communicate()
        timed("the second half, after kill -9", evaluation(data, server, folder), pairs, server)
        timed("again, with everything scored", evaluation(data, server, folder), pairs, server)
    twice = sum(server.asked.values()) - len(server.asked)
    print(f"asked about twice: {twice} (at most {CONCURRENCY} were in flight)")
    return int(twice > CONCURRENCY or len(server.asked) != pairs)


if __name__ == "__main__":
    sys.exit(main())
