"""Ctrl-C: the first one stops in good order, the second one at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any

from rich.console import Console


def run_until_interrupted(work: Callable[[asyncio.Event], Coroutine[Any, Any, None]], console: Console) -> None:
    """Run `work(stop)`. SIGINT or SIGTERM sets `stop`, a second one cancels.

    Raises:
        KeyboardInterrupt: it was cancelled.
    """

    async def main() -> None:
        stop = asyncio.Event()
        task = asyncio.current_task()
        assert task is not None  # noqa: S101

        def on_signal() -> None:
            if stop.is_set():
                task.cancel()
            else:
                stop.set()
                console.print("Stopping: waiting for the calls in flight (once more to stop at once).")

        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, on_signal)
        await work(stop)

    try:
        asyncio.run(main())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
