"""Recordings of programs: what they wrote, when, and how they ended, for tests and bug reports.

A recording is a file of JSON Lines. The first says what it is, the others what happened, with the seconds since the
start:

    {"lastbrace_recording": 1, "program": "agent", "started": "2026-01-31T12:00:00Z"}
    {"t": 0.012, "out": "text that it wrote to stdout"}
    {"t": 0.013, "err": "and to stderr"}
    {"t": 0.9, "out64": "base64 of bytes that are no UTF-8 by themselves, such as half a character"}
    {"t": 1.5, "exit": 0}

Of the command line it holds the program's name alone: its arguments may hold secrets, as its environment and input may.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import stat
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_VERSION = 1
BEGINNING = b'{"lastbrace_recording"'
"""How every recording begins."""
_NO_RECORDING = "this is no recording, as 'lastbrace run --save FILE' makes them"
_STATUSES = range(-127, 1 << 32)  # signals, as the numbers of what they end by; Windows has 32 bits of status
_KEYS = {"stdout": "out", "stderr": "err"}


class Wrote(NamedTuple):
    """Some bytes that the program wrote, ``seconds`` after its start."""

    seconds: float
    stream: Literal["stdout", "stderr"]
    data: bytes


class Ended(NamedTuple):
    """The program's exit status, negative for a signal."""

    seconds: float
    returncode: int


class Recorder:
    """Writes a recording to a file that nobody else may read; what cannot be written is told once, and ends it.

    Raises OSError where the file cannot be opened.
    """

    def __init__(self, path: Path, argv: list[str], warn: Callable[[str], object]) -> None:
        self._path, self._warn = path, warn
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        self._file: BinaryIO | None = os.fdopen(descriptor, "wb")
        if hasattr(os, "fchmod") and stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.fchmod(descriptor, 0o600)  # it may have been there before
        self._began = time.monotonic()
        started = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._write({"lastbrace_recording": _VERSION, "program": Path(argv[0]).name, "started": started})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._close()

    def take(self, stream: Literal["stdout", "stderr"], data: bytes) -> None:
        """Note what the program wrote just now."""
        key = _KEYS[stream]
        try:
            self._note({key: data.decode()})
        except UnicodeDecodeError:
            self._note({f"{key}64": base64.b64encode(data).decode()})

    def end(self, returncode: int) -> None:
        """Note how the program ended."""
        self._note({"exit": returncode})

    def _note(self, event: dict[str, Any]) -> None:
        self._write({"t": round(time.monotonic() - self._began, 6), **event})

    def _write(self, line: dict[str, Any]) -> None:
        if self._file is None:
            return
        try:
            self._file.write(json.dumps(line).encode() + b"\n")
            self._file.flush()  # what was seen is on disk, whatever happens next
        except OSError as error:
            self._warn(f"{self._path} is incomplete: {error.strerror}")
            self._close()

    def _close(self) -> None:
        file, self._file = self._file, None
        try:
            if file is not None:
                file.close()
        except OSError:  # told already
            pass


def read_recording(file: BinaryIO) -> Iterator[Wrote | Ended]:
    """Return what happened, in order. Raises ValueError, with the line's number, where it is no recording.

    A last line that was cut, and an end that is not there, are no errors: the recorder was killed, or its disk full.
    """
    number = 0
    for number, line in enumerate(file, 1):
        try:
            if number == 1:
                _check_header(line)
            else:
                yield _event(json.loads(line))
        except (ValueError, RecursionError) as error:
            if number > 1 and not line.endswith(b"\n"):
                return
            raise ValueError(f"line {number}: {_in_words(error)}") from error
    if not number:
        raise ValueError(f"it is empty: {_NO_RECORDING}")


def _check_header(line: bytes) -> None:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict) or "lastbrace_recording" not in fields:
        raise ValueError(_NO_RECORDING)
    if fields["lastbrace_recording"] != _VERSION:
        raise ValueError(f"a recording of version {fields['lastbrace_recording']!r}, and only 1 is known")


def _event(fields: Any) -> Wrote | Ended:
    if not isinstance(fields, dict):
        raise ValueError("not an object")
    seconds = fields.get("t")
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 <= seconds <= sys.float_info.max:
        raise ValueError('"t" must be the seconds since the start')
    match fields:
        case {"exit": int(status)} if not isinstance(status, bool) and status in _STATUSES:
            return Ended(seconds, status)
        case {"out": str(text)}:
            return Wrote(seconds, "stdout", text.encode())
        case {"err": str(text)}:
            return Wrote(seconds, "stderr", text.encode())
        case {"out64": str(text)}:
            return Wrote(seconds, "stdout", base64.b64decode(text, validate=True))
        case {"err64": str(text)}:
            return Wrote(seconds, "stderr", base64.b64decode(text, validate=True))
    raise ValueError('it needs one of "out", "err", "out64", "err64" (strings) and "exit" (a status)')


def _in_words(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError | RecursionError):
        return "not JSON"
    if isinstance(error, binascii.Error):
        return "not base64"
    return "half a character" if isinstance(error, UnicodeEncodeError) else str(error)
