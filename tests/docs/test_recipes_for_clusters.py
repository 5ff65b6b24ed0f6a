"""The files that docs/scale.md shows: they are what their readers (Kubernetes, Slurm, LiteLLM, prbgen) take."""

from __future__ import annotations

import inspect
import os
import re
import signal
import subprocess
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from prbgen.recipe import Models

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(language: str) -> list[str]:
    """The blocks of a language in all pages."""
    return [
        text for page in PAGES for word, text in _BLOCK.findall(page.read_text(encoding="utf-8")) if word == language
    ]


def documents() -> list[dict[str, Any]]:
    return [document for text in blocks("yaml") for document in yaml.safe_load_all(text)]


def of_kind(kind: str) -> dict[str, Any]:
    return next(each for each in documents() if each.get("kind") == kind)


def pods() -> list[dict[str, Any]]:
    cluster = of_kind("RayJob")["spec"]["rayClusterSpec"]
    return [each["template"]["spec"] for each in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"])]


def proxy() -> dict[str, Any]:
    return next(each for each in documents() if "model_list" in each)


def script() -> str:
    return next(text for text in blocks("bash") if text.startswith("#!"))


def test_every_block_of_yaml_is_a_mapping_without_a_key_twice() -> None:
    class Once(yaml.SafeLoader):
        pass

    def mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[Any, Any]:
        keys = [loader.construct_object(key) for key, _ in node.value]
        assert len(keys) == len(set(keys)), keys
        return dict(loader.construct_pairs(node, deep=True))

    Once.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
    assert len(documents()) >= 3
    for text in blocks("yaml"):
        assert all(isinstance(each, dict) for each in yaml.load_all(text, Once))


def test_all_pods_have_one_image_and_only_the_head_has_keys_and_the_run() -> None:
    containers = [container for pod in pods() for container in pod["containers"]]
    assert len({container["image"] for container in containers}) == 1
    assert ["envFrom" in container for container in containers] == [True, False, False]
    head, *_ = pods()
    claim = head["volumes"][0]["persistentVolumeClaim"]["claimName"]
    assert claim == of_kind("PersistentVolumeClaim")["metadata"]["name"]
    place = head["containers"][0]["volumeMounts"][0]["mountPath"]
    assert f" {place}/" in of_kind("RayJob")["spec"]["entrypoint"]


def test_the_image_has_the_version_of_ray_that_the_cluster_says() -> None:
    (image,) = blocks("dockerfile")
    version = of_kind("RayJob")["spec"]["rayClusterSpec"]["rayVersion"]
    assert f"FROM rayproject/ray:{version}-py" in image
    assert f"'ray=={version}'" in image


def test_the_router_takes_the_settings_of_the_proxy_and_knows_one_model_with_two_servers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from litellm import Router

    settings = proxy()
    assert set(settings["router_settings"]) <= set(inspect.signature(Router.__init__).parameters)
    Router(model_list=settings["model_list"], **settings["router_settings"])
    name, other = (each["model_name"] for each in settings["model_list"])
    assert name == other
    models = next(tomllib.loads(text) for text in blocks("toml") if "PROXY" in text)["models"]
    answer = Models.model_validate(models).answer
    assert answer.name == f"hosted_vllm/{name}"


def test_every_block_of_bash_is_bash() -> None:
    for text in blocks("bash"):
        done = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{done.stderr}\n{text}"


class Slurm:
    """Slurm and Ray as far as the script sees them; each call is a line of `said`."""

    def __init__(self, folder: Path, driver: str, nodes: int) -> None:
        self.said = folder / "said"
        tools = folder / ".venv" / "bin"
        tools.mkdir(parents=True)
        stays = "trap 'exit 0' TERM; while :; do sleep 0.05; done"
        bodies = {
            "scontrol": "echo node-1; echo node-2; echo node-3",
            "srun": f'case "$*" in *hostname*) echo "10.0.0.1 fe80::1";; *) {stays};; esac',
            "ray": "exit 0",
            "prbgen": driver,
        }
        for name, body in bodies.items():
            (tools / name).write_text(f'#!/bin/bash\necho "{name} $*" >> {self.said}\n{body}\n')
            (tools / name).chmod(0o755)
        (tools / "activate").write_text(f"export PATH={tools}:$PATH\n")
        (folder / "job.sbatch").write_text(script())
        slurm = {
            "SUBMIT_DIR": folder,
            "JOB_NODELIST": "node-[1-3]",
            "JOB_NUM_NODES": nodes,
            "JOB_ID": 7,
            "CPUS_PER_TASK": 16,
        }
        environment = {**os.environ, **{f"SLURM_{name}": str(value) for name, value in slurm.items()}}
        self.job = subprocess.Popen(["bash", "job.sbatch"], cwd=folder, env=environment, start_new_session=True)

    def ends(self) -> int:
        try:
            return self.job.wait(30)
        finally:
            with_it = subprocess.run(["pgrep", "-s", str(self.job.pid)], capture_output=True, text=True, check=False)
            for process in with_it.stdout.split():
                os.kill(int(process), signal.SIGKILL)
            assert not with_it.stdout, "something was left running"

    def lines(self, *words: str) -> list[str]:
        text = self.said.read_text() if self.said.exists() else ""
        return [line for line in text.splitlines() if all(word in line for word in words)]


@pytest.mark.parametrize("code", [0, 1, 2])
def test_the_slurm_script_ends_as_the_driver_does_and_leaves_nothing_running(tmp_path: Path, code: int) -> None:
    slurm = Slurm(tmp_path, f"sleep 1; exit {code}", nodes=3)
    assert slurm.ends() == code
    assert slurm.lines("prbgen", "--ray 10.0.0.1:20007")
    assert slurm.lines("srun", "ray start --head", "--port=20007", "-w node-1")
    assert slurm.lines("srun", "--nodes=2", "--exclude=node-1", "--address=10.0.0.1:20007")


def test_the_slurm_script_waits_for_the_driver_when_time_is_up(tmp_path: Path) -> None:
    slurm = Slurm(tmp_path, "trap 'sleep 0.3; exit 130' TERM; while :; do sleep 0.05; done", nodes=1)
    deadline = time.monotonic() + 20
    while not slurm.lines("prbgen") and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.2)
    os.kill(slurm.job.pid, signal.SIGTERM)
    assert slurm.ends() == 130
    assert not slurm.lines("srun", "--exclude")
