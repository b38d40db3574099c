"""A log that is written to and rotated all along, in rounds; one reader stays on it, one leaves and comes back."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio

import lastbrace

from .checking import Tally

_PATIENCE = 300  # seconds for what was written to be delivered, on a busy machine
_REMEMBERED = 3  # rounds

Key = tuple[int, int]


class Deliveries:
    """What one reader was given: each record once, whole, and in the order in which its text was written."""

    def __init__(self, name: str, tally: Tally) -> None:
        self._name, self._tally = name, tally
        self._seen: dict[int, dict[int, str]] = defaultdict(dict)
        self._newest: dict[tuple[int, int], int] = {}
        self._oldest = 0

    def take(self, record: lastbrace.Record, session: int = 0) -> None:
        value = dict(record.value)
        where = f"{record.path.name}:{record.start} in session {session}"
        checksum = value.pop("c", None)
        if checksum != zlib.crc32(json.dumps(value).encode()):
            self._fault(f"torn or glued: {value!r}")
            return
        writer, number, text = value["w"], value["n"], (value["w"], value["g"])
        if writer < self._oldest or number in self._seen[writer]:
            before = self._seen.get(writer, {}).get(number, "long ago")
            self._fault(f"({writer}, {number}) of {value['g']} at {before} and again at {where}")
            return
        if number <= self._newest.get(text, -1):
            self._fault(f"({writer}, {number}) of {value['g']} out of order")
        self._seen[writer][number] = where
        self._newest[text] = number
        self._tally.counts["records"] += 1

    def missing(self, written: set[Key]) -> set[Key]:
        return {(writer, number) for writer, number in written if number not in self._seen.get(writer, ())}

    def forget(self, before: int) -> None:
        """Forget the records of the writers before this one: what comes of them is a fault."""
        self._oldest = before
        self._seen = defaultdict(dict, {writer: seen for writer, seen in self._seen.items() if writer >= before})
        self._newest = {text: newest for text, newest in self._newest.items() if text[0] >= before}

    def _fault(self, what: str) -> None:
        self._tally.fault(f"{self._name} reader: {what}")


class Logs:
    """The log, its writers and its readers, as tasks of a group that is given; over when `stop` was awaited."""

    def __init__(self, folder: Path, rng: random.Random, tally: Tally, *, records: int) -> None:
        self._folder, self._rng, self._tally, self._records = folder, rng, tally, records
        self._staying, self._coming = Deliveries("staying", tally), Deliveries("coming and going", tally)
        self._cursor: Any = "start"
        self._ending = False
        self._scopes = [anyio.CancelScope() for _ in range(2)]
        self._session_scope = anyio.CancelScope()
        self._between = anyio.Lock()
        self._over = [anyio.Event() for _ in range(3)]
        self.writer: int | None = None
        """The process that writes now."""

    async def stay(self) -> None:
        """Follow from the first moment to the last."""
        with self._scopes[0]:
            async with lastbrace.follow(self._folder / "log*", start="start", agent=None, contract=None) as log:
                async for record in log:
                    self._staying.take(record)
        self._over[0].set()

    async def come_and_go(self) -> None:
        """Follow for a while, leave, and go on from the cursor."""
        with self._scopes[1]:
            while True:
                async with self._between:
                    self._tally.counts["sessions"] += 1
                    await self._session(self._rng.expovariate(1 / 8))
                await anyio.sleep(self._rng.random() * 0.2)
        self._over[1].set()

    async def _session(self, seconds: float) -> None:
        session = self._tally.counts["sessions"]
        polling, until = self._rng.random() < 0.3, time.monotonic() + seconds
        cancelled = self._rng.random() < 0.5
        async with lastbrace.follow(
            self._folder / "log*", start=self._cursor, agent=None, contract=None, force_polling=polling
        ) as log:
            try:
                with anyio.move_on_after(seconds + (0 if cancelled else 1)) as self._session_scope:
                    async for record in log:
                        self._coming.take(record, session)
                        if not cancelled and time.monotonic() > until:
                            break
            finally:
                self._cursor = log.cursor
                if self._rng.random() < 0.5:
                    self._cursor = json.loads(json.dumps(self._cursor))

    @asynccontextmanager
    async def between_sessions(self) -> AsyncIterator[None]:
        """Have the one who comes and goes be away for so long."""
        self._session_scope.cancel()
        async with self._between:
            yield

    async def write(self) -> None:
        """Write round after round; after each, every record must have come that rotation did not destroy."""
        first = 0
        while not self._ending:
            reported = await self._round(first)
            self._tally.counts["rotations"] += reported["rotations"]
            wanted = {(writer, number) for writer in (first, first + 1) for number in range(self._records)}
            wanted -= {(writer, number) for writer, number in reported["destroyed"]}
            self._tally.counts["written"] += 2 * self._records
            for deliveries, name in ((self._staying, "staying"), (self._coming, "coming and going")):
                with anyio.move_on_after(_PATIENCE):
                    while deliveries.missing(wanted):
                        await anyio.sleep(0.1)
                if missing := sorted(deliveries.missing(wanted)):
                    self._tally.fault(f"{name} reader: {len(missing)} lost, such as {missing[:5]}")
                deliveries.forget(first + 2 - 2 * _REMEMBERED)
            first += 2
            await anyio.sleep(self._rng.random() * 2)
        self._over[2].set()

    async def _round(self, first: int) -> dict[str, Any]:
        """Start a writer, with nothing of ours tied to it, and return what it reports."""
        words = [self._folder, first, self._records, self._rng.randrange(1 << 30)]
        report = self._folder.with_name("report")
        with report.open("wb") as file:
            writer = subprocess.Popen(  # noqa: ASYNC220 - nothing of the event loop is to be tied to it
                [sys.executable, "-m", "tests.soak.writing", *map(str, words)], stdin=subprocess.DEVNULL, stdout=file
            )
        self.writer = writer.pid
        try:
            while writer.poll() is None:
                await anyio.sleep(0.1)
        finally:
            writer.kill()
            writer.wait()
        self.writer = None
        reported: dict[str, Any] = json.loads(report.read_bytes())
        return reported

    async def stop(self) -> None:
        """Let the round end, and then the readers."""
        self._ending = True
        await self._over[2].wait()
        for scope in self._scopes:
            scope.cancel()
        for over in self._over:
            await over.wait()
