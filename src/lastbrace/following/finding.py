"""Which files there are to follow: paths, globs and folders, looked up again at every look, cheaply at rest."""

from __future__ import annotations

import fnmatch
import os
import re
import stat
import time
from typing import TYPE_CHECKING, NamedTuple

from .files import FileId, id_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_SETTLED = 2.0  # seconds after which an unchanged time stamp says that nothing changed, however coarse the clock
_has_magic = re.compile(r"[*?\[]").search


class Listing(NamedTuple):
    """What is in a directory."""

    files: tuple[str, ...]
    folders: tuple[str, ...]


class _Cached(NamedTuple):
    stamp: tuple[int, int, int]
    since: float
    listing: Listing


class Finder:
    """Finds the files that the paths stand for.

    A path with ``*``, ``?`` or ``[`` is a pattern unless a file of that very name exists; ``**`` stands for any
    folders; names with a leading dot match only where the pattern has the dot. A folder stands for all files in it and
    below. ``problem`` is called with what could not be read, and why, or "" once it could.
    """

    def __init__(self, paths: Sequence[str], problem: Callable[[str, str], None]) -> None:
        self._paths = paths
        self._problem = problem
        self._cache: dict[str, _Cached] = {}
        self._listed: dict[str, Listing] = {}
        self._matched: dict[tuple[str, str], tuple[tuple[str, ...], tuple[str, ...]]] = {}
        self._named_paths: set[str] = set()
        self._matchers: dict[str, Callable[[str], object]] = {}
        self.directories: set[str] = set()
        """Where a change could bring a new file, as of the last ``find``."""
        self.named: frozenset[str] = frozenset()
        """The paths that stand for one file each, as of the last ``find``."""

    def find(self) -> tuple[str, ...]:
        """Return the names of all files; those given by name whether they exist or not."""
        self.directories = set()
        self._listed.clear()
        names: dict[str, None] = {}
        named, above = set(), {}
        for path in self._paths:
            if os.path.isdir(path):
                names.update(dict.fromkeys(self._match(path, ("**",), set())))
            elif _has_magic(path) and not os.path.lexists(path):
                anchor, parts = _split(path)
                names.update(dict.fromkeys(self._match(anchor, parts, set())))
            else:
                names[path] = None
                named.add(path)
                folder = os.path.dirname(path)
                if folder not in above:
                    above[folder] = _existing(folder)
                self.directories.add(above[folder])
        if self.named != named:
            self.named = frozenset(named)
            self._named_paths = {os.path.abspath(name) for name in named}
            self._named_paths |= {os.path.dirname(name) for name in self._named_paths}
        return tuple(names)

    def may_find(self, path: str) -> bool:
        """Tell whether a file that came or went at this absolute path can make a difference."""
        return len(self.named) < len(self._paths) or path in self._named_paths

    def list(self, folder: str) -> Listing:
        """Return what is in a directory, from memory while its time stamp says that nothing changed."""
        now = time.monotonic()
        cached = self._cache.get(folder)
        try:
            status = os.stat(folder or os.curdir)
            stamp = (status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
            if cached is not None and cached.stamp == stamp and now - cached.since > _SETTLED:
                return cached.listing
            listing = _scan(folder)
        except (FileNotFoundError, NotADirectoryError):
            self._cache.pop(folder, None)
            return Listing((), ())
        except OSError as error:
            self._problem(folder, error.strerror or str(error))
            self._cache.pop(folder, None)
            return Listing((), ())
        self._problem(folder, "")
        since = cached.since if cached is not None and cached.stamp == stamp else now
        self._cache[folder] = _Cached(stamp, since, listing)
        return listing

    def _match(self, folder: str, parts: tuple[str, ...], seen: set[tuple[FileId, int]]) -> Iterator[str]:
        """Yield the paths below a directory that fit the parts of a pattern, however deep they are."""
        waiting = [(folder, parts)]  # the next one last
        while waiting:
            folder, parts = waiting.pop()
            try:
                here = (id_of(os.stat(folder or os.curdir)), len(parts))
            except OSError:
                self.directories.add(_existing(folder))
                continue
            if here in seen:  # by a symbolic link, perhaps to a folder above
                continue
            seen.add(here)
            self.directories.add(folder)
            if folder not in self._listed:
                self._listed[folder] = self.list(folder)
            files, folders = self._listed[folder]
            first, rest = parts[0], parts[1:]
            if first == "**":
                waiting += [(os.path.join(folder, name), parts) for name in reversed(folders) if name[0] != "."]
                if rest:
                    waiting.append((folder, rest))
                else:
                    yield from self._matching(folder, "*", files)
            elif rest:
                waiting += [(os.path.join(folder, name), rest) for name in reversed(folders) if self._fits(first, name)]
            else:
                yield from self._matching(folder, first, files)

    def _matching(self, folder: str, pattern: str, files: tuple[str, ...]) -> tuple[str, ...]:
        """Return the paths of those files of a directory that fit; at rest, what was returned before."""
        known = self._matched.get((folder, pattern))
        if known is None or known[0] is not files:
            fitting = tuple(os.path.join(folder, name) for name in files if self._fits(pattern, name))
            known = self._matched[folder, pattern] = (files, fitting)
        return known[1]

    def _fits(self, pattern: str, name: str) -> bool:
        if pattern not in self._matchers:
            self._matchers[pattern] = re.compile(fnmatch.translate(os.path.normcase(pattern))).match
        return (name[0] != "." or pattern[0] == ".") and self._matchers[pattern](os.path.normcase(name)) is not None


def _split(pattern: str) -> tuple[str, tuple[str, ...]]:
    """Return the folder that a pattern begins with, and its other parts."""
    folder, parts = pattern, []
    while folder and _has_magic(folder):
        folder, part = os.path.split(folder)
        if part:
            parts.append(part)
    return folder, tuple(reversed(parts))


def _scan(folder: str) -> Listing:
    files, folders = [], []
    with os.scandir(folder or os.curdir) as entries:
        for entry in entries:
            try:
                mode = entry.stat().st_mode if entry.is_symlink() else None
                is_folder = entry.is_dir() if mode is None else stat.S_ISDIR(mode)
                is_file = entry.is_file() if mode is None else stat.S_ISREG(mode)
            except OSError:  # gone, or a link that leads nowhere yet
                is_folder, is_file = False, entry.is_symlink()
            if is_folder:
                folders.append(entry.name)
            elif is_file:
                files.append(entry.name)
    return Listing(tuple(sorted(files)), tuple(sorted(folders)))


def _existing(folder: str) -> str:
    """Return the nearest directory above that exists."""
    while folder and not os.path.isdir(folder):
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    return folder
