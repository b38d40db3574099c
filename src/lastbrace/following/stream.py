"""One text on the side of whoever iterates: through its watcher, and from where one would have to go on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from .identity import EVIDENCE, Position, Print
from .lines import MARKS, after_line
from .source import Record
from .unwrap import Format, Unwrapper

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..events import Found
    from ..outcome import Outcome
    from ..pipeline import ScanOptions
    from ..watcher import Watcher
    from .contents import Content


class Place(NamedTuple):
    """A place in a text from which to go on: the bytes before it, and how many objects behind it were delivered."""

    offset: int
    tail: Print
    skip: int = 0


class Queued(msgspec.Struct, eq=False):
    """A record to be yielded, and what it takes to go on after it."""

    record: Record
    stream: Stream
    place: Callable[[], Place]
    """Gives the place from which to go on after it."""


class Stream:
    """One text on the consumer's side: through its watcher, and where it would have to go on.

    ``deliver`` is called with each record to be yielded; ``failed`` with what callbacks raise.
    """

    def __init__(
        self,
        content: Content,
        watcher: Callable[[Stream], Watcher[Any]],
        *,
        unwrap: Format | None,
        scan: ScanOptions,
        deliver: Callable[[Queued], object],
        failed: Callable[[Exception], object],
    ) -> None:
        self.content = content
        self.queued = 0
        """How many of its records wait to be yielded."""
        self.has_yielded = False
        self.newest: Queued | None = None
        """The newest object's record; None where it is not to be yielded."""
        self.answered_at: float | None = None
        """When its agent answered, while its final event is awaited."""
        self.watcher = watcher(self)
        self._deliver = deliver
        self._failed = failed
        self._base = content.begin.offset
        self._to_skip = content.skip
        self._clean = Place(content.begin.offset, Print.of(content.begin.tail))
        self._since_clean = 0
        self._yielded = self._clean._replace(skip=content.skip)
        self._before, self._data, self._offset = b"", content.begin.tail, content.begin.offset - len(content.begin.tail)
        self._unwrapper = None if unwrap is None else Unwrapper(unwrap, self._base, self._feed, scan=scan)
        mark = content.begin.head[:2]
        if self._base and mark in MARKS and unwrap is None:
            self._feed(mark)
            self._base -= len(mark)

    def feed(self, offset: int, data: bytes) -> None:
        """Read the next bytes of the file."""
        self._before = (self._before + self._data)[-EVIDENCE:] if len(self._data) < EVIDENCE else self._data[-EVIDENCE:]
        self._data, self._offset = data, offset
        if self._unwrapper is None:
            self._feed(data)
        else:
            self._unwrapper.take(data)
        self._find_clean()

    def close(self) -> Outcome[Any]:
        """End the text."""
        if self._unwrapper is not None:
            self._unwrapper.close()
        try:
            return self.watcher.close()
        except Exception as error:  # a callback's: raised where the records are awaited
            self._failed(error)
            return self.watcher.close()

    def _feed(self, data: bytes) -> None:
        try:
            self.watcher.feed(data)
        except Exception as error:  # a callback's: raised where the records are awaited
            self._failed(error)

    def see(self, found: Found) -> Found | None:
        """Take in an object; return it with its offsets in the file, or None where it was delivered before."""
        self.newest = None
        if self._unwrapper is None:
            shift = self._base
            if found.end + shift <= self.content.floor:
                return None
            if shift:
                found = msgspec.structs.replace(found, start=found.start + shift, end=found.end + shift)
            start, end = found.start, found.end
            place = partial(_place, end, self._before, self._data, self._offset)
        else:
            start, end = self._unwrapper.span(found.start, found.end)
            self._since_clean += 1
            if self._to_skip:
                self._to_skip -= 1
                return None
            place = partial(self._clean._replace, skip=self._since_clean)
        self.queued += 1
        self.newest = Queued(Record(self.content.path, found, start, end), self, place)
        self._deliver(self.newest)
        return found

    def yielded(self, queued: Queued) -> None:
        """Note that a record was yielded: the cursor covers it."""
        self.queued -= 1
        self._yielded = queued.place()
        self.has_yielded = True

    @property
    def place(self) -> Place:
        """The place from which to go on after all that was yielded."""
        return self._clean if self.queued == 0 and self._clean.offset > self._yielded.offset else self._yielded

    def _find_clean(self) -> None:
        """Find the newest place from which reading could begin anew and find the same."""
        opened = self.watcher.open_event
        if self._unwrapper is None:
            until = len(self._data) if opened is None else opened.start + self._base - self._offset
            line = after_line(self._data[: max(0, until)], self._offset, self.content.known.head)
            at = self._offset + line if line else None
        else:
            self._unwrapper.forget(self.watcher.stats.bytes if opened is None else opened.start)
            at = self._unwrapper.offset if opened is None and self._unwrapper.is_between else None
        if at is not None:
            self._clean = _place(at, self._before, self._data, self._offset)
            self._since_clean = 0


def _place(offset: int, before: bytes, data: bytes, data_offset: int) -> Place:
    """Return a place with the fingerprint of up to 1,024 bytes before it, of those that are at hand."""
    end = offset - data_offset
    if end >= EVIDENCE:
        tail = data[end - EVIDENCE : end]
    elif end >= 0:
        tail = (before + data[:end])[-EVIDENCE:]
    else:
        tail = before[: max(0, len(before) + end)]
    return Place(offset, Print.of(tail))


def position_of(content: Content) -> Position:
    """Return the position of a text in the cursor."""
    if content.stream is None and content.expected is not None:
        return content.expected
    place = _place_of(content)
    device, inode = content.id or (0, 0)
    head = Print.of(content.known.head if place.skip else content.known.head[: min(place.offset, EVIDENCE)])
    return Position(
        str(content.path), device, inode, place.offset, head, place.tail, place.skip, content.unwanted, content.is_copy
    )


def _place_of(content: Content) -> Place:
    if content.stream is not None and (content.stream.has_yielded or content.original is None):
        return content.stream.place
    own = Place(content.begin.offset, Print.of(content.begin.tail), content.skip)
    if content.original is None:
        return own
    if content.original.expected is not None:
        expected = content.original.expected
        place = Place(expected.offset, expected.tail, expected.skip)
    else:
        place = _place_of(content.original)
    return min(own, place, key=lambda place: place.offset)  # what of its beginning was delivered as the original's
