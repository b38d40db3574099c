"""One kind of hostile output, and what it may cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

GROWTH = 6.5  # times the time for 4 times the size: linear is 4, quadratic 16
MB = 1 << 20


class Case(NamedTuple):
    """A kind of hostile output.

    `work` is called with a size, in `unit`; it reads so much of it and checks what was made of it. `size` is the
    largest that is tried; a quarter of it is tried too. `seconds` of processor time and `memory` in MB, above that of
    a program that has loaded the library, are the most that it may take; `growth` is how much longer four times as
    much may take.
    """

    name: str
    what: str
    work: Callable[[int], None]
    size: int
    unit: str = "MB"
    seconds: float = 30.0
    memory: int = 20
    growth: float = GROWTH

    @property
    def amount(self) -> str:
        """The size in words."""
        number = self.size / MB if self.unit == "MB" else self.size
        return f"{number:,.0f} {self.unit}"
