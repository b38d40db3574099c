"""What happened to the files since the last look: what grew, was renamed, copied, truncated, replaced, or is new.

Rules:

1. A text is followed, not a file. It is recognised by its file (device and inode) as long as that begins with the same
   bytes: the first 1,024, and the 1,024 before the offset, or what there is of them (where more than 1,024 were read,
   the closing brackets that these ended with may be written over: some writers move them). It is read from its offset,
   together with the bytes before, and the first bytes are looked at again afterwards: what is delivered belongs
   together, whatever becomes of the file meanwhile.
2. A file that no longer begins so was truncated or rewritten, or is another one with the number of a deleted one: the
   text has lost its file, and another one begins there, at 0. What ``stat`` says is not enough for that, unless nothing
   was read of the text yet: then less in the file than before says so.
3. A text that lost its file is looked for: by device and inode under the other names and those that it may have been
   rotated to (``app.log.1``, ``app.log-20260131``, ``app.log.2.gz``), and as a copy (rule 4). It is then read on from
   its offset: to its end, before the text that replaced it. What was renamed just now is looked for in its own file
   before any copy is taken for it. One that is found nowhere ends when its descriptor has given nothing new for 10
   seconds.
4. An unknown file whose name is a rotated form of another one's, in the same directory, is a copy where that one, at
   this moment, begins with the same bytes and has the same bytes before the copy's end. First the unknown file is
   read, then the one that it may be a copy of: so a copy cannot have what its original did not show. A copy is not
   read while its original stands; when the original loses its file, the text goes on in the copy, from its offset. A
   copy that goes another way than its original is a text of its own from there on (those of a cursor: see ``twins``).
   So is a backup of what was not there, or was truncated before its first bytes were read: what comes later and begins
   with all of it, 1,024 bytes at least, is read from there on.
5. Any other unknown file is a new text, read from 0; those that were there when following began, as ``start`` says.
   Between a text that lost its file and the one that replaced it come those in files whose names can only be older
   generations of it, and which were not there before.
"""

from __future__ import annotations

import time
from collections import deque
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from .contents import Content, Data, Ended, Forgotten, News, Opened, Problem
from .copies import SETTLED, Copies, Kind
from .files import id_of, open_file
from .finding import Finder
from .generations import age, generation_of, originals
from .old_ones import OldOnes
from .open_files import OpenFiles
from .places import Places, reason
from .twins import Twins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..pipeline import ScanOptions
    from .copies import Unknown
    from .files import File
    from .identity import Position
    from .waking import Change

CHUNK = 262144  # bytes to read at a time
AT_A_TIME = 4 * CHUNK  # of one file, while others wait
_LOST_FOR = 10.0  # seconds after which a text without a file has ended
_SEARCHED_FOR = 2.0  # seconds in which to look for the new name or the copy of a text
_TIDIED_EVERY = 10.0  # seconds


class Start(NamedTuple):
    """Where to begin with the files that are there."""

    where: Literal["start", "end", "cursor"]
    positions: Sequence[Position] = ()


