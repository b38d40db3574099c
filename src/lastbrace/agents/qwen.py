"""Qwen Code (``qwen -p``): ``json`` (one array), ``stream-json`` with and without partial messages.

Versions seen: 0.15.10 and 0.24.4; further facts from the vendor's non-interactive output adapters and headless
documentation. A fork of Gemini CLI that prints Claude's shape, and joins all text blocks of its last message.

Older versions report API errors as success, with ``[API Error: …]`` as or after the answer. Turn and tool limits, a
cancelled run and, in ``json``, other fatal errors are told on stderr alone, as JSON. A sub-agent that fails prints an
error result like the run's own, and the run goes on.

It cannot tell: what a run cost; that the token limit cut the answer; why it is silent (API errors are retried for
minutes). ``usage`` includes requests of its own, such as the memory extractor's.
"""

from __future__ import annotations

from typing import Any

from .claude_shape import ClaudeShape
from .fields import member, string

_API_ERROR = "[API Error:"


class Qwen(ClaudeShape):
    """Reads the events of Qwen Code."""

    name = "qwen"

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell Qwen's ``init`` and ``result`` from those of the CLIs that resemble it."""
        if event.get("type") == "result":
            return {"uuid", "usage", "permission_denials"} <= event.keys() and "total_cost_usd" not in event
        return event.get("type") == "system" and "qwen_code_version" in event

    def feed(self, event: dict[str, Any]) -> None:
        """Read the next event. Where the run goes on after an error, it was a sub-agent's."""
        goes_on = event.get("type") in ("assistant", "user", "stream_event", "result")
        if self._answered and self._reply.is_error and goes_on:
            self._answered = False
            self.recover()
        super().feed(event)

    def feed_stderr(self, event: dict[str, Any]) -> None:
        """Read the error that ended the run, where stdout says none."""
        message = string(event, "error", "message")
        if message and not self._answered:
            self.fail(message, subtype=string(event, "error", "type"))

    def read_system(self, event: dict[str, Any]) -> None:
        """Abandon the draft of an attempt that is repeated, unless the next one carries on where it stopped."""
        if event.get("subtype") == "retry" and member(event, "data", "preserveText") is not True:
            self.begin()

    def failure(self, event: dict[str, Any]) -> str | None:
        """Return why the result is none: an API error at the beginning or the end of the text is one too."""
        error = super().failure(event)
        result = (string(event, "result") or "").strip()
        at = result.find(_API_ERROR)
        if error is None and (at == 0 or (at > 0 and result.endswith("]"))):
            return result[result.rfind(_API_ERROR) :]
        return error
