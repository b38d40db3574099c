"""What a turn cost, where the CLI tells what its whole session has cost."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .record import amount

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..agents.reply import Reply
    from ..events import Found

# Claude Code, "Accumulate costs across multiple calls": since 2.1.277 a resumed session's `total_cost_usd` begins with
# what the session had spent when the process before exited normally. code.claude.com/docs/en/agent-sdk/cost-tracking
# Without the version (`--output-format json` does not tell it) each cost is taken for the turn's own.
_CARRIES_OVER = (2, 1, 277)
_version = re.compile(rb'"claude_code_version"\s*:\s*"(\d{1,9})\.(\d{1,9})\.(\d{1,9})').search
_FIRST = 100  # objects among which the one that tells the version is: hooks may come before it
_HEAD = 1 << 16  # bytes of each to look at


class Spending:
    """Watches the objects of one turn for the version of the CLI, and so knows how to read its cost.

    >>> from lastbrace import Reply
    >>> Spending().of(Reply(agent="opencode", cost_usd=0.25), {}, exited=True)
    (0.25, None)
    """

    def __init__(self, on_object: Callable[[Found], object] | None = None) -> None:
        self._on_object = on_object
        self._left = _FIRST
        self._carries_over = False

    def watch(self, found: Found) -> None:
        """Look at an object, and pass it on."""
        if self._left:
            self._left -= 1
            version = _version(found.raw or b"", 0, _HEAD)
            if version is not None:
                self._left = 0
                self._carries_over = tuple(map(int, version.groups())) >= _CARRIES_OVER
        if self._on_object is not None:
            self._on_object(found)

    def of(
        self, reply: Reply | None, session_costs: Mapping[str, float], *, exited: bool
    ) -> tuple[float | None, float | None]:
        """Return what the turn cost, and what its session had cost in all where the next turn will tell that again.

        ``session_costs`` are such sums of earlier turns; ``exited``: it ended by itself, so that the CLI has saved its
        sum. Where in doubt the turn is said to have cost too much, not too little.
        """
        told = None if reply is None else amount(reply.cost_usd)
        if reply is None or told is None or not self._carries_over or reply.session_id is None:
            return told, None
        before = session_costs.get(reply.session_id, 0.0)
        return (told - before if told >= before else told), (told if exited else None)
