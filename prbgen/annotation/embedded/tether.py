"""Run a module that never outlives the process that started it: `python tether.py MODULE ARGUMENTS...`.

stdin is a pipe that the parent holds open and never writes to. When it ends, the parent is gone, and this process ends.
Imports nothing of the project: it also runs in environments that have none of it.
"""

import os
import runpy
import sys
import threading


def main(module: str, arguments: list[str]) -> None:
    """Run `module` as `python -m` does, with `arguments`."""
    lifeline = os.dup(0)
    # What the module starts must neither read the pipe nor hold it.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _end_with(lifeline: int) -> None:
    os.read(lifeline, 1)
    os._exit(1)  # at once, whatever the module is doing


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
