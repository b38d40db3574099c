"""Amp (``amp -x … --stream-json``): Claude's shape, one event a message, without ids of messages.

No successful run was seen (0.0.1790142911 asks for a key on stdout); the facts are from the vendor's announcement and
manual, those on error results from third-party SDK documentation.

It cannot tell: what a run cost, and how many tokens it took (only each message's are printed). Without a key it waits
for a login for ever; what the server refuses is told on stderr alone.
"""

from __future__ import annotations

from typing import Any

from .claude_shape import ClaudeShape
from .fields import string

_NO_KEY = "No API key found"
_MAX_HEAD = 1000  # characters of text in which the CLI says that it has no key


class Amp(ClaudeShape):
    """Reads the events of Amp."""

    name = "amp"
    reads_text = True

    def __init__(self) -> None:
        super().__init__()
        self._head = ""

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell Amp's events by the id of their thread."""
        is_own = (string(event, "session_id") or "").startswith("T-")
        return is_own and event.get("type") in ("system", "user", "assistant", "result")

    @classmethod
    def recognises_text(cls, head: str) -> bool:
        """Tell Amp by its login."""
        return head.lstrip().startswith(f"{_NO_KEY}. Starting login flow")

    def feed_text(self, text: str) -> None:
        """Note that there is no key."""
        if len(self._head) < _MAX_HEAD:
            self._head += text[:_MAX_HEAD]
            if _NO_KEY in self._head:
                self.note(next(line.strip() for line in self._head.split("\n") if _NO_KEY in line))
