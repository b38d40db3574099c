"""The times that a program is given: in all, and without a word."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from collections.abc import Callable

_NEVER = float("inf")


class Clock:
    """Tells when a program has taken too long; it stands still while the program is stopped.

    Times are in seconds. ``waiting_since`` tells since when somebody waits for output (None: nobody does); a program
    that waits for its reader is not idle.
    """

    def __init__(
        self, timeout: float | None, idle_timeout: float | None, waiting_since: Callable[[], float | None]
    ) -> None:
        self._timeout, self._idle_timeout = timeout, idle_timeout
        self._waiting_since = waiting_since
        self._began = self._last_output = time.monotonic()
        self._stopped: float | None = None

    def saw_output(self) -> None:
        """Note that the program has written something."""
        self._last_output = time.monotonic()

    def stop(self) -> None:
        """Stand still."""
        if self._stopped is None:
            self._stopped = time.monotonic()

    def go_on(self) -> None:
        """Run again."""
        if self._stopped is not None:
            now = time.monotonic()
            self._began += now - self._stopped
            self._last_output = now
            self._stopped = None

    async def run_out(self) -> str:
        """Wait until a time has run out, and return in words which."""
        while True:
            now = self._stopped or time.monotonic()
            total = _NEVER if self._timeout is None else self._began + self._timeout - now
            idle = _NEVER if self._idle_timeout is None else self._idle_from(now) + self._idle_timeout - now
            if self._stopped is None and total <= 0:
                return f"ran longer than {round(self._timeout or 0, 3)} s"
            if self._stopped is None and idle <= 0:
                return f"printed nothing for {round(self._idle_timeout or 0, 3)} s"
            await anyio.sleep(max(min(total, idle), 0.01))

    def _idle_from(self, now: float) -> float:
        waiting = self._waiting_since()
        return now if waiting is None else max(waiting, self._last_output)
