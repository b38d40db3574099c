"""One process on one event loop: rounds of work for so long, a sample after each."""

from __future__ import annotations

import faulthandler
import json
import logging
import random
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from .agents import JOBS
from .checking import Tally
from .logs import Logs
from .loops import looped
from .measuring import Sample, measure

_AT_ONCE = 3  # programs: a machine has two cores
_LOOPS = 3  # a round
_PATIENCE = 600  # seconds for a job that takes one, however busy the machine
_SETTLED = 30  # seconds for threads at rest to end


class Worker:
    """Simulated work on one event loop, written down in a file of JSON Lines: samples, and at the end a summary."""

    def __init__(self, loop: str, *, seconds: float, seed: int, agents: int, folder: Path, report: Path) -> None:
        self._loop, self._seconds, self._agents = loop, seconds, agents
        self._folder, self._report = folder, report
        self._rng = random.Random(f"{seed}:{loop}")
        self._tally = Tally()
        self._busy = anyio.CapacityLimiter(_AT_ONCE)
        self._began = time.monotonic()

    async def work(self) -> None:
        await anyio.to_thread.run_sync(_nothing)  # its thread stays
        first = self._measure(set())
        folder = self._folder / "logs"  # what writers share lies beside it
        folder.mkdir()
        logs = Logs(folder, self._new_rng(), self._tally, records=100 if self._seconds < 60 else 800)
        async with anyio.create_task_group() as tasks:
            for follower in (logs.stay, logs.come_and_go, logs.write):
                tasks.start_soon(follower)
            every = self._seconds / 80
            number, due = 0, 0.0
            while (passed := time.monotonic() - self._began) < self._seconds:
                await self._round()
                number += 1
                if time.monotonic() - self._began >= due:
                    due = max(due + every, passed)
                    async with logs.between_sessions():
                        self._write(self._measure({logs.writer} if logs.writer else set()))
            await logs.stop()
        self._hold_nothing(first, await self._settled(first))
        self._tally.counts["rounds"] = number
        self._write({"counts": self._tally.counts, "faults": self._tally.faults, "first": first})

    async def _round(self) -> None:
        """Have each agent do one job, a few at a time, and nothing under way at the end."""
        jobs = [*self._rng.choices(list(JOBS), list(JOBS.values()), k=self._agents), *[looped] * _LOOPS]
        async with anyio.create_task_group() as tasks:
            for job in jobs:
                tasks.start_soon(self._do, job.__name__, partial(job, self._new_rng()))

    async def _do(self, name: str, job: Callable[[], Awaitable[None]]) -> None:
        async with self._busy:
            self._tally.counts[name] += 1
            try:
                with anyio.fail_after(_PATIENCE):
                    await job()
            except Exception as error:
                self._tally.fault(f"{name}: {error!r}")

    async def _settled(self, first: Sample) -> Sample:
        """Measure once more, when the event loop has let its idle threads go."""
        with anyio.move_on_after(_SETTLED):
            while threading.active_count() > first["threads"]:
                await anyio.to_thread.run_sync(_nothing)  # has anyio end those that were idle for long
                await anyio.sleep(0.2)
        return self._measure(set())

    def _hold_nothing(self, first: Sample, last: Sample) -> None:
        for name in ("descriptors", "files", "threads", "tasks", "children"):
            if last[name] > first[name]:
                self._tally.fault(f"{name} at the end: {last[name]}, and {first[name]} at the beginning")

    def _measure(self, aside: set[int]) -> Sample:
        return measure(self._loop, aside=aside, began=self._began)

    def _new_rng(self) -> random.Random:
        return random.Random(self._rng.random())

    def _write(self, entry: Any) -> None:
        with self._report.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def watch_what_nobody_raises(self) -> None:
        """Take for a fault what Python only prints: warnings of things not closed, errors in tasks and threads."""
        sys.unraisablehook = lambda what: self._tally.fault(f"unraisable: {what.exc_value!r} in {what.object!r}")
        threading.excepthook = lambda what: self._tally.fault(f"in a thread: {what.exc_value!r}")
        handler = logging.Handler(logging.WARNING)
        handler.emit = lambda record: self._tally.fault(f"logged: {record.getMessage()}")  # type: ignore[method-assign]
        logging.getLogger("asyncio").addHandler(handler)
        logging.getLogger("trio").addHandler(handler)


def _nothing() -> None: ...


def work(loop: str, **options: Any) -> None:
    """Do the work, in this process; end it with a traceback of all threads where it hangs."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    faulthandler.dump_traceback_later(options["seconds"] * 1.5 + 600, exit=True)
    worker = Worker(loop, **options)
    worker.watch_what_nobody_raises()
    anyio.run(worker.work, backend=loop)
    faulthandler.cancel_dump_traceback_later()
