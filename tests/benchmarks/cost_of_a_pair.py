"""What a pair costs beside the model's own time: calls, tokens, CPU, bytes on disk.

    python tests/benchmarks/cost_of_a_pair.py [--pairs 400] [--concurrency 64]

Questions in LaMP-QA's layout, with 120 posts of about 200 words (sentences of the shipped questions' posts), go through
the recipe that `prbgen init` writes, with its gold rubrics, its judge and all its checks. A provider in a process of
its own answers at once, so that what is timed is prbgen. The figures of docs/hooks/cost.py are from here.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from hashlib import blake2b
from pathlib import Path
from typing import Any

from fresh_process import ROOT

POSTS, WORDS_A_POST, WORDS_AN_ANSWER = 120, 200, 85
MARK = re.compile(r"entry (\d)([0-9a-f]{8})")


def write(file: Path, questions: int) -> None:
    """Write rows of natural text: sentences of the shipped questions' posts, drawn anew for each post."""
    sys.path.insert(0, str(ROOT))
    from prbgen.recipe import SourceSettings
    from prbgen.schema import Question
    from prbgen.sources import read_questions

    shipped = [each for each in read_questions(SourceSettings(path="samples")) if isinstance(each, Question)]
    sentences = [part for each in shipped for post in each.profile for part in re.split(r"(?<=[.?!])\s+", post.text)]
    chance = random.Random(0)

    def text(words: int) -> str:
        said: list[str] = []
        while sum(len(each.split()) for each in said) < words:
            said.append(chance.choice(sentences))
        return " ".join(said)

    with file.open("w", encoding="utf-8") as lines:
        for number in range(questions):
            like = shipped[number % len(shipped)]
            aspects = [each.model_dump() for each in (like.rubric_aspects or ())]
            aspects = (aspects * 5)[:5]
            posts = [
                {"category": "made-up", "id": f"0_0_{number}_{place}", "text": text(WORDS_A_POST)}
                for place in range(POSTS)
            ]
            row = {"id": f"0_{number}_0", "question": f"{like.question} ({number})", "profile": posts}
            row |= {"rubric_aspects": aspects, "narrative": text(150), "category": "made-up"}
            lines.write(json.dumps(row) + "\n")


def serve() -> None:
    """Answer as a good writer and a fair judge would: pairs pass all checks at the first time."""
    from aiohttp import web

    vocabulary = [f"{''.join(random.Random(n).choices('bdfglmnprstv', k=3))}{'aeiou'[n % 5]}" for n in range(4000)]

    def answer(prompt: str) -> str:
        chance = random.Random(prompt)
        keeps = int("Make the answer cover" in prompt)
        words = [chance.choice(vocabulary) for _ in range(WORDS_AN_ANSWER)]
        mark = blake2b(prompt.encode(), digest_size=4).hexdigest()
        return f"This is what you can do about it, entry {keeps}{mark}. The " + " ".join(words) + "."

    def reply(prompt: str) -> str:
        if '"factuality"' in prompt:
            return json.dumps({"remarks": "Sound and to the point.", "factuality": 5, "relevance": 5, "helpfulness": 4})
        if '"aspects"' in prompt:
            found = MARK.search(prompt)
            keeps = bool(found and found[1] == "1")
            each = [
                {"number": n, "found": "words of it" if keeps else "nothing", "score": 2 * keeps} for n in range(1, 6)
            ]
            return json.dumps({"aspects": each})
        return answer(prompt)

    async def chat(request: web.Request) -> web.Response:
        body = await request.json()
        text = reply(body["messages"][-1]["content"])
        tokens = sum(len(each["content"]) for each in body["messages"]) // 4
        usage = {"prompt_tokens": tokens, "completion_tokens": len(text) // 4, "total_tokens": tokens + len(text) // 4}
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        whole = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000, "model": body["model"]}
        return web.json_response({**whole, "choices": [choice], "usage": usage})

    application = web.Application(client_max_size=2**26)
    application.router.add_post("/v1/chat/completions", chat)

    import socket

    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    web.run_app(application, sock=listening, print=None, access_log=None)