class Looker:
    """Looks after the files; what it sees is appended to ``news``. It never raises for what a file is or does."""

    def __init__(
        self,
        paths: Sequence[str],
        start: Start,
        *,
        scan_of: Callable[[Path], ScanOptions],
        whole_lines: bool,
        max_open: int,
    ) -> None:
        self.news: deque[News] = deque()
        self._finder = Finder(paths, self._note)
        self._start = start
        self._scan_of = scan_of
        self._whole_lines = whole_lines
        self._first = True
        self._files = OpenFiles(max_open)
        self._problems: dict[str, str] = {}
        self.bytes_read = 0
        self._let_go: list[Content] = []  # told after what takes their places: a cursor may be taken in between
        self._copies = Copies(
            self._files.of,
            kept=lambda content: self.news.append(Opened(content)),
            dropped=self._let_go.append,
        )
        self._places = Places(self._finder, self._copies, self._note)
        self._old_ones = OldOnes(self._places, self._copies, self._note)
        self._places.now = self._tidied = time.monotonic()
        for position in start.positions:
            content = Content(Path(position.path), position=position)
            if position.copy and content.id is not None:
                self._copies.remember(content)
            else:
                self._places.add(content)
                self.news.append(Opened(content))
        self._twins = Twins(self._places.lost, partial(self._begin_at_end, parts=True))

    @property
    def more(self) -> bool:
        """Whether there is more to read at once."""
        return bool(self._places.unread)

    @property
    def directories(self) -> set[str]:
        """The directories in which a change is worth a look."""
        return self._finder.directories | self._places.folders

    @property
    def named(self) -> set[Path]:
        """The paths that stand for one file each."""
        return {Path(name) for name in self._finder.named}

    def names_of(self, changes: Iterable[Change]) -> set[str] | None:
        """Return the names whose files were written to; None where more may have happened."""
        names = set()
        for path, is_new in changes:
            name = self._places.name_of(path)
            if is_new and (name is not None or self._finder.may_find(path)):
                return None
            if name is not None:
                names.add(name)
        return names

    def close(self) -> None:
        """Close all files."""
        self._files.keep(0)

    def look(self, budget: int, names: Iterable[str] | None = None) -> bool:
        """Look at all files, or only at some that are known; read up to ``budget`` bytes.

        Return False where more happened than these names could tell: then look at all.
        """
        places = self._places
        places.now = time.monotonic()
        if self._first:
            self._old_ones.see(self._finder.find())
        for _ in range(3):  # what is found out while reading gives reason to look again
            places.disturbed = False
            if names is None:
                found = self._finder.find()
                places.follow(found)
                unknown = places.walk(found, [name for name in places.at if name not in places.names])
                if lost := [content for content in places.lost if self._is_searched(content)]:
                    unknown += places.search(lost)
                self._take_in(unknown)
                for content in self._twins.part(self._files.of, self._is_searched):
                    places.have_read(content)
            elif places.walk(names, places.strays) or places.disturbed:
                return False
            for content in places.lost:
                if content.file is not None:  # deleted, and perhaps still written to
                    places.have_read(content)
            budget -= self._read(budget)
            if not places.disturbed:
                break
            names = None
        if self._first:
            self._first = False
            self.news.extend(map(Opened, self._old_ones.remember()))
            self._copies.tidy(first=True)
        self._end_some()
        self.news.extend(map(Forgotten, self._let_go))
        self._let_go.clear()
        self._files.keep()
        return True

    def _is_searched(self, content: Content) -> bool:
        return self._first or self._places.now - content.lost_since < _SEARCHED_FOR

    # Unknown files

    def _take_in(self, unknown: list[Unknown]) -> None:
        """Find out what unknown files are, originals before what may be copies of them; have them read."""
        if not unknown:
            return
        new: list[tuple[Unknown, Content]] = []
        names = {file.name for file in unknown}.union(*(content.names for content in self._places.at.values()))

        def rank(file: Unknown) -> tuple[int, int, str]:
            derived = 0 if names.isdisjoint(originals(file.name)) else 1 if generation_of(file.name) else 2
            return derived, len(file.name), file.name

        for file in sorted(unknown, key=rank):
            try:
                verdict = self._copies.judge(file, self._places.now)
                content = verdict.content
                if verdict.kind is Kind.STALE and content is not None and content.name is not None:
                    self._places.check(content, content.name)
                    self._places.have_read(content)
                    self._places.disturbed = True
                    break
                if verdict.kind is Kind.MOVED and content is not None:
                    had_name = content.name is not None
                    self._files.let_go(content)
                    self._settle(content, file)
                    if had_name:  # what is there now comes before its copies
                        self._places.disturbed = True
                        break
                elif verdict.kind is Kind.NEW and self._places.take_back(file, verdict.begin):
                    pass
                elif verdict.kind is Kind.NEW and (file.followed or file.path is not None):
                    content = self._new(file, verdict.begin)
                    content.original = verdict.content
                    self._settle(content, file)
                    new.append((file, content))
                    self.news.append(Opened(content))
            except OSError as error:
                self._note(file.name, reason(error))
            else:
                self._note(file.name, "")
        for _, content in new:
            self._places.unread.pop(content, None)
        for file, content in sorted(new, key=lambda pair: age(pair[0].name, pair[0].status.st_mtime_ns)):
            before = {*self._copies.named(file.name), *self._copies.named(str(content.path))} - {content}
            content.after = [other for other in before if other in self._places.unread]
            self._places.have_read(content)

    def _settle(self, content: Content, file: Unknown) -> None:
        self._places.settle(content, file.name, id_of(file.status), followed=file.followed)
        self._places.see(content, file.status)
        if self._first and time.time() - file.status.st_mtime > 2 * SETTLED:
            content.stamp_since -= 2 * SETTLED

    def _new(self, file: Unknown, begin: int) -> Content:
        """Return a text that begins in this file: where it goes its own way, at its end, or at its beginning."""
        content = Content(file.path or Path(file.name))
        at_end = self._first and self._start.where == "end" and file.followed
        if begin or at_end:
            with closing(open_file(file.name)) as opened:
                if file.name.endswith(".gz") and at_end:  # it does not grow
                    content.leave(opened)
                else:
                    size = opened.status().st_size if at_end else begin
                    self._begin_at_end(content, opened, size, parts=not at_end)
        return content

    def _begin_at_end(self, content: Content, file: File, size: int, *, parts: bool) -> None:
        content.begin_at_end(file, size, self._scan_of(content.path), whole_lines=self._whole_lines, parts=parts)

    # Reading

    def _read(self, budget: int) -> int:
        """Read what there is, up to ``budget`` bytes; return how many they were."""
        spent = 0
        for content in list(self._places.unread):
            content.after = [other for other in content.after if not other.at_end]
            if spent >= budget or content.after or content in self._twins:
                self._hold(content)
                if content in self._twins:
                    del self._places.unread[content]
                continue
            spent += self._read_one(content, min(AT_A_TIME, budget - spent))
            if content.at_end:
                self._places.unread.pop(content, None)
        return spent

    def _hold(self, content: Content) -> None:
        """Open a file that is read later: it may be deleted until then."""
        try:
            self._files.hold(content)
        except OSError as error:
            self._note(content.name or str(content.path), reason(error))

    def _read_one(self, content: Content, most: int) -> int:
        spent = 0
        try:
            file = self._files.of(content)
            if file is None:
                self._places.disturbed = self._places.disturbed or content.name is not None
                content.at_end = True
                return 0
            while spent < most:
                offset = content.offset
                data = content.read(file, CHUNK)
                if data is None:
                    self._lose_file(content)
                    break
                if not data:
                    content.at_end = True
                    break
                spent += len(data)
                self.bytes_read += len(data)
                content.grew = self._places.now
                self.news.append(Data(content, offset, data))
        except OSError as error:
            self._note(content.name or str(content.path), reason(error))
            content.at_end = True
        else:
            if content.name is not None:
                self._note(content.name, "")
        return spent

    def _lose_file(self, content: Content) -> None:
        """Note that a text is not in its file any more: it was truncated or rewritten."""
        if content.name is not None:
            self._places.lose(content, content.name)
        self._files.let_go(content)
        self._places.detach(content)
        content.at_end = True
        self._places.disturbed = True

    # Ends

    def _end_some(self) -> None:
        """End what was lost for too long, and what was rotated away too long ago."""
        places = self._places
        if places.now - self._tidied > _TIDIED_EVERY:
            self._tidied = places.now
            self._copies.tidy(first=False)
        for content in list(places.lost):
            waits_for_folder = content.expected is not None and not content.path.parent.is_dir()
            waits = waits_for_folder or (content.file is not None and not content.at_end)
            if places.now - max(content.lost_since, content.grew) > _LOST_FOR and not waits:
                self._end(content)
                self._files.let_go(content)
                places.forget(content)
                self.news.append(Forgotten(content))
        for content in places.too_many():
            assert content.name is not None
            del places.strays[content.name]
            self._end(content)

    def _end(self, content: Content) -> None:
        if not content.ended:
            content.ended = True
            self._places.stop_reading(content)
            self.news.append(Ended(content))

    def _note(self, name: str, why: str) -> None:
        """Note a problem once, and once when it is gone."""
        if why != self._problems.get(name, ""):
            if why:
                self._problems[name] = why
            else:
                del self._problems[name]
            self.news.append(Problem(name, why))
