"""Codex's protocol messages, which its older ``exec --json`` prints and its rollout logs keep.

- ``exec --json`` of mid-2025 (0.39.0 seen): a line of settings, ``{"prompt"}``, then ``{"id", "msg": {"type", …}}``.
  It exits with 0 whatever happens, and prints no ``task_complete``: the end shows in a ``token_count`` after an
  ``agent_message`` with no tool call between (the count comes once the response is over). ``error`` ends it too.
- rollout logs (``sessions/…/rollout-*.jsonl``): ``{"timestamp", "type", "payload"}``. Their ``event_msg`` holds the
  same messages, and ``task_complete`` or ``turn_aborted`` ends each turn. Logs from before ``task_started`` was kept
  (0.42) end like the older output.

Facts from openai/codex ``protocol.rs``, live captures of 0.39.0, and a study of 0.42.0.
"""

from __future__ import annotations

from typing import Any

from .adapter import Adapter
from .fields import integer, items, member, plain, string
from .reply import Usage

_STARTED = ("task_started", "turn_started")
_COMPLETE = ("task_complete", "turn_complete")
_CALLS = ("plan_update", "view_image_tool_call", "exec_approval_request", "apply_patch_approval_request")
_KNOWN = (*_STARTED, *_COMPLETE, "session_configured", "agent_message", "agent_reasoning", "token_count", "error")
_RECORDS = ("session_meta", "turn_context", "response_item", "event_msg")


def is_message(event: dict[str, Any]) -> bool:
    """Tell whether ``event`` is a line of the older ``exec --json``."""
    settings = all(isinstance(event.get(key), str) for key in ("workdir", "sandbox", "approval", "provider"))
    return settings or (isinstance(event.get("id"), str) and string(event, "msg", "type") in _KNOWN)


def is_record(event: dict[str, Any]) -> bool:
    """Tell whether ``event`` is a line of a rollout log."""
    named = event.get("type") in _RECORDS and isinstance(event.get("timestamp"), str)
    return named and isinstance(event.get("payload"), dict)


def usage_of(tokens: Any) -> Usage | None:
    """Return what Codex counts, cached tokens within the input."""
    usage = Usage(
        input=integer(tokens, "input_tokens"),
        output=integer(tokens, "output_tokens"),
        cache_read=integer(tokens, "cached_input_tokens"),
        cache_write=integer(tokens, "cache_write_input_tokens"),
        reasoning=integer(tokens, "reasoning_output_tokens"),
        total=integer(tokens, "total_tokens"),
    )
    return usage or None


class CodexMessages(Adapter):
    """Reads the protocol messages; what any of Codex's forms says goes through ``say``."""

    def __init__(self) -> None:
        super().__init__()
        self._whole = False  # the text so far is a whole message, not deltas
        self._turn_ends = False  # the log tells when a turn ends

    def say(self, text: str | None) -> None:
        """Take a whole message of the agent; the last one is its answer, so it replaces any before it."""
        if text is None or (self._whole and text == self.text):
            return
        self.note(None)
        self.answer(text)
        self._whole = True

    def restart(self) -> None:
        """Abandon what was said: a tool call, or another message, follows."""
        super().restart()
        self._whole = False

    def new_turn(self) -> None:
        """Forget the turn before."""
        self.restart()
        self.recover()

    def feed_record(self, event: dict[str, Any]) -> None:
        """Read a line of a rollout log."""
        kind, payload = event.get("type"), event.get("payload")
        if kind == "session_meta":
            self.update(session_id=self._reply.session_id or string(payload, "id"))  # a fork copies its parent's
        elif kind == "event_msg":
            self._turn_ends |= string(payload, "type") in _STARTED
            self.feed_message(event, payload)
        elif kind == "response_item":
            item = string(payload, "type") or ""
            if item == "message" and string(payload, "role") == "assistant":
                texts = (string(part, "text") for part in items(payload, "content"))
                self.say("".join(text for text in texts if text))
            elif item.endswith("_call"):
                self.restart()

    def feed_message(self, event: dict[str, Any], message: Any) -> None:
        """Read one protocol message, the heart of ``event``."""
        kind = string(message, "type") or ""
        if kind in _STARTED:
            self.new_turn()
        elif kind == "session_configured":
            self.update(session_id=string(message, "session_id"))
        elif kind == "agent_message_delta":
            if self._whole:
                self.restart()
            self.add(string(message, "delta"))
        elif kind == "agent_message":
            self.update(final=False)
            self.say(string(message, "message"))
        elif kind.endswith("_begin") or kind in _CALLS:
            self.update(final=False)
            self.restart()
        elif kind == "token_count":
            self._count(event, message)
        elif kind == "stream_error":
            self.note(plain(string(message, "message")))
        else:
            self._end(event, message, kind)

    def _count(self, event: dict[str, Any], message: Any) -> None:
        totals = member(message, "info", "total_token_usage")  # of the whole thread, so the newest counts
        self.update(usage=usage_of(totals) or usage_of(message))
        if self._whole and not self._turn_ends and not self._reply.is_error:
            self.finish(event, subtype="token_count")

    def _end(self, event: dict[str, Any], message: Any, kind: str) -> None:
        if kind in _COMPLETE:
            self.say(string(message, "last_agent_message"))
            word = self._reply.subtype if self._reply.is_error else kind
            self.finish(event, subtype=word, duration_ms=integer(message, "duration_ms"))
        elif kind == "turn_aborted":
            reason = string(message, "reason")
            self.finish(event, subtype=reason or kind)
            self.fail(f"the turn was aborted: {reason}" if reason else "the turn was aborted")
        elif kind == "error":
            self.finish(event, subtype=kind)
            self.fail(plain(string(message, "message")))
