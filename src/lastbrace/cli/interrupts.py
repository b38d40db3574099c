"""Signals that tell us to end: the first ends the work in good order, the second at once."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from anyio.abc import TaskStatus

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")


def ending_signals() -> list[signal.Signals]:
    """Return the signals that tell us to end, which a hang-up does not under nohup."""
    numbers = [signal.Signals[name] for name in _ENDING]
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        numbers.remove(signal.SIGHUP)
    return numbers


async def until_signal(work: Callable[[], Awaitable[None]], hurry: Callable[[], object]) -> int:
    """Do the work until it has ended or a signal cancels it; return the signal's number, 0 where none came.

    ``hurry`` is called at each further one. What is sent to us does not reach a program in a group of its own.
    """
    received = 0

    async def cancel_on_signal(*, task_status: TaskStatus[None]) -> None:
        nonlocal received
        with anyio.open_signal_receiver(*ending_signals()) as signals:
            task_status.started()
            async for number in signals:
                if received:
                    hurry()
                received = received or number
                scope.cancel()

    scope = anyio.CancelScope()
    async with anyio.create_task_group() as tasks:
        if sys.platform != "win32":
            await tasks.start(cancel_on_signal)
        with scope:
            await work()
        tasks.cancel_scope.cancel()
    return received
