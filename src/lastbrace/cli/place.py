"""The place reached in files that are followed, kept in a file from one time to the next."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..printing import printable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Place:
    """A cursor in a file, which need not be there yet; ``cursor`` is what it holds, None where there is no file.

    Raises OSError where the file cannot be read or replaced, ValueError where it holds no JSON. It is left as it is
    until there is something to `keep`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.cursor: Any = None
        try:
            self.cursor = json.loads(path.read_bytes())
        except FileNotFoundError:
            pass
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{printable(str(path))} holds no cursor: {error}") from None
        self._kept: dict[str, Any] | None = None
        self._is_failing = False
        fd, name = _beside(os.path.realpath(path))  # only trying tells whether we could save
        os.close(fd)
        os.unlink(name)

    def keep(self, cursor: dict[str, Any], say: Callable[[str], object]) -> None:
        """Save a cursor that is not the one kept already; ``say`` once that it cannot be, until it can."""
        if cursor == self._kept:
            return
        try:
            self._write(cursor)
        except OSError as error:
            if not self._is_failing:
                say(f"cannot save to {printable(str(self._path))}: {error.strerror}")
            self._is_failing = True
        else:
            self._kept, self._is_failing = cursor, False

    def _write(self, cursor: dict[str, Any]) -> None:
        """Replace the file by one with this cursor, readable by its owner alone. Raises OSError."""
        target = os.path.realpath(self._path)
        fd, name = _beside(target)
        try:
            with open(fd, "w", encoding="utf-8") as file:
                json.dump(cursor, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise


def _beside(target: str) -> tuple[int, str]:
    """Open a new file in the same folder; return its descriptor and its name. Raises OSError."""
    return tempfile.mkstemp(prefix=".", suffix=".new", dir=os.path.dirname(target))
