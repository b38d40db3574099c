"""What stands where in the events of the CLIs that print Claude's shape."""

from __future__ import annotations

from typing import Any

from .fields import integer, items, string
from .reply import Usage

MAX_MESSAGES = 256  # whose usage may still be told anew; the entries of one message stand together


def message_text(event: dict[str, Any]) -> str:
    """Return the text blocks of a message event, joined."""
    blocks = items(event, "message", "content")
    return "".join(string(block, "text") or "" for block in blocks if block.get("type") == "text")


def structured(event: dict[str, Any]) -> Any:
    """Return the structured output of a result event, or None."""
    claude = event.get("structured_output")
    return event.get("structured_result") if claude is None else claude


def token_usage(usage: Any) -> Usage | None:
    """Return a usage object of the Anthropic API as ``Usage``, None where it counts nothing."""
    thinking = integer(usage, "output_tokens_details", "thinking_tokens")
    counts = Usage(
        input=integer(usage, "input_tokens"),
        output=integer(usage, "output_tokens"),
        cache_read=integer(usage, "cache_read_input_tokens"),
        cache_write=integer(usage, "cache_creation_input_tokens"),
        reasoning=integer(usage, "thinking_tokens") if thinking is None else thinking,
        total=integer(usage, "total_tokens"),
    )
    return counts if counts else None


class UsageSum:
    """The sum of the usages of messages, each of which may be told more than once: the newest telling counts.

    Only the last messages are remembered one by one. What none tells stays None.

    >>> total = UsageSum()
    >>> total.put("a", Usage(input=6, output=1)) == total.put("a", Usage(input=6, output=1))
    True
    >>> total.put("b", Usage(input=8))
    Usage(input=14, output=1, cache_read=None, cache_write=None, reasoning=None, total=None)
    """

    def __init__(self) -> None:
        self._known: dict[str | None, Usage] = {}
        self._sums = dict.fromkeys(Usage.__struct_fields__, 0)
        self._tellers = dict.fromkeys(Usage.__struct_fields__, 0)  # how many messages tell it

    def put(self, message: str | None, usage: Usage) -> Usage:
        """Count the usage of a message, instead of what it told before, and return the sum."""
        self._add(self._known.pop(message, Usage()), -1)
        self._add(usage, 1)
        self._known[message] = usage
        if len(self._known) > MAX_MESSAGES:
            del self._known[next(iter(self._known))]
        return Usage(**{name: count for name, count in self._sums.items() if self._tellers[name]})

    def _add(self, usage: Usage, sign: int) -> None:
        for name in self._sums:
            count = getattr(usage, name)
            if count is not None:
                self._sums[name] += sign * count
                self._tellers[name] += sign


def has_tool_result(event: dict[str, Any]) -> bool:
    """Whether a user message brings what a tool gave."""
    return any(block.get("type") == "tool_result" for block in items(event, "message", "content"))
