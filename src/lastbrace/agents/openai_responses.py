"""OpenAI's Responses, and how a completion or a response ends; see ``openai``."""

from __future__ import annotations

from typing import Any

from .adapter import Adapter
from .fields import integer, items, member, string
from .reply import Usage

_TERMINAL = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")
_STOPPED = {
    "length": "the answer was cut by the token limit",
    "max_output_tokens": "the answer was cut by the token limit",
    "content_filter": "the answer was stopped by the content filter",
}


class Responses(Adapter):
    """Reads the events of a response."""

    def __init__(self) -> None:
        super().__init__()
        self._refusal: list[str] = []

    def start(self, identity: str | None) -> None:
        """Begin another completion or response."""
        self.new_run()
        self._refusal = []
        self.update(session_id=identity)

    def fail_with(self, event: dict[str, Any], error: Any) -> None:
        """Take an error object, or what stands for one."""
        told = error if isinstance(error, dict) else event
        message = error if isinstance(error, str) else string(told, "message")
        self.fail(message, subtype=string(told, "code") or string(told, "type"))
        self.finish(event)

    def refuse(self, delta: str | None) -> None:
        """Add to the words of a refusal."""
        if delta:
            self._refusal.append(delta)

    def take_response_event(self, kind: str, event: dict[str, Any]) -> None:
        """Read an event of a response."""
        if kind == "response.created":
            self.start(string(event, "response", "id"))
        elif kind == "response.output_text.delta":
            self.add(string(event, "delta"))
        elif kind == "response.refusal.delta":
            self.refuse(string(event, "delta"))
        elif kind == "response.output_item.added" and _is_call(member(event, "item")):
            self.restart()
        elif kind in _TERMINAL:
            self._end_response(kind, event)

    def _end_response(self, kind: str, event: dict[str, Any]) -> None:
        response = member(event, "response")
        self.update(session_id=string(response, "id"))
        self.count(member(response, "usage"), "input_tokens", "output_tokens")
        text = self.text
        if isinstance(member(response, "output"), list):
            text = ""
            for item in items(response, "output"):
                parts = [part for part in items(item, "content") if part.get("type") == "output_text"]
                text = "" if _is_call(item) else text + "".join(string(part, "text") or "" for part in parts)
        said = kind.removeprefix("response.")
        status = string(response, "status") if said == "completed" else said
        if said == "failed" or member(response, "error") is not None:
            message = string(response, "error", "message") or f"the response ended with {status or said}"
            self.fail(message, subtype=string(response, "error", "code") or status)
        reason = string(response, "incomplete_details", "reason") or status or said
        self.end(event, reason, text or self.text, good=("completed",))

    def end(
        self, event: dict[str, Any] | None, reason: str | None, text: str | None = None, *, good: tuple[str, ...]
    ) -> None:
        """End a completion or a response; only the reasons ``good`` are a success."""
        self.finish(event)
        if self._reply.is_error:
            return
        self.update(subtype=reason)
        if reason is None:
            self.fail("the stream ended without a reason to stop")
        elif reason not in good:
            self.fail(_STOPPED.get(reason, f"the answer ended with {reason}"))
        elif self._refusal:
            self.fail("".join(self._refusal), subtype="refusal")
        else:
            self.answer(self.text if text is None else text)

    def count(self, totals: Any, sent: str, received: str) -> None:
        """Take the tokens told."""
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
