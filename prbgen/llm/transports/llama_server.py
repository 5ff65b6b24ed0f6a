"""The llama.cpp server as a process of its own: `python llama_server.py GGUF CONTEXT SLOTS THREADS`.

Of its own, since a server of xllamacpp cannot be closed while it answers: that hangs, and leaving the process crashes.
The address comes as one line on stdout; then it serves until stdin ends, so it never outlives the process that started
it. Imports nothing of the project.
"""

import os
import signal
import sys


def main(gguf: str, context: int, slots: int, threads: int) -> None:
    """Serve `gguf` to `slots` calls at once, each with `context` tokens for prompt and reply."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which may want the replies under way
    address = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = gguf
    params.model_alias = {"local"}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = slots
    params.n_ctx = context * slots
    params.kv_unified = False
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.cache_ram_mib = 1024  # of prompts seen earlier; 8 GiB unless told
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = 1  # errors
    server = xllamacpp.Server(params)
    print(server.listening_address, file=address, flush=True)
    sys.stdin.buffer.read()
    os._exit(0)  # at once, also in the middle of replies


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))
