"""Where the text of a file went: renamed in its folder, copied before it was cut, or compressed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .handle import is_gzip, open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .place import Place


def are_related(one: str, other: str) -> bool:
    """Tell whether one path may be what a rotation makes of the other.

    Rotations keep the beginning of the name: ``app.log``, ``app.log.1``, ``app-20240131.log.gz``.

    >>> are_related("/var/log/app.log", "/var/log/app.log.1.gz"), are_related("a.log", "b.log")
    (True, False)
    """
    first, second = os.path.split(one), os.path.split(other)
    stem = first[1].split(".")[0]
    return first[0] == second[0] and bool(stem) and (second[1].startswith(stem) or first[1].startswith(_stem(second[1])))


def _stem(name: str) -> str:
    return name.split(".")[0] or name


def find_text(place: Place, taken: Callable[[str], bool]) -> str | None:
    """Return the path in the place's folder that has its text now, but for paths that are taken; None if there is none.

    The file itself, renamed, comes before a copy, a copy before a compressed one.
    """
    for path in _candidates(place):
        if not taken(path) and _holds(path, place):
            return path
    return None


def _candidates(place: Place) -> Iterator[str]:
    folder = os.path.dirname(place.path)
    try:
        with os.scandir(folder or os.curdir) as entries:
            names = sorted((entry.name, entry.inode()) for entry in entries if not entry.is_dir(follow_symlinks=False))
    except OSError:
        return
    paths = [(os.path.join(folder, name), inode) for name, inode in names]
    yield from (path for path, inode in paths if inode == place.inode and path != place.path)
    related = [
        path for path, inode in paths if inode != place.inode and path != place.path and are_related(place.path, path)
    ]
    yield from (path for path in related if not is_gzip(path))
    yield from (path for path in related if is_gzip(path))


def _holds(path: str, place: Place) -> bool:
    try:
        if not os.path.isfile(path):
            return False
        source = open_source(path)
    except OSError:
        return False
    try:
        return place.is_in(source)
    except OSError:
        return False
    finally:
        source.close()
