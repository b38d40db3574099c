"""A program and all that it started: begun in a process group of its own, and ended as one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, NamedTuple

import anyio

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anyio.abc import Process

    from .pipes import Sink, Source

    Path = str | os.PathLike[str] | None

if sys.platform != "win32":
    from .pipes import FdSink, FdSource
else:
    from .pipes import StreamSink, StreamSource

_UNKILLABLE = 5.0  # seconds to wait for a program that was killed: one of another user cannot be, and must not hang us


class Child(NamedTuple):
    """A program that was started, with our ends of its pipes."""

    group: Group
    stdin: Sink | None
    stdout: Source
    stderr: Source


class Group:
    """The process group that a program leads."""

    def __init__(self, process: Process) -> None:
        self._process = process
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
            await self._process.aclose()

    def terminate(self) -> None:
        """Ask every process of the group to end."""
        if sys.platform == "win32":
            self._tell(signal.CTRL_BREAK_EVENT)
        else:
            self._tell(signal.SIGTERM)

    def kill(self) -> None:
        """End every process of the group, at once and without asking."""
        if sys.platform == "win32":
            self.ours = self.ours or self.returncode is None
            if self.returncode is None:
                self._process.kill()
        else:
            self._tell(signal.SIGKILL)

    def _tell(self, number: signal.Signals) -> None:
        running = self.returncode is None
        self.ours = self.ours or running
        if sys.platform != "win32":
            with suppress(ProcessLookupError, PermissionError):  # gone; nothing but zombies (macOS); another user's
                os.killpg(self.pid, number)
        elif running:
            self._process.send_signal(number)

    def _alive(self) -> bool:
        """Return whether a process of the group still runs; an orphan that nobody reaped does not."""
        alive = False
        if sys.platform != "win32":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, 0)
                entries = os.listdir("/proc") if sys.platform == "linux" else []
                alive = sys.platform != "linux" or any(_runs_in(self.pid, pid) for pid in entries if pid.isdigit())
        return alive


def _runs_in(group: int, pid: str) -> bool:
    # Containers often have an init that reaps nothing: there an orphan stays in its group as a zombie for ever.
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, _, pgrp = file.read().rpartition(b")")[2].split()[:3]
    except (OSError, ValueError):
        return False
    return int(pgrp) == group and state not in (b"Z", b"X")


if sys.platform == "win32":

    async def spawn(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None, stdin: bool) -> Child:
        """Start a program in a group of its own, with pipes; ``stdin=False`` gives it an empty input.

        Raises OSError when it cannot be started.
        """
        process = await anyio.open_process(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP,
        )
        assert process.stdout is not None and process.stderr is not None  # noqa: PT018 - both are pipes
        sink = StreamSink(process.stdin) if process.stdin else None
        return Child(Group(process), sink, StreamSource(process.stdout), StreamSource(process.stderr))

else:

    async def spawn(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None, stdin: bool) -> Child:
        """Start a program in a group of its own, with pipes; ``stdin=False`` gives it an empty input.

        Raises OSError when it cannot be started.
        """
        with ExitStack() as theirs, ExitStack() as ours:

            def pipe(mine: int) -> tuple[int, int]:
                ends = os.pipe()
                ours.callback(os.close, ends[mine])
                theirs.callback(os.close, ends[1 - mine])
                return ends[mine], ends[1 - mine]

            out, its_out = pipe(0)
            err, its_err = pipe(0)
            feed, its_in = pipe(1) if stdin else (-1, subprocess.DEVNULL)
            process = await anyio.open_process(
                argv, cwd=cwd, env=env, stdin=its_in, stdout=its_out, stderr=its_err, start_new_session=True
            )
            ours.pop_all()
        return Child(Group(process), FdSink(feed) if stdin else None, FdSource(out), FdSource(err))
