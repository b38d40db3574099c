"""Signals that the command gets while a program runs, passed on to it."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import anyio

from .interrupts import ending_signals

if TYPE_CHECKING:
    from anyio.abc import TaskGroup, TaskStatus

    from ..process import Backend
    from .live import View

# What a terminal or a supervisor sends to the command does not reach a program in a group of its own. The size of our
# window is none of its business, and so SIGWINCH is not among them.
_OTHERS = ("SIGUSR1", "SIGUSR2", "SIGCONT", "SIGTSTP")


class Forwarder:
    """Passes signals on: the first that means the end, and the program has its grace; a second, and it is killed.

    When we are stopped (Ctrl-Z) the program is, too, and its times stand still.
    """

    def __init__(self, backend: Backend[Any], view: View, grace: float) -> None:
        self._backend, self._view, self._grace = backend, view, grace
        self.received = 0
        """The first signal that meant the end."""

    async def run(self, scope: anyio.CancelScope, *, task_status: TaskStatus[None]) -> None:
        """Pass signals on; ``scope`` is cancelled for one that comes before the program has begun."""
        if sys.platform != "win32":  # there, Ctrl-C is an exception, and no other signal exists
            numbers = ending_signals() + [signal.Signals[name] for name in _OTHERS]
            async with anyio.create_task_group() as tasks:
                with anyio.open_signal_receiver(*numbers) as signals:
                    task_status.started()
                    async for number in signals:
                        try:
                            self._pass_on(number, tasks)
                        except RuntimeError:  # it has not begun yet
                            if self.received:
                                scope.cancel()
        else:
            task_status.started()

    def _pass_on(self, number: signal.Signals, tasks: TaskGroup) -> None:
        if sys.platform != "win32" and number == signal.SIGTSTP:
            with self._view.paused():
                self._backend.send_signal(signal.SIGSTOP)
                os.kill(os.getpid(), signal.SIGSTOP)
                self._backend.send_signal(signal.SIGCONT)
        elif number.name in _OTHERS:
            self._backend.send_signal(number)
        elif self.received:
            self._backend.kill()
        else:
            self.received = number
            self._backend.send_signal(number)
            if sys.platform != "win32":
                self._backend.send_signal(signal.SIGCONT)  # what is stopped cannot end
            tasks.start_soon(self._be_patient)

    async def _be_patient(self) -> None:
        await anyio.sleep(self._grace)
        self._backend.kill()
