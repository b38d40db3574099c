"""Whether an unknown file is a copy of a text that is known: see rule 4 of ``looking``."""

from __future__ import annotations

import os
import time
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .contents import Content
from .files import id_of, ids_in, open_file, stamp_of
from .generations import generation_of, originals
from .identity import EVIDENCE, Known

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .files import File, FileId, Stamp

_BLOCK = 65536
SETTLED = 2.0  # seconds after which an unchanged stamp says that nothing was written, however coarse the clock


class Unknown(NamedTuple):
    """A file that is not known."""

    name: str
    status: os.stat_result
    followed: bool
    """Whether it is at a name that is followed; else at one that a lost text may have been rotated to."""
    path: Path | None = None
    """With a name that can only be that of an older generation: whose."""


class Kind(Enum):
    """What an unknown file is."""

    NEW = "a text of its own"
    COPY = "a copy of a text, which is read where it stands"
    MOVED = "where a text that lost its file goes on"
    UNCLEAR = "not known yet"
    STALE = "not known before it is seen what became of what it may be a copy of"


class Verdict(NamedTuple):
    """What an unknown file is, the text it is a copy of, and where a new one begins."""

    kind: Kind
    content: Content | None = None
    begin: int = 0


_NEW, _UNCLEAR = Verdict(Kind.NEW), Verdict(Kind.UNCLEAR)


class _Copy(NamedTuple):
    stamp: Stamp
    original: Content
    content: Content  # the copy itself: what of it is known to be the same
    is_compared: bool  # to its end; of a compressed one that is still written the beginning will do


