"""The small pipeline: encoding, terminal filter, automaton, events. ``Scanner`` is all of it for one stream."""

from __future__ import annotations

from typing import Literal, TypedDict, Unpack, cast

from .automaton import Automaton
from .encoding import Utf8Input
from .errors import ClosedError
from .events import DeadCandidate, Dropped, Event, Found, Stats, Text, Unfinished, show
from .noise import TerminalFilter
from .open_object import OpenObject
from .spans import DROPPED, FOUND, UNFINISHED, Death, Span
from .start_after import StartAfter
from .tail import Tail

scanner_kind = "python"

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


class Pipeline:
    """Chunks in, events out: what ``Scanner`` and ``Watcher`` are made of.

    With ``text`` the text between objects is among the events; ``after`` is a text to wait for before anything counts;
    ``tail`` is how many bytes of the text's end to keep.
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
        text: bool = False,
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
        )
        self._stats = Stats(dead=self._automaton.deaths)
        self._lines = framing == "lines"
        self._fed = 0  # bytes of cleaned text before the chunk at hand
        self._chunk = b""
        self._open: tuple[int, int] | None = None
        self._growing: OpenObject | None = None  # the open object, once somebody has asked for its value
        self.closed = False
        self.last: Found | None = None
        self.unfinished: Unfinished | None = None

    def feed(self, chunk: Chunk) -> list[Event | Text]:
        """Read the next chunk and return what became certain."""
        if self.closed:
            raise ClosedError("fed after close")
        data = to_bytes(chunk)
        self._stats.bytes += len(data)
        return self._read(self._clean(self._encoding.feed(data)))

    def close(self) -> list[Event | Text]:
        """End the input and return what follows from that; nothing the second time."""
        if self.closed:
            return []
        self.closed = True
        events = self._read(self._clean(self._encoding.close()))
        self.unfinished = self.open
        self._settle()
        return events + self._events(self._automaton.close())

    @property
    def open(self) -> Unfinished | None:
        """The object being read now."""
        opened = self._automaton.open
        if opened is None:
            return None
        if self._growing is None:
            self._growing = OpenObject(opened[0], self._automaton)
        return Unfinished(self._start_offset(opened[0]), opened[1], self._growing)

    @property
    def tail(self) -> str:
        """The end of the text, terminal sequences removed; empty unless it was to be kept."""
        return "" if self._tail is None else self._tail.text()

    @property
    def stats(self) -> Stats:
        """Counts so far."""
        self._stats.reread = self._automaton.reread
        return self._stats

    def _read(self, data: bytes) -> list[Event | Text]:
        """Read the next chunk of cleaned text."""
        events: list[Event | Text] = []
        if self._lines and self._automaton.open is not None:
            end = data.find(b"\n")
            if end >= 0:  # where the object ends with its line its value is asked for after its bytes are gone
                events = self._read_part(data[:end])
                self._settle()
                data = data[end:]
        return events + self._read_part(data)

    def _read_part(self, data: bytes) -> list[Event | Text]:
        self._chunk = data
        events = self._events(self._automaton.feed(data))
        self._fed += len(data)
        self._chunk = b""
        return events

    def _settle(self) -> None:
        """Take what may be asked for later of the object that is open now, and will not be after the next byte."""
        if self.open is not None and self._growing is not None:
            self._growing.settle()

    def _unfinished(self, start: int, end: int) -> Unfinished:
        growing = self._growing
        if growing is None or growing.start != start:
            growing = OpenObject(start, None, rest=self._chunk[start - self._fed : end - self._fed])
        return Unfinished(self._start_offset(start), end - start, growing)

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

    def _events(self, spans: list[Span]) -> list[Event | Text]:
        if self._automaton.last_death is not None:
            self._note_death(self._automaton.last_death)
        events: list[Event | Text] = []
        shift = self._shift()
        if not spans and shift is not None:
            self._note_open()
            return events
        for kind, start, end, raw, fragment, fence in spans:
            if kind == FOUND:
                if shift is not None:
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
            elif kind == DROPPED:
                self._stats.dropped += 1
                events.append(Dropped(self._start_offset(start), self._offset(end - 1, past=1), "max_object_bytes"))
            elif kind == UNFINISHED:
                events.append(self._unfinished(start, end))
            else:
                events.append(Text(raw))
        self._note_open()
        if shift is None:
            self._forget(self._automaton.kept_from - 1)  # the byte before may still turn out to be an object's last
        return events

    def _note_open(self) -> None:
        """Keep where the open object begins, in the input as fed: its bytes may be let go of before it ends."""
        opened = self._automaton.open
        if self._growing is not None and (opened is None or opened[0] != self._growing.start):
            self._growing = None
        if opened is None:
            self._open = None
        elif self._open is None or self._open[0] != opened[0]:
            self._open = (opened[0], self._offset(opened[0]))

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
