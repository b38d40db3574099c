"""The text inside a container's log: Docker's ``json-file`` lines and the CRI's, partial lines joined."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from .. import decoding
from ..events import Found
from ..pipeline import DEFAULT_MAX_OBJECT_BYTES
from ..scanner import Scanner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..pipeline import ScanOptions

Format = Literal["docker", "cri"]

_MAX_LINE = 8 << 20  # bytes of one line: the runtimes cut at 16 KiB; a longer one is no line of theirs
_MAX_HELD = 8 << 20  # bytes of a line that is not whole to hold back
_MAX_OPEN = DEFAULT_MAX_OBJECT_BYTES  # bytes to hold back while an object is open in them
_PER_PIECE = 128  # bytes that a piece takes beside those of its text


class Line(NamedTuple):
    """One line of a container's log: which output stream it came from, its text, and whether a line ends with it."""

    stream: str
    text: bytes
    whole: bool


class _DockerLine(msgspec.Struct):
    log: str = ""
    stream: str = "stdout"


_docker = msgspec.json.Decoder(_DockerLine)
# kubernetes, design-proposals/node/kubelet-cri-logging.md: time, stream, tags ("P" partial, "F" full), the text
_cri = re.compile(rb"\S+ (stdout|stderr) ([PF])(?::\S*)? (.*)", re.DOTALL).fullmatch


def read_docker(line: bytes) -> Line:
    """Return what a line of Docker's ``json-file`` driver says; a line that is none of its own stands for itself."""
    try:
        record = _docker.decode(line)
        text = record.log.encode()
    except (msgspec.MsgspecError, UnicodeError):
        try:
            value = decoding.decode(line)
            record = _DockerLine(str(value["log"]), str(value.get("stream", "stdout")))
            text = record.log.encode("utf-8", "surrogatepass")
        except (ValueError, LookupError, TypeError, AttributeError):
            return Line("", line + b"\n", whole=True)
    return Line("stderr" if record.stream == "stderr" else "stdout", text, whole=text.endswith(b"\n"))


def read_cri(line: bytes) -> Line:
    """Return what a line in the CRI's format says; a line in another format stands for itself."""
    found = _cri(line)
    if found is None:
        return Line("", line + b"\n", whole=True)
    whole = found[2] == b"F"
    return Line(found[1].decode(), found[3] + b"\n" if whole else found[3], whole)


class _Piece(NamedTuple):
    """Text of one output stream, and the part of the file that it came from."""

    text: bytes
    first: int
    last: int


class _Span(NamedTuple):
    """A part of the text, and the part of the file that it came from."""

    start: int
    end: int
    first: int
    last: int


_start_of, _end_of = attrgetter("start"), attrgetter("end")


class _Output:
    """One output stream: what is written to it is passed on once no line and no object would be cut.

    What is passed on depends on nothing but what was written, so that whoever reads it again gets the same.
    """

    def __init__(self, scan: ScanOptions) -> None:
        self._scanner = Scanner(**scan)
        self._held: deque[_Piece] = deque()
        self._written = self._passed = 0

    @property
    def is_held(self) -> bool:
        """Whether something of it is held back."""
        return bool(self._held)

    @property
    def end_rank(self) -> tuple[bool, int]:
        """Sorts those of which something is held back: one with an open object behind the others, the newest last."""
        return self._scanner.open is not None, self._held[-1].last

    def write(self, piece: _Piece, *, whole: bool) -> Iterable[_Piece]:
        """Take in the next piece, ``whole`` where a line ends with it; return the pieces to be passed on."""
        self._written += len(piece.text)
        events = self._scanner.feed(piece.text)
        if whole and self._scanner.open is None:
            if not self._held:
                self._passed = self._written
                return (piece,)
            until = self._written
        else:
            # a piece of a broken object goes with the byte that broke it
            until = max((found.end for found in events if isinstance(found, Found) and not found.fragment), default=0)
        self._held.append(piece)
        return self._pass_on(self._written if self._holds_too_much() else until)

    def end(self, *, with_open: bool) -> Iterator[_Piece]:
        """Return the pieces that were held back, up to an object that is open unless that is to be ``with_open``."""
        opened = self._scanner.open
        yield from self._pass_on(self._written if opened is None or with_open else opened.start)
        self._held.clear()

    def _holds_too_much(self) -> bool:
        """Tell whether what is held back is no line and no object that anybody waits for."""
        size = self._written - self._passed + len(self._held) * _PER_PIECE
        return size > _MAX_HELD and (size > _MAX_OPEN or self._scanner.open is None)

    def _pass_on(self, until: int) -> Iterator[_Piece]:
        """Return what is held back of the text before this offset in it."""
        while self._held and self._passed < until:
            piece = self._held.popleft()
            size = until - self._passed
            if size < len(piece.text):
                self._held.appendleft(piece._replace(text=piece.text[size:]))
                piece = piece._replace(text=piece.text[:size])
            self._passed += len(piece.text)
            yield piece