class Copies:
    """Judges unknown files.

    ``file_of`` opens a text's file, or returns None where it has lost it; ``kept`` and ``dropped`` are called with
    the copies that must be remembered from one run to the next.
    """

    def __init__(
        self,
        file_of: Callable[[Content], File | None],
        kept: Callable[[Content], object],
        dropped: Callable[[Content], object],
    ) -> None:
        self._file_of = file_of
        self._kept = kept
        self._dropped = dropped
        self._by_name: dict[str, dict[Content, None]] = {}
        self._generations: dict[str, dict[Content, None]] = {}
        self._others: dict[str, dict[Content, None]] = {}  # at other names that come from this one, such as backups
        self._waiting: dict[str, _Copy] = {}
        self._remembered: dict[FileId, Content] = {}
        self._unclear: set[FileId] = set()  # of them, those that were still being written when last looked at

    def add(self, content: Content, *names: str) -> None:
        """Know a text, by these names too."""
        content.names.update(names)
        for index, name in self._keys(content):
            index.setdefault(name, {})[content] = None

    def named(self, name: str) -> Iterable[Content]:
        """Return the texts that have, or had, this name."""
        return self._by_name.get(name, ())

    def forget(self, content: Content) -> None:
        """Forget a text; its copies are remembered as far as it was read."""
        for name in [name for name, copy in self._waiting.items() if copy.original is content]:
            copy = self._waiting.pop(name).content
            assert copy.id is not None
            if name.endswith(".gz") and content.expected is None:  # of which the beginning alone was compared
                copy.begin = copy.known = content.known
            self._remember(copy.id, copy)
        for index, name in self._keys(content):
            del index[name][content]
            if not index[name]:
                del index[name]

    def remember(self, content: Content) -> None:
        """Know from an earlier run that a file was a copy as far as it was read then."""
        assert content.id is not None
        self._remember(content.id, content)
        self._kept(content)

    def _remember(self, file_id: FileId, content: Content) -> None:
        before = self._remembered.get(file_id)  # in a file that is gone, and whose number another one got
        if before is not None and before is not content:
            self._dropped(before)
        self._remembered[file_id] = content

    def tidy(self, *, first: bool) -> None:
        """Let go of copies that are gone, and after the first look of what earlier runs remembered."""
        for name in [name for name in self._waiting if not os.path.lexists(name)]:
            self._dropped(self._waiting.pop(name).content)
        gone = self._remembered.keys() - self._unclear if first else self._gone()
        for file_id in gone:
            self._dropped(self._remembered.pop(file_id))
        self._unclear &= self._remembered.keys()

    def _gone(self) -> set[FileId]:
        """Return which of the files that are remembered are not in their directories any more, whatever their names."""
        folders = {os.path.dirname(content.path) for content in self._remembered.values()}
        return self._remembered.keys() - {file_id for folder in folders for file_id in ids_in(folder)}

    def judge(self, unknown: Unknown, now: float) -> Verdict:
        """Say what an unknown file is. Raises OSError where it cannot be read."""
        related = list(dict.fromkeys([*self._related(unknown), *self._replaced(unknown, now)]))
        backups, unknown_id = self._backups(unknown), id_of(unknown.status)
        if not related and not backups and unknown_id not in self._remembered:
            return _NEW
        waiting = self._waiting.get(unknown.name)
        if waiting is not None and waiting.is_compared and waiting.stamp == stamp_of(unknown.status):
            original = waiting.original
            if original.name is not None:
                return Verdict(Kind.COPY, original)
        file = open_file(unknown.name)
        try:
            verdict = self._compare(file, unknown, related)
            remembered = self._remembered.get(file.id)
            if verdict == _NEW and remembered is not None:
                # First whether it is still being written: it may be whole by the time that all of it is looked for.
                if unknown.name.endswith(".gz") and remembered.is_beyond(file):
                    verdict = _UNCLEAR
                    self._unclear.add(file.id)
                elif remembered.is_in(file):
                    verdict = Verdict(Kind.NEW, remembered.original, remembered.offset)
            if verdict == _NEW and (alike := self._alike(file, unknown, backups)):
                verdict = self._compare(file, unknown, alike)
        finally:
            file.close()
        if verdict != _UNCLEAR:
            self._unclear.discard(unknown_id)
        if verdict.kind in (Kind.NEW, Kind.MOVED):
            if unknown.name in self._waiting:
                self._dropped(self._waiting.pop(unknown.name).content)
            if file.id in self._remembered:
                self._dropped(self._remembered.pop(file.id))
        return verdict

    def _keys(self, content: Content) -> Iterator[tuple[dict[str, dict[Content, None]], str]]:
        for name in content.names:
            yield self._by_name, name
        for original in {original for name in content.names for original in generation_of(name)}:
            yield self._generations, original
        for original in {original for name in content.names if not generation_of(name) for original in originals(name)}:
            yield self._others, original

    def _related(self, unknown: Unknown) -> Iterator[Content]:
        generation, gzipped = generation_of(unknown.name), unknown.name.endswith(".gz")
        for name in originals(unknown.name):
            yield from self._by_name.get(name, ())
            for content in self._generations.get(name, ()):
                # A generation is no copy of another one that stands, but perhaps of what that was before.
                if content.name is None or gzipped or not generation:
                    yield content

    def _backups(self, unknown: Unknown) -> Iterable[Content]:
        """Return what may be other copies of the same text, and of its own where that was not there yet."""
        names = [unknown.name, *(name for name in originals(unknown.name) if name in self._by_name)]
        return dict.fromkeys(content for name in names for content in self._others.get(name, ()))

    def _alike(self, file: File, unknown: Unknown, backups: Iterable[Content]) -> list[Content]:
        """Return those that the file begins with all of, or that begin with all of it.

        Less than 1,024 bytes may as well be what each log begins with.
        """
        head, start = file.read_at(0, EVIDENCE), max(0, unknown.status.st_size - EVIDENCE)
        tail = b"" if unknown.name.endswith(".gz") else file.read_at(start, EVIDENCE)

        def has_all(content: Content) -> bool:
            other = self._file_of(content) if tail else None
            return other is not None and other.read_at(start, len(tail)) == tail

        same = [content for content in backups if len(head) == EVIDENCE and content.begins(head, EVIDENCE)]
        return [content for content in same if content.is_in(file) or has_all(content)]

    def _replaced(self, unknown: Unknown, now: float) -> list[Content]:
        """Return what the file replaced from one look to the next: it may be saved anew by an editor or a tool."""
        return [
            content
            for content in self._by_name.get(unknown.name, ())
            if content.name is None and content.lost_since == now and not content.vanished
            if content.offset >= EVIDENCE
        ]

    def _compare(self, file: File, unknown: Unknown, related: list[Content]) -> Verdict:
        status = file.status()  # of before it is read: what is written from now on changes it
        head, size = file.read_at(0, EVIDENCE), status.st_size
        if not head:
            return _UNCLEAR
        gzipped = unknown.name.endswith(".gz")
        tail = b"" if gzipped else file.read_at(max(0, size - EVIDENCE), EVIDENCE)
        copy = Known(head, len(head) if gzipped else max(0, size - EVIDENCE) + len(tail), head if gzipped else tail)
        stale: Content | None = None
        lost, standing, renamed, packed = list[Content](), list[Content](), list[Content](), list[Content]()
        waiting = self._waiting.get(unknown.name)
        for content in related:
            original = self._file_of(content) if content.id is not None else None
            if original is None or not content.is_in(original):
                lost.append(content)
                stale = stale if content.name is None else content
                if original is None and content.name is not None:
                    renamed.append(content)
            elif original.id != file.id:
                begins_so = original.read_at(0, len(head)) == head
                if gzipped and begins_so:
                    packed.append(content)
                    continue
                if begins_so and original.read_at(copy.offset - len(tail), len(tail)) == tail:
                    self._wait(status, unknown, content, copy)
                    return Verdict(Kind.COPY, content)
                if not content.is_in(original):  # any more: it was truncated while they were compared
                    return Verdict(Kind.STALE, content)
                (standing if content.name is not None else lost).append(content)
        copy_of = waiting.original if waiting is not None and waiting.content.is_in(file) else None
        for content in lost:
            if content is copy_of if content.is_blank else content.is_in(file):
                # What was renamed just now is in its own file rather than in a copy.
                return Verdict(Kind.STALE if content in renamed else Kind.MOVED, content)
        for content in packed:
            original = self._file_of(content)
            is_written = time.time() - status.st_mtime < SETTLED
            if is_written or (original is not None and _is_all_in(file, original)):
                self._wait(status, unknown, content, copy, is_compared=not is_written)
                return Verdict(Kind.COPY, content)
            (standing if content.name is not None else lost).append(content)
        if waiting is not None and copy_of is not None and copy_of.is_blank and copy_of in standing:
            original = self._file_of(copy_of)
            if original is not None and not waiting.content.is_in(original):
                return Verdict(Kind.MOVED, copy_of)  # truncated before anything of it was read: all of it is here
        copied = [
            content for content in lost if not gzipped and copy.offset <= content.offset and content.begins(head, size)
        ]
        parts = self._parts(file, standing, EVIDENCE if copied or gzipped else 0)
        if parts is not None:
            return parts
        if copied and (copy_of is None or copy_of in copied):  # also where it grew since it was last compared
            self._wait(status, unknown, copy_of or copied[0], copy)
            return Verdict(Kind.COPY, copy_of or copied[0])
        if copy_of is not None and copy_of in lost and copy_of.may_begin(head):  # it may have been blank when compared
            return Verdict(Kind.COPY, copy_of)  # until that is forgotten: it may be found yet
        if stale is not None:
            return Verdict(Kind.STALE, stale)
        heads = [content.known.head for content in lost]
        return _UNCLEAR if any(len(head) < len(known) and known.startswith(head) for known in heads) else _NEW

    def _parts(self, file: File, standing: list[Content], beyond: int) -> Verdict | None:
        """Return where a file goes its own way, if it has more than so much in common with one of these texts."""
        for content in standing:
            original = self._file_of(content)
            if original is None:
                continue
            at = where_they_part(file, original)
            if not content.is_in(original):  # any more, as above
                return Verdict(Kind.STALE, content)
            if at > beyond:
                return Verdict(Kind.NEW, content, at)
        return None

    def _wait(
        self, status: os.stat_result, unknown: Unknown, original: Content, copy: Known, *, is_compared: bool = True
    ) -> None:
        file_id, waiting = id_of(status), self._waiting.get(unknown.name)
        if waiting is not None and waiting.content.id != file_id:
            self._dropped(waiting.content)
            waiting = None
        content = Content(Path(unknown.name)) if waiting is None else waiting.content
        content.id, content.begin, content.known, content.is_copy = file_id, copy, copy, True
        content.original = original
        # A text of which nothing was read does not see that it is truncated before its first bytes are.
        is_compared = is_compared and not original.is_blank
        self._waiting[unknown.name] = _Copy(stamp_of(status), original, content, is_compared)
        if waiting is None:
            self._kept(content)
        if (remembered := self._remembered.pop(file_id, None)) is not None:
            self._dropped(remembered)


def _is_all_in(one: File, other: File) -> bool:
    """Tell whether a file begins with all that is in another one."""
    offset = 0
    while mine := one.read_at(offset, _BLOCK):
        if other.read_at(offset, len(mine)) != mine:
            return False
        offset += len(mine)
    return True


def where_they_part(one: File, other: File) -> int:
    """Return the offset of the first byte in which two files differ; 0 where they do not even share a line."""
    offset = 0
    while True:
        mine, theirs = one.read_at(offset, _BLOCK), other.read_at(offset, _BLOCK)
        if mine != theirs or not mine:
            differ = (at for at, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b)
            same = next(differ, min(len(mine), len(theirs)))
            return offset + same if offset or same >= EVIDENCE or b"\n" in mine[:same].lstrip() else 0
        offset += len(mine)
