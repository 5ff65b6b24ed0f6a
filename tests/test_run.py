import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from prbgen.errors import InputError
from prbgen.resources import resource
from prbgen.run import Run, as_line, read_records, whole_file
from prbgen.schema import Post, Reject
from tests.processes import start_python

HOLD = """
import sys, time
from pathlib import Path
from prbgen.run import Run
with Run(Path(sys.argv[1])).locked():
    print("locked", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path / "run")


def at_work(run: Run) -> subprocess.Popen[str]:
    """Another process that holds the lock."""
    process = start_python(HOLD, str(run.folder))
    assert process.stdout
    assert process.stdout.readline() == "locked\n"
    return process


def test_a_second_process_is_refused_with_pid_and_host_and_a_killed_one_leaves_no_lock(run: Run) -> None:
    with at_work(run) as process:
        who = f"pid {process.pid} on {socket.gethostname()}"
        assert run.owner() == who
        with pytest.raises(InputError, match=f"{run.folder}: {who} is working on this run"), run.locked():
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert run.owner() is None
    with run.locked():
        assert run.owner() == f"pid {os.getpid()} on {socket.gethostname()}"
    assert run.owner() is None


def test_the_lock_is_given_back_after_an_error(run: Run) -> None:
    with pytest.raises(ZeroDivisionError), run.locked():
        raise ZeroDivisionError
    with run.locked():
        pass


def test_looking_who_is_at_work_creates_nothing(run: Run) -> None:
    assert run.owner() is None
    assert not run.folder.exists()


def test_a_file_is_no_run_folder(tmp_path: Path) -> None:
    (tmp_path / "run").touch()
    with pytest.raises(InputError, match="cannot be used as a run folder"), Run(tmp_path / "run").locked():
        pass


def test_a_run_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"{tmp_path}: not a run"):
        Run.existing(tmp_path)
    for name in ("recipe.toml", "ledger.sqlite"):
        (tmp_path / name).touch()
    assert Run.existing(tmp_path) == Run(tmp_path)


def test_a_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    with whole_file(path) as file:
        file.write("é\n")
        assert not path.exists()
    assert path.read_bytes() == "é\n".encode()


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as file:
        file.write("new")
        raise ZeroDivisionError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    """The folder of a recipe with copies of all prompts, as `prbgen init` makes it."""
    folder = tmp_path / "beside"
    (folder / "prompts").mkdir(parents=True)
    for file in resource("prompts").glob("*.j2"):
        (folder / "prompts" / file.name).write_bytes(file.read_bytes())
    return folder


def test_only_what_the_user_changed_is_taken_into_the_run(run: Run, beside: Path) -> None:
    (beside / "prompts" / "answer.j2").write_text("mine")
    (beside / "prompts" / "_own.j2").write_text("also mine")
    run.adopt(beside)
    assert {file.name: file.read_text() for file in run.own("prompts").iterdir()} == {
        "answer.j2": "mine",
        "_own.j2": "also mine",
    }


def test_what_the_user_changed_back_is_no_longer_in_the_run(run: Run, beside: Path) -> None:
    shipped = (beside / "prompts" / "answer.j2").read_bytes()
    (beside / "prompts" / "answer.j2").write_text("mine")
    run.adopt(beside)
    (beside / "prompts" / "answer.j2").write_bytes(shipped)
    run.adopt(beside)
    assert not run.own("prompts").exists()


def test_a_run_that_is_repeated_from_its_own_recipe_keeps_its_files(run: Run) -> None:
    run.own("prompts").mkdir(parents=True)
    (run.own("prompts") / "answer.j2").write_text("mine")
    run.adopt(run.folder)
    assert (run.own("prompts") / "answer.j2").read_text() == "mine"


REJECT = Reject(id="1\u2028é👋", subset=None, stage="source", reasons=("one", "two"), where="rows.json: line 3")


def test_records_read_back_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "rejects.jsonl"
    with whole_file(path) as file:
        file.write(as_line(REJECT))
        file.write(as_line(REJECT.model_copy(update={"id": None})))
    assert list(read_records(path, Reject)) == [REJECT, REJECT.model_copy(update={"id": None})]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{broken", "line 2: Invalid JSON: "),
        ("", "line 2: Invalid JSON: "),
        ("[]", "line 2: "),
        ('{"id": "1", "text": "x"}', "line 2: category: Field required"),
        ('{"id": 1, "text": "x", "category": null}', "line 2: id: Input should be a valid string"),
    ],
)
def test_a_broken_line_is_named_after_the_good_ones_were_read(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "posts.jsonl"
    path.write_text(f'{{"id": "0", "text": "x", "category": null}}\n{line}\n')
    records = iter(read_records(path, Post))
    assert next(records) == Post(id="0", text="x", category=None)
    with pytest.raises(InputError) as error:
        next(records)
    assert str(error.value).startswith(f"{path}: {says}")
    assert "\n" not in str(error.value)


def test_a_missing_file_and_one_in_another_encoding_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.jsonl: No such file"):
        list(read_records(tmp_path / "none.jsonl", Post))
    (tmp_path / "latin.jsonl").write_bytes(b'{"id": "\xe9"}')
    with pytest.raises(InputError, match=r"latin\.jsonl: not a UTF-8 text file"):
        list(read_records(tmp_path / "latin.jsonl", Post))
