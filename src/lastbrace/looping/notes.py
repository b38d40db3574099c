"""What is noted while a turn runs, so that it can be written down when it has ended, in whatever way."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from .record import NextTurn, TurnRecord, Verdict, facts_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..outcome import Outcome
    from .spending import Spending


class Notes:
    """Begun with a turn: when that was, and what the spending is.

    >>> from lastbrace.looping.spending import Spending
    >>> notes = Notes(NextTurn(1, "Fix it."), Spending())
    >>> notes.record(None, Verdict.INTERRUPTED, "interrupted", elapsed=1.0, session_costs={}).prompt
    'Fix it.'
    """

    def __init__(self, plan: NextTurn, spending: Spending) -> None:
        self._plan, self._spending = plan, spending
        self._started, self._began = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()

    def record(
        self,
        outcome: Outcome[Any] | None,
        verdict: Verdict,
        error: str,
        *,
        elapsed: float,
        session_costs: Mapping[str, float],
    ) -> TurnRecord:
        """Return the turn as it is written down, now that it has ended; without an outcome, it hardly began."""
        if outcome is None:
            return TurnRecord(verdict=verdict, error=error, **self._times(elapsed))
        exited = outcome.returncode == 0
        cost, session_cost = self._spending.of(outcome.reply, session_costs, exited=exited)
        return TurnRecord(
            verdict=verdict,
            ok=verdict in (Verdict.DONE, Verdict.CONTINUE),
            state=outcome.state,
            completion=outcome.completion if outcome.state == "ok" else None,
            error=error or None,
            returncode=outcome.returncode,
            session_id=None if outcome.reply is None else outcome.reply.session_id,
            cost_usd=cost,
            session_cost_usd=session_cost,
            reply=facts_of(outcome.reply),
            **self._times(elapsed),
        )

    def _times(self, elapsed: float) -> dict[str, Any]:
        return {
            "turn": self._plan.number,
            "prompt": self._plan.prompt,
            "started": self._started,
            "seconds": round(time.monotonic() - self._began, 3),
            "elapsed": round(elapsed, 3),
        }
