"""Ctrl-C: the first one stops in good order, the second one at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Any

from rich.console import Console


def run_until_interrupted(work: Callable[[asyncio.Event], Coroutine[Any, Any, None]], console: Console) -> None:
    """Run `work(stop)`. The first SIGINT or SIGTERM sets `stop`.

    Raises:
        KeyboardInterrupt: there was a second one.
    """

    async def main() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        signals = 0

        # Not the loop's own handlers: those would wait for it while a source is being read.
        def on_signal(_number: int, _frame: FrameType | None) -> None:
            nonlocal signals
            signals += 1
            if signals > 1:
                raise KeyboardInterrupt
            loop.call_soon_threadsafe(stop.set)
            console.print("Stopping: waiting for the calls in flight (once more to stop at once).")

        before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            await work(stop)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    asyncio.run(main())
