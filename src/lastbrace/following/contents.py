"""One text that is followed, in whatever file it is by now: what is known of it, and reading on in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..pipeline import ScanOptions
from ..scanner import Scanner
from .files import File, FileId, Stamp, open_file
from .identity import EVIDENCE, NOTHING, Known, Position, Print
from .lines import MARKS, after_line

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from .stream import Stream

_LOOK_BACK = 65536  # bytes before the end in which to look for the line that is being written
_LINES_BACK = 2048  # bytes before that line in which an object may begin that is not closed in it


class Content:
    """One text: what was and will be written to one file until that is truncated, rewritten or replaced.

    It stays the same text when its file is renamed, copied before it is truncated, or compressed.
    """

    def __init__(self, path: Path, *, position: Position | None = None) -> None:
        self.path = path
        """The path that it was found at: what its records are said to come from."""
        self.name: str | None = None
        """Where it is now; None where no name is known."""
        self.names = {str(path)}
        """All names that it had."""
        self.id: FileId | None = None
        self.known = NOTHING
        self.begin = NOTHING
        """Where reading began."""
        self.floor = 0
        """What ends at or before this offset was complete before following began."""
        self.skip = 0
        """How many objects from where reading begins were delivered before."""
        self.unwanted = False
        """Known so that it is not taken for a new one; nothing of it is delivered."""
        self.is_copy = False
        """A copy of another one, as far as it is known: not read."""
        self.original: Content | None = None
        """The text that it has its beginning from, which is delivered as that one's."""
        self.stream: Stream | None = None
        """What reads it, on the side of whoever iterates."""
        self.ended = False
        """Not read any more."""
        self.at_end = True
        """Whether all that was there was read when last looked at."""
        self.after: list[Content] = []
        """Texts to be read to their end before this one."""
        self.stamp: Stamp | None = None
        """Its file's status when last looked at."""
        self.stamp_since = 0.0
        self.settled = False
        """Whether the stamp has stood for so long that it says that nothing was written since."""
        self.lost_since = 0.0
        """Since when no name is known."""
        self.vanished = False
        """Whether nothing was at its name when it was lost."""
        self.grew = 0.0
        """When something was last read."""
        self.file: File | None = None
        self._expected: Position | None = None
        if position is not None:
            self._expected = position
            self.id = FileId(position.device, position.inode) if position.inode else None
            self.skip = position.skip
            self.unwanted = position.known
            self.is_copy = position.copy

    def __repr__(self) -> str:
        return f"<Content {self.path} at {self.known.offset}, now in {self.name}>"

    @property
    def expected(self) -> Position | None:
        """What a cursor says of it, until its file was found and read."""
        return self._expected

    @property
    def is_blank(self) -> bool:
        """Whether nothing is known by which it could be recognised."""
        return self.offset == 0 and self.skip == 0

    @property
    def offset(self) -> int:
        """How far it was read."""
        return self.known.offset if self._expected is None else self._expected.offset

    def open(self) -> File | None:
        """Return its file, opened; None where the file at its name is another one. Raises OSError."""
        if self.file is None and self.name is not None:
            file = open_file(self.name)
            if file.id != self.id:
                file.close()
                return None
            self.file = file
        return self.file

    def close(self) -> None:
        """Close its file, to be opened again when needed."""
        if self.file is not None:
            self.file.close()
            self.file = None

    def is_in(self, file: File) -> bool:
        """Tell whether the file begins with all that was read of this text. Raises OSError."""
        if self._expected is not None:
            return self._verify(self._expected, file)
        known = self.known
        if not known.begins(file.read_at(0, len(known.head))):
            return False
        return known.offset <= EVIDENCE or known.ends_as(file.read_at(known.offset - len(known.tail), len(known.tail)))

    def is_beyond(self, file: File) -> bool:
        """Tell whether the file begins as this text and ends before what was read of it. Raises OSError."""
        return self.may_begin(file.read_at(0, EVIDENCE)) and not file.read_at(self.offset - 1, 1)

    def may_begin(self, head: bytes) -> bool:
        """Tell whether it may begin with these first bytes of a file, for all that is known of it."""
        if self._expected is None:
            size = min(len(head), len(self.known.head))
            return head[:size] == self.known.head[:size]
        wanted = self._expected.head  # of less there is no hash to compare
        return len(head) < wanted.length or Print.of(head[: wanted.length]) == wanted

    def _verify(self, expected: Position, file: File) -> bool:
        """Compare with what a cursor says; where it is right, know the bytes that it has the hashes of."""
        head = file.read_at(0, EVIDENCE)
        if Print.of(head[: expected.head.length]) != expected.head:
            return False
        start = expected.offset - min(expected.offset, EVIDENCE)
        tail = file.read_at(start, expected.offset - start)
        if len(tail) < expected.offset - start or (
            expected.tail.length and Print.of(tail[-expected.tail.length :]) != expected.tail
        ):
            return False
        self.begin = self.known = Known(head[: expected.offset], expected.offset, tail)
        self._expected = None
        return True

    def begins(self, head: bytes, size: int) -> bool:
        """Tell whether it begins with the first 1,024 bytes of a file of this size, or with all of a smaller one."""
        if self._expected is None:
            return self.known.has_head(head) or (len(head) == size < EVIDENCE and self.known.head.startswith(head))
        return len(head) == self._expected.head.length == EVIDENCE and Print.of(head) == self._expected.head

    def read(self, file: File, size: int) -> bytes | None:
        """Return what comes next, ``b""`` at the end; None where the file holds another text. Raises OSError.

        What was read before and what comes next are read in one go, and the file must begin the same afterwards: what
        is delivered belongs together, whatever becomes of the file meanwhile.
        """
        if self._expected is not None and not self._verify(self._expected, file):
            return None
        known = self.known
        if not known.begins(file.read_at(0, len(known.head))):
            return None
        block = file.read_at(known.offset - len(known.tail), len(known.tail) + size)
        if not known.ends_as(block[: len(known.tail)]):
            return None
        data = block[len(known.tail) :]
        if data:
            known = known._replace(tail=block[: len(known.tail)]).read_on(data)
            if not known.begins(file.read_at(0, len(known.head))):  # written over while it was read
                return None
            self.known = known
        return data

    def begin_at(self, file: File, offset: int) -> None:
        """Read from this offset on."""
        start = max(0, offset - EVIDENCE)
        head, tail = file.read_at(0, min(offset, EVIDENCE)), file.read_at(start, offset - start)
        self.begin = self.known = Known(head, offset, tail)

    def leave(self, file: File, size: int | None = None) -> None:
        """Know the text up to ``size``, or its beginning, so that nothing of it is taken for new."""
        self.unwanted = True
        self.begin_at(file, len(file.read_at(0, EVIDENCE)) if size is None else size)

    def begin_at_end(
        self, file: File, size: int, scan: ScanOptions, *, whole_lines: bool = False, parts: bool = False
    ) -> None:
        """Read from ``size`` on, or from where the record begins that is being written there.

        Where it is large it is let go, unless the text ``parts`` from another one there.
        """
        start = max(0, size - _LOOK_BACK)
        window, head = file.read_at(start, size - start), file.read_at(0, EVIDENCE)
        self.floor = start + len(window)
        if parts and start and b"\n" not in window:
            self.begin_at(file, _line_before(file, start))
            return
        line = after_line(window, start, head)
        if whole_lines or (line == len(window) and scan.get("framing") == "lines"):
            begin = line
        else:  # an object may have begun in a line before
            earlier = after_line(window[: max(0, line - _LINES_BACK)], start, head)
            line = earlier or (0 if start == 0 and line <= _LINES_BACK else line)
            begin = line + _open_from(window[line:], scan)
            begin -= (start + begin) % len(MARKS.get(head[:2], b"\n"))  # a brace may be half of a character there
        self.begin_at(file, start + begin if line or start == 0 else self.floor)

    def has_shrunk(self, status: os.stat_result) -> bool:
        """Tell whether a file of which nothing was read has less in it than before: there is no other sign of that."""
        return self.is_blank and self.stamp is not None and status.st_size < self.stamp[2]

    def see(self, stamp: Stamp, now: float, settled_after: float) -> bool:
        """Remember a stamp; tell whether something may have been written since the last one."""
        if stamp != self.stamp:
            self.stamp, self.stamp_since, self.settled = stamp, now, False
        elif self.settled:
            return False
        self.settled = now - self.stamp_since > settled_after
        return True


def _line_before(file: File, end: int) -> int:
    """Return where the line begins that goes on at ``end``."""
    while end > 0:
        start = max(0, end - _LOOK_BACK)
        line = after_line(file.read_at(start, end - start), start, file.read_at(0, EVIDENCE))
        if line:
            return start + line
        end = start
    return 0


def _open_from(text: bytes, scan: ScanOptions) -> int:
    """Return where the object begins that is open at the end of the text, or the length of the text."""
    scanner = Scanner(**scan)
    scanner.feed(text)
    return len(text) if scanner.open is None else scanner.open.start


class Opened(NamedTuple):
    """A text was found."""

    content: Content


class Data(NamedTuple):
    """Bytes were read."""

    content: Content
    offset: int
    data: bytes


class Ended(NamedTuple):
    """A text has ended: nothing more is read of it."""

    content: Content


class Forgotten(NamedTuple):
    """A text is gone from the disk: nothing needs to be remembered of it."""

    content: Content


class Problem(NamedTuple):
    """Something could not be read, and why; or an empty reason: it could again."""

    name: str
    reason: str


News = Opened | Data | Ended | Forgotten | Problem
