"""Whether a result event of Claude's shape is a success: it says so twice, and has something to show."""

from __future__ import annotations

from typing import Any

from .claude_fields import structured
from .fields import member, string

_CUT = ("max_tokens", "max_output_tokens", "model_context_window_exceeded")
_REFUSED = "refusal"


def cut_word(event: dict[str, Any], stop: str | None) -> str | None:
    """Return the CLI's word for an answer cut by the token limit; ``stop`` says why the last message stopped."""
    words = (string(event, "api_error"), string(event, "stop_reason") or stop)
    return next((word for word in words if word in _CUT), None)


def failure_of(event: dict[str, Any], stop: str | None) -> str | None:
    """Return why the result is none, or None where it is a success; ``stop`` says why the last message stopped."""
    listed = member(event, "errors")
    errors = "; ".join(error for error in listed if isinstance(error, str)) if isinstance(listed, list) else ""
    if event.get("subtype") == "success" and event.get("is_error") is False:
        cut = cut_word(event, stop)
        if cut:
            return f"the answer was cut by the token limit ({cut})"
        if listed:
            return errors or "the result says success, but lists errors"
        if (string(event, "stop_reason") or stop) == _REFUSED:
            return f"the model refused to answer ({_REFUSED})"
        if string(event, "result") is not None or structured(event) is not None:
            return None
        return "the result says success, but has no answer"
    return (
        errors
        or string(event, "error", "message")
        or string(event, "error")
        or string(event, "result")
        or f"the run ended with {string(event, 'subtype') or 'a result that does not say how'}"
    )
