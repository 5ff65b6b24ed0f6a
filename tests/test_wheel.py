"""An installed wheel works from any folder."""

from __future__ import annotations

import os
import site
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `prbgen` command of a new environment with our wheel in it."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, timeout=300)
    environment = folder / "env"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True, timeout=300)
    python = environment / "bin" / "python"
    (wheel,) = folder.glob("*.whl")
    pip = [str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(pip, check=True, timeout=300)
    # The libraries that it needs are taken from this environment: nothing is downloaded, and prbgen's own files
    # cannot come from here, as path files of a folder named in a path file are not read.
    (packages,) = (environment / "lib").glob("python*/site-packages")
    (packages / "libraries.pth").write_text("\n".join(site.getsitepackages()))
    return environment / "bin" / "prbgen"


def test_the_sdist_holds_all_that_the_wheel_is_made_of(installed: Path, tmp_path: Path) -> None:
    for kind, source in (("--sdist", ROOT), ("--wheel", tmp_path)):
        if kind == "--wheel":
            (sdist,) = tmp_path.glob("*.tar.gz")
            with tarfile.open(sdist) as archive:
                archive.extractall(tmp_path, filter="data")
            source = tmp_path / sdist.name.removesuffix(".tar.gz")
        build = [sys.executable, "-m", "build", kind, "--no-isolation", "--outdir", str(tmp_path), str(source)]
        subprocess.run(build, check=True, capture_output=True, timeout=300)
    (ours,) = installed.parents[2].glob("*.whl")
    (its,) = tmp_path.glob("*.whl")
    assert zipfile.ZipFile(its).namelist() == zipfile.ZipFile(ours).namelist()


def run(command: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([str(command), *words], capture_output=True, text=True, cwd=cwd, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    return done


def test_the_wheel_brings_its_own_prompts_cards_guidelines_recipes_and_samples(installed: Path, tmp_path: Path) -> None:
    where = "import prbgen, sys; sys.stdout.write(prbgen.__file__)"
    python = installed.parent / "python"
    done = subprocess.run([str(python), "-c", where], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert str(installed.parent.parent) in done.stdout
    run(installed, "init", "bench", cwd=tmp_path)
    for kind in ("prompts", "annotation/guidelines", "data_cards"):
        copied = {file.name for file in (tmp_path / "bench" / kind).iterdir()}
        assert copied == {file.name for file in (ROOT / kind).iterdir() if file.is_file() and file.suffix != ".py"}


def test_the_wheel_brings_what_a_campaign_is_served_with(installed: Path) -> None:
    (resources,) = installed.parent.parent.glob("lib/python*/site-packages/prbgen/_resources")
    assert files_in(resources / "annotation") == files_in(ROOT / "annotation")
    assert "compose.yaml" in files_in(resources / "annotation")


def test_the_wheel_says_that_it_is_typed(installed: Path) -> None:
    assert list(installed.parent.parent.glob("lib/python*/site-packages/prbgen/py.typed"))


def files_in(folder: Path) -> set[str]:
    """What lies in a folder, but for what Python keeps beside its files."""
    files = (file for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    return {str(file.relative_to(folder)) for file in files}


def test_the_wheel_generates_from_its_samples_in_any_folder(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "model.jsonl").write_text('{"reply": "{digest} might suit."}\n')
    (tmp_path / "recipe.toml").write_text('[source]\npath = "samples"\n[models]\nanswer = "scripted/model.jsonl"\n')
    done = run(installed, "generate", "recipe.toml", cwd=tmp_path)
    assert "15 pairs, 0 rejected" in done.stdout
    assert (tmp_path / "runs" / "recipe" / "dataset" / "README.md").is_file()
