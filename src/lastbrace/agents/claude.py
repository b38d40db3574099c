"""Claude Code (``claude -p``): ``json``, ``json --verbose``, ``stream-json`` with and without partial messages.

Also the execution file of its GitHub action, and transcripts (``~/.claude/projects/*/*.jsonl``). Versions seen:
1.0.128, 2.1.197, 2.1.332; further facts from the vendor's headless and Agent SDK documentation and the Python SDK's
parser.

``success`` beside ``is_error: true`` is how API errors, refusals and the token limit are reported. Version 1.0.128
reports limits and broken answers with ``is_error: false``, exit status 0 and no text: the subtype must say success too.
The cost is that of the whole process, to the last result; text, usage, duration and turns are those of the first own
prompt: results that answer a background task have ``origin.kind: task-notification``.

It cannot tell: which retry an answer came from; with ``--json-schema``, that the model never gave structured output; in
transcripts the end (taken from ``end_turn``; a later prompt takes it back), cost, duration and turns.
"""

from __future__ import annotations

from typing import Any

from .claude_fields import UsageSum, has_tool_result, message_text, token_usage
from .claude_shape import ClaudeShape
from .fields import member, string

_DIAGNOSTIC = "[ede_diagnostic]"  # what an execution error says of itself; the reason stands beside it


class Claude(ClaudeShape):
    """Reads the events of Claude Code."""

    name = "claude"

    def __init__(self) -> None:
        super().__init__()
        self._usages = UsageSum()  # of a transcript, where each message repeats its usage over its entries

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell Claude's ``init``, ``result`` and transcript entries from those of the CLIs that resemble it."""
        kind = event.get("type")
        if kind == "result":
            return "subtype" in event and "total_cost_usd" in event
        if kind == "system" and event.get("subtype") == "init":
            return "claude_code_version" in event or ("apiKeySource" in event and "mcp_servers" in event)
        return kind in ("user", "assistant") and {"sessionId", "parentUuid", "isSidechain"} <= event.keys()

    def feed(self, event: dict[str, Any]) -> None:
        """Read the next event, or entry of a transcript."""
        if string(event, "sessionId") and "isSidechain" in event:
            self._read_entry(event)
        else:
            super().feed(event)

    def read_system(self, event: dict[str, Any]) -> None:
        """Abandon what came of an attempt that is repeated."""
        if event.get("subtype") == "api_retry":
            self.note(f"retried: {string(event, 'error') or 'an API error'}")
            self.begin()

    def read_message(self, event: dict[str, Any]) -> None:
        """Read a message, unless the CLI wrote it itself to report an error."""
        if string(event, "message", "model") == "<synthetic>" or event.get("isApiErrorMessage") is True:
            self.note(message_text(event))
        else:
            self.note(None)
            super().read_message(event)

    def failure(self, event: dict[str, Any]) -> str | None:
        """Return why the result is none, with the reason where the error is a diagnostic."""
        error = super().failure(event)
        if error and error.startswith(_DIAGNOSTIC):
            reason = string(event, "terminal_reason")
            return f"{string(event, 'subtype') if reason in (None, 'completed') else reason}: {error}"
        return error

    def _read_entry(self, event: dict[str, Any]) -> None:
        """Read an entry of a transcript. It has no result: the main chain's message that ends its turn is the end."""
        if event.get("isSidechain") is not False or event.get("isMeta") is True:
            return
        self.update(session_id=string(event, "sessionId"))
        kind = event.get("type")
        if kind == "user":
            if has_tool_result(event):
                self.restart()
            elif self._reply.final:  # the next prompt: the last answer is none to it
                self.recover()
                self.begin()
        elif kind == "assistant":
            if self._reply.final:
                self.recover()
            self._add_usage(event)
            self.read_message(event)
            if string(event, "message", "stop_reason") == "end_turn" and self._text:
                self.finish(event, subtype="end_turn")

    def _add_usage(self, event: dict[str, Any]) -> None:
        usage = token_usage(member(event, "message", "usage"))
        if usage is not None:
            self.update(usage=self._usages.put(string(event, "message", "id"), usage))
