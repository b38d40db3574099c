"""Cursor CLI (``cursor-agent -p``): ``json``, and ``stream-json`` with and without ``--stream-partial-output``.

No version was run; the facts are from the vendor's output format reference and its forum, and from third-party captures
of 2026.

An assistant event with ``timestamp_ms`` alone is a delta. One with ``model_call_id`` repeats what comes before a tool
call, one with neither is the last message, which repeats the deltas where there were some. The result's text is all
messages joined; the contract is looked for in the last of them, where the stream shows which that is. After the first
result only one that failed counts; another ``init`` begins another run.

It cannot tell: cost, turns, and why a run failed: the stream ends, or never begins, and the reason is on stderr.
"""

from __future__ import annotations

from typing import Any

from .adapter import Adapter
from .claude_fields import message_text
from .fields import integer, member, string
from .reply import Usage


class Cursor(Adapter):
    """Reads the events of Cursor CLI."""

    name = "cursor"

    def __init__(self) -> None:
        super().__init__()
        self._has_deltas = False

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell Cursor's events from those of the CLIs that resemble it."""
        kind = event.get("type")
        if kind == "result":
            own = {"subtype", "is_error", "duration_api_ms", "session_id"} <= event.keys()
            return own and not {"num_turns", "total_cost_usd", "uuid"} & event.keys()
        if kind == "system" and event.get("subtype") == "init":
            return {"apiKeySource", "permissionMode"} <= event.keys() and not {"tools", "mcp_servers"} & event.keys()
        return kind == "tool_call" and isinstance(event.get("tool_call"), dict) and "call_id" in event

    def feed(self, event: dict[str, Any]) -> None:
        """Read the next event."""
        kind = event.get("type")
        if kind == "system" and event.get("subtype") == "init":
            self.new_run()
            self._has_deltas = False
        if self._reply.final and (kind != "result" or self._reply.is_error or _is_success(event)):
            return
        self.update(session_id=string(event, "session_id"))
        if kind == "assistant":
            self._read_message(event)
        elif kind == "tool_call":
            self.restart()
        elif kind == "result":
            self._read_result(event)

    def _read_message(self, event: dict[str, Any]) -> None:
        text = message_text(event)
        if "model_call_id" in event:
            self.restart()
        elif "timestamp_ms" in event:
            self._has_deltas = True
            self.add(text)
        elif not self._has_deltas:
            self.restart()
            self.add(text)

    def _read_result(self, event: dict[str, Any]) -> None:
        result = string(event, "result")
        if result is not None and not self._reply.final:
            self.answer(result, last=self.text)
        usage = Usage(
            input=integer(event, "usage", "inputTokens"),
            output=integer(event, "usage", "outputTokens"),
            cache_read=integer(event, "usage", "cacheReadTokens"),
            cache_write=integer(event, "usage", "cacheWriteTokens"),
        )
        self.finish(
            event,
            subtype=string(event, "subtype"),
            duration_ms=integer(event, "duration_ms"),
            duration_api_ms=integer(event, "duration_api_ms"),
            usage=usage if usage else None,
        )
        if not _is_success(event):
            message = string(event, "error") or string(member(event, "error"), "message") or result
            self.fail(message or f"the run ended with {string(event, 'subtype') or 'a result that does not say how'}")


def _is_success(event: dict[str, Any]) -> bool:
    """Tell whether a result says in each way it has that the run succeeded."""
    told = event.get("subtype") == "success" and event.get("is_error") is False
    return told and string(event, "result") is not None
