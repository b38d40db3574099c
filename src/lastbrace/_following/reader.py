r"""All files that are followed, without an event loop: ``step`` looks, reads one chunk, and adds events.

Rules:

1. A file is device and inode. Another one at the same path is another file: what stood there is read to its end first,
   and for some seconds more, for writers that have not noticed. Its half record stays its own.
2. A file whose beginning changed, or that ends before what was read, was rewritten: it begins anew. This is looked at
   after each read and before what was read counts.
3. A copy made before a file was cut, a compressed one, and a renamed one go on where the file had come to.
4. Sizes and times only say when to look. Reading goes to the end of what is there.
5. One chunk at a time, one file after the other: no file waits for another, and nothing is read that nobody takes.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections import OrderedDict, deque
from typing import TYPE_CHECKING, Literal, NamedTuple

from .begin import Beginning, find_beginning
from .paths import Paths
from .place import HEAD, Place
from .rotation import are_related, find_text
from .tail import Rewritten, Tail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..scanner import ScanOptions
    from .handle import Key

_MAX_OPEN = 100  # files: macOS gives a process 256 descriptors
_PROBE = 0.6  # seconds after which an open file is read although its size and times are as they were
_LINGER = 5.0  # seconds of silence after which a file that left its path is let go of
_HOLD = 0.6  # seconds that a new file with a followed one's text is waited with: a copy, if the other is cut now
_RETRY = 1.0  # seconds until a file that could not be read is tried again
_MAX_PAST = 100  # files that went, to be known again when they come back compressed


class Began(NamedTuple):
    """A file is read from now on."""

    tail: Tail
    path: str
    beginning: Beginning


class Data(NamedTuple):
    """Bytes of a file, and where they stand. ``place`` says where reading has come to, its identity as of now."""

    tail: Tail
    data: bytes
    offset: int
    head: bytes


class Ended(NamedTuple):
    """A file, or what was written in it before it was rewritten, has no more to give."""

    tail: Tail


Happened = Began | Data | Ended


class Reader:
    """Follows the files of ``paths``; ``scan_for`` gives the scan options for a path.

    ``events`` is what happened and was not taken yet; ``errors`` holds what cannot be read now.
    """

    def __init__(
        self,
        patterns: list[str],
        start: Literal["start", "end"] | list[Place],
        scan_for: Callable[[str], ScanOptions],
        *,
        unwrapped: bool,
        poll_interval: float,
    ) -> None:
        self.events: deque[Happened] = deque()
        self.errors: dict[str, OSError] = {}
        self.past: dict[Key, Place] = {place.key: place for place in start} if isinstance(start, list) else {}
        self.paths = Paths(patterns, self._fail)
        self.next_look = 0.0
        self._start, self._scan_for, self._unwrapped = start, scan_for, unwrapped
        self._interval = poll_interval
        self._tails: dict[Key, Tail] = {}
        self._dirty: deque[Tail] = deque()
        self._open: OrderedDict[Tail, float] = OrderedDict()  # when each was last read
        self._retry: dict[str, float] = {}
        self._first = True
        self._lock = threading.Lock()  # a step may still run in its thread when its caller was cancelled

    def step(self, touched: Iterable[str] | None = None) -> None:
        """Look for changes when it is time, or at the paths touched, and read one chunk."""
        with self._lock:
            now = time.monotonic()
            if now >= self.next_look or touched is not None:
                self._look(now, touched if now < self.next_look else None)
            while self._dirty and not self.events:
                self._read_one(now)

    def begin(self) -> None:
        """Look for the first time, and fix where each file that is there begins."""
        with self._lock:
            self._look(time.monotonic(), None)
            self._first = False
            if self._start == "start":
                return
            for tail in list(self._dirty):
                if tail.begin != 0:
                    self._attempt(tail, self._begin)

    def close(self) -> None:
        """Let go of all files."""
        with self._lock:
            for tail in self._tails.values():
                tail.close()
            self._tails.clear()
            self._dirty.clear()

    def remember(self, place: Place) -> None:
        """Keep where reading of a file that went had come to."""
        self.past[place.key] = place
        for key in list(self.past)[: max(0, len(self.past) - _MAX_PAST)]:
            if not isinstance(self._start, list) or key not in {old.key for old in self._start}:
                del self.past[key]

    def _look(self, now: float, touched: Iterable[str] | None) -> None:
        """Compare what is at the paths with what is followed."""
        known = {os.path.abspath(tail.path): tail for tail in self._tails.values() if tail.state != "leaving"}
        if touched is not None and all(path in known for path in touched):
            for path in touched:
                if not self._is_there(known[path], now):
                    break
            else:
                return
        self.next_look = now + self._interval
        there: dict[Key, list[tuple[str, os.stat_result]]] = {}
        for path in self.paths.expand():
            status = self._stat(path)
            if status is not None:
                there.setdefault((status.st_dev, status.st_ino), []).append((path, status))
        for tail in list(self._tails.values()):
            self._compare(tail, there.get(tail.key), now)
        for key, hits in there.items():
            if key not in self._tails:
                self._appear(key, *hits[0], now)
        for tail, read_at in self._open.items():
            if now - read_at > _PROBE:
                tail.dirty = True
        self._dirty.extend(tail for tail in self._tails.values() if tail.dirty and tail not in self._dirty)

    def _stat(self, path: str) -> os.stat_result | None:
        try:
            status = os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            self._fail(path, error)
            return None
        if not stat.S_ISREG(status.st_mode):
            if not stat.S_ISDIR(status.st_mode):
                self._fail(path, OSError(f"{path}: not a regular file"))
            return None
        return status

    def _is_there(self, tail: Tail, now: float) -> bool:
        """Tell whether the file still is at its path, and take in what changed."""
        status = self._stat(tail.path)
        if status is None or (status.st_dev, status.st_ino) != tail.key:
            return False
        tail.notice(status, now)
        if tail.dirty and tail not in self._dirty:
            self._dirty.append(tail)
        return True

    def _compare(self, tail: Tail, hits: list[tuple[str, os.stat_result]] | None, now: float) -> None:
        if hits is not None:
            if all(path != tail.path for path, _ in hits):
                tail.path = hits[0][0]
            if tail.state == "leaving":
                tail.state = "active"
            tail.notice(hits[0][1], now)
        elif tail.state != "leaving":
            if tail.source is None:
                self._find_renamed(tail)
            tail.state, tail.dirty, tail.changed_at = "leaving", True, now
        elif now - tail.changed_at > _LINGER and not tail.dirty:
            self._drop(tail)

    def _find_renamed(self, tail: Tail) -> None:
        """Look for a file that was not kept open under another name, which no pattern matches."""
        moved = find_text(tail.place(), lambda _: False) if tail.head else None
        if moved is not None and not self._is_followed(moved):
            tail.path = moved
            status = os.stat(moved)
            del self._tails[tail.key]
            tail.key = (status.st_dev, status.st_ino)
            self._tails[tail.key] = tail

    def _is_followed(self, path: str) -> bool:
        try:
            status = os.stat(path)
        except OSError:
            return True
        other = self._tails.get((status.st_dev, status.st_ino))
        return other is not None and other.path != path

    def _appear(self, key: Key, path: str, status: os.stat_result, now: float) -> None:
        """Follow a file that was not there before."""
        begin: int | Place | Literal["end"] = 0
        if self._first and self._start == "end":
            begin = "end" if path.endswith((".gz", ".GZ")) else status.st_size
        tail = Tail(path, key, begin)
        tail.predecessor = next(
            (other for other in self._tails.values() if other.state == "leaving" and other.path == path), None
        )
        self._tails[key] = tail
        tail.notice(status, now)

    def _read_one(self, now: float) -> None:
        tail = self._dirty.popleft()
        while tail.predecessor is not None:
            if tail.predecessor in self._dirty and tail.predecessor.dirty:
                self._dirty.appendleft(tail)
                tail = tail.predecessor
                self._dirty.remove(tail)
            else:
                tail.predecessor = None
        if self._tails.get(tail.key) is not tail or self._retry.get(tail.path, 0) > now:
            return
        self._attempt(tail, self._read)
        if tail.dirty and self._tails.get(tail.key) is tail and tail.path not in self._retry:
            self._dirty.append(tail)

    def _attempt(self, tail: Tail, act: Callable[[Tail], None]) -> None:
        try:
            act(tail)
        except Rewritten:
            self._rewritten(tail)
        except OSError as error:
            tail.close()
            self._open.pop(tail, None)
            if tail.state == "leaving":
                self._drop(tail)
            elif not isinstance(error, FileNotFoundError):
                self._fail(tail.path, error)
        else:
            self.errors.pop(tail.path, None)
            self._retry.pop(tail.path, None)

    def _read(self, tail: Tail) -> None:
        if not tail.began:
            self._begin(tail)
            if not tail.began:
                return
        if tail.skip_all:
            tail.dirty = False
            tail.close()
            return
        offset = tail.offset
        data = tail.read()
        self._touch(tail)
        if data:
            tail.changed_at = time.monotonic()
            self.events.append(Data(tail, data, offset, tail.head))
        else:
            tail.dirty = False

    def _touch(self, tail: Tail) -> None:
        self._open[tail] = time.monotonic()
        self._open.move_to_end(tail)
        for other in list(self._open)[: max(0, len(self._open) - _MAX_OPEN)]:
            if other.state == "active" and other is not tail:
                other.close()
                del self._open[other]

    def _begin(self, tail: Tail) -> None:
        """Fix where a file begins."""
        source = tail.open()
        self._touch(tail)
        place = self._known(tail)
        if place is not None:
            self.past.pop(place.key, None)
            tail.begin = place
        elif not self._first and tail.begin == 0 and self._is_held(tail):
            tail.dirty = False
            return
        if isinstance(tail.begin, Place):
            self._start_at(tail, tail.begin.offset, tail.begin.streams)
        elif tail.begin == "end":
            tail.head = source.read(HEAD, 0)
            self._start_at(tail, None, {})
        else:
            exists = not tail.begin or len(source.read(1, tail.begin - 1)) == 1
            self._start_at(tail, tail.begin if exists else 0, {}, exact=False)

    def _start_at(
        self, tail: Tail, offset: int | None, streams: dict[str, tuple[int, int]], *, exact: bool = True
    ) -> None:
        if offset is None:
            tail.skip_all = True
            beginning = Beginning(0)
        elif self._unwrapped and exact:
            beginning = Beginning(offset, delivered=offset, streams=streams)
        elif self._unwrapped:
            lines: ScanOptions = {"framing": "lines"}
            found = find_beginning(tail.open(), offset, lines, exact=False)
            text = tail.open().read(offset - found.offset, found.offset)
            beginning = Beginning(found.offset + text.rfind(b"\n") + 1, skip_line=found.skip_line)
        else:
            beginning = find_beginning(tail.open(), offset, self._scan_for(tail.path), exact=exact)
        if offset is not None:
            tail.start(beginning.offset)
        tail.mark = max(beginning.offset, beginning.delivered)
        tail.state = "leaving" if tail.state == "leaving" else "active"
        tail.began = True
        self.events.append(Began(tail, tail.path, beginning))

    def _known(self, tail: Tail) -> Place | None:
        """Return the place of a file that was read before: this one, or one whose text it has."""
        source = tail.open()
        same = self.past.get(tail.key)
        if same is not None and same.is_in(source):
            return same
        for place in list(self.past.values()):
            if not place.head_size:
                continue
            if place.path == tail.path:
                if self._first and place.is_in(source):  # a file system that numbers anew
                    return place
            elif (self._first or tail.compressed) and are_related(place.path, tail.path) and place.is_in(source):
                if not os.path.exists(place.path) or self._first:
                    return place
        return None

    def _is_held(self, tail: Tail) -> bool:
        """Tell whether a new file has to wait: it may be a copy of one that is cut, or removed, next."""
        for other in self._tails.values():
            if other is tail or not other.began or not other.mark or not are_related(other.path, tail.path):
                continue
            if not tail.is_copy_so_far(other):
                continue
            if other.state == "leaving":
                if tail.compressed and not other.dirty and other.place().is_in(tail.open()):
                    tail.begin = Place.at(other.path, other.key, other.head, other.mark, b"")
                    return False
            elif time.monotonic() - tail.changed_at > _HOLD:
                continue
            tail.state = "held"
            tail.dirty = True
            return True
        return False
