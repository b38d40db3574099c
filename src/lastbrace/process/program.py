"""A program that runs: started, fed, timed, read and ended, whatever it prints.

Rules:

1. Whoever calls ``receive`` reads stdout, and nobody else does. What is not read stays in the pipe, and the program
   waits for us.
2. Everything else goes on meanwhile, in one task of the event loop's own: stderr is drained, input is fed, the clock
   is watched, the end is awaited. Nothing is raised in it: what goes wrong is kept.
3. One function brings about the end and decides that it has come: ``_oversee``. It waits for the first of: the exit,
   a time that ran out, an order to stop (leaving the block is one). A program that has not exited by itself is ended
   with its group. One that has may have left processes behind that hold its pipes: they have ``grace`` seconds, then
   they are ended with the group (``leave_group``: left alone), and a pipe that is held even so is cut.

Why it cannot hang: these are all the points where this package waits, and what bounds each. From the order to stop, or
the exit, to the end it takes at most ``grace`` and 1 s; 5 s more where a program of another user cannot be killed.

====================================  ==============================================================================
Program.receive                       stdout: output, its end, or ``_oversee`` cuts it; then the end of ``_oversee``
Program._discard                      the same, once the order to stop was given
Program.__aenter__                    the system starts the program
Program.__aexit__                     ``_discard``; then what ``_live`` still does: input has ``grace`` to close
Program._oversee                      exit, ``timeout``, ``idle_timeout`` or order: a program's own time, as asked
                                      for; then ``Group.end``, ``_let_go``, and stderr, which has ended or was cut
Program._let_go                       ``grace`` after the exit, or half a second after the group was ended
Program._answer_stood                 ends with ``_oversee``
Program._time_is_up                   ends with ``_oversee``
Program._feed                         see ``feed``
Program._drain_stderr                 output, its end, or ``_oversee`` cuts it
Program._live                         ``_oversee``; then until the block is left
Clock.run_out                         ends with ``_oversee``
Group.end                             ``grace``, then 5 s
Group._gone, Group.wait               under the bound of their callers
Group.close                           gives back what has ended
feed                                  until the program or the block ends; then ``grace`` to close the input
FdSource, StreamSource                their callers' bounds; ``cut`` ends them at any time
FdSink, StreamSink                    a full pipe, until the program reads or ends
Backend                               ``receive``, again and again
first_of                              its callers' bounds
spawn                                 the system starts the program
run_sync                              the whole run
====================================  ==============================================================================
"""

from __future__ import annotations

import shlex
import signal
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, Self

import anyio

from ..errors import BackendError
from ..printing import printable
from .background import first_of, start_background
from .clock import Clock
from .decoding import TextTail
from .feeding import feed
from .spawning import Child, spawn

if TYPE_CHECKING:
    from collections.abc import Callable

    from .feeding import Input
    from .launch import Launch

    Tap = Callable[[Literal["stdout", "stderr"], bytes], object]

_SOON = 0.5  # seconds for what was left behind to end when told, and for the pipes of a group that was ended


