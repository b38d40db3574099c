"""Where a model thinks aloud: ``<think>…</think>``, closed or not."""

from __future__ import annotations

import re

_tag = re.compile(r"<(/?)think>").finditer
_LONGEST = len("</think>") - 1


class ThinkTracker:
    """Reads the text around objects in pieces, and knows whether a think tag is open.

    >>> think = ThinkTracker()
    >>> think.feed("<thi")
    >>> think.feed("nk> maybe ")
    >>> think.inside
    True
    """

    __slots__ = ("_rest", "inside")

    def __init__(self) -> None:
        self.inside = False
        self._rest = ""

    def feed(self, text: str) -> None:
        """Read the next piece of text."""
        text = self._rest + text
        end = 0
        for tag in _tag(text):
            self.inside = not tag[1]
            end = tag.end()
        self._rest = text[max(end, len(text) - _LONGEST) :]

    def pass_object(self) -> None:
        """Note that an object stands here: a tag does not go on after it."""
        self._rest = ""
