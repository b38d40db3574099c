"""Output that is the answer itself: plain text, with objects in it or without."""

from __future__ import annotations

from collections import deque
from typing import Any, ClassVar

from .adapter import Adapter

MAX_TEXT = 1 << 20  # characters of the end that are kept: an answer is shorter, a log is not
_SMALL = 4096  # characters up to which pieces are joined, so that a byte at a time costs no more memory


class PlainText(Adapter):
    """Keeps the end of the output as the answer; only the exit status says whether the run succeeded.

    It stands for a program that was not recognised, and is the base of the CLIs that print no events.
    """

    name: ClassVar[str | None] = None
    plain_text = True

    def __init__(self) -> None:
        super().__init__()
        self._pieces: deque[str] = deque()
        self._size = 0

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Recognise nothing."""
        return False

    def feed(self, event: dict[str, Any]) -> None:
        """Pass over an event: its text is what counts."""

    def feed_text(self, text: str) -> None:
        """Keep the next piece of the output, and let go of what has become too old."""
        if self._pieces and len(self._pieces[-1]) < _SMALL:
            self._pieces[-1] += text
        else:
            self._pieces.append(text)
        self._size += len(text)
        while self._size - len(self._pieces[0]) >= MAX_TEXT:
            self._size -= len(self._pieces.popleft())

    @property
    def text(self) -> str:
        """The output, at most its last 1 MiB."""
        return "".join(self._pieces)[-MAX_TEXT:]

    def needs_final_event(self) -> bool:
        """Nothing in the text shows its end."""
        return False
