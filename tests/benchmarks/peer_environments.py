"""Virtual environments of their own for the peers that the engine is compared with, made on first use."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# What to ask pip for, by the name of the package. distilabel imports requests and does not ask for it.
PEERS = {"distilabel": "distilabel[openai]>=1.5,<1.6 requests", "bespokelabs-curator": "bespokelabs-curator>=0.1.31"}


@dataclass(frozen=True)
class Peer:
    """An installed peer: its name, its version, and the Python that has it."""

    name: str
    version: str
    python: Path

    @property
    def litellm_tokenizers(self) -> Path:
        """Where the LiteLLM of this environment, if it has one, keeps the token tables that it ships."""
        find = "import importlib.util as u; print(*u.find_spec('litellm').submodule_search_locations)"
        return Path(_said(self.python, find)) / "litellm_core_utils" / "tokenizers"


def peer(name: str) -> Peer:
    """A peer, installed into an environment in the user's cache unless it is there already."""
    from platformdirs import user_cache_path

    folder = user_cache_path("prbgen") / "benchmarks" / name
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    ready = folder / "ready"
    if not ready.is_file() or ready.read_text(encoding="utf-8") != PEERS[name]:
        print(f"   making an environment for {name} in {folder}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PEERS[name].split()], check=True)
        ready.write_text(PEERS[name], encoding="utf-8")
    version = _said(python, f"import importlib.metadata as m; print(m.version({name!r}))")
    return Peer(name, version, python)


def _said(python: Path, code: str) -> str:
    return subprocess.check_output([str(python), "-c", code], text=True).strip()
