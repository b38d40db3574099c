"""GitHub Copilot CLI: ``copilot -p … --output-format json`` (1.0.102 seen), with and without streaming.

``{"type", "data", "id", "timestamp", "parentId"}`` for each event of the session, then ``result`` without ``data``.
The answer is the last ``assistant.message`` of the main agent that asks for no tool; its deltas come before it.

``session.error``, ``model.call_failure`` and ``abort`` may be got over by another attempt, which begins the draft anew;
a ``result`` with ``exitCode`` 0 is a success only if the last of them was: a run that a signal ends while it retries
also says 0. An error of the session after the result fails the run after all.

Copilot tells the session only at the end, no cost in money, and of tokens at most the output of each message (1.0.102,
with a model of one's own: none). A token limit leaves no sign. Facts from github/copilot-sdk ``session-events.ts``,
github/copilot-cli issues, and live captures.
"""

from __future__ import annotations

from typing import Any

from .adapter import Adapter
from .claude_fields import UsageSum
from .fields import integer, items, plain, string
from .reply import Usage

_PREFIXES = ("session.", "assistant.", "model.", "tool.", "user.message")


class Copilot(Adapter):
    """Reads what GitHub's Copilot CLI prints."""

    name = "copilot"

    def __init__(self) -> None:
        super().__init__()
        self._trouble: str | None = None  # the error that no answer has followed
        self._kind: str | None = None
        self._output = UsageSum()

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell whether ``event`` is unmistakably one of Copilot's."""
        kind = event.get("type")
        if kind == "result":
            return isinstance(event.get("sessionId"), str) and integer(event, "exitCode") is not None
        told = isinstance(event.get("data"), dict) and isinstance(event.get("id"), str) and "parentId" in event
        return told and isinstance(kind, str) and kind.startswith(_PREFIXES)

    def feed(self, event: dict[str, Any]) -> None:
        """Read the next event."""
        kind, data = event.get("type"), event.get("data")
        if kind == "result" and "data" not in event:
            self._feed_result(event)
        elif not isinstance(data, dict) or _is_of_another(event, data):
            return
        elif self._reply.final:
            if kind == "session.error" and not self._reply.is_error:
                error, word = string(data, "message"), string(data, "errorType")
                self.fail(plain(error) or "the session reports an error", subtype=word)
        elif kind == "assistant.turn_start":
            self.update(turns=(self._reply.turns or 0) + 1)
        elif kind in ("assistant.message_start", "assistant.turn_retry"):
            self.restart()
        elif kind == "assistant.message_delta":
            self.add(string(data, "deltaContent"))
        elif kind == "assistant.message":
            self._feed_message(data)
        elif kind == "model.call_failure" and data.get("source") in (None, "top_level"):
            self._fails(string(data, "errorMessage"), string(data, "errorType"), "a call of the model failed")
        elif kind == "session.error":
            self._fails(string(data, "message"), string(data, "errorType"), "the session reports an error")
        elif kind == "abort":
            reason = string(data, "reason")
            self._fails(f"aborted: {reason}" if reason else None, "abort", "aborted")

    def _feed_message(self, data: dict[str, Any]) -> None:
        tokens = integer(data, "outputTokens")
        if tokens is not None:
            self.update(usage=self._output.put(string(data, "messageId"), Usage(output=tokens)))
        self._trouble = self._kind = None
        self.note(None)
        content = string(data, "content")
        if any(call.get("name") != "task_complete" for call in items(data, "toolRequests")):
            self.restart()
        elif content:
            self.answer(content)

    def _fails(self, message: str | None, kind: str | None, otherwise: str) -> None:
        self._trouble, self._kind = plain(message) or otherwise, kind
        self.note(self._trouble)

    def _feed_result(self, event: dict[str, Any]) -> None:
        code, usage = integer(event, "exitCode"), event.get("usage")
        self.finish(
            event,
            session_id=string(event, "sessionId"),
            duration_ms=integer(usage, "sessionDurationMs"),
            duration_api_ms=integer(usage, "totalApiDurationMs"),
        )
        if code != 0 or self._trouble is not None:
            self.fail(self._trouble or f"the result's exit code is {code}", subtype=self._kind)


def _is_of_another(event: dict[str, Any], data: dict[str, Any]) -> bool:
    """Tell whether a sub-agent speaks."""
    return bool(event.get("agentId") or data.get("agentId") or data.get("parentToolCallId"))
