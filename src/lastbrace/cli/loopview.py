"""What people see while a loop runs: a row for the turn that runs now, and what all of them came to."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.text import Text

from ..printing import counted
from .amounts import dollars, elapsed
from .board import Board
from .row import Row
from .screen import Screen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from rich.console import Console, ConsoleOptions, RenderResult

    from ..events import Found
    from ..looping import Loop, Turn
    from ..process import Backend

_LINES = 8  # of the terminal, at most: the last turns


class LoopView:
    """Shows a loop on stderr, where that is a terminal: a row for each of its last turns, and a line with the sums."""

    def __init__(self) -> None:
        self._board = Board()
        self._screen = Screen(lambda: self, self._moment)
        self._turns: Loop[Any] | None = None
        self._backend: Backend[Any] | None = None
        self._row: Row | None = None

    @property
    def is_possible(self) -> bool:
        """Whether there is a terminal to show it on."""
        return self._screen.is_possible

    @contextmanager
    def of(self, turns: Loop[Any]) -> Iterator[None]:
        """Show this loop meanwhile."""
        self._turns = turns
        with self._screen:
            yield

    def on_object(self, found: Found) -> None:
        """Take in an object that the turn which runs now has printed."""
        self._find_row()
        if self._row is not None:
            self._row.touch(found)

    def end(self, turn: Turn[Any], *, forget: bool) -> None:
        """Note how a turn has ended; ``forget`` it where people see that anyway."""
        if self._row is not None:
            self._row.end(turn.verdict.value)
        if forget and turn.number in self._board:
            self._board.drop(turn.number)
        self._row = self._backend = None

    def paused(self) -> AbstractContextManager[None]:
        """Leave the terminal to others for a while."""
        return self._screen.paused()

    async def keep_fresh(self) -> None:
        """Draw it anew as time goes by, until cancelled."""
        await self._screen.keep_fresh()

    async def keep_away_when_stopped(self) -> None:
        """Give the terminal back while we are stopped, until cancelled."""
        await self._screen.keep_away_when_stopped()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self._board.count:
            yield self._board.table(options.max_width, min(_LINES, console.size.height - 2))
        yield Text(self._sums(), "dim", no_wrap=True, overflow="ellipsis")

    def _find_row(self) -> None:
        """Have a row for the turn that runs now."""
        backend = None if self._turns is None else self._turns.backend
        if self._turns is not None and backend is not None and backend is not self._backend:
            number = self._turns.number + 1
            self._backend, self._row = backend, self._board.row(number, f"turn {number}", backend, ends=True)

    def _moment(self) -> object:
        self._find_row()
        if self._row is not None and self._backend is not None:
            self._row.touch()
        return (self._board.moment, self._sums(), self._row and (self._row.words, self._row.tool))

    def _sums(self) -> str:
        """Return how far the loop has come."""
        turns = self._turns
        try:
            if turns is None:
                return ""
            ended = counted(turns.number, "turn")
            cost = f", {dollars(turns.cost_usd)}" if turns.cost_usd else ""
            return f"{ended} taken in {elapsed(turns.seconds)}{cost}"
        except RuntimeError:  # it has not begun
            return ""
