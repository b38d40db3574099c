"""How long to wait before an error is retried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import tenacity


@dataclass(frozen=True, slots=True)
class Pauses:
    """A pause that doubles with each error in a row, from ``first`` seconds to ``longest``, with some chance in it.

    By chance, so that many loops that failed at once do not all come back at once.

    >>> Pauses(first=0, longest=60).after(3)
    0.0
    """

    first: float
    longest: float

    def __post_init__(self) -> None:
        for seconds in (self.first, self.longest):
            if not seconds >= 0:
                raise ValueError(f"a pause must be seconds from 0 up, not {seconds!r}")

    def after(self, errors: int) -> float:
        """Return the seconds to wait after so many errors in a row."""
        wait = tenacity.wait_exponential(multiplier=self.first) + tenacity.wait_random(0, self.first / 2)
        # tenacity's policies look at nothing but the number of the attempt, and no call of its own is retried here.
        state = tenacity.RetryCallState(cast("tenacity.BaseRetrying", None), None, (), {})
        state.attempt_number = errors
        return float(min(wait(state), self.longest))
