"""The files that are held open, so that what is deleted can still be read: as many as there may be."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .contents import Content
    from .files import File

_AT_LEAST = 8  # files that are open while they are looked at, however few may be held


class OpenFiles:
    """Opens the files of texts, and closes those longest unused; last those that have no name any more."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._contents: dict[Content, None] = {}  # longest unused first

    def of(self, content: Content) -> File | None:
        """Return a text's file, opened; None where it has lost it. Raises OSError."""
        try:
            file = content.open()
        except FileNotFoundError:
            file = None
        self._contents.pop(content, None)
        if file is not None:
            self._contents[content] = None
            self.keep(max(_AT_LEAST, self._most))
        return file

    def hold(self, content: Content) -> None:
        """Open a text's file if there is room. Raises OSError."""
        if content.file is None and len(self._contents) < self._most:
            self.of(content)

    def let_go(self, content: Content) -> None:
        """Close a text's file."""
        self._contents.pop(content, None)
        content.close()

    def keep(self, most: int | None = None) -> None:
        """Close files until so many are open; as many as may be unless given."""
        surplus = len(self._contents) - (self._most if most is None else most)
        if surplus > 0:
            named = [content for content in islice(self._contents, 2 * surplus) if content.name is not None]
            for content in (named if len(named) >= surplus else list(self._contents))[:surplus]:
                self.let_go(content)
