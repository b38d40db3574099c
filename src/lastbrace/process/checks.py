"""What makes no sense as an argument of `run`, said before anything is started."""

from __future__ import annotations

import inspect
from typing import Any

from .decoding import check_encoding


def check_input(data: Any, encoding: str | None) -> None:
    """Raise TypeError or ValueError for an ``input`` that cannot be sent."""
    check_encoding(encoding)
    if not (data is None or isinstance(data, bytes | bytearray | memoryview | str) or hasattr(data, "__aiter__")):
        raise TypeError(f"input is bytes, str or an async iterable of them, not {type(data).__name__}")
    if encoding is not None and isinstance(data, str):
        data.encode(encoding)


def check_stderr(stderr: Any) -> None:
    """Raise TypeError or ValueError for what stderr cannot be."""
    if inspect.iscoroutinefunction(stderr):
        raise TypeError(f"callbacks are plain functions, and {stderr.__name__} is async: nobody awaits it")
    if not callable(stderr) and stderr not in ("keep", "inherit", "merge"):
        raise ValueError(f"stderr must be 'keep', 'inherit', 'merge' or a function, not {stderr!r}")


def check_times(*, grace: float, **times: float | None) -> None:
    """Raise TypeError or ValueError for what is no time; all but ``grace`` may be None."""
    for name, seconds in {"grace": grace, **times}.items():
        if seconds is None and name != "grace":
            continue
        if not isinstance(seconds, int | float):
            raise TypeError(f"{name} is a number of seconds, not {type(seconds).__name__}")
        if not seconds >= 0:
            raise ValueError(f"{name} must be seconds from 0 up, not {seconds!r}")
