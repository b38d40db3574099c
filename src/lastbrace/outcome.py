"""What is known of a stream once it has ended."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal

from .agents.reply import Reply
from .completion import Completion
from .events import Found, Stats, Unfinished
from .recovered import Recovered

if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import TypeVar  # for its default, which type checkers know in all versions

    T = TypeVar("T", default=Any)
else:
    from typing import TypeVar

    T = TypeVar("T")

State = Literal["ok", "incomplete", "no_match", "malformed", "none"]

_repr = reprlib.Repr()
_repr.maxstring, _repr.maxother = 80, 200


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Outcome(Generic[T]):
    """How a stream ended: the answer, and the one verdict on it.

    Attributes:
        ok: something matched, its status is not ``error``, the agent's reply is no error, and the program ended with
            status 0 or was ended by us.
        reason: in words, why ``ok`` is False; empty where it is True.
        state: the first that holds of ``"ok"`` (something matched; without contract and schema, there was an object),
            ``"incomplete"`` (the input ended inside an object), ``"no_match"`` (objects, none that satisfies),
            ``"malformed"`` (no object, but something that began like one), ``"none"``.
        completion: the last valid one; ``invalid-json`` where the contract asks for one and there is none; None with a
            schema, or without contract.
        reply: what the agent answered, and how its run went; None without an agent.
        last: the newest object of any kind.
        match: the newest that satisfies the contract or the schema; without either, ``last``.
        value: the value of ``match``: as the schema's type, or the completion.
        recovered: with ``recover``, where nothing matched: what was read out of an answer that is almost JSON. It is a
            guess: it leaves ``ok`` False, and ``value`` and ``completion`` without it, unless it is to be accepted.
        unfinished: the object in which the input ended.
        returncode: the program's exit status, negative for a signal; None where there was no program.
        stderr_tail: the end of what the program wrote to stderr.
        stats: counts that explain the result.

    >>> import lastbrace
    >>> watcher = lastbrace.Watcher()
    >>> watcher.feed('all green {"status": "done"}')
    >>> watcher.close(returncode=0)
    Outcome(ok=True, state='ok', completion=Completion(status='done'), returncode=0)
    """

    ok: bool
    reason: str
    state: State
    completion: Completion | None
    reply: Reply | None
    last: Found | None
    match: Found | None
    value: T | None
    recovered: Recovered[T] | None
    unfinished: Unfinished | None
    returncode: int | None
    stderr_tail: str
    stats: Stats

    def __repr__(self) -> str:
        names = [
            "completion" if self.completion is not None else "last",
            "recovered",
            "unfinished",
            "returncode",
            "reason",
        ]
        shown = [f"{name}={_repr.repr(getattr(self, name))}" for name in names if getattr(self, name) not in (None, "")]
        return f"Outcome(ok={self.ok}, state={self.state!r}{''.join(', ' + text for text in shown)})"
