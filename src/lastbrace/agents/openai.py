"""The APIs of OpenAI and of those who follow them: chat completions and Responses, as server-sent events.

Facts: OpenAI's API reference. Chat completions end with ``data: [DONE]``, which is text, not JSON; Responses with
``response.completed``, ``response.incomplete`` or ``response.failed``.

It cannot tell: cost and duration; tokens only where they were asked for (``include_usage``). The session is the id of
the completion or response. Of several choices the first counts. An answer that stops to call a tool is no error, and
its text is no answer.
"""

from __future__ import annotations

from typing import Any

from .adapter import Adapter
from .fields import integer, items, member, string
from .reply import Usage

_DONE = "data:[DONE]"
_TERMINAL = ("response.completed", "response.incomplete", "response.failed")
_STOPPED = {
    "length": "the answer was cut by the token limit",
    "max_output_tokens": "the answer was cut by the token limit",
    "content_filter": "the answer was stopped by the content filter",
}


class OpenAI(Adapter):
    """Reads the chunks of a chat completion, or the events of a response."""

    name = "openai"
    reads_text = True

    def __init__(self) -> None:
        super().__init__()
        self._refusal = ""
        self._printed = ""

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell by the object type of a chunk, or by an event of a response."""
        kind = event.get("type")
        if isinstance(kind, str) and kind.startswith("response."):
            return "sequence_number" in event or string(event, "response", "object") == "response"
        return event.get("object") == "chat.completion.chunk" and isinstance(event.get("choices"), list)

    def feed(self, event: dict[str, Any]) -> None:
        """Read the next event."""
        kind = event.get("type")
        if isinstance(event.get("choices"), list):
            self._take_chunk(event)
        elif isinstance(kind, str) and kind.startswith("response."):
            self._take_response_event(kind, event)
        elif kind == "error" or (kind is None and "error" in event):
            error = event["error"] if isinstance(event.get("error"), dict) else event
            self.fail(string(error, "message"), subtype=string(error, "code") or string(error, "type"))
            self.finish(event)

    def feed_text(self, text: str) -> None:
        """Look for the end of a chat completion."""
        self._printed = self._printed[-len(_DONE) :] + text.replace(" ", "")
        if not self._reply.final and _DONE in self._printed:
            self._end(None, self._reply.subtype)

    def _start(self, identity: str | None) -> None:
        self.restart()
        self.recover()
        self._refusal = ""
        self.update(session_id=identity)

    def _take_chunk(self, event: dict[str, Any]) -> None:
        if string(event, "id") not in (None, self._reply.session_id):
            self._start(string(event, "id"))
        self._count(member(event, "usage"), "prompt_tokens", "completion_tokens")
        for choice in items(event, "choices"):
            if choice.get("index", 0) != 0:
                continue
            self.add(string(choice, "delta", "content"))
            self._refusal += string(choice, "delta", "refusal") or ""
            self.update(subtype=string(choice, "finish_reason"))
            if items(choice, "delta", "tool_calls") or choice.get("finish_reason") in ("tool_calls", "function_call"):
                self.restart()

    def _take_response_event(self, kind: str, event: dict[str, Any]) -> None:
        if kind == "response.created":
            self._start(string(event, "response", "id"))
        elif kind == "response.output_text.delta":
            self.add(string(event, "delta"))
        elif kind == "response.refusal.delta":
            self._refusal += string(event, "delta") or ""
        elif kind == "response.output_item.added" and _is_call(member(event, "item")):
            self.restart()
        elif kind in _TERMINAL:
            self._end_response(kind, event)

    def _end_response(self, kind: str, event: dict[str, Any]) -> None:
        response = member(event, "response")
        self.update(session_id=string(response, "id"))
        self._count(member(response, "usage"), "input_tokens", "output_tokens")
        text = self.text
        if isinstance(member(response, "output"), list):
            text = ""
            for item in items(response, "output"):
                parts = [part for part in items(item, "content") if part.get("type") == "output_text"]
                text = "" if _is_call(item) else text + "".join(string(part, "text") or "" for part in parts)
        status = string(response, "status") or kind.removeprefix("response.")
        if kind == "response.failed":
            self.fail(string(response, "error", "message"), subtype=string(response, "error", "code") or status)
        self._end(event, string(response, "incomplete_details", "reason") or status, text or self.text)

    def _end(self, event: dict[str, Any] | None, reason: str | None, text: str | None = None) -> None:
        self.finish(event)
        if self._reply.is_error:
            return
        self.update(subtype=reason)
        if reason in _STOPPED or reason == "incomplete":
            self.fail(_STOPPED.get(reason, "the response is incomplete"))
        elif self._refusal:
            self.fail(self._refusal, subtype="refusal")
        else:
            self.answer(self.text if text is None else text)

    def _count(self, totals: Any, sent: str, received: str) -> None:
        details = {name: member(totals, f"{name}_details") for name in (sent, received)}
        usage = Usage(
            input=integer(totals, sent),
            output=integer(totals, received),
            cache_read=integer(details[sent], "cached_tokens"),
            reasoning=integer(details[received], "reasoning_tokens"),
            total=integer(totals, "total_tokens"),
        )
        self.update(usage=usage or None)


def _is_call(item: Any) -> bool:
    return (string(item, "type") or "").endswith("_call")