class Unwrapper:
    """Feeds the text in a container's log to ``feed``, and knows which lines of the log it came from.

    The output streams take turns in the text where no line is cut, or behind an object in a line that is not whole yet:
    that line is ended there. ``scan`` says what an object is.
    """

    def __init__(
        self, form: Format, start: int, feed: Callable[[bytes], None], *, scan: ScanOptions | None = None
    ) -> None:
        self._read = read_docker if form == "docker" else read_cri
        self._feed = feed
        self._at = start  # offset in the file of the line that is not whole yet
        self._rest = bytearray()
        self._fed = 0
        self._spans: list[_Span] = []
        options: ScanOptions = {**(scan or {}), "fields": None, "buffer_limit": None}  # where objects end is enough
        self._outputs = {name: _Output(options) for name in ("", "stdout", "stderr")}
        self._cut: str | None = None  # whose line is not whole at the end of what was fed

    @property
    def is_between(self) -> bool:
        """Whether nothing is held back of the lines of the log that were read."""
        return not any(output.is_held for output in self._outputs.values())

    @property
    def offset(self) -> int:
        """The offset in the file of the first line that was not read."""
        return self._at

    def take(self, data: bytes) -> None:
        """Read the next bytes of the file."""
        self._rest += data
        lines = self._rest.split(b"\n")
        self._rest = lines.pop()
        text: list[bytes] = []
        for line in lines:
            self._take_line(line, len(line) + 1, text)
        if len(self._rest) > _MAX_LINE:
            self._take_line(self._rest, len(self._rest), text)
            self._rest = bytearray()
        if text:
            self._feed(b"".join(text))

    def close(self) -> None:
        """Feed what is held back, as the text has ended: of objects that are open only the newest, to join no two."""
        text: list[bytes] = []
        held = [name for name, output in self._outputs.items() if output.is_held]
        held.sort(key=lambda name: self._outputs[name].end_rank)
        for name in held:
            self._add(name, self._outputs[name].end(with_open=name == held[-1]), text)
        if text:
            self._feed(b"".join(text))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the part of the file, in whole lines, that this part of the text came from."""
        first = bisect_right(self._spans, start, key=_end_of)
        inside = self._spans[first : bisect_left(self._spans, end, first, key=_start_of)]
        return min(span.first for span in inside), max(span.last for span in inside)

    def forget(self, until: int) -> None:
        """Let go of what is remembered of the text before."""
        del self._spans[: bisect_right(self._spans, until, key=_end_of)]

    def _take_line(self, line: bytearray, size: int, text: list[bytes]) -> None:
        start, self._at = self._at, self._at + size
        if line:
            name, written, whole = self._read(bytes(line).rstrip(b"\r"))
            if written:
                piece = _Piece(written, start, self._at)
                self._add(name, self._outputs[name].write(piece, whole=whole), text)

    def _add(self, name: str, pieces: Iterable[_Piece], text: list[bytes]) -> None:
        """Add pieces of an output stream to the text to be fed."""
        for piece in pieces:
            added = piece.text if self._cut in (None, name) else b"\n" + piece.text
            self._cut = None if added.endswith(b"\n") else name
            start, self._fed = self._fed, self._fed + len(added)
            self._spans.append(_Span(start, self._fed, piece.first, piece.last))
            text.append(added)
