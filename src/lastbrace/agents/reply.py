"""What an agent answered: one shape for every CLI."""

from __future__ import annotations

import reprlib
from typing import Any

import msgspec

_repr = reprlib.Repr()
_repr.maxstring = 80


class Usage(msgspec.Struct, frozen=True, gc=False):
    """Tokens, as the CLI counts them; None is what it does not tell, never 0.

    >>> Usage(input=1200, output=40).total is None
    True
    """

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None
    total: int | None = None

    def __bool__(self) -> bool:
        return any(getattr(self, name) is not None for name in self.__struct_fields__)


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """An agent's answer and how its run went; None is what the stream does not tell.

    Attributes:
        agent: which CLI or provider it is, None until recognised.
        text: the best answer text so far.
        session_id: what to resume it with.
        is_error: the run failed, or its output ended early.
        error: what a person needs to know of that.
        subtype: the CLI's own word for how it ended.
        structured: the answer as structured output, where the CLI gave some.
        cost_usd: what the run cost, in US dollars.
        duration_ms: how long it took, in milliseconds; ``duration_api_ms`` of these waiting for the model.
        turns: how many turns the agent took.
        usage: the tokens it used.
        final: the stream itself showed its end.
        raw: the event that ended it, as the CLI printed it.

    >>> Reply(agent="codex", text="Done.", final=True).is_error
    False
    """

    agent: str | None = None
    text: str = ""
    session_id: str | None = None
    is_error: bool = False
    error: str | None = None
    subtype: str | None = None
    structured: Any = None
    cost_usd: float | None = None
    duration_ms: int | None = None
    duration_api_ms: int | None = None
    turns: int | None = None
    usage: Usage | None = None
    final: bool = False
    raw: dict[str, Any] | None = None

    def __repr__(self) -> str:
        shown = ((name, getattr(self, name)) for name in self.__struct_fields__ if name != "raw")
        return f"Reply({', '.join(f'{name}={_repr.repr(value)}' for name, value in shown if value not in (None, ''))})"
