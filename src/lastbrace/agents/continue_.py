"""Continue: ``cn -p --format json``.

Facts: continuedev/continue, extensions/cli/src/commands/chat.ts; seen: 1.5.47. An answer that is JSON is printed as it
is; any other is wrapped: ``{"response": …, "status": "success", "note": …}``. Errors are JSON on stderr.

It cannot tell: session, cost, tokens, duration, turns, nor a cut by the token limit. Nothing is printed, and the exit
status is 0, when the model said nothing and when the run was ended by SIGTERM: both are an output that ended early.
An answer that is JSON is recognised by nothing, and comes without its white space; of an array, the last object.
"""

from __future__ import annotations

import json
from typing import Any

from .adapter import Adapter
from .fields import string

_NOTE = "Response was not valid JSON"


class Continue(Adapter):
    """Reads the one object that is the answer, or wraps it."""

    name = "continue"

    def __init__(self) -> None:
        super().__init__()
        self._trouble: dict[str, Any] | None = None

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell by the wrapping and its note."""
        return _is_wrapped(event) and (string(event, "note") or "").startswith(_NOTE)

    def feed(self, event: dict[str, Any]) -> None:
        """Read an object of stdout: the answer, wrapped or bare."""
        if _is_wrapped(event):
            status = string(event, "status")
            self.answer(string(event, "response") or "")
            self.finish(event, subtype=status)
            if status != "success":
                self.fail(f"the run ended with {status or 'no status'}")
        else:
            self.finish(event)
            try:
                self.answer(json.dumps(event, ensure_ascii=False, separators=(",", ":")))
            except RecursionError:
                self.fail("the answer is nested too deeply to be read")

    def feed_stderr(self, event: dict[str, Any]) -> None:
        """Read an object found in stderr: the error that ended the run, where there is no answer."""
        if event.get("status") == "error":
            self._trouble = event

    def close(self, returncode: int | None, stderr: str) -> None:
        """End the stream."""
        if self._trouble is not None and not self._reply.final:
            self.fail(string(self._trouble, "message") or string(self._trouble, "error"), subtype="error")
        super().close(returncode, stderr)


def _is_wrapped(event: dict[str, Any]) -> bool:
    return event.keys() == {"response", "status", "note"} and string(event, "response") is not None
