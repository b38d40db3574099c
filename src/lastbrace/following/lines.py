"""Where lines begin in a piece of a file; in UTF-16 the byte of a line end may be half of another character."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE

MARKS = {BOM_UTF16_LE: b"\n\0", BOM_UTF16_BE: b"\0\n"}
"""The line ends of files that begin with such a mark."""


def after_line(data: bytes, offset: int, head: bytes) -> int:
    r"""Return where, in what stands at ``offset`` of a file that begins with ``head``, the last line begins; else 0.

    >>> after_line(b"a\nb", 7, b""), after_line("a\nb".encode("utf-16-le"), 2, BOM_UTF16_LE), after_line(b"a", 0, b"")
    (2, 4, 0)
    """
    end = MARKS.get(head[:2], b"\n")
    at = data.rfind(end)
    while at >= 0 and (offset + at) % len(end):
        at = data.rfind(end, 0, at + len(end) - 1)
    return at + len(end) if at >= 0 else 0
