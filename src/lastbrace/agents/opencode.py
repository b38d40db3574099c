"""OpenCode: ``opencode run --format json`` (1.18.33 seen).

``step_start``, ``text`` (a whole part), ``reasoning``, ``tool_use``, ``step_finish``, ``error``; newer versions print
``done`` at the end. The answer is the text of the newest step after its last tool call.

Without ``done`` there is no final event. The sign used is a ``step_finish`` whose reason is not ``tool-calls``, in a
step without tool calls: a provider that says ``stop`` after a tool call only means that another step follows. It is
taken back when a step begins. ``subtype`` is that reason, and only ``stop`` is a good one: ``length`` is the token
limit. An ``error`` event makes the CLI exit with 1, whatever follows, so it is not taken back.

OpenCode does not tell of retries (a broken attempt shows as a ``step_start`` alone), nor the duration. Cost and tokens
are summed over the steps, which are the turns. Facts from anomalyco/opencode ``cli/cmd/run.ts`` and live captures.
"""

from __future__ import annotations

from typing import Any

from .adapter import Adapter
from .fields import integer, number, plain, string
from .reply import Usage

_PARTS = ("step_start", "text", "reasoning", "tool_use", "step_finish")
_CUT = {
    "length": "the answer was cut by the token limit",
    "content-filter": "the answer was stopped by the content filter",
    "error": "a step ended with an error",
}
_COUNTS = {
    "input": ("input",),
    "output": ("output",),
    "cache_read": ("cache", "read"),
    "cache_write": ("cache", "write"),
    "reasoning": ("reasoning",),
    "total": ("total",),
}


class OpenCode(Adapter):
    """Reads what OpenCode prints."""

    name = "opencode"

    def __init__(self) -> None:
        super().__init__()
        self._tools = False  # the step called some
        self._stopped = False  # the step said that no other follows
        self._has_error = False  # there was an event of one

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell whether ``event`` is unmistakably one of OpenCode's."""
        if not isinstance(event.get("sessionID"), str):
            return False
        kind = event.get("type")
        return (kind in _PARTS and isinstance(event.get("part"), dict)) or (
            kind == "error" and isinstance(event.get("error"), dict)
        )

    def feed(self, event: dict[str, Any]) -> None:
        """Read the next event."""
        session, kind, part = string(event, "sessionID"), event.get("type"), event.get("part")
        if session is None or self._reply.session_id not in (None, session):
            return  # another's: a sub-agent has a session of its own
        self.update(session_id=session)
        if kind == "step_start":
            self._tools = self._stopped = False
            self.restart()
            self.update(final=False)
            if not self._has_error:
                self.recover()
        elif kind == "text" and isinstance(part, dict):
            self._feed_text(part)
        elif kind == "tool_use":
            self._tools = True
            self.restart()
        elif kind == "step_finish" and isinstance(part, dict):
            self._feed_end(event, part)
        elif kind == "error":
            error = event.get("error")
            message = string(error, "data", "message") or string(error, "message") or string(error, "name")
            self._has_error = True
            self.finish(event, subtype=string(error, "name"))
            self.fail(plain(message))
        elif kind == "done":
            self._stopped = True
            self.finish(event)

    def _feed_text(self, part: dict[str, Any]) -> None:
        text = string(part, "text")
        if text and part.get("synthetic") is not True:
            self.add(f"\n{text}" if self._text else text)

    def _feed_end(self, event: dict[str, Any], part: dict[str, Any]) -> None:
        cost, turns, reason = number(part, "cost"), self._reply.turns or 0, string(part, "reason")
        if cost is not None:
            self.update(cost_usd=(self._reply.cost_usd or 0) + cost)
        self.update(turns=turns + 1, usage=self._add_usage(part.get("tokens")), subtype=reason)
        self._stopped = reason not in (None, "tool-calls", "unknown")
        if self._stopped and reason != "stop":
            self.finish(event)
            if not self._has_error:
                self.fail(_CUT.get(reason or "", f"a step ended with {reason}"))
        elif self._stopped and not self._tools:
            self.finish(event)

    def _add_usage(self, tokens: Any) -> Usage | None:
        before, sums = self._reply.usage or Usage(), {}
        for name, path in _COUNTS.items():
            count, known = integer(tokens, *path), getattr(before, name)
            sums[name] = known if count is None else count + (known or 0)
        return Usage(**sums) or None

    def needs_final_event(self) -> bool:
        """Whether a stream that has not shown its end was cut: not if its last step said that none follows."""
        return not self._stopped
