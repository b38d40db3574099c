"""The text inside a container's log: Docker's ``json-file`` lines and the CRI's, partial lines joined."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from .. import decoding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Format = Literal["docker", "cri"]

_MAX_LINE = 8 << 20  # bytes of one line: the runtimes cut at 16 KiB; a longer one is no line of theirs
_MAX_HELD = 8 << 20  # bytes of one output stream to hold back while a line of the other is not whole


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
    return Line(record.stream, text, whole=text.endswith(b"\n"))


def read_cri(line: bytes) -> Line:
    """Return what a line in the CRI's format says; a line in another format stands for itself."""
    found = _cri(line)
    if found is None:
        return Line("", line + b"\n", whole=True)
    whole = found[2] == b"F"
    return Line(found[1].decode(), found[3] + b"\n" if whole else found[3], whole)


class _Piece(NamedTuple):
    line: Line
    start: int
    end: int


class _Span(NamedTuple):
    """A part of the text, and the line of the file that it stood in."""

    start: int
    end: int
    first: int
    last: int


class Unwrapper:
    """Feeds the text in a container's log to ``feed``, and knows which lines of the log it came from.

    While a line of one output stream is not whole, those of the other wait.
    """

    def __init__(self, form: Format, start: int, feed: Callable[[bytes], None]) -> None:
        self._read = read_docker if form == "docker" else read_cri
        self._feed = feed
        self._at = start  # offset in the file of the line that is not whole yet
        self._rest = bytearray()
        self._fed = 0
        self._spans: deque[_Span] = deque()
        self._owner: str | None = None
        self._held: deque[_Piece] = deque()

    @property
    def is_between(self) -> bool:
        """Whether the text fed so far ends where a line of the log does, with nothing held back."""
        return self._owner is None and not self._held

    @property
    def offset(self) -> int:
        """The offset in the file of the first line that was not read."""
        return self._at

    def take(self, data: bytes) -> None:
        """Read the next bytes of the file."""
        self._rest += data
        lines = self._rest.split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > _MAX_LINE:
            lines.append(self._rest)
            self._rest = bytearray()
        for line in lines:
            start, self._at = self._at, self._at + len(line) + 1
            if line:
                self._pass_on(_Piece(self._read(bytes(line).rstrip(b"\r")), start, self._at))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the part of the file, in whole lines, that this part of the text came from."""
        inside = [span for span in self._spans if span.start < end and span.end > start]
        return min(span.first for span in inside), max(span.last for span in inside)

    def forget(self, until: int) -> None:
        """Let go of what is remembered of the text before."""
        while self._spans and self._spans[0].end <= until:
            self._spans.popleft()

    def _pass_on(self, piece: _Piece) -> None:
        self._held.append(piece)
        if sum(len(held.line.text) for held in self._held) > _MAX_HELD:
            self._owner = None
        for ready in self._ready():
            start, self._fed = self._fed, self._fed + len(ready.line.text)
            self._spans.append(_Span(start, self._fed, ready.start, ready.end))
            self._feed(ready.line.text)

    def _ready(self) -> Iterator[_Piece]:
        """Return the pieces whose turn it is."""
        while True:
            ready = next((held for held in self._held if self._owner in (None, held.line.stream)), None)
            if ready is None:
                return
            self._held.remove(ready)
            self._owner = None if ready.line.whole else ready.line.stream
            yield ready
