"""Where to begin reading a file that is not read from its first byte, so that no record is cut in two."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..events import Found
from ..scanner import Scanner, ScanOptions

if TYPE_CHECKING:
    from .handle import Source

_WINDOW = 65536  # bytes to look back for the beginning of a record that is being written
_CONTEXT = 512  # bytes of text before an object that tell whether it is a fragment
_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Beginning:
    """Where reading begins: at ``offset``, as if ``prefix`` had stood before it.

    Objects that end at ``delivered`` or before were delivered. With ``skip_line`` the rest of the line is passed over.
    ``streams``: see `Place`.
    """

    offset: int
    prefix: bytes = b""
    delivered: int = 0
    skip_line: bool = False
    streams: dict[str, tuple[int, int]] = field(default_factory=dict)


def find_beginning(source: Source, delivered: int, scan: ScanOptions, *, exact: bool) -> Beginning:
    """Return where to begin so that each object that ends after ``delivered`` is read whole, as if all had been read.

    The lines before are scanned, at most 64 KiB of them: an object that is open is read from its first brace. In a line
    longer than that, reading begins at ``delivered`` where that is ``exact``, the end of an object, else in the next
    line.
    """
    if delivered == 0:
        return Beginning(0)
    start = max(0, delivered - _WINDOW)
    mark = source.read(2, 0)
    wide = mark in _MARKS
    text = source.read(delivered - start, start)
    skipped = 0
    if scan.get("framing") == "lines" and not wide:
        skipped = text.rfind(b"\n") + 1
    elif start > 0:
        skipped = 0 if wide else text.find(b"\n") + 1
    if start > 0 and not skipped and not wide:
        closing = text[-1:] if text[-1:] in (b"}", b"]") else b" "
        return Beginning(delivered, closing if exact else b"", delivered, skip_line=not exact)
    text, start = text[skipped:], start + skipped
    before = mark if wide and start else b""
    scanner = Scanner(**scan)
    found = [event for event in scanner.feed(before + text) if isinstance(event, Found) and not event.fragment]
    end = found[-1].end - len(before) if found else 0
    if scanner.open is not None:
        begin = scanner.open.start - len(before)
    else:
        begin = max(end, len(text) - _CONTEXT, 0)
    if wide:
        begin -= (start + begin) % 2
        return Beginning(start + begin, mark if start + begin else b"", delivered)
    return Beginning(start + begin, text[begin - 1 : begin] if begin and begin == end else b"", delivered)
