"""What `lastbrace.follow` gives: files that are looked after meanwhile, and their records one by one."""

from __future__ import annotations

import time
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Self

import anyio
import anyio.lowlevel
import anyio.to_thread

from ..async_only import AsyncOnly
from ..process.background import start_background
from .contents import Opened
from .reading import Reading

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

    from ..outcome import Outcome
    from .looking import Looker
    from .reading import Options
    from .source import Record, Source
    from .waking import Waker

_AHEAD = 8 << 20  # bytes to read ahead of whoever iterates
_AT_ONCE = 4 << 20  # bytes to read at one look
_FINAL = 2.0  # seconds that an agent has for its final event after it has answered


class Log(AsyncOnly):
    r"""Followed files, as `lastbrace.follow` gives them: an async context manager, and iterable over the records.

    From the beginning of the block to its end the files are looked after, whether or not anybody iterates: what is
    rotated or deleted meanwhile is not lost.

    >>> import anyio, lastbrace, pathlib, tempfile
    >>> async def main(path):
    ...     path.write_text('{"n": 1}\n')
    ...     async with lastbrace.follow(path, start="start") as log:
    ...         async for record in log:
    ...             return record.value, record.start, record.end
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     anyio.run(main, pathlib.Path(folder, "a.jsonl"))
    ({'n': 1}, 0, 8)
    """

    _usage = "async with lastbrace.follow(path) as log: async for record in log: ..."

    def __init__(self, looker: Looker, waker: Waker, options: Options) -> None:
        self._looker = looker
        self._waker = waker
        self._options = options
        self._reading = Reading(options)
        self._failure: Exception | None = None
        self._entered = self._finished = False
        self._ended: Literal["done", "idle"] | None = None

    @property
    def cursor(self) -> dict[str, Any]:
        """A JSON value that covers exactly the records yielded: as ``start=`` it makes each later one come again."""
        return self._reading.cursor

    @property
    def sources(self) -> Mapping[Path, Source]:
        """What is known of each path from which something was read."""
        return MappingProxyType(self._reading.sources)

    @property
    def source(self) -> Source | None:
        """Inside a callback: the source it is about."""
        return self._reading.source

    @property
    def outcomes(self) -> dict[Path, Outcome[Any]]:
        """The verdict on each path from which something was read, after the block."""
        return {path: source.outcome for path, source in self._reading.sources.items() if source.outcome is not None}

    @property
    def buffered(self) -> int:
        """How many records were found and wait to be yielded."""
        return len(self._reading.queue)

    @property
    def ended(self) -> Literal["done", "idle"] | None:
        """Why the iteration has ended by itself: ``"done"`` (``until_done``), ``"idle"`` (``idle_timeout``), or not."""
        return self._ended

    def __repr__(self) -> str:
        return f"<Log of {len(self._reading.sources)} files, {self.buffered} records buffered>"

    async def __aenter__(self) -> Self:
        if self._entered:
            raise RuntimeError("this log was followed before: call follow() again")
        self._entered = True
        self._limiter = anyio.CapacityLimiter(1)
        self._news = anyio.Event()
        self._last_news = time.monotonic()
        self._guard = anyio.ResourceGuard("iterating over")
        self._left, self._idle = anyio.Event(), anyio.Event()
        try:
            await self._look(None)
        except BaseException:
            self._looker.close()
            raise
        for news in list(self._looker.news):
            if isinstance(news, Opened):  # the cursor covers it from now on
                self._reading.take(news)
        start_background(self._work)
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._finished = True
        self._news.set()
        self._left.set()
        with anyio.CancelScope(shield=True):  # for the look that goes on, and to be told of no more changes
            await self._idle.wait()
        self._reading.close()
        if exc is None and self._reading.errors:
            raise self._reading.errors.popleft()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Record:
        if not self._entered:
            raise self._misused(RuntimeError)
        with self._guard:
            began = time.monotonic()
            while not self._reading.queue:
                if self._reading.errors:
                    raise self._reading.errors.popleft()
                if self._finished:
                    raise StopAsyncIteration
                if self._failure is not None:
                    raise self._failure
                if self._looker.news:  # a checkpoint, or one who reads a lot would let nobody else run
                    await anyio.lowlevel.checkpoint()
                    self._reading.take(self._looker.news.popleft())
                    if self._looker.more:
                        self._waker.wake()
                elif self._is_done() and not self._looker.more:
                    self._finish("done")
                else:
                    await self._wait(began)
            queued = self._reading.queue.popleft()
        queued.stream.yielded(queued)
        return queued.record

    async def wait(self) -> None:
        """Read on until it ends by itself (``until_done``, ``idle_timeout``): for callbacks alone.

        Raises what callbacks raised.
        """
        async for _ in self:
            pass

    # Looking

    async def _work(self) -> None:
        """Look after the files until told to end, or until the event loop ends."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._waker.run)
                tasks.start_soon(self._keep_looking)
                await self._left.wait()
                self._waker.stop()
                tasks.cancel_scope.cancel()
        except Exception as error:  # ours: raised where the records are awaited
            alone = isinstance(error, ExceptionGroup) and len(error.exceptions) == 1
            self._failure = error.exceptions[0] if isinstance(error, ExceptionGroup) and alone else error
            self._news.set()
        finally:
            self._looker.close()
            self._idle.set()

    async def _keep_looking(self) -> None:
        try:
            while True:
                self._waker.watch(self._looker.directories)
                await self._look(await self._next())
        finally:
            self._waker.stop()

    async def _next(self) -> set[str] | None:
        """Wait until there is reason to look; return at what, None for everything."""
        while True:
            if self._looker.more and self._ahead < _AHEAD and not self._waker.is_due:
                return set()
            changes = await self._waker.wait()
            if changes is None:
                return None
            names = self._looker.names_of(changes)
            if names is None:
                await self._waker.rest()
                return None
            if names:
                return names

    async def _look(self, names: set[str] | None) -> None:
        budget = min(_AT_ONCE, max(0, _AHEAD - self._ahead))
        before = self._looker.bytes_read
        began = time.monotonic()
        complete = await anyio.to_thread.run_sync(self._looker.look, budget, names, limiter=self._limiter)
        if not complete:
            names = None
            complete = await anyio.to_thread.run_sync(self._looker.look, budget, None, limiter=self._limiter)
        if names is None:
            self._waker.looked(time.monotonic() - began, found_news=self._looker.bytes_read > before)
        if self._looker.bytes_read > before:
            self._last_news = time.monotonic()
        if self._looker.news:
            self._news.set()

    @property
    def _ahead(self) -> int:
        return self._looker.bytes_read - self._reading.bytes_taken

    async def _wait(self, began: float) -> None:
        """Wait for news, or come to the end."""
        waits: list[tuple[float, Literal["done", "idle"]]] = []
        if self._options.idle_timeout is not None:
            waits.append((max(began, self._last_news) + self._options.idle_timeout, "idle"))
        for stream in self._reading.answered:
            if stream.answered_at is not None:
                waits.append((stream.answered_at + _FINAL, "done"))
        until, why = min(waits) if waits else (float("inf"), None)
        with anyio.move_on_after(until - time.monotonic()):
            await self._news.wait()
            self._news = anyio.Event()
            return
        if why == "idle":
            if max(began, self._last_news) + (self._options.idle_timeout or 0) <= time.monotonic():
                self._finish("idle")
        else:
            for stream in [stream for stream in self._reading.answered if stream.answered_at is not None]:
                if (stream.answered_at or 0) + _FINAL <= time.monotonic():
                    self._reading.done(stream)

    def _is_done(self) -> bool:
        return self._options.until_done and self._reading.is_done(self._looker.named)

    def _finish(self, why: Literal["done", "idle"]) -> None:
        if not self._finished:
            self._finished, self._ended = True, why
            self._reading.queue.clear()
