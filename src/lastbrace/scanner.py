"""``Scanner``: chunks in, objects out."""

from __future__ import annotations

from typing import Unpack, cast

from .chunks import Chunk
from .events import Event, Found, Stats, Unfinished
from .pipeline import Pipeline, ScanOptions
from .printing import counted
from .suggestions import check_options


class Scanner:
    """Finds JSON objects in a text that comes in chunks, cut anywhere, in time linear in the text.

    Read from left to right: at each opening brace an object is read if one can be read there, and reading goes on
    after its end, else at the next byte. What can be read is what Python's ``json`` reads: RFC 8259, with ``NaN``,
    ``Infinity`` and ``-Infinity``. Terminal escape sequences, NUL bytes and a byte-order mark are removed first, and a
    UTF-16 mark switches decoding.

    Arguments:
        roots: what begins an object: ``"object"`` a brace, ``"array"`` a bracket, ``"any"`` either.
        framing: ``"free"``, or ``"lines"`` for JSON Lines: no object crosses a line end.
        strict: refuse ``NaN``, ``Infinity`` and ``-Infinity``, as RFC 8259 does.
        strip_ansi: remove terminal sequences and NUL bytes.
        max_object_bytes: a larger object is followed but not stored, and reported as ``Dropped``; None for no limit.
        max_depth: containers inside one another; the bracket that exceeds it makes its object illegal.
        buffer_limit: an object of more bytes is not stored: its value is built as they come, and its ``raw`` is None.
            When it dies, reading goes on there, and it is reported as ``Dropped``. None stores every object.
        fields: paths of the members that are wanted of those objects (``"usage.tokens"``, ``"items.*.name"``), the
            others are passed over; None builds everything.

    Raises ValueError for an option that makes no sense.

    >>> scanner = Scanner()
    >>> scanner.feed('I will use %{name}. {"status": "do')
    []
    >>> scanner.feed('ne"} bye')
    [Found(20, 38, '{"status": "done"}')]
    >>> scanner.last.value
    {'status': 'done'}
    """

    __slots__ = ("_pipeline",)

    def __init__(self, **scan: Unpack[ScanOptions]) -> None:
        check_options(scan, ScanOptions.__annotations__)
        self._pipeline = Pipeline(**scan)

    def __repr__(self) -> str:
        stats = self.stats
        return f"<Scanner: {counted(stats.objects, 'object')} in {counted(stats.bytes, 'byte')}>"

    def feed(self, chunk: Chunk) -> list[Event]:
        """Read the next chunk and return the events that became certain, in the order of the text.

        Raises ClosedError after ``close``, TypeError for what is neither bytes nor ``str``; no content raises.
        """
        return cast("list[Event]", self._pipeline.feed(chunk))

    def close(self) -> list[Event]:
        """End the input: an object still open is reported as ``Unfinished``, then what can be read inside it.

        The second time nothing is left to report.
        """
        return cast("list[Event]", self._pipeline.close())

    @property
    def last(self) -> Found | None:
        """The newest object, fragments and empty ones left out."""
        return self._pipeline.last

    @property
    def open(self) -> Unfinished | None:
        """The object being read now, or None."""
        return self._pipeline.open

    @property
    def stats(self) -> Stats:
        """What was read so far, in counts."""
        return self._pipeline.stats
