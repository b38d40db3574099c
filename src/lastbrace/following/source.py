"""What was read from the files that are followed: records, and what each file says so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ..events import Found
from ..outcome import Outcome
from ..watcher import Watcher

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ..agents.reply import Reply
    from ..completion import Completion
    from ..outcome import State


class Record(msgspec.Struct, eq=False):
    """An object that was found in a followed file.

    ``path`` is the path that the file was found at, ``start`` and ``end`` are byte offsets in the file: of the first
    brace and just past the last, or with ``unwrap`` of the lines that the object stands in. ``completion`` and
    ``match`` are what became known with this record: a completion of the contract, an object that satisfies the
    contract or the schema (with an agent, in its answer); else None.

    >>> import lastbrace, pathlib
    >>> record = Record(pathlib.Path("a.log"), lastbrace.find_objects('{"n": 1}')[0], 0, 8)
    >>> record.value
    {'n': 1}
    """

    path: Path
    found: Found
    start: int
    end: int
    completion: Completion | None = None
    match: Found | None = None

    @property
    def value(self) -> Any:
        """The object as Python's ``json`` reads it."""
        return self.found.value


class Source:
    """What is known of one followed path: its watcher, and how much was read.

    ``bytes`` and ``records`` count what was read at this path; ``last_at`` is when its newest record was read, as
    ``time.time()`` gives it, or None. What an older file at this path said stands until the present one says something.

    >>> import pathlib
    >>> Source(pathlib.Path("agent.log")).state
    'none'
    """

    __slots__ = ("_before", "bytes", "is_done", "last_at", "path", "records", "watcher")

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bytes = 0
        self.records = 0
        self.last_at: float | None = None
        self.is_done = False
        """Whether it has said its last word: see ``until_done``."""
        self.watcher: Watcher[Any] | None = None
        """The watcher of the file that is there now; None until something was read from it."""
        self._before: Watcher[Any] | Outcome[Any] | None = None

    @property
    def outcome(self) -> Outcome[Any] | None:
        """The verdict on the newest file of this path that said anything; None before its end."""
        return self._before if self.watcher is None and isinstance(self._before, Outcome) else None

    @property
    def last(self) -> Found | None:
        """The newest object."""
        return next((known.last for known in self._known() if known.last is not None), None)

    @property
    def match(self) -> Found | None:
        """The newest object that satisfies the contract or the schema."""
        return next((known.match for known in self._known() if known.match is not None), None)

    @property
    def completion(self) -> Completion | None:
        """The newest completion; None until there is one."""
        found = (known.completion for known in self._known())
        return next((completion for completion in found if completion is not None and completion.error is None), None)

    @property
    def reply(self) -> Reply | None:
        """The agent's reply so far; None with ``agent=None``."""
        replies = [known.reply for known in self._known() if known.reply is not None]
        return next((reply for reply in replies if reply.agent is not None), replies[0] if replies else None)

    @property
    def state(self) -> State:
        """Whether something matched so far, and why not: see `Outcome`."""
        return next((known.state for known in self._known() if known.state != "none"), "none")

    def begin(self, watcher: Watcher[Any]) -> None:
        """Go on with the watcher of another file."""
        if self.watcher is not None and (self._before is None or self.watcher.state != "none"):
            self._before = self.watcher
        self.watcher = watcher

    def end(self, watcher: Watcher[Any], outcome: Outcome[Any]) -> None:
        """Take in how the text in one file ended."""
        if self.watcher is watcher:
            self.watcher = None
            if self._before is None or outcome.state != "none":
                self._before = outcome
        elif self._before is watcher:
            self._before = outcome

    def _known(self) -> Iterator[Watcher[Any] | Outcome[Any]]:
        if self.watcher is not None:
            yield self.watcher
        if self._before is not None:
            yield self._before
