"""Files that a test writes, and a log that it reads from: in steps, without waiting for anything that may not come."""

from __future__ import annotations

import contextlib
import json
import threading
from typing import TYPE_CHECKING, Any

import anyio

import lastbrace
from lastbrace.following import waking
from lastbrace.following.looking import Looker
from lastbrace.following.waking import Waker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    import pytest

SOON = 60  # seconds in which what must happen does, however loaded the machine is


def line(**fields: Any) -> str:
    return json.dumps(fields) + "\n"


def append(path: Path, text: str | bytes) -> None:
    with path.open("ab") as file:
        file.write(text.encode() if isinstance(text, str) else text)


async def take(log: lastbrace.Log, count: int) -> list[lastbrace.Record]:
    """Return the next so many records."""
    with anyio.fail_after(SOON):
        return [await anext(log) for _ in range(count)]


async def values(log: lastbrace.Log, count: int) -> list[Any]:
    """Return the values of the next so many records."""
    return [record.value for record in await take(log, count)]


async def no_more(log: lastbrace.Log) -> bool:
    """Tell whether no record is left of what was read."""
    for _ in range(20):
        with anyio.move_on_after(0.001):
            await anext(log)
            return False
    return True


async def rest(log: lastbrace.Log, most: int | None = None) -> list[Any]:
    """Return the values of all records, or of so many at most, until the log ends by itself."""
    got: list[Any] = []
    with anyio.fail_after(SOON):
        while most is None or len(got) < most:
            try:
                got.append((await anext(log)).value)
            except StopAsyncIteration:
                break
    return got


class Looks:
    """Lets a test say when a follower looks: what happens between two looks is seen at once, as on a busy system."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._lock = threading.Lock()
        self.count = 0
        look = Looker.look

        def held(looker: Looker, *arguments: Any) -> bool:
            with self._lock:
                self.count += 1
                return look(looker, *arguments)

        monkeypatch.setattr(Looker, "look", held)
        for name in ("POLL", "WATCHED"):
            monkeypatch.setattr(waking, name, 0.02)  # a test waits for no clock

    @contextlib.contextmanager
    def none(self) -> Iterator[None]:
        """Have no look begin or go on in this block."""
        with self._lock:
            yield

    async def two_more(self) -> None:
        """Wait until everything was looked at once, from now on."""
        count = self.count
        with anyio.fail_after(SOON):
            while self.count < count + 2:
                await anyio.sleep(0.01)


@contextlib.asynccontextmanager
async def followed(*arguments: Any, **options: Any) -> AsyncIterator[lastbrace.Log]:
    """Follow plain records, and end soon where nothing more comes."""
    async with lastbrace.follow(*arguments, **{"contract": None, "agent": None, **options}) as log:
        yield log


def without_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have all change notices get lost from now on."""
    monkeypatch.setattr(Waker, "_note", lambda waker, changes: None)
