"""The end of a stream of server-sent events that is no event: ``data: [DONE]``."""

from __future__ import annotations

import re

_DONE = re.compile(r"data:\s*\[DONE\]\s*")
_MAX_LINE = 100  # characters of a line that are kept: more than this one has


class DoneLine:
    r"""Finds it among the text between objects, cut anywhere; it is a line of its own, not a part of any other.

    >>> line = DoneLine()
    >>> line.feed(": no data: [DONE]\ndata: [DO"), line.feed("NE]\n")
    (False, True)
    """

    def __init__(self) -> None:
        self._line = ""

    def feed(self, text: str) -> bool:
        """Read the next piece of text; tell whether the line has ended in it."""
        found = False
        for at, piece in enumerate(re.split("[\r\n]", text)):
            found = (at > 0 and self.end()) or found
            self._line += piece[: _MAX_LINE - len(self._line)]
        return found

    def pass_object(self) -> None:
        """Pass over an object, in whose line nothing else counts."""
        self._line = "{"

    def end(self) -> bool:
        """End the line, and tell whether it is the one."""
        line, self._line = self._line, ""
        return _DONE.fullmatch(line) is not None
