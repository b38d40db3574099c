"""Follow log files as they grow: `follow`, on asyncio and trio."""

from __future__ import annotations

import inspect
import json
import os
import reprlib
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

from ..pipeline import ScanOptions
from ..suggestions import check_options
from ..watch_options import WatchOptions, reusable
from ..watcher import Watcher
from .generations import originals
from .identity import from_json
from .log import Log
from .looking import Looker, Start
from .reading import Options
from .source import Record, Source
from .waking import Waker

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..matching import SchemaLike
    from .unwrap import Format

__all__ = ["FollowOptions", "Log", "Record", "Source", "follow"]

PathLike = str | bytes | os.PathLike[str]

_OF_LINES = (".jsonl", ".ndjson")
_MAX_OPEN = 512  # files to hold open, so that what is deleted can still be read; never more than a quarter of ours


class FollowOptions(WatchOptions[Any], total=False):
    """The options of `follow`, which says what each means, those of `Watcher` and of a scan included."""

    start: Literal["start", "end"] | Mapping[str, Any]
    until_done: bool
    idle_timeout: float | None
    force_polling: bool
    unwrap: Format | None
    on_problem: Callable[[Path, str], object] | None
    schema: SchemaLike[Any] | None


def follow(paths: PathLike | Iterable[PathLike], **options: Unpack[FollowOptions]) -> Log:
    """Follow log files, and yield each object as it is complete: an async context manager, iterable over `Record`.

    No record that was complete on disk is lost, and none yielded twice, when files are rotated by renaming, by copying
    and truncating, or are truncated, rewritten, deleted, compressed or made anew. Files need not exist yet.

    Arguments:
        paths: a path, a glob (``**`` stands for any folders) or a folder (all files in it and below); or several.
        start: where to begin in files that are there: ``"end"``, ``"start"``, or a cursor: what ``log.cursor`` gave.
            Files that appear later are read from their beginning, and so are those that a cursor does not know.
        until_done: end the iteration once each file that was read from, and each path given by name, has said its last
            word: an agent its final event, else a completion ``done`` or a match of the schema. What stands behind
            that in its file is not looked at; with the cursor it comes again.
        idle_timeout: end the iteration when nothing was written for so many seconds while we waited.
        force_polling: do not use change notices. Without them, and without ``watchfiles``, the files are looked at
            every quarter of a second.
        unwrap: ``"docker"`` or ``"cri"``: the files are container logs; read the text in them, partial lines joined.
        on_problem: called with the path of what cannot be read, and why.
        options: every argument and callback of `Watcher`, each file having its own; ``agent`` is ``"auto"`` unless
            given, and ``framing`` ``"lines"`` for ``.jsonl`` and ``.ndjson``. Inside a callback ``log.source`` says
            which file it is about.

    Raises TypeError and ValueError for arguments that make no sense; nothing for what a file is or does. What callbacks
    raise is raised by the iteration after the records before it; one can iterate on.
    """
    check_options(options, FollowOptions.__annotations__)
    given = reusable(options)
    start: Any = given.pop("start", "end")
    until_done: bool = given.pop("until_done", False)
    idle_timeout: float | None = given.pop("idle_timeout", None)
    force_polling: bool = given.pop("force_polling", False)
    unwrap: Format | None = given.pop("unwrap", None)
    on_problem: Callable[[Path, str], object] | None = given.pop("on_problem", None)
    given.setdefault("agent", "auto")
    if unwrap not in (None, "docker", "cri"):
        raise ValueError(f"unwrap must be 'docker' or 'cri', not {unwrap!r}")
    if idle_timeout is not None and not idle_timeout >= 0:
        raise ValueError(f"idle_timeout must be seconds from 0 up, not {idle_timeout!r}")
    if until_done and given.get("schema") is None and given.get("contract", "json") == "marker":
        raise ValueError("until_done needs an answer that is known before the end, and a marker is not")
    if inspect.iscoroutinefunction(on_problem):
        raise TypeError("callbacks are plain functions, and on_problem is async: nobody awaits it")
    has_agent = Watcher(**given).has_agent  # and this says what is wrong with the rest

    def watch(path: Path) -> dict[str, Any]:
        return given if "framing" in given or unwrap is not None else {**given, "framing": _framing(path)}

    def scan_of(path: Path) -> ScanOptions:
        scan = {name: value for name, value in watch(path).items() if name in ScanOptions.__annotations__}
        if has_agent and scan.get("roots") == "array":
            scan["roots"] = "any"  # as the watchers read: events are objects
        return cast("ScanOptions", scan)

    looker = Looker(_paths(paths), _start(start), scan_of=scan_of, whole_lines=unwrap is not None, max_open=_max_open())
    return Log(
        looker,
        Waker(polling=force_polling),
        Options(watch, scan_of, unwrap, until_done, idle_timeout, on_problem),
    )


def _paths(paths: PathLike | Iterable[PathLike]) -> list[str]:
    if isinstance(paths, str | bytes | os.PathLike):
        paths = [paths]
    if not isinstance(paths, Iterable):
        raise TypeError(f"paths is a path or several, not {type(paths).__name__}")
    names = [os.path.normpath(os.fsdecode(path)) if os.fsdecode(path) else "" for path in paths]
    if not names or not all(names):
        raise ValueError("there is no path to follow" if not names else "a path to follow is empty")
    if any("\0" in name for name in names):
        raise ValueError("a path to follow has a NUL in it")
    return list(dict.fromkeys(names))


def _start(start: Any) -> Start:
    if start == "start":
        return Start("start")
    if start == "end":
        return Start("end")
    if isinstance(start, str | bytes):
        try:
            start = json.loads(start)
        except (ValueError, RecursionError):
            raise ValueError(f"start must be 'start', 'end' or a cursor, not {reprlib.repr(start)}") from None
    return Start("cursor", from_json(start))


def _framing(path: Path) -> Literal["free", "lines"]:
    names = (path.name, *originals(path.name))  # its older generations are written alike
    return "lines" if any(name.lower().endswith(_OF_LINES) for name in names) else "free"


def _max_open() -> int:
    """Return how many files to hold open; none on Windows, where that keeps their writers from renaming them."""
    if sys.platform == "win32":
        return 0
    import resource  # noqa: PLC0415 - not on Windows

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _MAX_OPEN if limit == resource.RLIM_INFINITY else min(_MAX_OPEN, limit // 4)
