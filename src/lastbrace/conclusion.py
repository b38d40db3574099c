"""What follows from all that was read once a stream has ended: the one verdict, and in words why it is no success."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Generic, Self

from .agents.adapter import last_line
from .agents.reply import Reply
from .answer import AnswerReader
from .completion import INVALID, Completion, Status
from .events import Found, Stats, Unfinished
from .exits import how_it_ended
from .explain import explain
from .matching import Matcher, value_or_none
from .outcome import Outcome, State, T
from .printing import counted, readable
from .recovered import Recovered


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    """How the program ended: its exit status, the end of its stderr, and whether its reader ended it."""

    returncode: int | None
    stderr: str
    stopped: bool

    @classmethod
    def of(cls, returncode: int | None, stderr: bytes | str | None, *, stopped: bool) -> Self:
        """Return it from what `Watcher.close` takes; raises TypeError for anything else."""
        if not isinstance(returncode, int | None):
            raise TypeError(f"returncode is a whole number or None, not {returncode!r}")
        if not isinstance(stderr, bytes | bytearray | str | None):
            raise TypeError(f"stderr is bytes or text, not {type(stderr).__name__}")
        text = stderr or "" if isinstance(stderr, str | None) else stderr.decode("utf-8", "replace")
        return cls(returncode=returncode, stderr=text, stopped=stopped)

    @property
    def held_against(self) -> int | None:
        """The exit status where it says anything of the program."""
        return None if self.stopped else self.returncode

    @property
    def is_good(self) -> bool:
        """Whether the exit says nothing against success."""
        return self.held_against in (None, 0)

    def __str__(self) -> str:
        return f"{how_it_ended(self.returncode or 0)}{last_line(self.stderr)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion(Generic[T]):
    """All that is known of a stream at its end.

    ``reading`` is that of the text which the answer was looked for in: what an agent said (``in_agent``), or the whole
    stream; ``last`` and ``stats`` are of the whole stream.
    """

    matcher: Matcher[T]
    reading: AnswerReader[T]
    state: State
    reply: Reply | None
    last: Found | None
    match: Found | None
    unfinished: Unfinished | None
    stats: Stats
    in_agent: bool
    recovered: Recovered[T] | None
    accepts_recovered: bool
    awaits_start: bool

    def outcome(self, end: Exit) -> Outcome[T]:
        """Return the verdict on a stream whose program ended so."""
        completion, state = self.reading.completion, self.state
        value: Any = self.reading.value
        if self.recovered is not None and self.accepts_recovered:
            state, value = "ok", self.recovered.value
            completion = value if self.matcher.contract == "json" else None
        if completion is None and self.matcher.contract == "json":
            completion = INVALID
        if self.match is not None and self.matcher.takes_all:
            value = value_or_none(self.match)
        failed = completion is not None and completion.status == Status.ERROR
        ok = state == "ok" and not failed and not (self.reply and self.reply.is_error) and end.is_good
        return Outcome(
            ok=ok,
            reason="" if ok else readable(self._reason(end, state, completion)),
            state=state,
            completion=completion,
            reply=self.reply,
            last=self.last,
            match=self.match,
            value=value,
            recovered=self.recovered,
            unfinished=self.unfinished,
            returncode=end.returncode,
            stderr_tail=end.stderr,
            stats=dataclasses.replace(self.stats, dead=dict(self.stats.dead)),
        )

    def _reason(self, end: Exit, state: State, completion: Completion | None) -> str:
        """Return in words why there is no success."""
        reply = self.reply
        if reply is not None and reply.agent is not None and reply.is_error and not self.awaits_start:
            return f"{reply.agent}: {reply.error}"
        if state != "ok":
            return self._why_no_answer(end)
        if completion is not None and completion.status == Status.ERROR:
            return "its answer is an error" + (f": {completion.summary[:500]}" if completion.summary else "")
        return f"the program {end}"

    def _why_no_answer(self, end: Exit) -> str:
        newest = self.reading.last
        refusal = "" if newest is None else self.matcher.refusal(newest)
        why = explain(self.reading.stats, self.unfinished, wanted=self.matcher.wanted, refusal=refusal)
        is_silent = not self.stats.bytes and end.returncode is not None
        if is_silent:
            why = "the program printed nothing"
        elif self.awaits_start:
            why = f"the text that the answer comes after is not in {counted(self.stats.bytes, 'byte')}"
        elif self.in_agent:
            why = f"in the agent's answer: {why}"
        if end.stopped and not (self.reply is not None and self.reply.final):
            why = f"it was ended before it had answered: {why}"
        elif not end.is_good:
            why = f"{why}, and {end}" if is_silent else f"{why}; the program {end}"
        return why + ("; an answer was recovered" if self.recovered is not None else "")
