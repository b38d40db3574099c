"""What people see while a program runs: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from rich.spinner import Spinner
from rich.text import Text

from ..printing import counted, printable
from .amounts import dollars
from .row import Row
from .screen import Screen

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ..completion import Completion
    from ..events import Found
    from ..process import Backend

_KEPT = 400  # characters of what was said last, for one line of it
_COLOURS = {"done": "green", "continue": "yellow", "error": "red"}


class View:
    """Shows a run on stderr: its live line where that is a terminal, and with ``verbose`` all that is seen.

    That stderr cannot be written to (its terminal has gone, its disk is full) changes nothing about the run.
    """

    def __init__(self, *, verbose: bool = False) -> None:
        self._verbose = verbose
        self._began = time.monotonic()
        self._backend: Backend[object] | None = None
        self._row: Row | None = None
        self._said = ""
        self._spinner = Spinner("dots")
        self._screen = Screen(self._render)
        self._console = self._screen.console

    def __enter__(self) -> Self:
        self._screen.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._screen.__exit__()

    @property
    def is_live(self) -> bool:
        """Whether there is a live line."""
        return self._screen.is_live

    def paused(self) -> AbstractContextManager[None]:
        """Leave the terminal to others for a while."""
        return self._screen.paused()

    async def keep_fresh(self) -> None:
        """Draw the live line anew as time goes by, until cancelled."""
        await self._screen.keep_fresh()

    def follow(self, backend: Backend[object]) -> None:
        """Show this run from now on."""
        self._backend, self._row = backend, Row("", backend)

    def on_text(self, text: str) -> None:
        """Show text outside objects."""
        self._said = (self._said + text[-_KEPT:])[-_KEPT:]
        if text.strip():
            self._say("text", printable(text.strip(), 70), "dim")

    def on_object(self, found: Found) -> None:
        """Show an object."""
        if self._row is not None:
            self._row.touch(found)
        self._say(
            "object", f"bytes {found.start}-{found.end}: {printable(found.raw[:200].decode('utf-8', 'replace'), 50)}"
        )

    def on_completion(self, completion: Completion) -> None:
        """Show a completion."""
        self._say("answer", _in_words(completion), f"bold {_COLOURS[completion.status]}")

    def note(self, text: str) -> None:
        """Say something to people, whatever the mode."""
        self._print(Text(f"lastbrace: {text}"))

    def _say(self, kind: str, text: str, style: str = "") -> None:
        if self._verbose:
            line = Text().append(f"{time.monotonic() - self._began:6.2f} s  ", style="dim")
            self._print(line.append(f"{kind:<8}", style="bold").append(text, style=style))

    def _print(self, line: Text) -> None:
        with suppress(OSError):
            self._console.print(line)

    def _render(self) -> Spinner:
        parts = [f"{time.monotonic() - self._began:.1f} s"]
        style = ""
        if self._backend is not None and self._row is not None:
            row, stats, completion = self._row, self._backend.stats, self._backend.completion
            row.touch()
            has_failed = self._backend.reply is not None and self._backend.reply.is_error
            lines = [line for line in self._said.splitlines() if line.strip()]
            said = [printable(row.tool or (lines[-1].strip() if lines else ""), 60)]
            if completion is not None:
                style = _COLOURS[completion.status]
                said.append(_in_words(completion))
            if has_failed or (completion is None and (row.turns or row.tokens or row.tool)):
                said.append(row.words)
            turns = "1 turn" if row.turns == "1" else f"{row.turns} turns"
            counts = [turns if row.turns else "", f"{row.tokens} tokens" if row.tokens else ""]
            cost = "" if row.cost_usd is None else dollars(row.cost_usd)
            objects = counted(stats.objects, "object")
            parts = [objects, _size(stats.bytes), *parts, *counts, cost, *said]
        text = Text("  ".join(part for part in parts if part), style=style, no_wrap=True, overflow="ellipsis")
        self._spinner.update(text=text)
        return self._spinner


def _in_words(completion: Completion) -> str:
    """Return what a completion itself says."""
    words = [word for word in (completion.summary, completion.next, completion.error) if word]
    return printable(": ".join([completion.status.value, *words]), 70)


def _size(count: int) -> str:
    size, units = float(count), iter(("bytes", "kB", "MB", "GB", "TB"))
    unit = next(units)
    while size >= 1000 and unit != "TB":
        size, unit = size / 1000, next(units)
    return f"{count} bytes" if unit == "bytes" else f"{size:.1f} {unit}"
