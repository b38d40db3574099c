"""A program and all that it started: begun in a process group of its own, and ended as one."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from anyio.abc import Process

if sys.platform == "win32":
    from .job import Job

_UNKILLABLE = 5.0  # seconds to wait for a program that was killed: one of another user cannot be, and must not hang us


class Group:
    """The process group that a program leads."""

    def __init__(self, process: Process) -> None:
        self._process = process
        if sys.platform == "win32":
            self._job = Job(process.pid)
        self.ours = False
        """True when we told the program to end before it had."""

    @property
    def pid(self) -> int:
        """The program's process id, which is the group's as well."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The program's exit status (negative: the signal that ended it), None while it runs."""
        return self._process.returncode

    async def wait(self) -> None:
        """Wait until the program, the leader, has exited, and reap it."""
        await self._process.wait()

    async def end(self, grace: float) -> None:
        """Ask the group to end, kill what is left of it after ``grace`` seconds, reap the program."""
        self.terminate()
        with anyio.move_on_after(grace) as patience:
            await self._gone()
        if patience.cancelled_caught:
            self.kill()
            with anyio.move_on_after(_UNKILLABLE):
                await self._gone()

    async def _gone(self) -> None:
        await self._process.wait()
        pause = 0.002
        while self._alive():
            await anyio.sleep(pause)
            pause = min(2 * pause, 0.1)

    async def close(self) -> None:
        """Give back the pipes where they are the event loop's."""
        if sys.platform == "win32":
            self._job.close()
            await self._process.aclose()

    def terminate(self) -> None:
        """Ask every process of the group to end."""
        if sys.platform == "win32":
            self._tell(signal.CTRL_BREAK_EVENT)
        else:
            self._tell(signal.SIGTERM)
            self.send_signal(signal.SIGCONT)  # what was stopped cannot end before it goes on

    def send_signal(self, number: int) -> None:
        """Send a signal to every process of the group; on Windows, to the program. Nothing where it has ended."""
        if sys.platform != "win32":
            with suppress(ProcessLookupError, PermissionError):  # gone; nothing but zombies (macOS); another user's
                os.killpg(self.pid, number)
        elif self.returncode is None:
            self._process.send_signal(signal.Signals(number))

    def kill(self) -> None:
        """End every process of the group, at once and without asking."""
        if sys.platform == "win32":
            self.ours = self.ours or self.returncode is None
            self._job.terminate()
            if self.returncode is None:
                self._process.kill()
        else:
            self._tell(signal.SIGKILL)

    def _tell(self, number: int) -> None:
        self.ours = self.ours or self.returncode is None
        self.send_signal(number)

    def _alive(self) -> bool:
        """Return whether a process of the group still runs; an orphan that nobody reaped does not."""
        alive = False
        if sys.platform != "win32":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, 0)
                entries = os.listdir("/proc") if sys.platform == "linux" else []
                alive = sys.platform != "linux" or any(_runs_in(self.pid, pid) for pid in entries if pid.isdigit())
        else:
            alive = self._job.is_active
        return alive


def _runs_in(group: int, pid: str) -> bool:
    # Containers often have an init that reaps nothing: there an orphan stays in its group as a zombie for ever.
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, _, pgrp = file.read().rpartition(b")")[2].split()[:3]
    except (OSError, ValueError):
        return False
    return int(pgrp) == group and state not in (b"Z", b"X")
