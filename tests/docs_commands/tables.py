"""What of the text is not run word for word, and why. A test fails when an entry no longer occurs in the text."""

from __future__ import annotations

import re

# Text of a command -> why it cannot be run here.
NOT_RUN = {
    "prbgen study --demo": "an embedded model as policy and judge takes minutes; tests/full runs it",
    "-m verl.trainer.main_ppo": "trains on a cluster of GPUs; tests/full gives verl our files",
}

# How commands begin that set up an environment, which the tests have: what they name is checked instead.
SETS_UP = ("python3 -m venv", ".venv/bin/pip install", "pip install", "make test")

# Text of a command -> what the test runs in its place: other addresses, and what stands for a placeholder.
INSTEAD = {
    "make demo": ".venv/bin/prbgen demo --out demo-run",
    "http://127.0.0.1:8000/v1": "{openai}",
    "http://127.0.0.1:8001/v1": "{openai}",
    "http://HOST:8000/v1": "{openai}",
    "annotate serve": "annotate serve --port 0",
    "--host 0.0.0.0 --port 8000": "--host 127.0.0.1 --port 0",
}

# Commands that stay until they are stopped: what they print when they are ready. `status --watch` is stopped then.
STAYS = {
    "annotate serve": "Ctrl-C stops it",
    "ppo serve": "/score",
    "--watch": "looked at",
}

# Commands that end with 1, as something falls short, and why.
ENDS_WITH_1 = {
    "publish my-bench/runs/recipe": "of so few pairs the audit cannot tell: a gate is unknown",
}

# Where a section is about files that no command before it makes: a copy of what stands for them, as a pattern.
STANDS_FOR = {
    "results/old": "results/*/*REWARD-MODEL-profile",
    "results/new": "results/*/*gpt-4o-mini-planner",
    "results/DATA": "studies/study/evaluations",
    "results/DATA/bon-POLICY-profile": "studies/study/best-of-n",
    "runs/one": "my-bench/runs/recipe",
    "runs/two": "my-bench/runs/recipe",
    "runs/old": "my-bench/runs/recipe",
    "runs/new": "my-bench/runs/recipe",
    "pairs.jsonl": "my-bench/runs/recipe/pairs.jsonl",
}

# Files that the prose names and no command of it makes.
NOT_HERE = {"site/index.html": "`make docs` builds it: tests/docs does, too"}


def instead(command: str, addresses: dict[str, str]) -> str:
    """The command as it is run."""
    for text, other in INSTEAD.items():
        command = command.replace(text, other.format(**addresses))
    return command


def among(table: dict[str, str], command: str) -> str | None:
    """The entry of a table that the command has."""
    return next((text for text in table if text in command), None)


def sets_up(command: str) -> bool:
    """Whether it only sets up what the tests have."""
    return any(each.strip().startswith(SETS_UP) for each in re.split(r"&&", command)[:1])
