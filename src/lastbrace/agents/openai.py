"""The APIs of OpenAI and of those who follow them: chat completions and Responses, as server-sent events.

Facts: OpenAI's API reference. Chat completions end with ``data: [DONE]``, which is text, not JSON; Responses with
``response.completed``, ``response.incomplete`` or ``response.failed``.

It cannot tell: cost and duration; tokens only where they were asked for (``include_usage``). The session is the id of
the completion or response. Of several choices the first counts. An answer that stops to call a tool is no error, and
its text is no answer. Any other reason to stop than those known to be good is an error, and so is an end without one.
"""

from __future__ import annotations

from typing import Any

from .done_line import DoneLine
from .fields import items, member, string
from .openai_responses import Responses

_GOOD = ("stop", "tool_calls", "function_call")


class OpenAI(Responses):
    """Reads the chunks of a chat completion, or the events of a response."""

    name = "openai"
    reads_text = True

    def __init__(self) -> None:
        super().__init__()
        self._reason: str | None = None  # why the first choice of a completion stopped
        self._line = DoneLine()

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
        self._line.pass_object()
        if isinstance(event.get("choices"), list):
            self._take_chunk(event)
        elif isinstance(kind, str) and kind.startswith("response."):
            self.take_response_event(kind, event)
        elif kind == "error" or (kind is None and event.get("error") is not None):
            self.fail_with(event, event.get("error"))

    def feed_text(self, text: str) -> None:
        """Look for the end of a chat completion: a line of its own."""
        self._take_done(self._line.feed(text))

    def close(self, returncode: int | None, stderr: str) -> None:
        """End the stream, and its last line."""
        self._take_done(self._line.end())
        super().close(returncode, stderr)

    def _take_done(self, found: bool) -> None:
        if found and not self._reply.final:
            self.end(None, self._reason, good=_GOOD)

    def start(self, identity: str | None) -> None:
        """Begin another completion or response."""
        super().start(identity)
        self._reason = None

    def _take_chunk(self, event: dict[str, Any]) -> None:
        if string(event, "id") not in (None, self._reply.session_id):
            self.start(string(event, "id"))
        if event.get("error") is not None:
            self.fail_with(event, event["error"])
        self.count(member(event, "usage"), "prompt_tokens", "completion_tokens")
        for choice in items(event, "choices"):
            if choice.get("index", 0) != 0:
                continue
            self.add(string(choice, "delta", "content"))
            self.refuse(string(choice, "delta", "refusal"))
            self._reason = string(choice, "finish_reason") or self._reason
            if choice.get("error") is not None:
                self.fail_with(event, choice["error"])
            elif not self._reply.is_error:
                self.update(subtype=self._reason)
            if items(choice, "delta", "tool_calls") or choice.get("finish_reason") in ("tool_calls", "function_call"):
                self.restart()
