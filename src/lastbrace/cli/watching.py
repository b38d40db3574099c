"""What people see while files are followed: a row for each of them, instead of their records."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Self

from rich.console import Console

from ..errors import DecodeError
from ..printing import printable
from .board import Board
from .lines import tell
from .names import name_of, project_of
from .screen import Screen

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

    from ..following import Record, Source

_MAX_LOOKED_INTO = 1 << 16  # bytes of a record that may say which folder the agent works in
_LEFT_STANDING = 40  # lines of the last picture that stay on the terminal


class FilesView:
    """Shows the files that are written to on stderr, where that is a terminal, which it has to itself meanwhile.

    When it ends, the terminal is as it was before, and the last picture and a summary stand below.
    """

    def __init__(self) -> None:
        self._board = Board()
        self._screen = Screen(lambda: self._board, lambda: self._board.moment, full=True)
        self._unnamed: set[Path] = set()
        self._passing = ""  # a note that goes with the first record

    @classmethod
    def is_possible(cls) -> bool:
        """Whether there is a terminal to show them on."""
        return Screen(str).is_possible

    def __enter__(self) -> Self:
        self._screen.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._screen.__exit__()
        self._forget_passing_note()
        with suppress(OSError):
            console = Console(stderr=True, highlight=False)
            if self._board.count:
                height = min(_LEFT_STANDING, max(4, console.size.height - 3))
                console.print(self._board.table(console.size.width, height))
            console.print(printable(self._board.summary()), markup=False, style="bold")
            if self._board.note:
                tell(printable(self._board.note, 1000))

    def see(self, record: Record, sources: Mapping[Path, Source]) -> None:
        """Take in a record."""
        path = record.path
        self._forget_passing_note()
        if path not in self._board:
            self._board.row(path, name_of(path), sources[path])
            self._unnamed.add(path)
        row = self._board.touch(path, record.found)
        raw = record.found.raw
        if path in self._unnamed and b'"cwd"' in raw and len(raw) <= _MAX_LOOKED_INTO:
            with suppress(DecodeError):
                if (project := project_of(record.value)) is not None:
                    row.name = name_of(path, project)
                    self._unnamed.discard(path)

    def note(self, text: str) -> None:
        """Show what else people should know."""
        self._board.note = text

    def note_until_seen(self, text: str) -> None:
        """Show what people should know as long as there is no record."""
        self._board.note = self._passing = f"{self._passing}; {text}" if self._passing else text

    def _forget_passing_note(self) -> None:
        if self._board.note == self._passing:
            self._board.note = ""
        self._passing = ""

    async def keep_fresh(self) -> None:
        """Draw it anew when something changes, until cancelled."""
        await self._screen.keep_fresh()

    async def keep_away_when_stopped(self) -> None:
        """Give the terminal back while we are stopped, until cancelled."""
        await self._screen.keep_away_when_stopped()