class Program:
    """A program from its start to its end; an async context manager.

    ``on_error`` is called with what the ``input`` iterable and the callbacks raised: ``on_stderr`` gets the text of
    stderr, ``tap`` the bytes of both. Times are in seconds.
    """

    def __init__(
        self,
        launch: Launch,
        *,
        input: Input | None,  # noqa: A002 - subprocess.run's word for it
        timeout: float | None,
        idle_timeout: float | None,
        grace: float,
        leave_group: bool,
        encoding: str | None,
        on_stderr: Callable[[str], object] | None,
        tap: Tap | None,
        on_error: Callable[[Exception], None],
    ) -> None:
        self.expired: str | None = None
        """Which time ran out, in words."""
        self.over = False
        self._launch, self._input = launch, input
        self._times = (timeout, idle_timeout)
        self._grace, self._leave_group, self._encoding = grace, leave_group, encoding
        self._stderr = TextTail(encoding, on_stderr, on_error)
        self._tap, self._on_error = tap, on_error
        self._child: Child | None = None
        self._crash: BaseException | None = None
        self._waiting_since: float | None = None

    @property
    def is_started(self) -> bool:
        """Whether the block was entered."""
        return self._child is not None

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
        return self._stderr.text

    def __str__(self) -> str:
        name = shlex.quote(self._launch.argv[0])  # alone: its arguments may hold secrets
        return printable(name, 100)

    async def __aenter__(self) -> Self:
        if self._child is not None:
            raise RuntimeError("this program was started before: call run() again")
        try:
            with anyio.CancelScope(shield=True):
                self._child = await spawn(self._launch)
        except OSError as error:
            where = "" if error.filename in (None, self._launch.argv[0]) else f": {error.filename}"
            raise BackendError(f"cannot start {self}: {error.strerror or error}{where}") from error
        self._guard = anyio.ResourceGuard("reading from")
        self._stderr_ended, self._is_over, self._idle, self._told, self._left = (anyio.Event() for _ in range(5))
        self._answered = anyio.Event()
        self._answer: Callable[[], object] = lambda: None
        self._clock = Clock(*self._times, lambda: self.child.stdout.waiting_since or self._waiting_since)
        start_background(self._live)
        return self

    async def __aexit__(self, *_: object) -> None:
        """End what runs, in whatever way the block was left, and give everything back."""
        try:
            with anyio.CancelScope(shield=True):
                if not self.over:
                    self._told.set()
                    await self._discard()
                self._left.set()
                await self._idle.wait()
                await self.child.stdout.cut()  # should another task still read
                await self.child.group.close()
        except BaseException:  # the end was interrupted in its turn: no more patience
            self.child.group.kill()
            self._left.set()
            with anyio.CancelScope(shield=True):
                await self.child.group.end(0)
            raise
        finally:
            for source in self.child.sources:
                source.close()
            self.over = True
        self._raise_crash()

    async def _discard(self) -> None:
        """Read what nobody wants any more: a program that is told to end must not wait for us to read."""
        with suppress(anyio.BusyResourceError), self._guard:
            while await self.child.stdout.receive():
                pass
        await self._is_over.wait()

    async def receive(self) -> bytes:
        """Return the next bytes of stdout; ``b""`` once the program is over."""
        if self.over:
            return b""
        stdout = self.child.stdout
        with self._guard:
            chunk = await stdout.receive()
            self._clock.saw_output()
            if not chunk:
                self._waiting_since = time.monotonic()
                await self._is_over.wait()
                self.over = True
                self._raise_crash()
        if self._tap is not None and chunk:
            self._show("stdout", chunk)
        return chunk

    def _raise_crash(self) -> None:
        crash, self._crash = self._crash, None
        if crash is not None:
            raise crash

    def send_signal(self, number: int) -> None:
        """Send a signal to the group. SIGSTOP stops the clock as well, until SIGCONT."""
        if self.over:
            return
        if sys.platform != "win32" and number == signal.SIGSTOP:
            self._clock.stop()
        elif sys.platform != "win32" and number == signal.SIGCONT:
            self._clock.go_on()
        self.child.group.send_signal(number)

    def kill(self) -> None:
        """End the group at once."""
        if not self.over:
            self.child.group.kill()

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

    async def _live(self) -> None:
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._drain_stderr)
                if self._input is not None and self.child.stdin is not None:
                    tasks.start_soon(self._feed)
                await self._oversee()
                await self._left.wait()
                tasks.cancel_scope.cancel()
            if not self._left.is_set():  # asyncio takes what a callback raised for a cancellation of this task
                raise ExceptionGroup("cancelled", [RuntimeError("what a callback of stderr waited for was cancelled")])
        except BaseException as error:
            # The event loop ends before the block, or a callback raised what is no Exception.
            self.child.group.kill()
            with anyio.CancelScope(shield=True):
                await self.child.group.end(0)
                if self.child.stdin is not None:  # the loop may end before its task has begun
                    await self.child.stdin.close()
            if not isinstance(error, BaseExceptionGroup):
                raise
            self._crash = error.exceptions[0] if len(error.exceptions) == 1 else error
        finally:
            self._is_over.set()
            self._idle.set()

    async def _oversee(self) -> None:
        group = self.child.group
        await first_of(group.wait, self._told.wait, self._answer_stood, self._time_is_up)
        if group.returncode is None:
            await group.end(self._grace)
            await self._let_go(_SOON)
        elif not await self._let_go(self._grace, unless=self._told) and not self._leave_group:
            await group.end(min(self._grace, _SOON))  # it has had its grace
            await self._let_go(_SOON)
        for source in self.child.sources:
            if source.held():
                await source.cut()
        await self._stderr_ended.wait()
        self._is_over.set()

    async def _let_go(self, seconds: float, *, unless: anyio.Event | None = None) -> bool:
        """Return whether all processes let go of the pipes within so many seconds, or before an event."""
        pause = 0.002
        with anyio.move_on_after(seconds):
            while self._is_held() and not (unless is not None and unless.is_set()):
                await anyio.sleep(pause)
                pause = min(2 * pause, 0.05)
        return not self._is_held()

    def _is_held(self) -> bool:
        return any(source.held() for source in self.child.sources)

    async def _time_is_up(self) -> None:
        late = await self._clock.run_out()
        if self.returncode is None:
            self.expired = f"{self} {late}"

    async def _answer_stood(self) -> None:
        while True:
            await self._answered.wait()
            self._answered = anyio.Event()
            answer = self._answer()
            await anyio.sleep(self._grace)
            stands = self._answer()
            if stands is None:  # it was taken back: stop() tells of the next one
                continue
            if stands is answer:
                return
            self._answered.set()

    async def _feed(self) -> None:
        assert self._input is not None
        assert self.child.stdin is not None
        await feed(
            self._input, self.child.stdin, encoding=self._encoding, grace=self._grace, on_error=self._on_error
        )  # fmt: skip

    async def _drain_stderr(self) -> None:
        source = self.child.stderr
        while source is not None and (chunk := await source.receive()):
            self._clock.saw_output()
            self._show("stderr", chunk)
            self._stderr.feed(chunk)
        self._stderr.feed(b"", final=True)
        self._stderr_ended.set()

    def _show(self, stream: Literal["stdout", "stderr"], chunk: bytes) -> None:
        if self._tap is not None:
            try:
                self._tap(stream, chunk)
            except Exception as error:
                self._on_error(error)
