"""What the CLIs that print Claude's events share: messages in blocks, drafts of the answer, one result event.

A message comes as deltas (``stream_event``), as ``assistant`` events, or as both, and then says the same twice. The
answer is the text of the last message that calls no tool.
"""

from __future__ import annotations

from typing import Any

from .adapter import Adapter
from .claude_fields import has_tool_result, message_text, structured, token_usage
from .claude_result import cut_word, failure_of
from .fields import integer, items, member, number, string

_CALLS = ("tool_use", "mcp_tool_use")


class ClaudeShape(Adapter):
    """Reads Claude's events; a CLI that prints them adds what is its own."""

    def __init__(self) -> None:
        super().__init__()
        self._message: str | None = None  # the id of the message whose text is the draft
        self._live: list[str] = []  # deltas that no assistant event has repeated yet
        self._calling = False  # the message calls a tool, so that none of its text is the answer
        self._stop: str | None = None  # why the last message stopped
        self._answered = False  # by the result of the own prompt; what comes later is of another
        self._ended: str | None = None  # the session whose result came last

    def feed(self, event: dict[str, Any]) -> None:
        """Read the next event; those of sub-agents are not the answer."""
        if event.get("parent_tool_use_id") is not None:
            return
        kind = event.get("type")
        session = string(event, "session_id")
        if kind == "system" and event.get("subtype") == "init" and self._reply.final:
            self._open_again(session)
        if session and session != self._reply.session_id:
            self.update(session_id=session)
        if kind == "result":
            self.read_result(event)
        elif self._answered:
            return
        elif kind == "stream_event":
            self._read_delta(event.get("event"))
        elif kind == "assistant":
            self.read_message(event)
        elif kind == "user":
            if has_tool_result(event):
                self.restart()
        elif kind == "system":
            self.read_system(event)

    def _open_again(self, session: str | None) -> None:
        """Await another result: of another run, or of a further turn, whose answer does not replace the first one's."""
        if session in (None, self._ended):
            self.update(final=False)
        else:
            self.begin()
            self.new_run()
            self._answered = False

    def read_system(self, event: dict[str, Any]) -> None:
        """Read a notice of the CLI itself."""

    def read_message(self, event: dict[str, Any]) -> None:
        """Read a whole message, or one block of it: several events may bear the id of one message."""
        blocks = items(event, "message", "content")
        identity = string(event, "message", "id")
        text = message_text(event)
        if any(block.get("type") in _CALLS for block in blocks):
            self._message = identity
            self._call()
        elif text:
            self._stop = string(event, "message", "stop_reason")
            live, self._live = "".join(self._live), []
            if live != text:
                if live or identity is None or identity != self._message:
                    self.begin()
                if not self._calling:
                    self.add(text)
            self._message = identity

    def read_result(self, event: dict[str, Any]) -> None:
        """Read a final event. The first one of the own prompt answers; later ones add to the cost, or fail the run."""
        error = self.failure(event)
        self._ended = string(event, "session_id")
        self.update(cost_usd=number(event, "total_cost_usd"))
        if self._answered:
            self.update(final=True)
            if error and not self._reply.is_error:
                self.fail(error, subtype=string(event, "subtype"))
            return
        self._answered = string(event, "origin", "kind") in (None, "human")
        self.recover()
        result = string(event, "result")
        if result is not None:
            self.answer(result)
        if structured(event) is not None:
            self.structure(structured(event))
        self.finish(
            event,
            subtype=cut_word(event, self._stop) or string(event, "subtype"),
            duration_ms=integer(event, "duration_ms"),
            duration_api_ms=integer(event, "duration_api_ms"),
            turns=integer(event, "num_turns"),
            usage=token_usage(event.get("usage")),
        )
        if error:
            self.fail(error)

    def failure(self, event: dict[str, Any]) -> str | None:
        """Return why the result is none, or None."""
        return failure_of(event, self._stop)

    def _read_delta(self, event: Any) -> None:
        kind = member(event, "type")
        if kind == "message_start":
            self.begin()
            self._message = string(event, "message", "id")
        elif kind == "content_block_start" and member(event, "content_block", "type") in _CALLS:
            self._call()
        elif kind == "content_block_delta" and member(event, "delta", "type") == "text_delta":
            text = string(event, "delta", "text")
            if text and not self._calling:
                self._live.append(text)
                self.add(text)

    def begin(self) -> None:
        """Begin a message, or the same one again: what there is of the last one is not the answer."""
        self._live, self._calling = [], False
        self.restart()

    def _call(self) -> None:
        self._live, self._calling = [], True
        self.restart()
