"""Times, counts and sums of money in short, as people read them; empty where an agent tells what cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..agents.reply import Usage

_MOST = 10**12  # beyond it no count and no sum is one


def elapsed(seconds: float) -> str:
    """Return how long something took.

    >>> elapsed(7.4), elapsed(187), elapsed(7264), elapsed(200_000)
    ('7 s', '3:07', '2:01:04', '2 d')
    """
    whole = max(0, int(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 48:
        return f"{hours // 24} d"
    if hours:
        return f"{hours}:{minutes:02}:{rest:02}"
    return f"{minutes}:{rest:02}" if minutes else f"{rest} s"


def number(count: int | None) -> str:
    """Return a count in short.

    >>> number(12), number(3456), number(7_890_123), number(None), number(10**5000)
    ('12', '3.5k', '7.9M', '', '')
    """
    if count is None or not 0 <= count < _MOST:
        return ""
    if count >= 1_000_000:
        return f"{count / 1_000_000:.1f}M"
    return f"{count / 1000:.1f}k" if count >= 1000 else str(count)


def tokens(usage: Usage) -> str:
    """Return how many tokens were used.

    >>> from lastbrace import Usage
    >>> tokens(Usage(input=1200, output=34))
    '1.2k'
    """
    parts = (usage.input, usage.output, usage.cache_read, usage.cache_write)
    return number(usage.total if usage.total is not None else sum(part or 0 for part in parts))


def dollars(sum_usd: float) -> str:
    """Return a sum of money.

    >>> dollars(0.004), dollars(12.5), dollars(float("nan")), dollars(-1)
    ('$0.00', '$12.50', '', '')
    """
    return f"${sum_usd:.2f}" if 0 <= sum_usd < _MOST else ""
