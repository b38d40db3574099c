"""Mistral Vibe: ``vibe -p … --output streaming`` (or ``json``, one array at the end).

Seen: 3.0.2; there is no description by the vendor. Entries are messages, reasoning and effects (tool calls). The prompt
is among them.

It cannot tell: tokens, cost, duration, turns, and that a run is over: there is no final event. A last entry that is a
committed message of the assistant may be the end, and the exit status decides (1 and 2: failed; 3: stopped by a limit,
the token limit too, or a signal, the partial answer printed). What went wrong stands on stderr only; with ``json``,
stdout is then often empty.
"""

from __future__ import annotations

import re
from typing import Any

from .adapter import Adapter
from .fields import items, string

_STOPPED = re.compile(r"^Stopped: (\S+)", re.MULTILINE)
_ERROR = re.compile(r"^Error: (.+)", re.MULTILINE | re.DOTALL)


class Vibe(Adapter):
    """Reads the entries of a session."""

    name = "vibe"

    def __init__(self) -> None:
        super().__init__()
        self._is_answered = False  # the last entry is an answer

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell by an entry with the ids of session and turn."""
        own = {"id", "sessionId", "turnId", "createdAt", "generationStatus"}
        return event.get("type") in ("message", "reasoning", "effect") and own <= event.keys()

    def feed(self, event: dict[str, Any]) -> None:
        """Read the next entry of stdout."""
        kind, role = event.get("type"), event.get("role")
        if "turnId" not in event or kind not in ("message", "effect"):
            return
        self.update(session_id=string(event, "sessionId"))
        self._is_answered = False
        self.restart()  # words before a tool call, or an earlier message
        if kind != "message" or role != "assistant":
            return
        self.add("".join(string(part, "text") or "" for part in items(event, "content") if part.get("type") == "text"))
        if self._reply.is_error:
            self.recover()
        if string(event, "outcome", "type") == "discarded":
            cause = string(event, "outcome", "cause")
            self.fail(f"the answer was discarded: {cause or 'no cause given'}", subtype=cause)
        else:
            self._is_answered = True

    def close(self, returncode: int | None, stderr: str) -> None:
        """End the stream; stderr says why it stopped."""
        stopped, error = _STOPPED.search(stderr), _ERROR.search(stderr)
        if returncode != 0 and (error or stopped):
            cause = stopped[1] if stopped else None
            self.fail(error[1].strip() if error else f"stopped: {cause}", subtype=cause)
        super().close(returncode, stderr)

    def needs_final_event(self) -> bool:
        """Say whether more must come: a message of the assistant may be the end."""
        return not self._is_answered
