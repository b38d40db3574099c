"""Know what a program said the moment its last brace closes.

``lastbrace`` reads the output of a running program in chunks, finds the JSON objects in it, and keeps the newest one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import prompts
from ._version import __version__
from .agents.reply import Reply, Usage
from .brackets import balanced_end
from .completion import Completion, Status
from .errors import (
    BackendError,
    BackendTimeout,
    ClosedError,
    DecodeError,
    JournalError,
    LastbraceError,
    NoObjectError,
)
from .events import DeadCandidate, Dropped, Event, Found, Stats, Unfinished
from .implementation import scanner_kind
from .outcome import Outcome
from .pipeline import ScanOptions
from .recovered import Recovered
from .recovery import recover
from .scanner import Scanner
from .streams import aiter_objects, iter_objects
from .text import find_objects, first_object, last_object, parse_completion, parse_reply
from .watcher import Watcher

if TYPE_CHECKING:
    from .following import Log, Record, Source, follow
    from .looping import Loop, LoopEnd, Turn, loop
    from .process import Backend, run, run_sync

__all__ = [
    "Backend",
    "BackendError",
    "BackendTimeout",
    "ClosedError",
    "Completion",
    "DeadCandidate",
    "DecodeError",
    "Dropped",
    "Event",
    "Found",
    "JournalError",
    "LastbraceError",
    "Log",
    "Loop",
    "LoopEnd",
    "NoObjectError",
    "Outcome",
    "Record",
    "Recovered",
    "Reply",
    "ScanOptions",
    "Scanner",
    "Source",
    "Stats",
    "Status",
    "Turn",
    "Unfinished",
    "Usage",
    "Watcher",
    "__version__",
    "aiter_objects",
    "balanced_end",
    "find_objects",
    "first_object",
    "follow",
    "iter_objects",
    "last_object",
    "loop",
    "parse_completion",
    "parse_reply",
    "prompts",
    "recover",
    "run",
    "run_sync",
    "scanner_kind",
]

_EDGES = {
    "Backend": "process",
    "Log": "following",
    "Loop": "looping",
    "LoopEnd": "looping",
    "Record": "following",
    "Source": "following",
    "Turn": "looping",
    "follow": "following",
    "loop": "looping",
    "run": "process",
    "run_sync": "process",
}


def __getattr__(name: str) -> Any:
    """Load an edge when it is first used: the core needs no event loop."""
    if name not in _EDGES:
        raise AttributeError(f"module 'lastbrace' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - nor does what never loads one need this

    return getattr(import_module(f".{_EDGES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
