"""What a loop gives for each turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

from ..outcome import Outcome, T

if TYPE_CHECKING:
    from ..completion import Completion
    from .record import TurnRecord, Verdict


@dataclass(frozen=True, slots=True)
class Turn(Generic[T]):
    """A turn that has ended: how the program's run went (``outcome``), and what the loop makes of it (``verdict``).

    ``cost_usd`` is this turn's alone, None where the program does not tell; ``session_id`` what to resume it with;
    ``error`` says in words what kept it from an answer.
    """

    outcome: Outcome[T]
    record: TurnRecord

    @property
    def number(self) -> int:
        """Which turn it is, from 1, those of earlier runs on the same journal counted."""
        return self.record.turn

    @property
    def prompt(self) -> str:
        """What the program was asked."""
        return self.record.prompt

    @property
    def verdict(self) -> Verdict:
        """What the turn came to."""
        return self.record.verdict

    @property
    def completion(self) -> Completion | None:
        """What the program said of how it ended; None where it did not."""
        return self.record.completion

    @property
    def session_id(self) -> str | None:
        """The agent's session, where it told one."""
        return self.record.session_id

    @property
    def cost_usd(self) -> float | None:
        """What this turn cost, in US dollars."""
        return self.record.cost_usd

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.record.seconds

    @property
    def error(self) -> str | None:
        """What kept it from an answer, in words."""
        return self.record.error

    def as_dict(self) -> dict[str, Any]:
        """Return it as the journal has it, in JSON's types."""
        return self.record.as_dict()

    def __repr__(self) -> str:
        return f"Turn({self.number}, {self.verdict}, {self.outcome!r})"
