"""A reader in a working folder, who types the commands of a page from top to bottom."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.docs_commands.pages import ROOT, Block, Command, Section
from tests.docs_commands.people import People, make_room_for_haste
from tests.docs_commands.tables import ENDS_WITH_1, NOT_RUN, STANDS_FOR, STAYS, among, instead, sets_up
from tests.docs_commands.warm import write_client

# Seconds for one command; the first `annotate serve` of a machine also makes its environment.
PATIENCE = 400.0
# What a comment or a flag names and is a file.
FILES = re.compile(r"[\w./-]+\.(?:html|jsonl?|md|tex|svg|sqlite|csv|toml)\b")


@dataclass(frozen=True)
class Done:
    """A command that was run: what was wrong with it, if anything."""

    section: str
    line: int
    command: str
    fault: str
    seconds: float = 0.0


@dataclass
class Reader:
    """`environment` is what the shell begins with; `export` adds to it."""

    folder: Path
    environment: dict[str, str]
    addresses: dict[str, str]
    warm: str
    people: People = field(default_factory=People)
    staying: list[subprocess.Popen[str]] = field(default_factory=list)
    notebook: subprocess.Popen[str] | None = None

    def __post_init__(self) -> None:
        binaries = self.folder / ".venv" / "bin"
        binaries.mkdir(parents=True, exist_ok=True)
        write_client(binaries / "prbgen", self.warm)
        (binaries / "python").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
        (binaries / "python").chmod(0o755)
        self.environment["PATH"] = f"{binaries}{os.pathsep}{os.environ['PATH']}"

    def reads(self, section: Section) -> list[Done]:
        """Type what the section has; ends at the first fault."""
        found: list[Done] = []
        for block in section.runs:
            steps = [block] if block.language == "python" else list(block.commands())
            for step in steps:
                begun = time.monotonic()
                fault = self._code(step) if isinstance(step, Block) else self._types(step)
                text = step.text if isinstance(step, Command) else step.text.strip().partition("\n")[0]
                found.append(Done(section.name, step.line, text, fault, time.monotonic() - begun))
                if fault:
                    return found
        return found

    def _types(self, command: Command) -> str:
        text = command.text
        if among(NOT_RUN, text) or sets_up(text):
            return ""
        if text.startswith("export "):
            self.environment |= dict(word.split("=", 1) for word in shlex.split(text)[1:])
            return ""
        self._stands_in(text)
        if pushed := re.search(r"annotate push (\S+)", text):
            make_room_for_haste(self.folder / pushed[1] / "recipe.toml")
        typed = instead(text, self.addresses)
        if ready := among(STAYS, text):
            return self._stays(typed, STAYS[ready], until_ready=ready == "--watch")
        wanted = 1 if among(ENDS_WITH_1, text) else 0
        code, out, err = self._bash(typed)
        if code != wanted:
            return f"exit code {code}, not {wanted}:\n{out[-2000:]}\n{err[-3000:]}"
        try:
            self.people.rate(text, out, self.folder)
        except Exception:
            return f"people could not rate: {traceback.format_exc()}\n{out}"
        missing = [name for name in FILES.findall(command.comment) if "FILE" not in name and not self._there(name)]
        return f"no {', '.join(missing)} came of it" if missing else ""

    def _bash(self, typed: str) -> tuple[int | str, str, str]:
        """Exit code (or that it took too long), what it printed, what it complained."""
        running = subprocess.Popen(
            ["bash", "-c", typed], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        try:
            out, err = running.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGINT)
            return f"none after {PATIENCE:.0f} s", *running.communicate()
        return running.returncode, out, err

    def _there(self, name: str) -> bool:
        return any(path.as_posix().endswith(f"/{name}") for path in self.folder.rglob(Path(name).name))

    def _stands_in(self, text: str) -> None:
        for name, prepared in STANDS_FOR.items():
            place = self.folder / name
            if name in shlex.split(text) and not place.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                [source, *_] = sorted(self.folder.glob(prepared))
                subprocess.run(["cp", "-r", source, place], check=True)

    def _stays(self, typed: str, ready: str, *, until_ready: bool) -> str:
        log = self.folder / f".{len(self.staying)}.log"
        with log.open("w") as out:
            running = subprocess.Popen(
                ["bash", "-c", f"exec {typed}" if "=" not in typed.split()[0] else f"env {typed}"],
                cwd=self.folder, env=self.environment, stdout=out, stderr=out, stdin=subprocess.DEVNULL, text=True,
            )  # fmt: skip
        self.staying.append(running)
        begun = time.monotonic()
        while ready not in (said := log.read_text()):
            if running.poll() is not None or time.monotonic() > begun + PATIENCE:
                return f"did not get ready ({running.poll()}):\n{said[-3000:]}"
            time.sleep(0.1)
        if until_ready:
            self._stop(self.staying.pop())
        return ""

    @staticmethod
    def _stop(running: subprocess.Popen[str]) -> int:
        running.send_signal(signal.SIGINT)
        try:
            return running.wait(30)
        except subprocess.TimeoutExpired:
            running.kill()
            return running.wait()

    def _code(self, block: Block) -> str:
        if self.notebook is None:
            self.notebook = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("notebook.py"))],
                cwd=self.folder, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
        assert self.notebook.stdin
        assert self.notebook.stdout
        code = instead(block.text, self.addresses)
        self.notebook.stdin.write(json.dumps([code, self.environment]) + "\n")
        self.notebook.stdin.flush()
        line = self.notebook.stdout.readline()
        return str(json.loads(line)) if line else "the interpreter is gone"

    def leaves(self) -> str:
        """Stop what stays. Returns what was wrong with that."""
        codes = [self._stop(each) for each in reversed(self.staying)]
        if self.notebook:
            self.notebook.kill()
            self.notebook.communicate()
        return f"stopped with exit codes {codes}" if any(code not in (0, 130) for code in codes) else ""


def read(chain: list[Section], reader: Reader) -> list[Done]:
    """What came of the sections of a chain, in order, up to the first fault."""
    found: list[Done] = []
    try:
        for section in chain:
            found += reader.reads(section)
            write(reader.folder / "done.json", found)
            if found and found[-1].fault:
                break
    finally:
        fault = reader.leaves()
    last = chain[-1]
    if fault:
        found.append(Done(last.name, last.line, "Ctrl-C", fault))
    return found


def write(path: Path, found: list[Done]) -> None:
    """For other processes."""
    with suppress(FileExistsError):
        path.parent.mkdir(parents=True)
    path.write_text(json.dumps([asdict(each) for each in found], indent=1))


def environment(home: Path, more: Mapping[str, str]) -> dict[str, str]:
    """A reader's shell: nothing of this machine's accounts."""
    kept = {name: os.environ[name] for name in ("LANG", "TMPDIR", "PRBGEN_CACHE") if name in os.environ}
    ours = {
        "HOME": str(home),
        "HF_HOME": str(home / "hf"),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": str(ROOT),
        "PRBGEN_RATERS_KEY": str(home / "raters.key"),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
    return kept | ours | dict(more)
