"""A program that runs: started, fed, timed, read and ended, whatever it prints.

Rules:

1. Whoever calls ``receive`` reads stdout, and nobody else does. What is not read stays in the pipe, and the program
   waits for us.
2. Everything else goes on meanwhile, in one task behind a shield: stderr is drained, input is fed, the clock is
   watched, the exit is awaited. That task ends when the block does. Nothing is raised in it: what goes wrong is kept.
3. The program is over when it has exited and its pipes have ended. A process that it left behind may hold them up for
   ``grace`` seconds; then the group is ended, and a pipe that is held even so is cut.
"""

from __future__ import annotations

import shlex
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Self

import anyio

from ..errors import BackendError
from .feeding import feed
from .group import Child, spawn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike

    from .feeding import Input

_TAIL = 65536  # bytes of stderr to keep
_CUT_AFTER = 0.5  # seconds for the pipes of a group that was ended to end


class Program:
    """A program from its start to its end; an async context manager.

    ``on_error`` is called with what the ``input`` iterable raised. Times are in seconds.
    """

    def __init__(
        self,
        argv: list[str],
        *,
        input: Input | None,  # noqa: A002 - subprocess.run's word for it
        cwd: str | PathLike[str] | None,
        env: Mapping[str, str] | None,
        timeout: float | None,
        idle_timeout: float | None,
        grace: float,
        on_error: Callable[[Exception], None],
    ) -> None:
        self.expired: str | None = None
        """Which time ran out, in words."""
        self.over = False
        self._argv, self._cwd, self._env, self._input = argv, cwd, env, input
        self._timeout, self._idle_timeout, self._grace = timeout, idle_timeout, grace
        self._on_error = on_error
        self._stderr = bytearray()
        self._waiting_since: float | None = None
        self._working = False
        self._child: Child | None = None

    @property
    def child(self) -> Child:
        """The process and its pipes. Raises RuntimeError before the start."""
        if self._child is None:
            raise RuntimeError("the program has not been started: use `async with`")
        return self._child

    @property
    def returncode(self) -> int | None:
        """The exit status, negative for the signal that ended it; None while it runs, and before."""
        return self._child.group.returncode if self._child else None

    @property
    def stderr_tail(self) -> str:
        """The end of what it wrote to stderr, from a whole character on."""
        tail = bytes(self._stderr[-_TAIL:])
        if len(self._stderr) > _TAIL:
            tail = tail[next((i for i, byte in enumerate(tail[:4]) if byte & 0xC0 != 0x80), 0) :]
        return tail.decode("utf-8", "replace")

    def __str__(self) -> str:
        text = shlex.join(self._argv)
        return text if len(text) <= 100 else text[:97] + "..."

    async def __aenter__(self) -> Self:
        if self._child is not None:
            raise RuntimeError("this program was started before: call run() again")
        try:
            with anyio.CancelScope(shield=True):
                self._child = await spawn(self._argv, cwd=self._cwd, env=self._env, stdin=self._input is not None)
        except OSError as error:
            where = "" if error.filename in (None, self._argv[0]) else f": {error.filename}"
            raise BackendError(f"cannot start {self}: {error.strerror or error}{where}") from error
        self._began = self._last_output = time.monotonic()
        self._guard = anyio.ResourceGuard("reading from")
        self._stderr_ended, self._is_over, self._idle = (anyio.Event() for _ in range(3))
        self._told, self._answered = anyio.Event(), anyio.Event()
        self._answer: Callable[[], object] = lambda: None
        self._scope = anyio.CancelScope(shield=True)
        self._tasks = anyio.create_task_group()
        await self._tasks.__aenter__()
        self._tasks.start_soon(self._work)
        return self

    async def __aexit__(self, *_: object) -> None:
        """End what runs, in whatever way the block was left, and give everything back."""
        try:
            with anyio.CancelScope(shield=True):
                if not self.over:
                    await self._end_unread()
                self._scope.cancel()
                if self._working:
                    await self._idle.wait()
                await self.child.stdout.cut()  # should another task still read
                await self.child.group.close()
        except BaseException:  # the end was interrupted in its turn: no more patience
            self.child.group.kill()
            with anyio.CancelScope(shield=True):
                await self.child.group.end(0)
            raise
        finally:
            self._scope.cancel()
            try:
                await self._tasks.__aexit__(None, None, None)
            except BaseExceptionGroup as group:
                raise (group.exceptions[0] if len(group.exceptions) == 1 else group) from None
            finally:
                self.child.stdout.close()
                self.child.stderr.close()
                self.over = True

    async def _end_unread(self) -> None:
        async def discard() -> None:  # a program that is told to end must not wait for us to read
            with suppress(anyio.BusyResourceError), self._guard:
                while await self.child.stdout.receive():
                    pass

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(discard)
            await self.child.group.end(self._grace)
            tasks.cancel_scope.cancel()

    async def receive(self) -> bytes:
        """Return the next bytes of stdout; ``b""`` once the program is over."""
        child = self.child
        if self.over:
            return b""
        with self._guard:
            chunk = await child.stdout.receive()
            self._last_output = time.monotonic()
            if not chunk:
                self._waiting_since = self._last_output
                await self._is_over.wait()
                self.over = True
        return chunk

    def stop(self, *, answer: Callable[[], object] | None = None) -> None:
        """Have the program ended now, or once the same ``answer()`` (not None) has stood for its grace.

        Until then it can be read from.
        """
        if answer is None:
            self._told.set()
        else:
            self._answer = answer
            self._answered.set()

    # Meanwhile

    async def _work(self) -> None:
        self._working = True
        try:
            with self._scope:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._drain_stderr)
                    tasks.start_soon(self._oversee)
                    if self._input is not None and self.child.stdin is not None:
                        tasks.start_soon(feed, self._input, self.child.stdin, self._grace, self._on_error)
                    if self._timeout is not None or self._idle_timeout is not None:
                        tasks.start_soon(self._watch_clock)
                    tasks.start_soon(self._stop_when_answered)
                    await self._told.wait()
                    await self.child.group.end(self._grace)
        finally:
            self._is_over.set()
            self._idle.set()

    async def _stop_when_answered(self) -> None:
        while not self._told.is_set():
            await self._answered.wait()
            self._answered = anyio.Event()
            answer = self._answer()
            await anyio.sleep(self._grace)
            stands = self._answer()
            if stands is None:  # it was taken back: stop() tells of the next one
                continue
            (self._told if stands is answer else self._answered).set()

    async def _drain_stderr(self) -> None:
        while chunk := await self.child.stderr.receive():
            self._last_output = time.monotonic()
            self._stderr += chunk
            if len(self._stderr) > 2 * _TAIL:
                del self._stderr[: -_TAIL - 1]  # one more, to tell that it is a tail
        self._stderr_ended.set()

    async def _oversee(self) -> None:
        group, pipes = self.child.group, (self.child.stdout, self.child.stderr)

        async def ended(seconds: float) -> bool:
            pause = 0.002
            with anyio.move_on_after(seconds):
                while any(pipe.held() for pipe in pipes):
                    await anyio.sleep(pause)
                    pause = min(2 * pause, 0.05)
                return True
            return False

        await group.wait()
        if not await ended(self._grace):
            await group.end(self._grace)
            if not await ended(_CUT_AFTER):
                for pipe in pipes:
                    await pipe.cut()
        await self._stderr_ended.wait()
        self._is_over.set()

    async def _watch_clock(self) -> None:
        group, never = self.child.group, float("inf")
        while True:
            now = time.monotonic()
            total = never if self._timeout is None else self._began + self._timeout
            idle = never if self._idle_timeout is None else self._idle_from(now) + self._idle_timeout
            if min(total, idle) <= now:
                break
            await anyio.sleep(min(total, idle) - now)
        if group.returncode is None:
            late, silent = f"ran longer than {self._timeout} s", f"printed nothing for {self._idle_timeout} s"
            self.expired = f"{self} {late if total <= now else silent}"
            await group.end(self._grace)

    def _idle_from(self, now: float) -> float:
        """Return since when nothing came that was waited for: a program that waits for its reader is not idle."""
        waiting = self.child.stdout.waiting_since or self._waiting_since
        return now if waiting is None else max(waiting, self._last_output)
