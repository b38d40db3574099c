"""The journal of a loop: JSON Lines on disk, one for each turn that has ended, from which a later run goes on.

The first line is a header with the task, each other a turn (`TurnRecord`) or the prompt that a hook put in place of the
next one. A line is on disk before the loop goes on. What a crash left of the last line is cut off.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from contextlib import suppress
from typing import Any, Self

from ..errors import JournalError
from .record import TurnRecord

_FORMAT = "lastbrace_loop"
_VERSION = 1
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


class Journal:
    """An open journal, ours alone until it is closed. Raises JournalError for a file that cannot be one.

    ``task`` is what the loop was asked: where None, the journal says it. ``entries`` are the turns that it had when it
    was opened, and the prompts of hooks, as they came.
    """

    def __init__(self, path: str | os.PathLike[str], task: str | None) -> None:
        self.path = os.fspath(path)
        try:
            # Prompts and answers may hold what is nobody else's business.
            self._fd = os.open(self.path, _FLAGS, 0o600)
        except OSError as error:
            raise JournalError(f"cannot open the journal {self.path}: {error.strerror}") from error
        try:
            if not stat.S_ISREG(os.fstat(self._fd).st_mode):
                raise JournalError(f"the journal {self.path} is no regular file")
            self._lock()
            self.task, self.entries = self._read(task)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, entry: TurnRecord | str) -> None:
        """Write down a turn, or the prompt that is next. Raises JournalError when it is not on disk in the end."""
        self._write({"next_prompt": entry} if isinstance(entry, str) else entry.as_dict())

    def close(self) -> None:
        """Let others have it."""
        if self._fd >= 0:
            if sys.platform != "win32":
                import fcntl  # noqa: PLC0415 - not on Windows

                # Closing is not enough: a program that another thread is just starting holds a copy until its exec.
                with suppress(OSError):
                    fcntl.flock(self._fd, fcntl.LOCK_UN)
            os.close(self._fd)
            self._fd = -1

    def _lock(self) -> None:
        try:
            if sys.platform == "win32":
                import msvcrt  # noqa: PLC0415 - there is none elsewhere

                os.lseek(self._fd, 1 << 40, os.SEEK_SET)  # far beyond the end: there a lock keeps no one from reading
                msvcrt.locking(self._fd, msvcrt.LK_NBLCK, 1)
                os.lseek(self._fd, 0, os.SEEK_SET)
            else:
                import fcntl  # noqa: PLC0415 - nor is there one on Windows

                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError) as error:
            raise JournalError(f"another loop is at work on the journal {self.path}") from error

    def _read(self, task: str | None) -> tuple[str, list[TurnRecord | str]]:
        data = b""
        try:
            while piece := os.read(self._fd, 1 << 20):
                data += piece
        except OSError as error:
            raise JournalError(f"cannot read the journal {self.path}: {error.strerror}") from error
        lines = data.split(b"\n")
        torn = lines.pop()
        head = _decoded(lines[0]) if lines else None
        is_ours = isinstance(head, dict) and head.get(_FORMAT) == _VERSION and isinstance(head.get("task"), str)
        if not lines and _is_beginning_of_header(torn):
            return self._begin(task)
        if not is_ours:
            raise JournalError(f"{self.path} is no journal of a loop")
        assert isinstance(head, dict)  # or it would not be ours
        if task is not None and task != head["task"]:
            what = "name another journal, or delete this one to begin anew"
            raise JournalError(f"the journal {self.path} is of another task: {what}")
        entries: list[TurnRecord | str] = []
        end = len(lines[0]) + 1
        for number, line in enumerate(lines[1:], 2):
            entry = _entry(line)
            if entry is None:
                if number < len(lines) or torn:
                    raise JournalError(f"the journal {self.path} is damaged in line {number}")
                break  # the last line: the machine crashed while it was on its way to the disk
            entries.append(entry)
            end += len(line) + 1
        if end < len(data):
            os.ftruncate(self._fd, end)
        return head["task"], entries

    def _begin(self, task: str | None) -> tuple[str, list[TurnRecord | str]]:
        if task is None:
            raise ValueError(f"a prompt is needed: the journal {self.path} has none yet")
        os.ftruncate(self._fd, 0)
        self._write({_FORMAT: _VERSION, "task": task})
        if sys.platform != "win32":
            folder = os.open(os.path.dirname(self.path) or ".", os.O_RDONLY)
            try:
                os.fsync(folder)  # or a crash may take the new file with it
            finally:
                os.close(folder)
        return task, []

    def _write(self, entry: dict[str, Any]) -> None:
        line = memoryview(encode(entry) + b"\n")
        before = os.fstat(self._fd).st_size
        try:
            while line:
                line = line[os.write(self._fd, line) :]
            os.fsync(self._fd)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._fd, before)
            raise JournalError(f"cannot write the journal {self.path}: {error.strerror}") from error


def encode(value: dict[str, Any]) -> bytes:
    """Return it as a line of JSON, without its end."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half an emoji
        return json.dumps(value, separators=(",", ":")).encode()


def _decoded(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _entry(line: bytes) -> TurnRecord | str | None:
    fields = _decoded(line)
    if not isinstance(fields, dict):
        return None
    prompt = fields.get("next_prompt")
    if isinstance(prompt, str):
        return prompt
    try:
        return TurnRecord.of(fields)
    except ValueError:
        return None


def _is_beginning_of_header(line: bytes) -> bool:
    """Whether the file is empty, or all that a crash left of its first line."""
    header = b'{"%b":' % _FORMAT.encode()
    return line[: len(header)] == header[: len(line)]
