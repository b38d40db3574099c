"""A text that the command line reads: in chunks, whatever its length, and its objects printed."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from ..events import Found, Unfinished
from ..explain import explain
from ..members import members_of
from ..pipeline import ScanOptions
from ..printing import printable
from ..recovery import cleaned_end
from ..recovery.repair import Repair
from ..scanner import Scanner
from ..schema import compile_schema
from ..streams import CHUNK_SIZE
from ..tail import Tail
from .chunks import chunks_of
from .lines import Output, marked, one_line, tell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..events import Event
    from ..recovered import Recovered
    from ..schema import Schema


class Reader:
    """Reads the objects of a file, and prints those that are wanted.

    With ``recover``, an answer that is almost JSON where there is none: marked as such, or plain with ``"accept"``.
    """

    def __init__(
        self,
        file: BinaryIO,
        scan: ScanOptions,
        schema: Schema[Any] | None,
        *,
        fragments: bool = False,
        recover: bool | Literal["accept"] = False,
    ) -> None:
        self._file = file
        self._scanner = Scanner(**scan)
        self._schema = schema
        self._fragments = fragments
        self._recover = recover
        self._tail = Tail() if recover else None
        self._unfinished: Unfinished | None = None

    def objects(self, size: int = CHUNK_SIZE) -> Iterator[Found]:
        """Return the objects that will do, as they close; ``size`` is how many bytes to read at a time."""
        for chunk in chunks_of(self._file, size):
            if self._tail is not None:
                self._tail.feed(chunk)
            yield from self._wanted(self._scanner.feed(chunk))
            self._output.flush()
        yield from self._wanted(self._scanner.close())

    def _wanted(self, events: list[Event]) -> Iterator[Found]:
        for event in events:
            if isinstance(event, Unfinished):
                self._unfinished = event
            elif (
                isinstance(event, Found)
                and (self._fragments or not event.fragment)
                and (self._schema is None or (not event.empty and self._schema.match(event.raw) is not None))
            ):
                yield event

    @functools.cached_property
    def _output(self) -> Output:
        return Output()

    def show(self, found: Found | None, *, spans: bool) -> int:
        """Print an object, or say why there is none; return the exit status."""
        status = self._show(found, spans=spans)
        if status == 0:
            self._output.flush()
        return status

    def _show(self, found: Found | None, *, spans: bool) -> int:
        recovered = None if found is not None or self._tail is None else self._find_almost(self._tail)
        if recovered is not None:
            marked_line = b'{"recovered":%s}' % marked(recovered)
            self._output.line(one_line(recovered.raw) if self._recover == "accept" else marked_line)
            return 0
        if found is None:
            last = self._scanner.last
            wanted = "" if self._schema is None else "the schema"
            refusal = "" if self._schema is None or last is None else self._schema.refusal(last.raw)
            why = explain(self._scanner.stats, self._unfinished, wanted=wanted, refusal=refusal)
            tell(printable(why, 500))
            return 4
        line = one_line(found.raw)
        if spans:
            fragment = b"true" if found.fragment else b"false"
            line = b'{"start":%d,"end":%d,"fragment":%s,"value":%s}' % (found.start, found.end, fragment, line)
        self._output.line(line)
        return 0

    def _find_almost(self, tail: Tail) -> Recovered[Any] | None:
        """Return what can be read of an answer that is almost JSON."""
        schema = self._schema or compile_schema(dict[str, Any])
        return Repair(members_of(schema)).find(cleaned_end(tail.data), schema.match)

    def show_all(self, size: int, *, spans: bool) -> int:
        """Print all objects, as they close, or say why there is none; return the exit status."""
        shown = False
        for found in self.objects(size):
            self._show(found, spans=spans)
            shown = True
            if self._output.broken:
                break
        if not shown:
            return self.show(None, spans=spans)
        self._output.flush()
        return 0


def last_of(reader: Reader) -> Found | None:
    """Return the newest object, an empty one only where there is no other."""
    newest: Found | None = None
    for found in reader.objects():
        if newest is None or newest.empty or not found.empty:
            newest = found
    return newest


def first_of(reader: Reader, *, prefer_fenced: bool) -> Found | None:
    """Return the first object as soon as it closes, an empty one only where there is no other.

    With ``prefer_fenced`` one in a fence comes before all others: where there is none, only the end can tell.
    """
    first: Found | None = None
    for found in reader.objects():
        if not found.empty and (found.fence is not None or not prefer_fenced):
            return found
        if first is None or (first.empty and not found.empty):
            first = found
    return first
