"""One turn of a loop as it is written down: what is needed to judge it, and to go on after it."""

from __future__ import annotations

import dataclasses
import math
import re
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from ..completion import Completion, Status
from ..errors import BackendTimeout
from ..exits import how_it_ended

if TYPE_CHECKING:
    from ..agents.reply import Reply
    from ..errors import BackendError
    from ..outcome import Outcome

_expired = re.compile(r"(?:ran longer than|printed nothing for) \S+ s\Z")
_Amount = Annotated[float, msgspec.Meta(ge=0, le=sys.float_info.max)]  # finite: bounds are reckoned with it
_SHOWN = 500  # characters of stderr, at its end


class Verdict(StrEnum):
    """What a turn came to.

    ``done`` and ``continue`` are the completion's words, taken only from a run that went well; ``no-answer`` is a run
    that went well and said neither; ``error`` is a completion that says so, or a run that failed, whatever it said;
    ``timeout`` is one that was ended because its time was over; ``interrupted`` one that we were told to end.

    >>> Verdict("no-answer") is Verdict.NO_ANSWER
    True
    """

    DONE = "done"
    CONTINUE = "continue"
    NO_ANSWER = "no-answer"
    ERROR = "error"
    TIMEOUT = "timeout"
    INTERRUPTED = "interrupted"


class TurnRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A turn as it stands in the journal: no argv and no environment, which may hold secrets, and no answer texts.

    ``elapsed`` is the whole loop's time at the end of the turn, in seconds; ``session_cost_usd`` what the CLI takes
    for spent in the session so far, where it counts so. None is what is not known.

    >>> record = TurnRecord(turn=1, prompt="Fix it.", verdict=Verdict.DONE, started="", seconds=2.5, elapsed=2.5)
    >>> TurnRecord.of(record.as_dict()) == record
    True
    """

    turn: int
    prompt: str
    verdict: Verdict
    started: str
    seconds: _Amount
    elapsed: _Amount
    ok: bool = False
    state: str | None = None
    completion: Completion | None = None
    error: str | None = None
    returncode: int | None = None
    session_id: str | None = None
    cost_usd: _Amount | None = None
    session_cost_usd: _Amount | None = None
    reply: dict[str, Any] | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it in JSON's types, without what is not known."""
        fields = {name: msgspec.to_builtins(getattr(self, name)) for name in self.__struct_fields__}
        if self.completion is not None:
            fields["completion"] = self.completion.as_dict()
        return {name: value for name, value in fields.items() if value is not None}

    @classmethod
    def of(cls, fields: dict[str, Any]) -> TurnRecord:
        """Return the record that ``as_dict`` gave. Raises ValueError when it is none."""
        try:
            return msgspec.convert(fields, cls)
        except msgspec.ValidationError as error:  # that of older versions is no ValueError
            raise ValueError(str(error)) from error


def verdict_on(outcome: Outcome[Any], *, stopped_at_final: bool = False) -> Verdict:
    """Return what a run that ended in its time came to.

    ``stopped_at_final`` says that we ended the program once its final event was there, so that its exit status says
    nothing.
    """
    completion, reply = outcome.completion, outcome.reply
    if outcome.ok and outcome.stats.bytes:  # without a word, a marker's absence says nothing
        return Verdict.CONTINUE if completion is not None and completion.status == Status.CONTINUE else Verdict.DONE
    ended_well = outcome.returncode in (None, 0) or (stopped_at_final and reply is not None and reply.final)
    if (outcome.state == "ok" and not outcome.ok) or not ended_well or (reply is not None and reply.is_error):
        return Verdict.ERROR
    return Verdict.NO_ANSWER


def failure_of(error: BackendError) -> tuple[Verdict, str]:
    """Return what a run that raised came to, and why, without its command, which may hold secrets.

    >>> from lastbrace import BackendTimeout
    >>> failure_of(BackendTimeout("agent --key sk-1 ran longer than 5 s"))
    (<Verdict.TIMEOUT: 'timeout'>, 'ran longer than 5 s')
    """
    if isinstance(error, BackendTimeout):
        which = _expired.search(str(error))
        return Verdict.TIMEOUT, which[0] if which else "its time was over"
    code, stderr = error.outcome.returncode or 0, error.outcome.stderr_tail.strip()
    said = f": {stderr[-_SHOWN:]}" if stderr else ""
    return Verdict.ERROR, f"the program {how_it_ended(code)} before it printed anything{said}"


def facts_of(reply: Reply | None) -> dict[str, Any] | None:
    """Return what is worth writing down of a reply: how the agent's run went, not what it said."""
    if reply is None or reply.agent is None:
        return None
    names = ("agent", "error", "subtype", "turns", "duration_ms", "duration_api_ms")
    facts = {name: getattr(reply, name) for name in names}
    facts["usage"] = (
        {name: getattr(reply.usage, name) for name in reply.usage.__struct_fields__} if reply.usage else None
    )
    if facts["usage"]:
        facts["usage"] = {name: count for name, count in facts["usage"].items() if count is not None}
    return {name: value for name, value in facts.items() if value is not None}


def amount(value: Any) -> float | None:
    """Return a sum of money as a number to reckon with, or None: an agent may say anything.

    >>> amount(0.25), amount(-3), amount(float("nan")), amount("1")
    (0.25, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value >= 0 else None


@dataclasses.dataclass(frozen=True, slots=True)
class NextTurn:
    """A turn that is about to begin, as a hook before it sees it.

    ``session_id`` is the session that it goes on with; None for one that begins anew.

    >>> NextTurn(number=1, prompt="Fix the tests.").session_id is None
    True
    """

    number: int
    prompt: str
    session_id: str | None = None
