r"""Paths of members: ``items.*.name``, compiled to a tree that is walked along with an object."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

Path = str | tuple[str | int, ...]

_EACH = None  # in a parsed path: each member or element
_has_index = re.compile(r"(?:[^\\]|\\.)*\[(?:[0-9]*|\*)\]", re.DOTALL).fullmatch
_piece = re.compile(r"((?:[^.\\]|\\.)+)(?:\.(?!\Z)|\Z)", re.DOTALL).match


@dataclass(slots=True)
class Node:
    """What is wanted of a value: ``keep`` all of it, tell ``watchers`` when it is there, and go into its ``children``.

    ``each`` stands for the members and elements that are not among the children.
    """

    keep: bool = False
    watchers: tuple[int, ...] = ()
    children: dict[str, Node] = field(default_factory=dict)
    each: Node | None = None


def compile_paths(watched: Iterable[Path] = (), kept: Iterable[Path] | None = ()) -> Node:
    """Return the tree for paths; a watcher is the index of its path in ``watched``, and ``kept`` None keeps everything.

    Raises ValueError or TypeError for what is no path.
    """
    patterns: list[tuple[_Parsed, int | None]] = [(parse(path), index) for index, path in enumerate(watched)]
    return _compile(patterns + ([((), None)] if kept is None else [(parse(path), None) for path in kept]))


def listed(paths: Iterable[Path] | None) -> tuple[Path, ...] | None:
    """Return paths that can be read more than once.

    Raises TypeError for one path where there should be several, and what `parse` raises.
    """
    if isinstance(paths, str | bytes):
        raise TypeError(f"fields is a list of paths, not {paths!r}")
    if paths is None:
        return None
    paths = tuple(paths)
    for path in paths:
        parse(path)
    return paths


_Parsed = tuple[str | None, ...]


def parse(path: Path) -> _Parsed:
    r"""Return the keys of a path, None for each ``*``.

    >>> parse("items.*.name"), parse(("a.b", 0, "*")), parse(r"a\.b.\*")
    (('items', None, 'name'), ('a.b', '0', None), ('a.b', '*'))
    """
    if not isinstance(path, str):
        if not isinstance(path, Sequence) or not path or not all(isinstance(key, str | int) for key in path):
            raise TypeError(f"a path is a text such as 'items.*.name', or a tuple of keys and indexes, not {path!r}")
        return tuple(_EACH if key == "*" else str(key) for key in path)
    keys: list[str | None] = []
    at = 0
    while at < len(path) or not keys:
        match = _piece(path, at)
        if match is None:
            raise ValueError(f"not a path: {path!r}; write a key with a dot as {chr(92)}. or pass a tuple of keys")
        if _has_index(match[1]):
            raise ValueError(f"not a path: {path!r}; an index is written with a dot before it, as in 'items.0.name'")
        keys.append(_EACH if match[1] == "*" else re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL))
        at = match.end()
    return tuple(keys)


def _compile(patterns: list[tuple[_Parsed, int | None]]) -> Node:
    here = [watcher for keys, watcher in patterns if not keys]
    deeper = [(keys[0], (keys[1:], watcher)) for keys, watcher in patterns if keys]
    anywhere = [rest for key, rest in deeper if key is _EACH]
    return Node(
        keep=None in here,
        watchers=tuple(watcher for watcher in here if watcher is not None),
        children={
            name: _compile([rest for key, rest in deeper if key in (name, _EACH)])
            for name in dict.fromkeys(key for key, _ in deeper if key is not _EACH)
        },
        each=_compile(anywhere) if anywhere else None,
    )
