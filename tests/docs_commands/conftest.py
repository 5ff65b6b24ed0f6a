"""The outside of the documentation, and what its sections share: made once, also for several test processes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from prbgen.annotation.embedded.environment import _name
from tests.docs_commands.chains import Chain, chains
from tests.docs_commands.hub_of_docs import WholeHub, files, lamp_qa, released, votes
from tests.docs_commands.pages import ROOT
from tests.docs_commands.providers import Providers
from tests.docs_commands.reader import Done, Reader, environment, read, write

MODELS = ("ORG/REWARD-MODEL", "Skywork/Skywork-Reward-V2-Qwen3-0.6B", "Skywork/Skywork-Reward-V2-Llama-3.1-8B")
POLICY = "Qwen/Qwen2.5-0.5B-Instruct"
RUN = "my-bench/runs/recipe"


@dataclass
class Outside:
    """What readers reach from here, and the folder `shared` of all processes."""

    shared: Path
    providers: Providers
    hub: WholeHub
    warm: str
    cache: Path

    def reader(self, folder: Path) -> Reader:
        """One with an empty working folder."""
        shell = environment(self.shared / "home", self.providers.environment)
        shell |= {"HF_ENDPOINT": self.hub.endpoint, "PRBGEN_CACHE": str(self.cache)}
        return Reader(folder, shell, {"openai": self.providers.openai}, self.warm)

    def once(self, name: str, make: Callable[[Path], None]) -> Path:
        """What `make` leaves, whichever process came first."""
        with FileLock(self.shared / f"{name}.lock"):
            folder = self.shared / name
            if not folder.exists():
                make(self.shared / f"{name}.new")
                (self.shared / f"{name}.new").rename(folder)
        return folder


@pytest.fixture(scope="session")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    base = tmp_path_factory.getbasetemp()
    # Processes of one session have folders of their own in a common one.
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "docs"
    shared.mkdir(exist_ok=True)
    (shared / "home").mkdir(exist_ok=True)
    with Providers() as providers, WholeHub({"alireza7/LaMP-QA": lamp_qa()} | votes()) as hub:
        socket = str(tmp_path_factory.mktemp("w") / "s")
        shell = environment(shared / "home", {"HF_ENDPOINT": hub.endpoint})
        warm = subprocess.Popen(
            [sys.executable, "-m", "tests.docs_commands.warm", socket], env=shell, stdout=subprocess.PIPE, cwd=ROOT
        )
        assert warm.stdout
        assert warm.stdout.readline()
        made = Outside(shared, providers, hub, socket, _cache(shared))
        made.once("models", _models)
        for name in (*MODELS, POLICY):
            hub.add_model(name, files(shared / "models" / name))
        yield made
        warm.terminate()
        warm.communicate()


def _cache(shared: Path) -> Path:
    """The cache of models and environments; with PRBGEN_TEST_ARGILLA one that leads to that Python."""
    from prbgen.llm.transports.weights import cache_folder
    from prbgen.resources import resource

    ready = os.environ.get("PRBGEN_TEST_ARGILLA")
    if not ready:
        return cache_folder()
    folder = shared / "cache"
    python = folder / "argilla" / _name(resource("annotation/server") / "requirements.txt") / "bin" / "python"
    with FileLock(shared / "cache.lock"):
        if not python.exists():
            python.parent.mkdir(parents=True)
            python.write_text(f'#!/bin/sh\nexec {ready} "$@"\n')
            python.chmod(0o755)
            (python.parents[1] / "finished").touch()
            for each in cache_folder().iterdir():
                if each.name != "argilla":
                    (folder / each.name).symlink_to(each)
    return folder


def _models(folder: Path) -> None:
    import torch

    from prbgen.downstream.study.tiny_models import make_reward_model
    from tests.downstream.ppo.train.tiny_policies import save_policy

    torch.set_num_threads(1)
    for seed, name in enumerate(MODELS):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        make_reward_model(folder / name, seed)
    save_policy(folder / POLICY, positions=8192)


@pytest.fixture(scope="session")
def prepared(outside: Outside) -> Path:
    """What the first chain of README.md leaves; its run is rated, and published as ORG/DATASET."""
    first = next(chain for chain in chains() if chain.first)

    def make(folder: Path) -> None:
        reader = outside.reader(folder)
        write(folder / "done.json", read(first.sections, reader))
        if (folder / RUN / "pairs.jsonl").exists():
            _rate_and_publish(reader)

    folder = outside.once("prepared", make)
    if (folder / "out").exists() and "ORG/DATASET" not in outside.hub.repos:
        outside.hub.add_dataset("ORG/DATASET", files(folder / "out"))
        outside.hub.add_dataset("QiyaoMa/Personalized-RewardBench", released(folder / RUN / "pairs.jsonl"))
    return folder


def _rate_and_publish(reader: Reader) -> None:
    from prbgen.run import Run
    from tests.docs_commands.people import sense
    from tests.validation.panel import NAMES, rate_both

    folder = reader.folder
    shutil.copytree(folder / "my-bench", folder / "rated")
    run = Run(folder / "rated/runs/recipe")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRBGEN_RATERS_KEY", reader.environment["PRBGEN_RATERS_KEY"])
        rate_both(run, folder / "rounds", answers=dict.fromkeys(NAMES, sense))
    subprocess.run(
        ["bash", "-c", "prbgen validate rated/runs/recipe; prbgen publish rated/runs/recipe --to out"],
        cwd=folder,
        env=reader.environment,
    )


@pytest.fixture(scope="session")
def came_of(outside: Outside, prepared: Path) -> Callable[[Chain], tuple[Path, list[Done]]]:
    """The working folder of a chain after a reader has gone through it, and what came of its commands."""

    def run(chain: Chain) -> tuple[Path, list[Done]]:
        folder = prepared if chain.first else outside.once(chain.name, lambda place: _go(chain, place))
        found: list[dict[str, Any]] = json.loads((folder / "done.json").read_text())
        return folder, [Done(**each) for each in found]

    def _go(chain: Chain, folder: Path) -> None:
        reader = outside.reader(folder)
        # Exported where README.md says so, in the chain before.
        reader.environment |= dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY"), "...")
        for name, source in chain.begins_with.items():
            shutil.copytree(prepared / source, folder / name)
        write(folder / "done.json", read(chain.sections, reader))

    return run
