"""Starts a program in a group of its own, with our ends of its pipes."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

import anyio

from .group import Group

if TYPE_CHECKING:
    from .launch import Launch
    from .pipes import Sink, Source

if sys.platform != "win32":
    import os

    from .pipes import FdSink, FdSource, widen
    from .terminal import on_terminal, open_terminal, terminal_environment
else:
    from .pipes import StreamSink, StreamSource


class Child(NamedTuple):
    """A program that was started, with our ends of its pipes."""

    group: Group
    stdin: Sink | None
    stdout: Source
    stderr: Source | None

    @property
    def sources(self) -> list[Source]:
        """What it writes to."""
        return [self.stdout] if self.stderr is None else [self.stdout, self.stderr]


_STDERR = {"inherit": None, "merge": subprocess.STDOUT, "pipe": subprocess.PIPE}

if sys.platform == "win32":

    async def spawn(launch: Launch) -> Child:
        """Start it. Raises OSError when it cannot be started."""
        process = await anyio.open_process(
            launch.argv,
            cwd=launch.cwd,
            env=launch.env,
            stdin=subprocess.PIPE if launch.stdin else subprocess.DEVNULL,
            stderr=_STDERR[launch.stderr],
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP,
        )
        assert process.stdout is not None
        sink = StreamSink(process.stdin) if process.stdin else None
        stderr = StreamSource(process.stderr) if process.stderr else None
        return Child(Group(process), sink, StreamSource(process.stdout), stderr)

else:

    async def spawn(launch: Launch) -> Child:
        """Start it. Raises OSError when it cannot be started."""
        with ExitStack() as theirs, ExitStack() as ours:

            def keep(mine: int, its: int) -> tuple[int, int]:
                ours.callback(os.close, mine)
                theirs.callback(os.close, its)
                return mine, its

            out, its_out = keep(*(open_terminal() if launch.pty else os.pipe()))
            widen(out)
            err, its_err = keep(*os.pipe()) if launch.stderr == "pipe" else (-1, _STDERR[launch.stderr])
            feed, its_in = keep(*reversed(os.pipe())) if launch.stdin else (-1, subprocess.DEVNULL)
            process = await anyio.open_process(
                on_terminal(launch, its_out) if launch.pty else launch.argv,
                cwd=launch.cwd,
                env=terminal_environment() if launch.pty and launch.env is None else launch.env,
                stdin=its_in,
                stdout=its_out,
                stderr=its_err,
                start_new_session=True,
            )
            ours.pop_all()
        stderr = FdSource(err) if err >= 0 else None
        return Child(Group(process), FdSink(feed) if launch.stdin else None, FdSource(out), stderr)
