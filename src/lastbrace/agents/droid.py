"""Factory droid (``droid exec``): ``json``, and ``stream-json`` (also named ``debug``).

No version was run; the facts are from the vendor's ``droid exec`` documentation and from third-party captures of
0.182.0.

A run that fails prints its cause (``source: agent_loop``), then ``Exec failed`` (``source: cli``), which is its end. An
error of the agent loop alone may have been got over. After the first end only a failure counts; another ``init`` begins
another run.

It cannot tell: what a run cost; in ``json``, how many tokens it took.
"""

from __future__ import annotations

from typing import Any

from .adapter import Adapter
from .claude_fields import token_usage
from .fields import integer, string


class Droid(Adapter):
    """Reads the events of droid."""

    name = "droid"

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell droid's events from those of the CLIs that resemble it."""
        kind, keys = event.get("type"), event.keys()
        if "session_id" not in keys or "uuid" in keys or (string(event, "session_id") or "").startswith("T-"):
            return False
        if kind == "result":
            known = {"subtype", "is_error", "duration_ms", "num_turns"} <= keys
            return known and not {"total_cost_usd", "duration_api_ms", "permission_denials"} & keys
        if kind == "system" and event.get("subtype") == "init":
            return {"tools", "model"} <= keys and not {"mcp_servers", "permissionMode", "permission_mode"} & keys
        if kind == "error":
            return event.get("source") in ("agent_loop", "cli")
        return (kind == "completion" and "finalText" in keys) or (kind == "tool_call" and "toolId" in keys)

    def feed(self, event: dict[str, Any]) -> None:
        """Read the next event."""
        kind = event.get("type")
        if kind == "system" and event.get("subtype") == "init":
            self.new_run()
        if self._reply.final:
            self._read_more(event)
            return
        self.update(session_id=string(event, "session_id"))
        if kind == "message" and event.get("role") == "assistant":
            self.note(None)
            self.restart()
            self.add(string(event, "text"))
        elif kind == "tool_call":
            self.restart()
        elif kind == "error":
            self._read_error(event)
        elif kind == "completion":
            self._read_completion(event)
        elif kind == "result":
            self._read_result(event)

    def _read_more(self, event: dict[str, Any]) -> None:
        """Read what comes after the end: a success may yet fail."""
        if self._reply.is_error:
            return
        if event.get("type") == "error":
            self._read_error(event)
        elif event.get("type") == "result" and not _is_success(event):
            self._fail(event)

    def _read_error(self, event: dict[str, Any]) -> None:
        if event.get("source") == "cli":
            self.finish(event)
            self.fail(self._noted or string(event, "message"))
        else:
            self.note(string(event, "message"))

    def _read_completion(self, event: dict[str, Any]) -> None:
        text = string(event, "finalText")
        self.finish(
            event,
            duration_ms=integer(event, "durationMs"),
            turns=integer(event, "numTurns"),
            usage=token_usage(event.get("usage")),
        )
        if text is None:
            self.fail("the run completed, but has no answer")
        else:
            self.answer(text)

    def _read_result(self, event: dict[str, Any]) -> None:
        result = string(event, "result")
        if result is not None:
            self.answer(result)
        self.finish(
            event,
            subtype=string(event, "subtype"),
            duration_ms=integer(event, "duration_ms"),
            turns=integer(event, "num_turns"),
            usage=token_usage(event.get("usage")),
        )
        if not _is_success(event):
            self._fail(event)

    def _fail(self, event: dict[str, Any]) -> None:
        subtype = string(event, "subtype")
        error = string(event, "result") or f"the run ended with {subtype or 'a result that does not say how'}"
        self.fail(error, subtype=subtype)


def _is_success(event: dict[str, Any]) -> bool:
    """Tell whether a result says in each way it has that the run succeeded."""
    told = event.get("subtype") == "success" and event.get("is_error") is False
    return told and string(event, "result") is not None
