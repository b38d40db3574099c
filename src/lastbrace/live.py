"""Reads objects while they are open: tells their members as they close, builds values too large to store."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from .events import Built, Field, FieldsVoid
from .object_reader import ObjectReader
from .open_object import Source
from .paths import Path, compile_paths
from .spans import FOUND, LARGE, PIECE, TEXT, Span


class LiveReader:
    """Follows the spans of one text, and the candidate that is open after each chunk.

    ``watched`` are the paths of members to tell, as ``Field`` events; ``FieldsVoid`` takes back those of an object that
    turns out to be none, or a fragment. With ``pieces`` objects may come in pieces: ``kept`` are the members that are
    built of those, beside the ones watched; None builds everything.

    The ``offset`` that methods take gives the offset as fed of the bracket at a position.
    """

    def __init__(self, watched: Iterable[Path], kept: Iterable[Path] | None, *, pieces: bool) -> None:
        watched = tuple(watched)
        self._fields = compile_paths(watched) if watched else None
        keys = self._fields.children if self._fields else ()
        self._needles = [b'"%s"' % key.encode("utf-8", "surrogatepass") for key in keys]
        if self._fields is not None and (self._fields.each is not None or not all(map(_is_plain, self._needles))):
            self._needles = [b""]  # which every object holds
        self._values = compile_paths(watched, kept) if pieces else None
        self._reader: ObjectReader | None = None
        self._start = -1  # of the object being read, while there is a reader
        self._where = 0  # the same as fed
        self._told = False  # a member of it
        self._given = -1  # up to where its bytes came in pieces, while they do

    @property
    def large(self) -> ObjectReader | None:
        """The reader of the object that comes in pieces."""
        return self._reader if self._given >= 0 else None

    @property
    def built(self) -> Built:
        """What was built of that object, which has closed."""
        assert self._reader is not None
        return Built(self._reader.value, self._reader.is_empty, self._reader.failed)

    def take(self, span: Span, offset: Callable[[int], int]) -> list[Field | FieldsVoid]:
        """Take in a span, and return what is to be told before it. After it ``finish`` must be called."""
        kind, start, end, raw, fragment, _ = span
        if kind == PIECE:
            events = [] if start in (self._start, self._given) else self._end()
            reader = self._begin(start, offset)
            reader.feed(raw[reader.consumed - (start - self._start) :])
            self._given = end
            return events + self._tell(reader)
        if kind == TEXT:
            return self._end()
        events = self._end() if start != self._start else []
        if fragment or kind not in (FOUND, LARGE):
            events += self._take_back()
        elif kind == FOUND and self._fields is not None and (start == self._start or self._may_hold(raw)):
            reader = self._begin(start, offset)
            reader.feed(raw[reader.consumed :])
            events += self._tell(reader)
        return events

    def finish(self, span: Span) -> None:
        """Forget the object that a span ended."""
        if span[0] not in (PIECE, TEXT):
            self._told = False
            self._end()

    def follow(self, source: Source, offset: Callable[[int], int]) -> list[Field | FieldsVoid]:
        """Read on in the candidate that is open when a chunk has been read, and return what is to be told."""
        opened = source.open
        if opened is None:
            return self._end()
        events = self._end() if opened[0] != self._start else []
        if self._given >= 0:
            if self._given < opened[0] + opened[1]:  # larger than max_object_bytes by now: it will be dropped
                self._reader = None
        elif self._fields is not None:
            reader = self._begin(opened[0], offset)
            reader.feed(source.open_bytes(reader.consumed))
            events += self._tell(reader)
        return events

    def _may_hold(self, raw: bytes) -> bool:
        """Tell whether a watched member may be in an object; the indexes of an array are not written in it."""
        return raw.startswith(b"[") or any(needle in raw for needle in self._needles) or b"\\u" in raw

    def _begin(self, start: int, offset: Callable[[int], int]) -> ObjectReader:
        """Return the reader of the object being read; it begins at ``start`` if there is none yet."""
        if self._reader is None:
            self._start, self._where = start, offset(start)
            self._reader = ObjectReader(self._values or self._fields, keep=self._values is not None)
        return self._reader

    def _tell(self, reader: ObjectReader) -> list[Field | FieldsVoid]:
        members = reader.take_members()
        self._told = self._told or bool(members)
        return [Field(self._where, member.watchers, member.path, member.value) for member in members]

    def _take_back(self) -> list[Field | FieldsVoid]:
        """Take back what was told of the object being read."""
        told, self._told = self._told, False
        return [FieldsVoid(self._where)] if told else []

    def _end(self) -> list[Field | FieldsVoid]:
        """Forget the object being read, and take back what was told of it."""
        self._reader, self._start, self._given = None, -1, -1
        return self._take_back()


_is_plain = re.compile(rb'"[ !#-.0-\[\]-~]+"').fullmatch  # written in no other way but with a \u escape
