"""Texts that a cursor has at the same place: copies that went their own way before anything of it was delivered.

What they have in common is delivered once: by the first of them, as long as that may still be found. Only names tell a
copy from another log that began with the same records: see ``generations``.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from .copies import where_they_part
from .generations import originals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .contents import Content
    from .files import File
    from .identity import Position


class Twins:
    """The texts of a cursor that wait until it is known where they part from their originals.

    ``begin`` has a text begin in its file at an offset.
    """

    def __init__(self, contents: Iterable[Content], begin: Callable[[Content, File, int], object]) -> None:
        self._begin = begin
        alike: dict[Position, list[list[Content]]] = defaultdict(list)
        for content in sorted(contents, key=lambda content: len(str(content.path))):
            position = content.expected
            if position is None or content.is_blank or content.unwanted:
                continue
            groups = alike[msgspec.structs.replace(position, path="", device=0, inode=0)]
            path = str(content.path)
            group = next((group for group in groups if str(group[0].path) in (path, *originals(path))), None)
            if group is None:
                groups.append([content])
            else:
                group.append(content)
        self._groups = [group for groups in alike.values() for group in groups if len(group) > 1]
        self._waiting = {content for group in self._groups for content in group[1:]}

    def __contains__(self, content: Content) -> bool:
        """Tell whether a text must not be read yet."""
        return content in self._waiting

    def part(
        self, file_of: Callable[[Content], File | None], may_be_found: Callable[[Content], bool]
    ) -> Iterator[Content]:
        """Yield those that wait no longer: they begin where they part, or at their place where there is no original."""
        for group in self._groups:
            while len(group) > 1 and _file(group[0], file_of) is None and not may_be_found(group[0]):
                del group[0]
                yield self._release(group[0])
            for content in group[1:]:
                if self._part(content, _file(content, file_of), group[0], _file(group[0], file_of)) or not (
                    may_be_found(content) or may_be_found(group[0])
                ):
                    group.remove(content)
                    yield self._release(content)
        self._groups = [group for group in self._groups if len(group) > 1]

    def _part(self, content: Content, file: File | None, original: Content, other: File | None) -> bool:
        """Have a text begin where it parts from its original; False where they cannot be compared now."""
        if file is None or other is None:
            return False
        try:
            at = 0 if file.id == other.id else where_they_part(file, other)
            if not (content.is_in(file) and original.is_in(other)):  # any more
                return False
            if at > content.offset:
                self._begin(content, file, at)
                content.original, content.skip = original, 0
        except OSError:  # told when it is read
            return False
        return True

    def _release(self, content: Content) -> Content:
        self._waiting.discard(content)
        return content


def _file(content: Content, file_of: Callable[[Content], File | None]) -> File | None:
    try:
        return file_of(content)
    except OSError:  # told when it is read
        return None
