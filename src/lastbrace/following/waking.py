"""When to look again: at a change notice where the system gives them, and at regular times in any case."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio
import anyio.to_thread

if TYPE_CHECKING:
    from collections.abc import Callable

POLL = 0.25  # seconds between looks without notices
WATCHED = 0.75  # seconds between looks at everything with notices: below the second in which a record is delivered
_BUSY = 20  # times as long as a look took is the least time to the next one: a twentieth of one processor at most
_STEP = 40  # milliseconds in which notices are gathered
_GATHER = 200  # milliseconds after which they are passed on, whether or not more come
_RETRY = 30.0  # seconds after which to ask for notices again that could not be had
_MODIFIED = 2  # watchfiles.Change.modified
_ANNOUNCED = 0.5  # seconds in which the notice of a change must come


class Change(NamedTuple):
    """A change notice: an absolute path, and whether a file came or went there, or was only written to."""

    path: str
    is_new: bool


class Waker:
    """Tells when to look, and at what. ``run`` must run in a task while ``wait`` is used.

    Notices are trusted as long as they come: when a look finds what none announced, looks go on as without them.
    """

    def __init__(self, *, polling: bool) -> None:
        self._notify: Callable[..., Any] | None = None if polling else _notices()
        self._wanted: frozenset[str] = frozenset()
        self._stop = threading.Event()
        self._renew = anyio.Event()
        self._changed = anyio.Event()
        self._changes: set[Change] = set()
        self._watching = False
        self._trusted = True
        self._unannounced_since: float | None = None
        self._everything = self._closed = self._heard = False
        self._look_took = 0.0
        self._full_look_at = 0.0

    @property
    def interval(self) -> float:
        """Seconds from one look at everything to the next."""
        usual = WATCHED if self._watching and self._trusted else POLL
        return max(usual, min(_BUSY * self._look_took, WATCHED))

    def watch(self, directories: set[str]) -> None:
        """Ask for notices of changes in these directories."""
        wanted = frozenset(os.path.abspath(folder) for folder in directories)
        if wanted != self._wanted:
            self._wanted = wanted
            self._stop.set()
            self._renew.set()

    def looked(self, seconds: float, *, found_news: bool) -> None:
        """Note that everything was looked at, how long that took, and whether anything had been written."""
        now = time.monotonic()
        self._look_took, self._full_look_at = seconds, now
        if found_news and not self._heard and self._watching and self._unannounced_since is None:
            self._unannounced_since = now
        if self._unannounced_since is not None and now - self._unannounced_since > _ANNOUNCED:
            self._trusted = False

    @property
    def is_due(self) -> bool:
        """Whether it is time to look at everything."""
        return time.monotonic() >= self._full_look_at + self.interval

    async def wait(self) -> set[Change] | None:
        """Wait until it is time to look; return what changed, or None to look at everything."""
        with anyio.move_on_after(max(0.0, self._full_look_at + self.interval - time.monotonic())):
            await self._changed.wait()
        everything = self.is_due or self._everything or not self._changed.is_set()
        changes, self._changes, self._everything = self._changes, set(), False
        self._changed = anyio.Event()
        self._heard = bool(changes)
        return None if everything else changes

    def wake(self) -> None:
        """Have the wait end: there is something to do again."""
        self._changed.set()

    async def rest(self) -> None:
        """Wait until everything may be looked at again without being busy with nothing else."""
        pause = min(_BUSY / 2 * self._look_took, WATCHED / 2)
        await anyio.sleep(max(0.0, self._full_look_at + pause - time.monotonic()))

    def stop(self) -> None:
        """Have ``run`` end soon."""
        self._closed = True
        self._stop.set()
        self._renew.set()

    async def run(self) -> None:
        """Gather notices until cancelled."""
        limiter = anyio.CapacityLimiter(1)
        while self._notify is not None and not self._closed:
            self._renew, self._stop = anyio.Event(), threading.Event()
            folders = [folder for folder in self._wanted if os.path.isdir(folder)]  # noqa: ASYNC240 - seen just now
            try:
                notify = self._notify(folders, False, False, 0, False, True)
            except Exception:  # limits of the system, folders that just went: polling does
                with anyio.move_on_after(_RETRY):
                    await self._renew.wait()
                continue
            self._watching = bool(folders)
            self._everything = True  # what changed before the notices began
            self._changed.set()
            try:
                while not self._stop.is_set() and not self._closed:
                    changes = await anyio.to_thread.run_sync(
                        notify.watch, _GATHER, _STEP, 1000, self._stop, limiter=limiter
                    )
                    if isinstance(changes, set) and changes:
                        self._note({Change(path, is_new=kind != _MODIFIED) for kind, path in changes})
            except RuntimeError:  # the notices broke down
                await anyio.sleep(POLL)
            finally:
                self._watching = False
                notify.close()

    def _note(self, changes: set[Change]) -> None:
        self._changes |= changes
        self._unannounced_since = None
        self._changed.set()


def _notices() -> Callable[..., Any] | None:
    """Return what gives change notices, or None without ``watchfiles``."""
    try:
        from watchfiles._rust_notify import RustNotify  # noqa: PLC0415 - an extra
    except ImportError:
        return None
    return RustNotify
