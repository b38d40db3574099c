"""Output that is the answer itself: plain text, with objects in it or without."""

from __future__ import annotations

from typing import Any, ClassVar

from .adapter import Adapter

MAX_TEXT = 1 << 20  # bytes of the end that are kept: an answer is shorter, a log is not


class PlainText(Adapter):
    """Keeps the end of the output as the answer; only the exit status says whether the run succeeded.

    It stands for a program that was not recognised, and is the base of the CLIs that print no events.
    """

    name: ClassVar[str | None] = None
    plain_text = True

    def __init__(self) -> None:
        super().__init__()
        self._tail = bytearray()

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Recognise nothing."""
        return False

    def feed(self, event: dict[str, Any]) -> None:
        """Pass over an event: its text is what counts."""

    def feed_text(self, text: str) -> None:
        """Keep the next piece of the output."""
        self.feed_raw(text.encode("utf-8", "surrogatepass"))

    def feed_raw(self, raw: bytes) -> None:
        """Keep the next piece of the output as it came, and let go of what has become too old."""
        self._tail += raw[-MAX_TEXT:]
        if len(self._tail) > 2 * MAX_TEXT:
            del self._tail[:-MAX_TEXT]

    @property
    def text(self) -> str:
        """The output, at most its last 1 MiB, from a whole character on."""
        tail = bytes(self._tail[-MAX_TEXT:])
        if len(self._tail) > len(tail):
            tail = tail[next((at for at, byte in enumerate(tail[:4]) if byte & 0xC0 != 0x80), 0) :]
        return tail.decode("utf-8", "replace")

    def needs_final_event(self) -> bool:
        """Nothing in the text shows its end."""
        return False
