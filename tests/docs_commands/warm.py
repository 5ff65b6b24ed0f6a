"""A process that has imported what takes seconds: each `prbgen` is a fork of it, in its own folder and environment.

`python -m tests.docs_commands.warm SOCKET` serves; `call(SOCKET, words)` is what the script `prbgen` does.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import sys
from pathlib import Path

HEAVY = (
    "litellm",
    "datasets",
    "torch",
    "transformers",
    "sklearn.linear_model",
    "matplotlib.pyplot",
    "argilla",
    "prbgen.cli",
)
# Only what the standard library's quick parts can do: a script starts with this.
CLIENT = """#!{python} -SE
import json, os, signal, socket, sys
place = socket.socket(socket.AF_UNIX)
place.connect({address!r})
message = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(place, [len(message).to_bytes(8, "big")], [0, 1, 2])
place.sendall(message)
answers = place.makefile()
process = int(answers.readline())
for each in (signal.SIGINT, signal.SIGTERM):
    signal.signal(each, lambda number, _: os.kill(process, number))
sys.exit(int(answers.readline() or 70))
"""


def serve(address: str) -> None:
    """Fork for each that connects, until SIGTERM."""
    for name in HEAVY:
        importlib.import_module(name)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen(64)
        print("ready", flush=True)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            connection, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                _answer(connection)
            connection.close()


def _answer(connection: socket.socket) -> None:
    head, streams, _, _ = socket.recv_fds(connection, 8, 3)
    message = b""
    while len(message) < int.from_bytes(head, "big"):
        message += connection.recv(1 << 20)
    process = os.fork()
    if process == 0:
        connection.close()
        words, folder, environment = json.loads(message)
        _run(words, folder, environment, streams)
    for each in streams:
        os.close(each)
    connection.sendall(f"{process}\n".encode())
    _, status = os.waitpid(process, 0)
    code = os.waitstatus_to_exitcode(status)
    connection.sendall(f"{code if code >= 0 else 128 - code}\n".encode())
    os._exit(0)


def _run(words: list[str], folder: str, environment: dict[str, str], streams: list[int]) -> None:
    from prbgen.cli import main

    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, "rww"[number]) for number in range(3))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["prbgen", *words]
    sys.exit(main())


def write_client(path: Path, address: str) -> None:
    """The script `prbgen`."""
    path.write_text(CLIENT.format(python=sys.executable, address=address))
    path.chmod(0o755)


if __name__ == "__main__":
    serve(sys.argv[1])
