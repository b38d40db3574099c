"""Pi: ``pi -p --mode json``.

Facts: badlogic/pi-mono (now earendil-works/pi), packages/coding-agent/docs/json.md, src/modes/print-mode.ts; seen:
0.73.1. The exit status is 0 whatever happened: the last message's ``stopReason`` says how a run ended. ``agent_end`` is
its end unless it says ``willRetry`` or another ``agent_start`` follows; ``auto_retry_end`` or a compaction may come
last. Only ``stop`` is a good reason to stop. Another ``session`` begins another run.

Each ``message_update`` repeats the message twice: only its delta is read here, so the cost is that of decoding it.

It cannot tell: duration. Tokens and cost are summed over the messages.
"""

from __future__ import annotations

from typing import Any

from .adapter import Adapter
from .fields import integer, items, member, number, string
from .reply import Usage

_TOKENS = {
    "input": "input",
    "output": "output",
    "cache_read": "cacheRead",
    "cache_write": "cacheWrite",
    "total": "totalTokens",
}
_STOPPED = {
    "length": "the answer was cut by the token limit",
    "aborted": "the run was aborted",
    "error": "the model reports an error",
}


class Pi(Adapter):
    """Reads pi's session events."""

    name = "pi"

    def __init__(self) -> None:
        super().__init__()
        self._stop: str | None = None
        self._error: str | None = None

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell by the session header, or by messages as only pi wraps them."""
        kind = event.get("type")
        if kind == "session":
            return {"version", "id", "cwd"} <= event.keys()
        if kind == "message_update":
            return string(event, "assistantMessageEvent", "type") is not None
        if kind in ("message_start", "message_end"):
            return string(event, "message", "role") is not None and "timestamp" in event["message"]
        return kind == "agent_end" and isinstance(event.get("messages"), list)

    def feed(self, event: dict[str, Any]) -> None:
        """Read the next event of stdout."""
        kind = event.get("type")
        if kind == "message_update":
            self._take_update(member(event, "assistantMessageEvent"))
        elif kind == "message_start" and string(event, "message", "role") == "assistant":
            self.restart()
        elif kind == "message_end" and string(event, "message", "role") == "assistant":
            self._take_message(event["message"])
            self._count(event["message"])
        elif kind == "session":
            if self._reply.session_id is not None or self._reply.final:
                self.new_run()
            self._stop = self._error = None
            self.update(session_id=string(event, "id"))
        elif kind == "turn_start":
            self.update(turns=(self._reply.turns or 0) + 1)
        elif kind in ("agent_start", "auto_retry_start"):
            self.restart()
            self.recover()
            self._stop = self._error = None
        elif kind == "agent_end":
            self._end(event)
        elif kind == "auto_retry_end" and event.get("success") is False:
            self.fail(string(event, "finalError"))
            self.finish(event)

    def _take_update(self, update: Any) -> None:
        kind = string(update, "type")
        if kind == "text_delta":
            self.add(string(update, "delta"))
        elif kind == "toolcall_start":
            self.restart()

    def _take_message(self, message: dict[str, Any]) -> None:
        content = items(message, "content")
        self._stop, self._error = string(message, "stopReason"), string(message, "errorMessage")
        if any(part.get("type") == "toolCall" for part in content):
            self.restart()
        else:
            text = "".join(string(part, "text") or "" for part in content if part.get("type") == "text")
            if text != self.text:
                self.restart()
                self.add(text)

    def _count(self, message: dict[str, Any]) -> None:
        before = self._reply.usage or Usage()
        tokens = {}
        for name, theirs in _TOKENS.items():
            known, more = getattr(before, name), integer(message, "usage", theirs)
            tokens[name] = known if more is None else (known or 0) + more
        usage = Usage(**tokens)
        cost = number(message, "usage", "cost", "total")
        self.update(usage=usage or None, cost_usd=None if cost is None else (self._reply.cost_usd or 0.0) + cost)

    def _end(self, event: dict[str, Any]) -> None:
        if event.get("willRetry") is True:
            return
        said = [message for message in items(event, "messages") if message.get("role") == "assistant"]
        if said:
            self._take_message(said[-1])
        self.finish(event, subtype=self._stop)
        if self._stop is None:
            self.fail(self._error or "the run ended without an answer")
        elif self._stop != "stop" or self._error:
            self.fail(self._error or _STOPPED.get(self._stop, f"the run ended with {self._stop}"))
        else:
            self.answer(self.text)
