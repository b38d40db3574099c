"""Which files are meant: paths, folders and patterns, looked at again and again at the cost of one stat a folder."""

from __future__ import annotations

import fnmatch
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

_has_magic = re.compile(r"[*?\[]").search
_UNSETTLED = 2.0  # seconds after a change in which another one may leave a folder's time as it is


@dataclass(slots=True)
class _Listing:
    changed: int
    settled: bool
    folders: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


class Paths:
    """The files that paths, folders and glob patterns lead to. A folder stands for all files in it, at any depth.

    ``*``, ``?`` and ``[…]`` match within one name, ``**`` any number of folders; neither matches hidden names nor, for
    ``**``, goes into linked folders. ``on_error`` is called with the path of a folder that cannot be listed.
    """

    def __init__(self, patterns: list[str], on_error: Callable[[str, OSError], None]) -> None:
        self._patterns = [self._split(pattern) for pattern in patterns]
        self._on_error = on_error
        self._listings: dict[str, _Listing] = {}
        self._visited: set[str] = set()
        self.folders: dict[str, bool] = {}
        """The folders that the files are in, as of the last look; whether those below them count too."""

    @staticmethod
    def _split(pattern: str) -> tuple[str, list[str]]:
        """Return the part without wildcards, and the names that follow it."""
        if not _has_magic(pattern) or os.path.lexists(pattern):
            return pattern, []
        drive, rest = os.path.splitdrive(pattern)
        names = re.split(r"[/\\]+" if os.sep == "\\" else "/+", rest)
        first = next(i for i, name in enumerate(names) if _has_magic(name))
        base = os.sep.join(names[:first])
        return drive + (base or (os.sep if rest.startswith(("/", os.sep)) and first else "")), names[first:]

    def expand(self) -> dict[str, None]:
        """Return the paths of all files there are now, in order, and paths without wildcards whether or not they are.

        Patterns of folders are given in order of name.
        """
        self._visited = set()
        self.folders = {}
        found: dict[str, None] = {}
        for base, names in self._patterns:
            if names:
                self.folders[base or os.curdir] = "**" in names or len(names) > 1
                found.update(dict.fromkeys(self._match(base, names)))
            elif os.path.isdir(base):
                self.folders[base] = True
                found.update(dict.fromkeys(self._match(base, ["**", "*"])))
            else:
                self.folders.setdefault(os.path.dirname(base) or os.curdir, False)
                found[base] = None
        for gone in self._listings.keys() - self._visited:
            del self._listings[gone]
        return found

    def _match(self, base: str, names: list[str]) -> Iterator[str]:
        name, rest = names[0], names[1:]
        if name == "**":
            rest = rest or ["*"]
            yield from self._match(base, rest)
            for folder in self._list(base).folders:
                if not folder.startswith("."):
                    yield from self._match(os.path.join(base, folder), names)
        elif not _has_magic(name):
            path = os.path.join(base, name)
            if rest:
                yield from self._match(path, rest)
            elif os.path.isfile(path):
                yield path
        else:
            matches = re.compile(fnmatch.translate(name)).match
            hidden = name.startswith(".")
            listing = self._list(base)
            if not rest:
                yield from (
                    os.path.join(base, file) for file in listing.files if matches(file) and hidden >= (file[0] == ".")
                )
                return
            for folder in listing.folders:
                if matches(folder) and hidden >= (folder[0] == "."):
                    yield from self._match(os.path.join(base, folder), rest)

    def _list(self, folder: str) -> _Listing:
        """Return what is in a folder; it is listed anew only when its time says that it changed, or may not say so."""
        folder = folder or os.curdir
        self._visited.add(folder)
        known = self._listings.get(folder)
        try:
            changed = os.stat(folder).st_mtime_ns
            if known is None or not known.settled or known.changed != changed:
                settled = time.time() - changed / 1e9 > _UNSETTLED
                known = self._listings[folder] = _Listing(changed, settled)
                with os.scandir(folder) as entries:
                    for entry in sorted(entries, key=lambda entry: entry.name):
                        _sort_in(known, entry)
        except (FileNotFoundError, NotADirectoryError):
            return _Listing(0, settled=False)
        except OSError as error:
            self._on_error(folder, error)
            return _Listing(0, settled=False)
        return known


def _sort_in(listing: _Listing, entry: os.DirEntry[str]) -> None:
    """Add an entry to the folders or the files; a link to a folder is neither."""
    if entry.is_dir(follow_symlinks=False):
        listing.folders.append(entry.name)
    elif not entry.is_symlink():
        if entry.is_file(follow_symlinks=False):
            listing.files.append(entry.name)
    else:
        try:
            if not stat.S_ISDIR(os.stat(entry.path).st_mode):
                listing.files.append(entry.name)
        except OSError:  # a link that leads nowhere, yet
            listing.files.append(entry.name)
