"""The Messages API of Anthropic: the server-sent events of one message.

Facts: Anthropic's documentation, "Streaming messages". ``message_stop`` is the end, or an ``error`` that may come after
200 OK; a ``message_delta`` before the end says why the message stopped, with the tokens so far.

It cannot tell: cost and duration. The session is the id of the message. A message that stops to call a tool is no
error, and its text is no answer. Reasons to stop that are not known, and an end without one, are errors.
"""

from __future__ import annotations

from typing import Any

from .adapter import Adapter
from .fields import integer, member, string
from .reply import Usage

_TOKENS = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cache_read": "cache_read_input_tokens",
    "cache_write": "cache_creation_input_tokens",
}
_GOOD = ("end_turn", "stop_sequence", "tool_use", "pause_turn")
_STOPPED = {
    "max_tokens": "the answer was cut by the token limit",
    "model_context_window_exceeded": "the answer was cut by the context window",
    "refusal": "the model refused to answer",
}


class Anthropic(Adapter):
    """Reads the events of a message."""

    name = "anthropic"

    def __init__(self) -> None:
        super().__init__()
        self._usage = Usage()

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell by the events of a message, or by an error of the API."""
        kind = event.get("type")
        if kind == "message_start":
            return string(event, "message", "type") == "message" and string(event, "message", "role") == "assistant"
        if kind == "content_block_start":
            return "index" in event and isinstance(event.get("content_block"), dict)
        if kind == "content_block_delta":
            return "index" in event and isinstance(event.get("delta"), dict)
        own = event.keys() <= {"type", "error", "request_id"} and string(event, "error", "message") is not None
        return kind == "error" and own and (string(event, "error", "type") or "").endswith("_error")

    def feed(self, event: dict[str, Any]) -> None:
        """Read the next event."""
        kind = event.get("type")
        if kind == "message_start":
            self.new_run()
            self._usage = Usage()
            self.update(session_id=string(event, "message", "id"))
            self._count(member(event, "message", "usage"))
        elif kind == "content_block_start":
            block = member(event, "content_block")
            if (string(block, "type") or "").endswith("tool_use"):
                self.restart()
            elif string(block, "type") == "text":
                self.add(string(block, "text"))
        elif kind == "content_block_delta" and string(event, "delta", "type") == "text_delta":
            self.add(string(event, "delta", "text"))
        elif kind == "message_delta":
            self._count(member(event, "usage"))
            self.update(subtype=string(event, "delta", "stop_reason"))
        elif kind == "message_stop":
            self._end(event)
        elif kind == "error" and isinstance(event.get("error"), dict):
            self.fail(string(event, "error", "message"), subtype=string(event, "error", "type"))
            self.finish(event)

    def _count(self, totals: Any) -> None:
        """Take the tokens told, which are those of the message so far."""
        told = {name: integer(totals, theirs) for name, theirs in _TOKENS.items()}
        known = {name: getattr(self._usage, name) if count is None else count for name, count in told.items()}
        self._usage = Usage(**known)
        self.update(usage=self._usage or None)

    def _end(self, event: dict[str, Any]) -> None:
        self.finish(event)
        reason = self._reply.subtype
        if self._reply.is_error:
            return
        if reason in _GOOD:
            self.answer(self.text)
        else:
            self.fail(_STOPPED.get(reason or "", f"the message ended with {reason or 'no reason to stop'}"))
