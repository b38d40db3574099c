"""What people see while a program runs: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from .lines import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        self._verbose = verbose
        self._began = time.monotonic()
        self._backend: Backend[object] | None = None
        self._said = ""
        self._spinner = Spinner("dots")
        self._live = Live(console=self._console, get_renderable=self._render, refresh_per_second=8, transient=True)

    def __enter__(self) -> Self:
        with suppress(OSError):
            if self._console.is_terminal:
                self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._live.stop()

    @property
    def is_live(self) -> bool:
        """Whether there is a live line."""
        return self._live.is_started

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the terminal to others for a while."""
        was_live = self.is_live
        with suppress(OSError):
            self._live.stop()
        yield
        with suppress(OSError):
            if was_live:
                self._live.start()

    def follow(self, backend: Backend[object]) -> None:
        """Show this run from now on."""
        self._backend = backend

    def on_text(self, text: str) -> None:
        """Show text outside objects."""
        self._said = (self._said + text[-_KEPT:])[-_KEPT:]
        if text.strip():
            self._say("text", printable(text.strip(), 70), "dim")

    def on_object(self, found: Found) -> None:
        """Show an object."""
        self._say(
            "object", f"bytes {found.start}-{found.end}: {printable(found.raw[:200].decode('utf-8', 'replace'), 50)}"
        )

    def on_completion(self, completion: Completion) -> None:
        """Show a completion."""
        words = [word for word in (completion.summary, completion.next, completion.error) if word]
        text = printable(": ".join([completion.status.value, *words]), 70)
        self._say("answer", text, f"bold {_COLOURS[completion.status]}")

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
        if self._backend is not None:
            stats, completion = self._backend.stats, self._backend.completion
            parts = [f"{stats.objects} objects", _size(stats.bytes), *parts]
            lines = [line for line in self._said.splitlines() if line.strip()]
            parts += [printable(line.strip(), 40) for line in lines[-1:]]
            if completion is not None:
                style = _COLOURS[completion.status]
                said = completion.summary or completion.next or ""
                parts.append(printable(f"{completion.status.value}: {said}" if said else completion.status.value, 60))
        text = Text("  ".join(parts), style=style, no_wrap=True, overflow="ellipsis")
        self._spinner.update(text=text)
        return self._spinner


def _size(count: int) -> str:
    size, units = float(count), iter(("bytes", "kB", "MB", "GB", "TB"))
    unit = next(units)
    while size >= 1000 and unit != "TB":
        size, unit = size / 1000, next(units)
    return f"{count} bytes" if unit == "bytes" else f"{size:.1f} {unit}"
