"""Goose: ``goose run -q --output-format stream-json`` (or ``json``).

Facts: aaif-goose/goose, crates/goose-cli/src/session/mod.rs, where older builds print ``complete`` after an ``error``,
and newer ones only the error; 1.53.0.

It cannot tell: the session (only its banner names it, without ``-q``), duration and turns. Provider errors such as 400
and 429 are printed as assistant text beside ``complete`` and exit 0: they are known by the words they begin with. With
``json``, why a run failed stands on stderr only.
"""

from __future__ import annotations

from typing import Any

from .adapter import Adapter, last_line
from .fields import integer, items, member, number, string
from .reply import Usage

_PROVIDER_ERROR = "Ran into this error"
_FAILED = "goose reports an error"


class Goose(Adapter):
    """Reads goose's messages, in chunks that share an id, and its ``complete`` or ``error``."""

    name = "goose"

    def __init__(self) -> None:
        super().__init__()
        self._message: str | None = None
        self._is_provider_error = False
        self._is_unexplained = False  # the document does not say why the run failed

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell by a message with ``created`` in it, ``complete`` with totals, or an error of one string."""
        kind = event.get("type")
        if kind == "message":
            return isinstance(member(event, "message", "created"), int) and string(event, "message", "role") is not None
        if kind == "complete":
            return "total_tokens" in event
        if kind == "error":
            return event.keys() == {"type", "error"} and string(event, "error") is not None
        if kind == "notification":
            return "extension_id" in event
        metadata = event.get("metadata")
        return isinstance(event.get("messages"), list) and isinstance(metadata, dict) and "total_tokens" in metadata

    def feed(self, event: dict[str, Any]) -> None:
        """Read the next event of stdout."""
        kind = event.get("type")
        if kind == "message":
            self._take_message(member(event, "message"))
        elif kind == "complete":
            self._take_totals(event)
            self._end(event)
        elif kind == "error" and string(event, "error") is not None:
            self.fail(string(event, "error"))
            self.finish(event)
        elif kind is None and isinstance(event.get("messages"), list):
            for message in items(event, "messages"):
                self._take_message(message)
            self._take_totals(member(event, "metadata"))
            status = string(event, "metadata", "status")
            self.update(subtype=status)
            if status != "completed":
                self._is_unexplained = True
                self.fail(_FAILED if status == "error" else f"the run ended with {status or 'no status'}")
            self._end(event)

    def close(self, returncode: int | None, stderr: str) -> None:
        """End the stream; stderr says what the document leaves out."""
        if self._is_unexplained and not self._is_provider_error:
            self.update(error=f"{self._reply.error}{last_line(stderr)}")
        super().close(returncode, stderr)

    def _take_message(self, message: Any) -> None:
        if string(message, "role") != "assistant":
            if string(message, "role") == "user":
                self._message = None
            return
        if member(message, "metadata", "userVisible") is False:
            return
        parts = items(message, "content")
        text = "".join(string(part, "text") or "" for part in parts if part.get("type") == "text")
        identity = string(message, "id") or ""
        if text and (identity != self._message or text.startswith(_PROVIDER_ERROR)):
            self.restart()
            self._message = identity
            self._is_provider_error = text.startswith(_PROVIDER_ERROR)
        self.add(text)
        if any(part.get("type") in ("toolRequest", "frontendToolRequest") for part in parts):
            self.restart()

    def _take_totals(self, totals: Any) -> None:
        usage = Usage(
            input=integer(totals, "input_tokens"),
            output=integer(totals, "output_tokens"),
            cache_read=integer(totals, "cache_read_input_tokens"),
            cache_write=integer(totals, "cache_write_input_tokens"),
            total=integer(totals, "total_tokens"),
        )
        self.update(cost_usd=number(totals, "cost_usd"), usage=usage or None)

    def _end(self, event: dict[str, Any]) -> None:
        if self._is_provider_error:
            self.fail(self.text.strip())
        elif not self._reply.is_error:
            self.answer(self.text)
        self.finish(event)
