"""What ends a loop that would go on, and the words for how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ..printing import counted

if TYPE_CHECKING:
    from .progress import Progress


class LoopEnd(StrEnum):
    """How a loop ended.

    ``error`` is an error where none was to be retried, ``no_progress`` the same completion again and again,
    ``stopped`` a hook's word, ``interrupted`` a cancellation or a signal; the others are named after their bound.

    >>> LoopEnd("max_turns") is LoopEnd.MAX_TURNS
    True
    """

    DONE = "done"
    ERROR = "error"
    MAX_TURNS = "max_turns"
    MAX_SECONDS = "max_seconds"
    MAX_COST_USD = "max_cost_usd"
    MAX_ERRORS = "max_errors"
    NO_PROGRESS = "no_progress"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far a loop may go; None is no bound. Raises ValueError for one that nothing could keep.

    >>> Bounds(max_turns=0)
    Traceback (most recent call last):
    ValueError: max_turns must be from 1 up, not 0
    """

    max_turns: int | None = None
    max_seconds: float | None = None
    max_cost_usd: float | None = None
    max_errors: int | None = None
    max_repeats: int | None = None

    def __post_init__(self) -> None:
        for name in ("max_turns", "max_errors", "max_repeats"):
            count = getattr(self, name)
            if count is not None and not (isinstance(count, int) and count >= 1):
                raise ValueError(f"{name} must be from 1 up, not {count!r}")
        for name in ("max_seconds", "max_cost_usd"):
            size = getattr(self, name)
            if size is not None and not (isinstance(size, int | float) and size > 0):
                raise ValueError(f"{name} must be a number above 0, not {size!r}")

    def seconds_left(self, elapsed: float) -> float | None:
        """Return how long the loop may still go on, in seconds; None without a bound."""
        return None if self.max_seconds is None else max(0.0, self.max_seconds - elapsed)

    def end_of(self, progress: Progress, elapsed: float) -> tuple[LoopEnd, str] | None:
        """Return how a loop that has come so far has ended, and that in words; None while it may go on."""
        if progress.done:
            return LoopEnd.DONE, "done"
        if self.max_seconds is not None and elapsed >= self.max_seconds:  # a turn that it cut is an error, too
            return LoopEnd.MAX_SECONDS, f"its {self.max_seconds:g} seconds are over"
        if self.max_errors is not None and progress.errors >= self.max_errors:
            said = f": {progress.last_error}" if progress.last_error else ""
            if self.max_errors == 1:
                return LoopEnd.ERROR, f"an error{said}"
            return LoopEnd.MAX_ERRORS, f"{progress.errors} errors in a row, the last{said or ' without a word'}"
        if self.max_repeats is not None and progress.repeats >= self.max_repeats:
            return LoopEnd.NO_PROGRESS, f"no progress: the same completion {progress.repeats} times"
        spent = progress.cost_usd
        if self.max_cost_usd is not None and spent is not None and spent >= self.max_cost_usd:
            return LoopEnd.MAX_COST_USD, f"{spent:.2f} USD spent, of {self.max_cost_usd:g}"
        if self.max_turns is not None and progress.turns >= self.max_turns:
            return LoopEnd.MAX_TURNS, f"{counted(progress.turns, 'turn')} taken"
        return None
