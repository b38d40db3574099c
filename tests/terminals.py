"""A terminal in memory, and a command that runs in it: what a person would see."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
import time
from typing import TYPE_CHECKING, Any, Self

import pyte

from .commands import COMMAND

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_AWAY, _BACK = b"\x1b[?1049h", b"\x1b[?1049l"  # to a screen of its own, and back: pyte knows neither
_PATIENCE = 60  # seconds


class Terminal:
    """Runs `lastbrace` with stderr, and stdout unless given, on a terminal of so many columns and lines."""

    def __init__(
        self, *arguments: str | Path, columns: int = 80, lines: int = 24, stdout: Any = None, **environment: str
    ) -> None:
        self.raw = bytearray()
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)
        self._master, self._slave = pty.openpty()
        self._resize(columns, lines)
        given = {name: os.environ[name] for name in os.environ.keys() - {"NO_COLOR", "COLUMNS", "LINES", "FORCE_COLOR"}}
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=self._slave if stdout is None else stdout,
            stderr=self._slave,
            env=given | {"TERM": "xterm-256color"} | environment,
        )
        os.close(self._slave)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self._reader.join()
        with contextlib.suppress(OSError):
            os.close(self._master)

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # what Linux says when nobody has the terminal any more
            while data := os.read(self._master, 65536):
                self.raw += data
                self._stream.feed(data.replace(_AWAY, b"\x1b[2J\x1b[H").replace(_BACK, b"\x1b[2J\x1b[H"))

    @property
    def shown(self) -> list[str]:
        """The lines that are on the screen, without those that are blank at its end."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip().split("\n")

    @property
    def is_away(self) -> bool:
        """Whether the command has the terminal to itself."""
        return self.raw.count(_AWAY) > self.raw.count(_BACK)

    def wait_until(self, holds: Callable[[], object]) -> None:
        until = time.monotonic() + _PATIENCE
        while not holds():
            assert time.monotonic() < until, "\n".join(self.shown)
            time.sleep(0.02)

    def wait_for(self, *texts: str) -> None:
        """Wait until all these texts are on the screen."""
        self.wait_until(lambda: all(text in "\n".join(self.shown) for text in texts))

    def wait(self) -> int:
        """Wait until the command has ended and all that it wrote is on the screen; return its exit status."""
        status = self.process.wait(_PATIENCE)
        self._reader.join(_PATIENCE)
        return status

    def resize(self, columns: int, lines: int) -> None:
        self._screen.resize(lines, columns)
        self._resize(columns, lines)

    def _resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
