"""The bounds of the cases as a table for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .case import Case


def markdown(cases: Iterable[Case]) -> str:
    """Return the table in docs/security.md."""
    rows = [f"| {case.name}: {case.what} | {case.amount} | {case.seconds:.0f} s | {case.memory} MB |" for case in cases]
    return "\n".join(["| hostile output | how much | time | memory |", "|---|---|---|---|", *rows])
