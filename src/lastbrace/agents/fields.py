"""Members of events that may be missing or of any type: each function gives what was asked for, or None."""

from __future__ import annotations

from typing import Any

import msgspec

_MAX_NESTED = 4  # messages in messages that are taken out: a provider's, in a gateway's, in a client's


def member(event: Any, *path: str) -> Any:
    """Return the member at ``path``, or None where any step of it is missing or no object.

    >>> member({"a": {"b": 1}}, "a", "b"), member({"a": [1]}, "a", "b")
    (1, None)
    """
    for key in path:
        if not isinstance(event, dict):
            return None
        event = event.get(key)
    return event


def string(event: Any, *path: str) -> str | None:
    """Return the string at ``path``."""
    value = member(event, *path)
    return value if isinstance(value, str) else None


def number(event: Any, *path: str) -> float | None:
    """Return the number at ``path``; true, false and what is not finite are none."""
    value = member(event, *path)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e300 else None


def integer(event: Any, *path: str) -> int | None:
    """Return the number at ``path`` as a whole one."""
    value = member(event, *path)
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if abs(value) < 1e18 else None
    return value if isinstance(value, int) else None


def items(event: Any, *path: str) -> list[dict[str, Any]]:
    """Return the objects in the array at ``path``, none where there is no array."""
    value = member(event, *path)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def plain(message: str | None) -> str | None:
    """Return an error message with the provider's JSON in it replaced by the message that this holds.

    That message may hold JSON in its turn, up to ``_MAX_NESTED`` levels.

    >>> plain('401 Unauthorized: {"error": {"message": "invalid key", "code": 401}}')
    '401 Unauthorized: invalid key'
    """
    before, after = "", ""
    for _ in range(_MAX_NESTED):
        start, end = (message.find("{"), message.rfind("}")) if message else (-1, -1)
        if message is None or not 0 <= start < end:
            break
        try:
            body = msgspec.json.decode(message[start : end + 1])
        except (msgspec.MsgspecError, ValueError, RecursionError):
            break
        inner = string(body, "error", "message") or string(body, "message")
        if not inner:
            break
        before, message, after = before + message[:start], inner, message[end + 1 :] + after
    return None if message is None else before + message + after
