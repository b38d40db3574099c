"""Crush: ``crush run``, plain text.

Facts: charmbracelet/crush, internal/cmd/run.go. The answer is the whole text; progress goes to stderr.

It cannot tell anything but by its exit status, and nothing in its text shows that it is this CLI's.
"""

from __future__ import annotations

from .plain import PlainText


class Crush(PlainText):
    """Takes the text as the answer."""

    name = "crush"
