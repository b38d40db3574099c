"""Codex: ``codex exec --json`` in its three forms, and its rollout logs.

- today (0.171.0 seen): ``thread.started``, ``turn.started``, ``item.*``, then ``turn.completed`` or ``turn.failed``.
- September 2025 (``--experimental-json``, 0.42): ``session.created``, items with ``item_type``, no event that ends the
  run and no usage. A whole message that no tool call follows may be the answer: ``final`` stays false, and only the
  exit, with the errors printed after the message, tells more.
- mid-2025, and rollout logs: see ``codex_messages``.

The answer is the last whole ``agent_message``; there are no deltas. With ``--output-schema`` it is JSON text, which no
event says of itself, so it stays ``text`` (where the contract or a schema is found as in any answer) and ``structured``
is None. A top-level ``error`` may be a notice of a reconnect, an ``error`` item is a warning: only ``turn.failed``
fails. Usage is cumulative over the thread, runs before a resume included.

Codex does not tell cost, duration or turns. Facts from openai/codex ``exec_events.rs`` and live captures.
"""

from __future__ import annotations

from typing import Any

from .codex_messages import CodexMessages, is_message, is_record, usage_of
from .fields import plain, string

_TEXTS = ("agent_message", "assistant_message")
_TOOLS = ("command_execution", "file_change", "mcp_tool_call", "collab_tool_call", "web_search")


class Codex(CodexMessages):
    """Reads what OpenAI's Codex prints."""

    name = "codex"

    def __init__(self) -> None:
        super().__init__()
        self._running: set[str | None] = set()  # tool calls whose start was shown
        self._endless = False  # the form of September 2025

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell whether ``event`` is unmistakably one of Codex's."""
        kind = event.get("type")
        if kind == "thread.started":
            return string(event, "thread_id") is not None
        if kind == "session.created":
            return string(event, "session_id") is not None
        if kind in ("item.started", "item.updated", "item.completed"):
            return (string(event, "item", "type") or string(event, "item", "item_type")) is not None
        if kind == "turn.completed":
            return isinstance(event.get("usage"), dict)
        if kind == "turn.failed":
            return string(event, "error", "message") is not None
        return is_message(event) or is_record(event)

    def feed(self, event: dict[str, Any]) -> None:
        """Read the next event of any form."""
        kind = event.get("type")
        if isinstance(event.get("msg"), dict):
            self.feed_message(event, event["msg"])
        elif isinstance(event.get("payload"), dict):
            self.feed_record(event)
        elif kind in ("thread.started", "session.created"):
            if self._reply.final or self._reply.session_id is not None:
                self.new_run()
            self._endless = kind == "session.created"
            self.update(session_id=string(event, "thread_id") or string(event, "session_id"))
        elif kind == "turn.started":
            self._endless = False
            self._running.clear()
            self.new_turn()
        elif kind in ("item.started", "item.completed"):
            self._feed_item(event.get("item"), started=kind == "item.started")
        elif kind == "turn.completed":
            self.finish(event, subtype=kind, usage=usage_of(event.get("usage")))
        elif kind == "turn.failed":
            self.finish(event, subtype=kind, usage=usage_of(event.get("usage")))
            self.fail(plain(string(event, "error", "message")))
        elif kind == "error":
            self.note(plain(string(event, "message")))

    def _feed_item(self, item: Any, *, started: bool) -> None:
        if self._reply.final:
            return
        kind = string(item, "type") or string(item, "item_type")
        call = string(item, "id")
        if kind in _TEXTS and not started:
            self.say(string(item, "text"))
        elif kind in _TOOLS and started:
            self._running.add(call)
            self.restart()
        elif kind in _TOOLS and call in self._running:
            self._running.discard(call)  # a call that was still running at the end closes after the answer
        elif kind in _TOOLS:
            self.restart()

    def close(self, returncode: int | None, stderr: str) -> None:
        """End the stream; an error that no message followed failed a run of the form without an end."""
        if self._endless and self._noted is not None and not self._reply.is_error:
            self.fail(self._noted)
        said = (line for line in stderr.split("\n") if not line.rstrip().endswith("from stdin..."))
        super().close(returncode, "\n".join(said))

    def needs_final_event(self) -> bool:
        """Whether a stream that has not shown its end was cut; the form of September 2025 never shows it."""
        return not (self._endless and self._whole)
