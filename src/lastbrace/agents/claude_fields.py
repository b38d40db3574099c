"""What stands where in the events of the CLIs that print Claude's shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .fields import integer, items, string
from .reply import Usage

if TYPE_CHECKING:
    from collections.abc import Collection


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


def add_usage(usages: Collection[Usage]) -> Usage:
    """Return the sum of several usages; what none of them tells stays None.

    >>> add_usage([Usage(input=6, output=20), Usage(input=8)])
    Usage(input=14, output=20, cache_read=None, cache_write=None, reasoning=None, total=None)
    """
    names = Usage.__struct_fields__
    told = {name: [count for usage in usages if (count := getattr(usage, name)) is not None] for name in names}
    return Usage(**{name: sum(counts) for name, counts in told.items() if counts})


def has_tool_result(event: dict[str, Any]) -> bool:
    """Whether a user message brings what a tool gave."""
    return any(block.get("type") == "tool_result" for block in items(event, "message", "content"))
