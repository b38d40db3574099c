"""Older generations that were there when following began: remembered, so that they are not taken for new ones later."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from .contents import Content
from .copies import Kind
from .files import id_of, open_file
from .places import reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .copies import Copies
    from .files import FileId
    from .places import Places


class OldOnes:
    """Tells the files that were there before the first look from those that came while it went on."""

    def __init__(self, places: Places, copies: Copies, problem: Callable[[str, str], None]) -> None:
        self._places = places
        self._copies = copies
        self._problem = problem
        self._there: set[tuple[str, FileId]] = set()

    def see(self, followed: Iterable[str]) -> None:
        """Note which files are there that are not followed, and may be older generations, before anything is read."""
        self._places.follow(followed)
        names = {real: Path(name) for name in self._places.names for real in (name, os.path.realpath(name))}
        names |= {name: content.path for content in self._places.lost for name in content.names}
        self._there = {(file.name, id_of(file.status)) for file in self._places.rotated(names)}

    def remember(self) -> Iterator[Content]:
        """Remember those that are not known by now, and yield them.

        What came while the first look went on is new, and may be followed by the next one.
        """
        there, self._there = self._there, set()
        names = {name: content.path for content in self._places.at.values() for name in content.names}
        for file in list(self._places.rotated(names)):
            known = file.name in self._places.at or self._places.in_file(id_of(file.status)) is not None
            if known or file.status.st_size == 0 or (file.name, id_of(file.status)) not in there:
                continue
            try:
                if self._copies.judge(file, self._places.now).kind is Kind.NEW:
                    content = Content(file.path or Path(file.name))
                    with closing(open_file(file.name)) as opened:
                        content.leave(opened, None if file.name.endswith(".gz") else file.status.st_size)
                    self._places.settle(content, file.name, id_of(file.status), followed=False)
                    yield content
            except OSError as error:
                self._problem(file.name, reason(error))
