"""Antigravity CLI: ``agy -p --output-format stream-json`` and ``json`` (1.1.x as others captured it).

- ``stream-json``: ``{"event": NAME, NAME: {…}}`` with ``init``, ``step_update`` and ``result``. The deltas of
  ``agent_response`` steps are the draft; a step of any other kind than these (a tool, mostly) begins it anew.
- ``json``: the members of the result as one object (its exact members are not known for certain).

With messages on its input it prints a result for each; the newest counts. A step that is ``DONE`` ends nothing. Only
``SUCCESS`` without an error of any form is a success.

Antigravity does not tell the cost. It is closed source: the facts come from frames that others captured (1.1.10) and
from public issues; no run of it was seen.
"""

from __future__ import annotations

from typing import Any

from .adapter import Adapter
from .fields import integer, number, plain, string
from .reply import Usage

_STATUSES = ("SUCCESS", "ERROR", "CANCELED")
_SILENT = ("user_input", "checkpoint", "error_message")  # steps that are not part of answering


class Antigravity(Adapter):
    """Reads what Google's Antigravity CLI prints."""

    name = "antigravity"

    def __init__(self) -> None:
        super().__init__()
        self._step: int | None = None

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell whether ``event`` is unmistakably one of Antigravity's."""
        name = event.get("event")
        if name in ("init", "step_update", "result"):
            return isinstance(event.get(name), dict) and _conversation(event, event[name]) is not None
        return "event" not in event and _is_result(event)

    def feed(self, event: dict[str, Any]) -> None:
        """Read the next event, or the one object."""
        name = event.get("event")
        body = event.get(name) if name in ("init", "step_update", "result") else None
        if isinstance(body, dict):
            if name == "init" and self._reply.final:
                self.new_run()
            self.update(session_id=_conversation(event, body))
            if name == "step_update":
                self._feed_step(body)
            elif name == "result":
                self._feed_result(event, body)
        elif "event" not in event and string(event, "conversation_id") and string(event, "status"):
            self.update(session_id=_conversation(event, event))
            self._feed_result(event, event)

    def _feed_step(self, step: dict[str, Any]) -> None:
        kind = string(step, "step_type")
        if kind == "user_input":
            self.recover()
        if kind == "agent_response":
            index = integer(step, "step_index")
            if index != self._step or self._reply.final:
                self.restart()
                self.update(final=False)
            self._step = index
            self.add(string(step, "text_delta"))
        elif kind is not None and kind not in _SILENT:
            self.restart()

    def _feed_result(self, event: dict[str, Any], result: dict[str, Any]) -> None:
        self.recover()
        status, response = string(result, "status"), string(result, "response")
        seconds = number(result, "duration_seconds")
        self.finish(
            event,
            subtype=status,
            duration_ms=None if seconds is None else round(seconds * 1000),
            turns=integer(result, "num_turns"),
            usage=_usage(result.get("usage")),
        )
        if response or (response is not None and status == "SUCCESS"):
            self.answer(response)
        if result.get("structured_output") is not None:
            self.structure(result["structured_output"])
        told = result.get("error")
        if status != "SUCCESS" or told or isinstance(told, dict):
            error = string(result, "error") or string(result, "error", "message")
            beside = ", beside an error" if status == "SUCCESS" else ""
            self.fail(plain(error) or f"the result's status is {status}{beside}")


def _conversation(event: dict[str, Any], body: dict[str, Any]) -> str | None:
    return string(event, "conversation_id") or string(body, "conversation_id")


def _is_result(event: dict[str, Any]) -> bool:
    return event.get("status") in _STATUSES and string(event, "conversation_id") is not None


def _usage(usage: Any) -> Usage | None:
    told = Usage(
        input=integer(usage, "input_tokens"),
        output=integer(usage, "output_tokens"),
        cache_read=integer(usage, "cache_read_tokens"),
        reasoning=integer(usage, "thinking_tokens"),
        total=integer(usage, "total_tokens"),
    )
    return told or None
