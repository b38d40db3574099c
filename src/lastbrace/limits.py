"""The check of a limit that a caller sets."""

from __future__ import annotations


def check_limit(name: str, limit: int | None, otherwise: str = "") -> None:
    """Raise TypeError or ValueError for a limit that is no whole number from 1 up; ``otherwise`` says what None is."""
    if limit is not None and not isinstance(limit, int):
        raise TypeError(f"{name} must be a whole number{otherwise}, not {limit!r}")
    if limit is not None and limit < 1:
        raise ValueError(f"{name} must be at least 1{otherwise}, not {limit}")
