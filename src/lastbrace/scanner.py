"""The small pipeline: encoding, terminal filter, automaton, events. ``Scanner`` is all of it for one stream."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack, cast

from .automaton import Automaton
from .encoding import Utf8Input
from .errors import ClosedError
from .events import DeadCandidate, Dropped, Event, Found, Inner, Stats, Text, Unfinished, show
from .noise import TerminalFilter
from .open_object import Growing, OpenObject
from .paths import Path
from .spans import DROPPED, FOUND, LARGE, TEXT, UNFINISHED, VOID, Death, Span
from .start_after import StartAfter
from .tail import Tail

if TYPE_CHECKING:
    from .live import LiveReader

scanner_kind = "python"
_OBJECTS = (FOUND, LARGE)

Chunk = bytes | bytearray | memoryview | str

DEFAULT_MAX_OBJECT_BYTES = 64 << 20  # larger than any answer, small enough to hold
DEFAULT_MAX_DEPTH = 200  # deeper than any record, and far from where decoders give up


class ScanOptions(TypedDict, total=False):
    """The options of a scan, taken by every function and class that scans; ``Scanner`` says what each means.

    >>> options: ScanOptions = {"framing": "lines", "strict": True}
    >>> Scanner(**options).feed('{"a": 1}')
    [Found(0, 8, '{"a": 1}')]
    """

    roots: Literal["object", "array", "any"]
    framing: Literal["free", "lines"]
    strict: bool
    strip_ansi: bool
    max_object_bytes: int | None
    max_depth: int
    buffer_limit: int | None
    fields: Iterable[Path] | None


class Pipeline:
    """Chunks in, events out: what ``Scanner`` and ``Watcher`` are made of.

    With ``text`` the text between objects is among the events, with ``watched`` the members at those paths, as they
    close; ``after`` is a text to wait for before anything counts; ``tail`` is how many bytes of the text's end to keep.
    """

    def __init__(
        self,
        *,
        roots: Literal["object", "array", "any"] = "object",
        framing: Literal["free", "lines"] = "free",
        strict: bool = False,
        strip_ansi: bool = True,
        max_object_bytes: int | None = DEFAULT_MAX_OBJECT_BYTES,
        max_depth: int = DEFAULT_MAX_DEPTH,
        buffer_limit: int | None = None,
        fields: Iterable[Path] | None = None,
        text: bool = False,
        watched: Sequence[Path] = (),
        after: str | bytes | None = None,
        tail: int | None = None,
        **unknown: object,
    ) -> None:
        if unknown:
            raise TypeError(f"unknown option {next(iter(unknown))!r}")
        if roots not in ("object", "array", "any"):
            raise ValueError(f"roots must be 'object', 'array' or 'any', not {roots!r}")
        if framing not in ("free", "lines"):
            raise ValueError(f"framing must be 'free' or 'lines', not {framing!r}")
        if max_object_bytes is not None and max_object_bytes < 1:
            raise ValueError(f"max_object_bytes must be at least 1, or None for no limit, not {max_object_bytes}")
        if max_depth < 1:
            raise ValueError(f"max_depth must be at least 1, not {max_depth}")
        if buffer_limit is not None and buffer_limit < 1:
            raise ValueError(f"buffer_limit must be at least 1, or None to store all objects, not {buffer_limit}")
        self._encoding = Utf8Input()
        self._filter = TerminalFilter() if strip_ansi else None
        self._start_after = StartAfter(to_bytes(after)) if after else None
        self._tail = None if tail is None else Tail(tail)
        self._automaton = Automaton(
            roots=roots,
            framing=framing,
            strict=strict,
            max_object_bytes=max_object_bytes,
            max_depth=max_depth,
            text=text,
            pieces_above=buffer_limit,
        )
        self._live: LiveReader | None = None
        if watched or buffer_limit is not None:
            from .live import LiveReader  # noqa: PLC0415 - it loads a parser that few who scan need

            self._live = LiveReader(watched, fields, pieces=buffer_limit is not None)
        self._stats = Stats(dead=self._automaton.deaths)
        self._lines = framing == "lines"
        self._open: tuple[int, int] | None = None
        self._growing = Growing(self._automaton)
        self.closed = False
        self.last: Found | None = None
        self.unfinished: Unfinished | None = None

    def feed(self, chunk: Chunk) -> list[Inner]:
        """Read the next chunk and return what became certain."""
        if self.closed:
            raise ClosedError("fed after close")
        data = to_bytes(chunk)
        self._stats.bytes += len(data)
        return self._read(self._clean(self._encoding.feed(data)))

    def close(self) -> list[Inner]:
        """End the input and return what follows from that; nothing the second time."""
        if self.closed:
            return []
        self.closed = True
        events = self._read(self._clean(self._encoding.close()))
        self.unfinished = self.open
        self._growing.settle()
        return events + self._events(self._automaton.close())

    @property
    def open(self) -> Unfinished | None:
        """The object being read now."""
        opened = self._automaton.open
        return None if opened is None else self._unfinished(*opened)

    @property
    def tail(self) -> str:
        """The end of the text, terminal sequences removed; empty unless it was to be kept."""
        return "" if self._tail is None else self._tail.text()

    @property
    def stats(self) -> Stats:
        """Counts so far."""
        self._stats.reread = self._automaton.reread
        return self._stats

    def _read(self, data: bytes) -> list[Inner]:
        """Read the next chunk of cleaned text."""
        events: list[Inner] = []
        if self._lines and self._automaton.open is not None:
            end = data.find(b"\n")
            if end >= 0:  # where the object ends with its line its value is asked for after its bytes are gone
                events = self._read_part(data[:end])
                self._growing.settle()
                data = data[end:]
        return events + self._read_part(data)

    def _read_part(self, data: bytes) -> list[Inner]:
        self._growing.chunk = data
        events = self._events(self._automaton.feed(data))
        self._growing.pass_chunk()
        return events

    def _unfinished(self, start: int, size: int) -> Unfinished:
        """Return the object that is open now, or was when its line ended."""
        large = None if self._live is None else self._live.large
        growing = self._growing.get(start, size) if large is None else OpenObject(start, None, reader=large)
        return Unfinished(self._start_offset(start), size, growing)

    def _clean(self, data: bytes) -> bytes:
        if self._filter is not None:
            data = self._filter.feed(data)
        if self._start_after is not None:
            data = self._start_after.feed(data)
        if self._tail is not None:
            self._tail.feed(data)
        return data

    def _offset(self, position: int, *, past: int = 0) -> int:
        """Return where in the input as fed the byte at ``position`` of the cleaned text came from.

        With ``past``, so many bytes further on in the decoded input: 1 is just past that byte.
        """
        if self._start_after is not None:
            position += self._start_after.skipped
        if self._filter is not None:
            position = self._filter.offsets.at(position)
        return self._encoding.offsets.at(position + past)

    def _forget(self, position: int) -> None:
        """Let go of what is remembered of offsets before ``position``, which is not asked for again."""
        if self._start_after is not None:
            position += self._start_after.skipped
        if self._filter is not None:
            self._filter.offsets.advance(position)
            position = self._filter.offsets.at(position)
        self._encoding.offsets.advance(position)

    def _shift(self) -> int | None:
        """Return what to add to a position to have its offset, or None where that differs from one to another."""
        shift = self._encoding.offsets.shift
        if shift is not None and self._filter is not None:
            removed = self._filter.offsets.shift
            shift = None if removed is None else shift + removed
        if shift is not None and self._start_after is not None:
            shift += self._start_after.skipped
        return shift

    def _events(self, spans: list[Span]) -> list[Inner]:
        if self._automaton.last_death is not None:
            self._note_death(self._automaton.last_death)
        events: list[Inner] = []
        shift, live = self._shift(), self._live
        if not spans and shift is not None:
            self._note_open(events)
            return events
        for span in spans:
            kind, start, end, raw, fragment, fence = span
            if live is not None:
                events += live.take(span, self._start_offset)
            if kind in _OBJECTS:
                if live is not None and kind == LARGE:
                    where = self._start_offset(start), self._offset(end - 1, past=1)
                    found = Found(*where, None, fragment, fence, _built=live.built)
                elif shift is not None:
                    found = Found(start + shift, end + shift, raw, fragment, fence)
                else:
                    self._forget(start)
                    found = Found(self._offset(start), self._offset(end - 1, past=1), raw, fragment, fence)
                events.append(found)
                if fragment:
                    self._stats.fragments += 1
                else:
                    self._stats.objects += 1
                    if not found.empty:
                        self.last = found
            elif kind in (DROPPED, VOID):
                self._stats.dropped += kind == DROPPED
                limit = "max_object_bytes" if kind == DROPPED else "buffer_limit"
                events.append(Dropped(self._start_offset(start), self._offset(end - 1, past=1), limit))
            elif kind == UNFINISHED:
                events.append(self._unfinished(start, end - start))
            elif kind == TEXT:
                events.append(Text(raw))
            if live is not None:
                live.finish(span)
        self._note_open(events)
        if shift is None:
            self._forget(self._automaton.kept_from - 1)  # the byte before may still turn out to be an object's last
        return events

    def _note_open(self, events: list[Inner]) -> None:
        """Keep where the open object begins, in the input as fed: its bytes may be let go of before it ends."""
        opened = self._automaton.open
        self._growing.forget(-1 if opened is None else opened[0])
        if opened is None:
            self._open = None
        elif self._open is None or self._open[0] != opened[0]:
            self._open = (opened[0], self._offset(opened[0]))
        if self._live is not None:
            events += self._live.follow(self._automaton, self._start_offset)

    def _start_offset(self, start: int) -> int:
        """Return the offset in the input as fed of the bracket at ``start``."""
        return self._open[1] if self._open is not None and self._open[0] == start else self._offset(start)

    def _note_death(self, death: Death) -> None:
        """Keep the last dead candidate in offsets of the input as fed, while they can be told."""
        self._automaton.last_death = None
        self._stats.last_dead = DeadCandidate(
            self._start_offset(death.start), self._offset(death.position), death.byte, death.reason, show(death.excerpt)
        )


def to_bytes(chunk: Chunk) -> bytes:
    """Return the chunk as bytes: UTF-8 of a ``str`` (lone surrogates as they are), a copy of a buffer."""
    if type(chunk) is bytes:
        return chunk
    if isinstance(chunk, str):
        return chunk.encode("utf-8", "surrogatepass")
    if isinstance(chunk, bytes | bytearray | memoryview):
        return bytes(chunk)
    raise TypeError(f"a chunk is bytes, bytearray, memoryview or str, not {type(chunk).__name__}")


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
        self._pipeline = Pipeline(**scan)

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
