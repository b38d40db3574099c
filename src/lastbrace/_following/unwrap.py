r"""What a program wrote, out of the lines that a container runtime made of it.

Docker's json-file driver writes ``{"log": "text\n", "stream": "stdout", "time": …}``, and cuts what is longer than
16 KiB: a piece without a line end goes on in the stream's next line. CRI (containerd, CRI-O) writes ``time stream tag
text``, with ``P`` for a piece and ``F`` for the last one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

import msgspec

Unwrap = Literal["docker", "cri"]

_MAX_LINE = 1 << 20  # bytes: runtimes cut at 16 KiB; what is longer is no line of theirs
_cri = re.compile(rb"[^ ]+ (stdout|stderr) ([^ ]+) (.*)", re.DOTALL).fullmatch


class Piece(NamedTuple):
    """Text of one stream, and the line of the file that it stood in."""

    stream: str
    start: int
    end: int
    text: bytes


class _DockerLine(msgspec.Struct):
    log: str
    stream: str = "stdout"


_decode_docker = msgspec.json.Decoder(_DockerLine).decode


def _docker(line: bytes) -> tuple[str, bytes]:
    try:
        decoded = _decode_docker(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "stdout", line + b"\n"
    return decoded.stream, decoded.log.encode()


def _cri_line(line: bytes) -> tuple[str, bytes]:
    match = _cri(line)
    if match is None:
        return "stdout", line + b"\n"
    stream, tags, text = match.groups()
    return stream.decode(), text if tags.split(b":")[0] == b"P" else text + b"\n"


class Unwrapper:
    r"""Takes a file's bytes in chunks and returns what the lines hold; a line that is none of the runtime's stays as is.

    >>> lines = Unwrapper("cri", 0)
    >>> lines.feed(b"2024-01-31T12:00:00Z stdout P {\"a\n")
    [Piece(stream='stdout', start=0, end=34, text=b'{"a')]
    """

    def __init__(self, unwrap: Unwrap, offset: int) -> None:
        self._parse: Callable[[bytes], tuple[str, bytes]] = {"docker": _docker, "cri": _cri_line}[unwrap]
        self._rest = b""
        self.offset = offset
        """Where the line that is not complete begins."""

    def feed(self, data: bytes) -> list[Piece]:
        """Return the text of the lines that are complete now."""
        *lines, rest = (self._rest + data).split(b"\n")
        if len(rest) > _MAX_LINE:
            lines, rest = [*lines, rest], b""
        pieces = []
        for number, line in enumerate(lines):
            cut = not rest and number == len(lines) - 1 and len(line) > _MAX_LINE
            end = self.offset + len(line) + (not cut)
            stream, text = ("stdout", line) if cut else self._parse(line.removesuffix(b"\r"))
            pieces.append(Piece(stream, self.offset, end, text))
            self.offset = end
        self._rest = rest
        return pieces