def prbgen(*words: str) -> tuple[str, float, float]:
    """Run a command in a fresh process: what it prints, seconds, and seconds of CPU."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "none", "ANTHROPIC_API_KEY": "none"}
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "prbgen", *words], env=environment, capture_output=True, text=True, check=False
    )
    seconds, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return done.stdout, seconds, cpu


def measure(folder: Path, pairs: int, concurrency: int, api_base: str) -> dict[str, Any]:
    """Write the questions, estimate, generate, and weigh what lies on disk."""
    source = folder / "Society_and_Culture_test.jsonl"
    write(source, pairs)
    prbgen("init", str(folder / "bench"))
    recipe = folder / "bench" / "recipe.toml"
    text = recipe.read_text(encoding="utf-8").replace('"alireza7/LaMP-QA"', '"../Society_and_Culture_test.jsonl"')
    recipe.write_text(text, encoding="utf-8")
    estimated = json.loads(prbgen("estimate", str(recipe), "--json")[0])
    served = f'api_base = "{api_base}", '
    text = text.replace("answer = { name", f"answer = {{ {served}name").replace(
        "anthropic/claude-haiku-4-5", "openai/judge"
    )
    text = text.replace("judge  = { name", f"judge = {{ {served}name").replace(
        "concurrency = 64", f"concurrency = {concurrency}"
    )
    recipe.write_text(text, encoding="utf-8")
    few = ("generate", str(recipe), "--run", str(folder / "few"), "--limit", "1", "--json")
    whole = ("generate", str(recipe), "--run", str(folder / "run"), "--json")
    start_up, (out, seconds, cpu) = prbgen(*few)[2], prbgen(*whole)
    # All replies are on record now: what is left is the driver's own work, and LiteLLM is not even imported.
    recorded = prbgen(*whole)[2] - prbgen(*few)[2]
    result = json.loads(out)
    made, calls = result["pairs"], result["calls"]["sent"]
    if made < 0.95 * pairs:
        raise SystemExit(f"only {made} pairs of {pairs}: {result['reasons']}")
    size = {name: (folder / "run" / name).stat().st_size for name in ("pairs.jsonl", "ledger.sqlite")}
    dataset = sum(file.stat().st_size for file in (folder / "run" / "dataset").rglob("*") if file.is_file())
    total = estimated["total"]
    return {
        "pairs": made,
        "rejects": result["rejects"],
        "calls_a_pair": round(calls / made, 2),
        "seconds": round(seconds, 1),
        "calls_a_second": round(calls / seconds, 1),
        "cpu_ms_a_pair_without_calls": round(recorded / made * 1000, 1),
        "cpu_ms_a_call": round((cpu - start_up - recorded) / calls * 1000, 2),
        "pairs_bytes_a_pair": size["pairs.jsonl"] // made,
        "ledger_bytes_a_call": size["ledger.sqlite"] // calls,
        "dataset_bytes_a_pair": dataset // made,
        "source_bytes_a_question": source.stat().st_size // pairs,
        "estimated_a_pair": {
            what: [round(total[what][end] / pairs, 6) for end in ("low", "high")] for what in total if total[what]
        },
        "stages": [
            {key: each[key] for key in ("stage", "model", "calls", "prompt_tokens", "reply_tokens", "cost_usd")}
            for each in estimated["stages"]
        ],
    }


def main() -> None:
    """Print all of it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=400)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve()
        return
    command = [sys.executable, __file__, "--serve"]
    with (
        tempfile.TemporaryDirectory() as name,
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,
    ):
        try:
            assert server.stdout
            api_base = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
            print(json.dumps(measure(Path(name), given.pairs, given.concurrency, api_base), indent=2))
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
