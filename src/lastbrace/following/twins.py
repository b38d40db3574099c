"""Texts that a cursor has at the same place: copies that went their own way before anything of it was delivered.

What they have in common is delivered once: by the first of them, as long as that may still be found.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from .copies import where_they_part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .contents import Content
    from .files import File
    from .identity import Position


class Twins:
    """The texts of a cursor that wait until it is known where they part from their originals."""

    def __init__(self, contents: Iterable[Content]) -> None:
        alike: dict[Position, list[Content]] = defaultdict(list)
        for content in contents:
            position = content.expected
            if position is not None and not (content.is_blank or content.unwanted):
                alike[_of_any_file(position)].append(content)
        self._groups = [
            sorted(group, key=lambda content: (len(str(content.path)), str(content.path)))
            for group in alike.values()
            if len(group) > 1
        ]
        self._waiting = {content for group in self._groups for content in group[1:]}

    def __contains__(self, content: Content) -> bool:
        """Tell whether a text must not be read yet."""
        return content in self._waiting

    def part(
        self, file_of: Callable[[Content], File | None], may_be_found: Callable[[Content], bool]
    ) -> Iterator[tuple[Content, Content | None, int]]:
        """Yield those that wait no longer: with where they part from which text, or None: it will not be found."""
        for group in self._groups:
            while len(group) > 1 and _file(group[0], file_of) is None and not may_be_found(group[0]):
                del group[0]
                yield self._release(group[0]), None, 0
            for content in group[1:]:
                at = _where(_file(content, file_of), content, _file(group[0], file_of), group[0])
                if at is None and (may_be_found(content) or may_be_found(group[0])):
                    continue
                group.remove(content)
                yield self._release(content), None if at is None else group[0], at or 0
        self._groups = [group for group in self._groups if len(group) > 1]

    def _release(self, content: Content) -> Content:
        self._waiting.discard(content)
        return content


def _of_any_file(position: Position) -> Position:
    return msgspec.structs.replace(position, path="", device=0, inode=0)


def _file(content: Content, file_of: Callable[[Content], File | None]) -> File | None:
    try:
        return file_of(content)
    except OSError:  # told when it is read
        return None


def _where(file: File | None, content: Content, other: File | None, original: Content) -> int | None:
    """Return where two texts part; None where they cannot be compared, or are not in these files any more."""
    if file is None or other is None:
        return None
    try:
        at = 0 if file.id == other.id else where_they_part(file, other)
        return at if content.is_in(file) and original.is_in(other) else None
    except OSError:
        return None
