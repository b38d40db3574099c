"""How far a loop has come, as its turns tell it: the same whether they have just ended or stand in a journal."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .record import TurnRecord, Verdict

if TYPE_CHECKING:
    from ..completion import Completion
    from .bounds import Bounds
    from .wording import Wording

# What an agent calls its session becomes a word of the next command: it must not be an option, or anything stranger.
_is_session = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}", re.ASCII).fullmatch


@dataclass(slots=True)
class Progress:
    """What the turns so far come to.

    ``errors`` and ``repeats`` are in a row: turns that failed, turns with the same completion ``continue``.
    ``cost_usd`` is None as long as no turn tells one.

    >>> from lastbrace.looping.wording import Wording
    >>> progress = Progress(Wording("Fix it."))
    >>> progress.take(TurnRecord(turn=1, prompt="Fix it.", verdict=Verdict.ERROR, started="", seconds=1, elapsed=1))
    >>> progress.errors, progress.turns, progress.prompt
    (1, 1, 'Fix it.')
    """

    wording: Wording
    prompt: str = ""
    session_id: str | None = None
    turns: int = 0
    elapsed: float = 0.0
    cost_usd: float | None = None
    session_costs: dict[str, float] = field(default_factory=dict)
    errors: int = 0
    last_error: str | None = None
    repeats: int = 0
    completion: Completion | None = None
    done: bool = False
    _asked: bool = False
    _repeated: Completion | None = None

    def __post_init__(self) -> None:
        self.prompt = self.prompt or self.wording.task

    def take(self, record: TurnRecord) -> None:
        """Take in a turn that has ended."""
        self.elapsed = record.elapsed
        if record.cost_usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + record.cost_usd
        if record.session_id is not None and _is_session(record.session_id):
            self.session_id = record.session_id
            if record.session_cost_usd is not None:
                self.session_costs[record.session_id] = record.session_cost_usd
        self.prompt = record.prompt
        if record.verdict is Verdict.INTERRUPTED:
            return
        self.turns += 1
        self.completion = record.completion or self.completion
        in_session = self.session_id is not None
        if record.verdict in (Verdict.DONE, Verdict.CONTINUE):
            self.errors, self.last_error, self._asked = 0, None, False
        if record.verdict is Verdict.DONE:
            self.done = True
        elif record.verdict is Verdict.CONTINUE:
            self.repeats = self.repeats + 1 if record.completion == self._repeated else 1
            self._repeated = record.completion
            self.prompt = self.wording.after(record.completion, in_session=in_session)
        elif record.verdict is Verdict.NO_ANSWER and not self._asked:
            self._asked = True
            self.prompt = self.wording.ask_again(record.prompt, in_session=in_session)
        else:
            self.errors, self.last_error = self.errors + 1, record.error

    def go_on_with(self, prompt: str) -> None:
        """Have the next turn ask this, even where all was done."""
        self.prompt, self.done, self._asked = prompt, False, False

    def begin_again(self, bounds: Bounds) -> None:
        """Give a loop that errors or a lack of progress had ended another chance."""
        if bounds.max_errors is not None and self.errors >= bounds.max_errors:
            self.errors = 0
        if bounds.max_repeats is not None and self.repeats >= bounds.max_repeats:
            self.repeats = 0
