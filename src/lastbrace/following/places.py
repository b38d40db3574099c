"""Where each text is by now: at which name, in which file, or lost."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from .copies import SETTLED, Unknown
from .files import FileId, id_of, open_file, stamp_of
from .generations import is_generation, originals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .contents import Content
    from .copies import Copies
    from .finding import Finder

_OLD_ONES = 2  # texts of one path, rotated away, that are still read: their writers may not know yet


class Places:
    """Keeps all texts, and finds them again. Problems are passed on with the name, and "" where there is none."""

    def __init__(self, finder: Finder, copies: Copies, problem: Callable[[str, str], None]) -> None:
        self._finder = finder
        self._copies = copies
        self._problem = problem
        self._by_id: dict[FileId, Content] = {}
        self._real_folders: dict[str, str] = {}
        self._by_path: dict[str, str] = {}
        self.now = 0.0
        self.at: dict[str, Content] = {}
        """The text at each name."""
        self.strays: dict[str, Content] = {}
        """Those at names that are not followed: rotated away, and still read."""
        self.lost: dict[Content, None] = {}
        """Those whose names are not known, in the order in which they lost them."""
        self.unread: dict[Content, None] = {}
        """Those that may have more to read, in the order in which to read them."""
        self.disturbed = False
        """Whether a text lost its place."""
        self.names: set[str] = set()
        """All names that are followed."""

    @property
    def folders(self) -> set[str]:
        """The absolute paths of the directories that the files are in."""
        return set(self._real_folders.values())

    def name_of(self, path: str) -> str | None:
        """Return the name of the known file at an absolute path."""
        name = self._by_path.get(path)
        return name if name in self.at else None

    def follow(self, names: Iterable[str]) -> None:
        """Note which names are followed from now on."""
        self.names = set(names)
        for name in self.names & self.strays.keys():
            del self.strays[name]

    def add(self, content: Content) -> None:
        """Keep a text that is remembered, and not found yet."""
        content.lost_since = self.now
        self._copies.add(content)
        self.lost[content] = None
        if content.id is not None:
            self._by_id[content.id] = content

    def settle(self, content: Content, name: str, file_id: FileId, *, followed: bool) -> None:
        """Note that this text is at this name, in this file."""
        if content.name is not None and self.at.get(content.name) is content:
            self._leave(content.name)
        self.lost.pop(content, None)
        if content.id != file_id:
            self.detach(content)
            content.id = file_id
        self._by_id[file_id] = content
        content.name = name
        self.at[name] = content
        real = os.path.realpath(name)
        absolute = os.path.abspath(name)
        self._copies.add(content, name, *([real] if real != absolute else ()))
        self._by_path[real] = self._by_path[absolute] = name
        self._real_folders[name] = os.path.dirname(real)
        if followed and content.unwanted and not name.endswith(".gz"):
            content.unwanted = False  # an old one that was put back
        if followed and content.is_blank:
            content.path = Path(name)
        if not followed and not (content.unwanted or content.ended):
            self.strays[name] = content

    def detach(self, content: Content) -> None:
        """Note that a text is not in its file any more."""
        if content.id is not None and self._by_id.get(content.id) is content:
            del self._by_id[content.id]
        content.id = content.stamp = None
        content.close()

    def lose(self, content: Content, name: str, *, vanished: bool = False) -> None:
        """Note that a text is not at this name any more."""
        self._leave(name)
        if content.name != name:
            return
        content.name, content.vanished, content.lost_since = None, vanished, self.now
        self.lost[content] = None
        if not content.unwanted and not content.ended:
            self.disturbed = True
            self.have_read(content)

    def forget(self, content: Content) -> None:
        """Forget a text that is lost."""
        del self.lost[content]
        self.stop_reading(content)
        self.detach(content)
        self._copies.forget(content)

    def stop_reading(self, content: Content) -> None:
        """Read no more of a text: nothing waits for it any longer."""
        self.unread.pop(content, None)
        content.at_end = True

    def too_many(self) -> list[Content]:
        """Return the texts rotated away that are not to be read any longer, for newer ones were."""
        of_path: dict[Path, list[Content]] = {}
        for content in self.strays.values():
            of_path.setdefault(content.path, []).append(content)
        surplus = []
        for contents in of_path.values():
            contents.sort(key=lambda content: content.grew)
            surplus += [content for content in contents[:-_OLD_ONES] if content.at_end]
        return surplus

    def walk(self, names: Iterable[str], others: Iterable[str]) -> list[Unknown]:
        """See what is at each name; return the files that are not known. At others there are no new ones."""
        unknown: dict[FileId, Unknown] = {}
        for name in list(others):
            self.check(self.at[name], name)
        for name in names:
            known = self.at.get(name)
            status = self._status(name)
            if known is not None and known.settled and status is not None and known.stamp == stamp_of(status):
                continue
            if status is None:
                if known is not None:
                    self.lose(known, name, vanished=True)
                continue
            if known is not None:
                if known.id == (status.st_dev, status.st_ino):
                    if not known.has_shrunk(status):
                        self.see(known, status)
                        continue
                    self.detach(known)
                self.lose(known, name)
            if not self._place(name, status, followed=True):
                unknown.setdefault(id_of(status), Unknown(name, status, followed=True))
        return list(unknown.values())

    def see(self, content: Content, status: os.stat_result) -> None:
        """Have a text read if its file may have been written to."""
        if content.see(stamp_of(status), self.now, SETTLED):
            self.have_read(content)

    def have_read(self, content: Content) -> None:
        """Have a text read at this look, if anything of it is wanted."""
        if not content.unwanted and not content.ended:
            content.at_end = False
            self.unread.setdefault(content)

    def check(self, content: Content, name: str) -> None:
        """See whether a text is still at its name."""
        status = self._status(name)
        if status is None or content.id != id_of(status):
            self.lose(content, name, vanished=status is None)
        else:
            self.see(content, status)

    def in_file(self, file_id: FileId) -> Content | None:
        """Return the text that was last seen in this file."""
        return self._by_id.get(file_id)

    def search(self, contents: Iterable[Content]) -> list[Unknown]:
        """Look for lost texts at the names that they may have now; return the unknown files at such names."""
        names = {name: content.path for content in contents for name in content.names}
        found: dict[FileId, Unknown] = {}
        for unknown in self.rotated(names):
            content = self.at.get(unknown.name)
            if content is not None:
                if content.id == id_of(unknown.status):
                    continue
                self.lose(content, unknown.name)
            if not self._place(unknown.name, unknown.status, followed=False):
                found.setdefault(id_of(unknown.status), unknown)
        return list(found.values())

    def rotated(self, names: dict[str, Path]) -> Iterable[Unknown]:
        """Return the files, followed ones aside, that have these names or were rotated from them."""
        for folder in {os.path.dirname(name) for name in names}:
            for base in self._finder.list(folder).files:
                name = os.path.join(folder, base)
                sources = [original for original in (*originals(name), name) if original in names]
                status = self._status(name) if sources and name not in self.names else None
                if status is not None:
                    of = [names[original] for original in sources if is_generation(name, original)]
                    yield Unknown(name, status, followed=False, path=of[-1] if of else None)

    def _leave(self, name: str) -> None:
        del self.at[name]
        self.strays.pop(name, None)
        self._real_folders.pop(name, None)

    def take_back(self, unknown: Unknown, beyond: int) -> bool:
        """Have a text go on in a file that is no copy of another one, where more than ``beyond`` of it is in it."""
        content = self._by_id.get(id_of(unknown.status))
        if content is None or content.offset <= beyond:
            return False
        return self._place(unknown.name, unknown.status, followed=unknown.followed, whatever_name=True)

    def _place(self, name: str, status: os.stat_result, *, followed: bool, whatever_name: bool = False) -> bool:
        """Tell whether the file is that of a known text, which then is at this name.

        Where the name does not come from one that it had, the file may as well be a copy of another text that got the
        number of a deleted file: that is for others to judge.
        """
        content = self._by_id.get(id_of(status))
        if content is None:
            return False
        told_apart = content.file is not None or (
            not content.is_blank and not content.names.isdisjoint((name, *originals(name)))
        )
        if not told_apart and not whatever_name:
            return False
        if content.name is not None:
            elsewhere = self._status(content.name)
            if elsewhere is not None and id_of(elsewhere) == content.id:  # two names of one file
                if followed:
                    self.at[name] = content
                return True
        try:
            file = content.file or open_file(name)
            try:
                same = file.id == id_of(status) and content.is_in(file)
            finally:
                if file is not content.file:
                    file.close()
        except OSError as error:
            self._problem(name, reason(error))
            return True  # looked at again at the next look
        if not same:  # another file with the number of one that was deleted, or rewritten
            if content.name is not None:
                self.lose(content, content.name)
            self.detach(content)
            return False
        self.settle(content, name, id_of(status), followed=followed)
        self.see(content, status)
        return True

    def _status(self, name: str) -> os.stat_result | None:
        """Return the status of a regular file; None where there is none."""
        try:
            status = os.stat(name)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            self._problem(name, reason(error))
            return None
        if not stat.S_ISREG(status.st_mode):
            self._problem(name, "not a regular file")
            return None
        return status


def reason(error: Exception) -> str:
    """Return in words what is wrong."""
    return getattr(error, "strerror", None) or str(error)
