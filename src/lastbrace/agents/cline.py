"""Cline: ``cline --json``, today's events and the older ``say``/``ask`` messages.

Facts: cline/cline, apps/cli/src/runtime/run-agent.ts and utils/events.ts, docs/cli/cli-reference.mdx; seen: 3.0.65.
A run ends with ``run_result``, and only ``completed`` is a success. Its ``text`` is otherwise the error message, so the
draft stays the answer. Errors that end a run before it began stand on stderr, as JSON.

It cannot tell: the session in 3.0.65 (``run_start``, which names it, is not printed), what happened after SIGINT (the
output stops, exit 0); the older form no tokens, cost, duration or turns.
"""

from __future__ import annotations

from typing import Any

from .adapter import Adapter
from .fields import integer, member, number, string
from .reply import Usage

_OWN = {
    "run_start": "providerId",
    "hook_event": "hookEventName",
    "agent_event": "event",
    "run_result": "finishReason",
}
_TOOLS = ("tool", "command", "browser_action", "use_mcp_server")  # of the older form


class Cline(Adapter):
    """Reads ``agent_event`` deltas and ``run_result``, or ``say`` and ``ask``."""

    name = "cline"

    def __init__(self) -> None:
        super().__init__()
        self._trouble: str | None = None  # what ended the run, if nothing says so

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell by ``ts`` beside one of the types that only this CLI has."""
        kind = event.get("type")
        if kind in ("say", "ask"):
            return integer(event, "ts") is not None and string(event, kind) is not None
        return isinstance(kind, str) and _OWN.get(kind, "") in event and string(event, "ts") is not None

    def feed(self, event: dict[str, Any]) -> None:
        """Read the next event of stdout."""
        kind = event.get("type")
        if kind == "run_start":
            if self._reply.final:
                self.new_run()
                self._trouble = None
            self.update(session_id=string(event, "sessionId"))
        elif kind == "agent_event" and not member(event, "parentAgentId"):
            self._take_event(member(event, "event"))
        elif kind == "run_result":
            self._end(event)
        elif kind == "run_aborted":
            reason = string(event, "reason") or string(event, "message")
            self.fail(f"the run was aborted: {reason or 'no reason given'}")
        elif kind == "run_abort_requested":
            self._trouble = f"interrupted by {string(event, 'reason') or 'a request'}"
        elif kind in ("say", "ask"):
            self._take_message(event)

    def feed_stderr(self, event: dict[str, Any]) -> None:
        """Read an object found in stderr: the last error counts where there is no result."""
        if event.get("type") == "error":
            self._trouble = string(event, "message") or self._trouble

    def close(self, returncode: int | None, stderr: str) -> None:
        """End the stream."""
        if self._trouble and not self._reply.final and not self._reply.is_error:
            self.fail(self._trouble)
        super().close(returncode, stderr)

    def _take_event(self, event: Any) -> None:
        kind, content = string(event, "type"), string(event, "contentType")
        if kind == "iteration_start" or (kind == "content_start" and content == "tool"):
            self.restart()
        elif kind == "content_start" and content == "text":
            self.add(string(event, "text"))
        elif kind == "content_end" and content == "text":
            text = string(event, "text") or ""
            if text and not self.text.endswith(text):
                self.restart()
                self.add(text)
        elif kind == "usage":
            usage = Usage(
                input=integer(event, "totalInputTokens"),
                output=integer(event, "totalOutputTokens"),
                cache_read=integer(event, "totalCacheReadTokens"),
                cache_write=integer(event, "totalCacheWriteTokens"),
            )
            self.update(usage=usage or None, cost_usd=number(event, "totalCost"))
        elif kind == "error" and member(event, "recoverable") is not True:
            self._trouble = string(event, "error", "message") or self._trouble

    def _end(self, event: dict[str, Any]) -> None:
        totals = member(event, "aggregateUsage") or member(event, "usage")  # the former counts sub-agents too
        usage = Usage(
            input=integer(totals, "inputTokens"),
            output=integer(totals, "outputTokens"),
            cache_read=integer(totals, "cacheReadTokens"),
            cache_write=integer(totals, "cacheWriteTokens"),
        )
        reason, text = string(event, "finishReason"), string(event, "text") or ""
        self.finish(
            event,
            subtype=reason,
            usage=usage or None,
            cost_usd=number(totals, "totalCost"),
            duration_ms=integer(event, "durationMs"),
            turns=integer(event, "iterations"),
        )
        if reason == "completed":
            self.answer(text)
            return
        self.fail(text.strip() or f"the run ended with {reason or 'no reason given'}")
        if not self._text and text:
            self._text = [text]  # shown, but no answer in which to look for a completion

    def _take_message(self, event: dict[str, Any]) -> None:
        text, said, asked = string(event, "text") or "", string(event, "say"), string(event, "ask")
        if said in _TOOLS or asked in _TOOLS:
            self.restart()
        elif asked in ("api_req_failed", "mistake_limit_reached"):
            self.fail(text.strip() or asked, subtype=asked)
        elif said in ("api_req_started", "api_req_retried"):
            if self._reply.is_error:
                self.recover()
        elif said == "error":
            self._trouble = text.strip() or self._trouble
        elif said == "completion_result" and event.get("partial") is not True:
            self.answer(text or self.text)
            self.finish(event, subtype=said)
        elif said in ("text", "completion_result"):
            draft = self.text
            if not text.startswith(draft):  # it is no longer version of the same message
                self.restart()
                draft = ""
            self.add(text[len(draft) :])
