"""The small pipeline: encoding, terminal filter, automaton, events."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict

from .chunks import Chunk, to_bytes
from .encoding import Utf8Input
from .errors import ClosedError
from .events import DeadCandidate, Dropped, Found, Inner, Stats, Text, Unfinished, show
from .implementation import AUTOMATA, scanner_kind
from .limits import check_limit
from .noise import TerminalFilter
from .open_object import Growing, OpenObject
from .paths import Path, listed
from .spans import DROPPED, EXCERPT_AFTER, FOUND, LARGE, PIECE, TEXT, UNFINISHED, VOID, Death, Member, Span
from .start_after import StartAfter
from .suggestions import meant
from .tail import Tail

if TYPE_CHECKING:
    from .live import LiveReader

_OBJECTS = (FOUND, LARGE)

DEFAULT_MAX_OBJECT_BYTES = 64 << 20  # larger than any answer, small enough to hold
DEFAULT_MAX_DEPTH = 200  # deeper than any record, and far from where decoders give up


class ScanOptions(TypedDict, total=False):
    """The options of a scan, taken by every function and class that scans; ``Scanner`` says what each means.

    >>> import lastbrace
    >>> options: lastbrace.ScanOptions = {"framing": "lines", "strict": True}
    >>> lastbrace.Scanner(**options).feed('{"a": 1}')
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
    With ``newest``, of the objects that became certain at once only the newest is among the events, and beside it those
    that may have the member ``key``. ``members`` are those that `members_of` tells.
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
        newest: bool = False,
        key: bytes | None = None,
        members: tuple[bytes, ...] = (),
        _implementation: str = scanner_kind,
        **unknown: object,
    ) -> None:
        if unknown:
            name = next(iter(unknown))
            raise TypeError(f"unknown option {name!r}{meant(name, ScanOptions.__annotations__)}")
        if roots not in ("object", "array", "any"):
            raise ValueError(f"roots must be 'object', 'array' or 'any', not {roots!r}")
        if framing not in ("free", "lines"):
            raise ValueError(f"framing must be 'free' or 'lines', not {framing!r}")
        check_limit("max_object_bytes", max_object_bytes, ", or None for no limit")
        check_limit("max_depth", 0 if max_depth is None else max_depth)
        check_limit("buffer_limit", buffer_limit, ", or None to store all objects")
        fields = listed(fields)
        self._encoding = Utf8Input()
        self._filter = TerminalFilter() if strip_ansi else None
        start = TerminalFilter().feed(to_bytes(after or b"")) if strip_ansi else to_bytes(after or b"")
        self._start_after = StartAfter(start) if start else None
        self._tail = None if tail is None else Tail(tail)
        self._automaton = AUTOMATA["python" if buffer_limit is not None else _implementation](
            roots=roots, framing=framing, strict=strict, max_object_bytes=max_object_bytes, max_depth=max_depth,
            text=text, newest=newest and buffer_limit is None, key=key, members=members, stops=strip_ansi, make=Found,
            **({} if buffer_limit is None else {"pieces_above": buffer_limit}),
        )  # fmt: skip
        self._live: LiveReader | None = None
        if watched or buffer_limit is not None:
            from .live import LiveReader  # noqa: PLC0415 - it loads a parser that few who scan need

            self._live = LiveReader(watched, fields, pieces=buffer_limit is not None)
        # While all stages let all through, chunks go to the automaton as they are, and it makes the events.
        self._direct = False
        self._since = 0  # the position from which on they do
        self._bytes = 0  # read before that
        self._stats = Stats(dead=self._automaton.deaths)
        self._excerpt, self._excerpt_lacks = b"", 0  # of the last death, and how much of it is still to come
        self._lines = framing == "lines"
        self._open: tuple[int, int] | None = None
        self._growing = Growing(self._automaton)
        self.members_of: Callable[[bytes], tuple[Member, ...] | None] = self._automaton.members_of
        """Returns the members of the newest object, given its `Found.raw` itself; None where only decoding tells."""
        self.closed = False
        self.unfinished: Unfinished | None = None

    def feed(self, chunk: Chunk) -> list[Inner]:
        """Read the next chunk and return what became certain."""
        data = chunk if type(chunk) is bytes else to_bytes(chunk)
        if not self._direct:
            return self._feed_filters(data)
        automaton = self._automaton
        events = automaton.feed(data)
        if not automaton.notes:
            return events
        if automaton.last_death is not None:
            self._note_death(automaton.last_death)
        events = [self._other(*event[:4]) if type(event) is tuple else event for event in events]
        if self._excerpt_lacks:
            self._leave_direct()
        return events if automaton.stopped < 0 else events + self._feed_filters(data[automaton.stopped :])

    def _feed_filters(self, data: bytes) -> list[Inner]:
        """Read a chunk that not all stages let through as it is."""
        if self.closed:
            raise ClosedError("fed after close")
        if self._direct:
            self._leave_direct()
        self._bytes += len(data)
        events = self._read(self._clean(self._encoding.feed(data)))
        if self._lets_all_through:
            self._automaton.shift = shift = self._shift()
            self._direct = shift is not None
            self._since = self._automaton.end
        return events

    @property
    def _lets_all_through(self) -> bool:
        """Whether nothing but the automaton has anything to do with text that has no terminal sequences."""
        is_in_text = self._filter is None or self._filter.is_in_text
        unasked = self._start_after is None and self._tail is None and self._live is None and not self._lines
        return unasked and not self._excerpt_lacks and self._encoding.is_utf8 and is_in_text

    def _leave_direct(self) -> None:
        """Let the stages know what went by without them."""
        self._note_open([])
        passed = self._automaton.end - self._since
        self._bytes += passed
        if self._filter is not None:
            self._filter.let_through(passed)
        self._automaton.shift = None
        self._direct = False

    def close(self) -> list[Inner]:
        """End the input and return what follows from that; nothing the second time."""
        if self.closed:
            return []
        self.closed = True
        if self._direct:
            self._leave_direct()
        events = self._read(self._clean(self._encoding.close()))
        self.unfinished = self.open
        self._growing.settle()
        return events + self._events(self._automaton.close())

    @property
    def last(self) -> Found | None:
        """The newest object, fragments and empty ones left out."""
        last: Found | None = self._automaton.last
        return last

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
    def awaits_start(self) -> bool:
        """Whether the text that all comes ``after`` has not gone by."""
        return self._start_after is not None and self._start_after.is_waiting

    @property
    def stats(self) -> Stats:
        """Counts so far."""
        stats, automaton = self._stats, self._automaton
        stats.bytes = self._bytes + (automaton.end - self._since if self._direct else 0)
        stats.reread = automaton.reread
        stats.objects, stats.fragments = automaton.objects, automaton.fragments
        return stats

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
        if self._excerpt_lacks:
            self._add_to_excerpt(data)
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
                if not fragment and not found.empty:
                    self._automaton.last = found
            elif kind != PIECE:
                events.append(self._other(kind, start, end, raw))
            if live is not None:
                live.finish(span)
        self._note_open(events)
        if shift is None:
            self._forget(self._automaton.kept_from - 1)  # the byte before may still turn out to be an object's last
        return events

    def _other(self, kind: int, start: int, end: int, raw: bytes) -> Inner:
        """Return the event of what is no object."""
        if kind != TEXT:
            self._forget(start)
        if kind in (DROPPED, VOID):
            self._stats.dropped += kind == DROPPED
            limit = "max_object_bytes" if kind == DROPPED else "buffer_limit"
            return Dropped(self._start_offset(start), self._offset(end - 1, past=1), limit)
        return self._unfinished(start, end - start) if kind == UNFINISHED else Text(raw)

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
        self._excerpt = death.excerpt
        self._excerpt_lacks = max(0, death.position + EXCERPT_AFTER - self._automaton.end)

    def _add_to_excerpt(self, data: bytes) -> None:
        """Show of the text around the last death what follows now."""
        assert self._stats.last_dead is not None
        data = data[: self._excerpt_lacks]
        self._excerpt += data
        self._excerpt_lacks -= len(data)
        self._stats.last_dead = dataclasses.replace(self._stats.last_dead, excerpt=show(self._excerpt))
