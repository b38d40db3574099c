"""What stands around objects: the text that is none, the fence that is open there, a record that was broken."""

from __future__ import annotations

from .fences import FenceTracker
from .headless import is_piece, look_behind
from .spans import TEXT, Span

_LINE_END = 0x0A


class Surroundings:
    """Takes in the text outside objects, in order, and tells of each object where it stands.

    ``lines`` says that each line is an input of its own, ``text`` that the text itself is reported. Indexes are those
    of the data at hand, whose first byte is at position ``base``.
    """

    __slots__ = ("_before", "_fences", "_fragment_end", "_lines", "_text", "told")

    def __init__(self, *, lines: bool, text: bool) -> None:
        self._lines = lines
        self._text = text
        self._fences = FenceTracker()
        self._before = b""  # the text just before the data at hand
        self._fragment_end = -1
        self.told = 0  # the position up to which the text was taken in

    def tell(self, data: bytes | bytearray, index: int, base: int, spans: list[Span]) -> None:
        """Take in the text up to ``index``, and report it."""
        told = self.told - base
        if told >= index:
            return
        text = bytes(data[told:index])
        self._fences.feed(text)
        if self._text:
            spans.append((TEXT, self.told, base + index, text, False, None))
        self.told = base + index

    def keep(self, data: bytes | bytearray, index: int) -> None:
        """Remember what of the data may be looked back at when what lies before ``index`` is let go of."""
        self._before = look_behind(data, index, self._before)

    def before(self, data: bytes | bytearray, index: int) -> bytes:
        """Return what may be looked back at before ``index``."""
        return look_behind(data, index, self._before)

    def pass_object(self, end: int, fragment: bool = False) -> None:
        """Note an object, or what was none but counts as read, up to position ``end``."""
        self._fences.pass_object()
        self.told = end
        if fragment:
            self._fragment_end = end

    def around(self, data: bytes | bytearray, at: int, base: int, structural: bool) -> tuple[bool, str | None]:
        """Return whether the object that begins at index ``at`` is a fragment, and the info word of its fence.

        ``structural`` says that a dead candidate read its bracket as structure.
        """
        fragment = not (at and data[at - 1] == _LINE_END) and self._is_fragment(data, at, base, structural)
        return fragment, self._fences.info

    def _is_fragment(self, data: bytes | bytearray, at: int, base: int, structural: bool) -> bool:
        """Tell whether the object that begins at index ``at`` is a piece of a broken record (rule 3)."""
        previous = data[at - 1 : at] if at else self._before[-1:]
        if previous in (b"", b"\n"):
            return False
        if structural:
            return True
        since_fragment = None if self._fragment_end < 0 else base + at - self._fragment_end
        return is_piece(look_behind(data, at, self._before), lines=self._lines, since_fragment=since_fragment)
