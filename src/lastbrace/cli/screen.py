"""Where people watch: something drawn on the terminal of stderr, kept fresh there, and left to others for a while."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Self

import anyio
from rich.console import Console
from rich.live import Live

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import RenderableType

_FRESH = 0.125  # seconds from one look to the next whether there is something new to draw


class Screen:
    """Draws what ``get`` gives on stderr, where that is a terminal; elsewhere nothing.

    It is drawn anew when ``moment()`` gives something else than before, or None. With ``full`` it has the whole
    terminal to itself, and that is as it was before when it ends. A terminal that goes away changes nothing else.
    """

    def __init__(
        self, get: Callable[[], RenderableType], moment: Callable[[], object] = lambda: None, *, full: bool = False
    ) -> None:
        self.console = Console(stderr=True, highlight=False, soft_wrap=not full)
        self._moment = moment
        self._drawn: object = None
        self._live: Live | None = None
        self._get = get
        self._full = full

    def __enter__(self) -> Self:
        if self.is_possible:
            self._start()
        return self

    def __exit__(self, *_: object) -> None:
        live, self._live = self._live, None
        if live is not None:
            with suppress(OSError):
                live.stop()

    def _start(self) -> None:
        self._drawn = None
        self._live = Live(  # a new one each time: an old one would go up again by what it drew last
            console=self.console,
            get_renderable=self._get,
            screen=self._full,
            transient=True,
            auto_refresh=False,  # by a thread, which would read what is being written
            redirect_stdout=False,
        )
        try:
            self._live.start()
        except OSError:  # the terminal has gone
            self.__exit__()
        self.refresh()

    @property
    def is_possible(self) -> bool:
        """Whether stderr is a terminal that can be drawn on, whatever the environment says of colours."""
        try:
            return self.console.is_interactive and sys.stderr.isatty()
        except (AttributeError, ValueError):  # there is no stderr, or it is closed
            return False

    @property
    def is_live(self) -> bool:
        """Whether something is drawn now."""
        return self._live is not None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the terminal to others for a while."""
        was_live = self.is_live
        self.__exit__()
        yield
        if was_live:
            self._start()

    def refresh(self) -> None:
        """Draw it if there is something new."""
        if self._live is not None:
            moment = (self._moment(), self.console.size)
            if self._drawn is None or moment[0] is None or moment != self._drawn:
                try:
                    self._live.refresh()
                except OSError:  # the terminal has gone
                    self.__exit__()
                self._drawn = (self._moment(), self.console.size)

    async def keep_fresh(self) -> None:
        """Draw it as long as it is live, until cancelled."""
        while self.is_live:
            self.refresh()
            await anyio.sleep(_FRESH)

    async def keep_away_when_stopped(self) -> None:
        """Leave the terminal as it was while we are stopped (Ctrl-Z), until cancelled."""
        if sys.platform != "win32" and self.is_live:
            with anyio.open_signal_receiver(signal.SIGTSTP) as signals:
                async for _ in signals:
                    with self.paused():
                        os.kill(os.getpid(), signal.SIGSTOP)
