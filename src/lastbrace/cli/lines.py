"""JSON Lines for programs, and text that is safe on a terminal for people."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from .. import possessive

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TextIO

    from ..recovered import Recovered

_tokens = possessive.compile(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+")|[ \t\r\n]++|-?(?:NaN|Infinity)', re.DOTALL)
_is_loose = re.compile(rb"[ \t\r\n]|NaN|Infinity").search
# Legal in JSON, yet a terminal may act on them: DEL, C1, and what turns the direction of text.
_unsafe = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]")


def one_line(raw: bytes) -> bytes:
    """Return an object's text on one line, valid JSON, and nothing of it lost: big numbers, doubled keys, escapes.

    What JSON has no word for becomes null (``NaN``, ``Infinity``) or U+FFFD (bytes that are no UTF-8).
    """
    line = _tokens.sub(_kept, raw) if _is_loose(raw) else raw
    try:
        line.decode()
    except UnicodeDecodeError:
        return line.decode("utf-8", "replace").encode()
    return line


def marked(recovered: Recovered[Any]) -> bytes:
    """Return an answer that was recovered, and its repairs, as JSON on one line."""
    repairs = json.dumps(recovered.repairs, separators=(",", ":")).encode()
    return b'{"value":%s,"repairs":%s}' % (one_line(recovered.raw), repairs)


def _kept(token: re.Match[bytes]) -> bytes:
    string: bytes | None = token[1]
    if string is not None:
        return string
    return b"" if token[0].isspace() else b"null"


def tell(text: str) -> None:
    """Say something to people, if anyone is there."""
    with suppress(OSError):
        if sys.stderr is not None:
            print(f"lastbrace: {text}", file=sys.stderr, flush=True)


def forget_unwritten(stream: TextIO | None) -> None:
    """Let go of what a stream cannot write: at the exit Python would complain of it, and have a status of its own."""
    if stream is None:
        return
    try:
        stream.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):  # no file of the system's
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, stream.fileno())
            os.close(nothing)


class Output:
    """Standard output, as lines of bytes; quiet when its reader has gone.

    Raises OSError where it is closed, and once where it takes no more: ``broken`` says that either has happened.
    """

    def __init__(self) -> None:
        if sys.stdout is None:
            raise OSError("standard output is closed")
        self._stream = sys.stdout
        self._file = self._stream.buffer
        self.is_terminal = self._stream.isatty()
        self.broken = False

    @property
    def is_pipe(self) -> bool:
        """Whether another program reads it, which may write to the same terminal as we do."""
        try:
            return stat.S_ISFIFO(os.fstat(self._file.fileno()).st_mode)
        except (OSError, ValueError):  # no file of the system's
            return True

    def line(self, data: bytes) -> None:
        """Write one line, safe where a terminal shows it."""
        if self.is_terminal:
            data = _unsafe.sub(lambda found: json.dumps(found[0])[1:-1], data.decode()).encode()
        self._do(lambda: self._write(data + b"\n"))

    def flush(self) -> None:
        """Let the reader have what was written."""
        self._do(self._file.flush)

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:  # without a buffer (PYTHONUNBUFFERED) the system may take a part and leave the rest
            written: int | None = self._file.write(left)
            if written is None:
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            left = left[written:]

    def _do(self, act: Callable[[], object]) -> None:
        if self.broken:
            return
        try:
            act()
        except OSError as error:
            self.broken = True
            forget_unwritten(self._stream)
            if not isinstance(error, BrokenPipeError):
                raise
