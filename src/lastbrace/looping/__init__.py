"""Run a program again and again until it says that it is done: `loop`, on asyncio and trio."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Unpack, overload

from ..process import RunOptions
from ..suggestions import check_options
from . import templates
from .bounds import Bounds, LoopEnd
from .checks import check_hooks, check_words, contract_of
from .commands import Command, command_for
from .pauses import Pauses
from .record import NextTurn, Verdict
from .runner import Loop
from .templates import Template
from .turn import Turn
from .wording import wording_for

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from ..outcome import T
    from ..schema import Schema
    from .commands import Argv, ArgvFor
    from .runner import After, Before
else:
    from ..outcome import T

__all__ = ["Command", "Loop", "LoopEnd", "NextTurn", "Template", "Turn", "Verdict", "loop", "templates"]


class LoopOptions(RunOptions[T], Generic[T], total=False):
    """The options of `loop`, which says what each means; those of `run` included, but for ``input``."""

    max_turns: int | None
    max_seconds: float | None
    max_cost_usd: float | None
    max_errors: int | None
    max_repeats: int | None
    journal: str | os.PathLike[str] | None
    resume: str | None
    go_on: str | None
    before_turn: Before | None
    after_turn: After | None
    pause: float
    max_pause: float


@overload
def loop(
    argv_for: str | Template | Argv | ArgvFor,
    prompt: str | None = None,
    *,
    schema: type[T] | Schema[T],
    **options: Unpack[LoopOptions[T]],
) -> Loop[T]: ...
@overload
def loop(
    argv_for: str | Template | Argv | ArgvFor,
    prompt: str | None = None,
    *,
    schema: Callable[[Any], T],
    **options: Unpack[LoopOptions[T]],
) -> Loop[T]: ...
@overload
def loop(
    argv_for: str | Template | Argv | ArgvFor,
    prompt: str | None = None,
    *,
    schema: dict[str, Any] | None = None,
    **options: Unpack[LoopOptions[Any]],
) -> Loop[Any]: ...
def loop(
    argv_for: str | Template | Argv | ArgvFor,
    prompt: str | None = None,
    *,
    max_turns: int | None = 100,
    max_seconds: float | None = None,
    max_cost_usd: float | None = None,
    max_errors: int | None = 3,
    max_repeats: int | None = None,
    journal: str | os.PathLike[str] | None = None,
    resume: str | None = None,
    go_on: str | None = None,
    before_turn: Before | None = None,
    after_turn: After | None = None,
    pause: float = 1.0,
    max_pause: float = 60.0,
    **options: Any,
) -> Loop[Any]:
    """Run a program again and again until it says that it is done: an async context manager, iterable over its turns.

    The completion decides: ``done`` ends the loop; ``continue`` goes on with its ``next`` as the prompt, in the same
    session where there is one; ``error``, a run that failed and one that took too long are tried again after a pause. A
    turn that went well without a completion is asked for one, once, then counts as an error. With a ``schema``, a match
    is done. Nothing runs between two turns, and leaving the block during one ends its program as `run` does.

    Arguments:
        argv_for: what to run: ``"claude"``, ``"codex"``, ``"gemini"`` or ``"opencode"``, or a `Template` of yours; a
            list of words, which gets the prompt on stdin and no session; or a function that is called with the prompt
            and the session to go on with (None for the first turn), and returns such a list, or a `Command`.
        prompt: what to ask first. With a journal that has its turns already, it may be left out.
        max_turns: how many turns, those that failed or were asked again counted.
        max_seconds: for the whole loop, its pauses included. The turn that runs then is ended.
        max_cost_usd: US dollars, as the program tells them; known only after a turn, so that the last one may cost
            more. ValueError with a template whose agent tells no cost. A turn that fails may tell none.
        max_errors: how many errors in a row end the loop; 1 tries nothing again.
        max_repeats: how many times in a row the same completion ``continue`` is progress; 3 unless given, with
            ``contract="marker"``, where all are the same, any number.
        journal: a file that each turn is written to as it ends; a later loop with the same file goes on after the last
            of them, its turns, seconds and costs counted on. It holds prompts and completions, and is for you alone to
            read; argv and environment are not in it.
        resume: a session to begin with, instead of a new one.
        go_on: a template for the prompt after ``continue``, in which ``$task``, ``$next`` and ``$summary`` stand for
            the first prompt and what the completion says. Without it the prompt is ``next``, or words to the same end.
        before_turn: called with a `NextTurn`, a plain or an async function: returns another prompt for it, or False to
            stop, or nothing.
        after_turn: called with each `Turn` when it has ended and is in the journal: returns another prompt for the next
            one (after ``done`` too: the loop then goes on), or False to stop, or nothing.
        pause: seconds before an error is tried again, doubled with each further one in a row, some chance added.
        max_pause: the longest such pause, in seconds.
        options: those of `run`, for each turn: ``timeout``, ``cwd``, ``env``, ``stop``…; and of `Watcher`.

    Raises TypeError and ValueError for arguments that make no sense. At the beginning of the block: JournalError when
    the journal cannot be used. In the iteration: BackendError when the program cannot be started, JournalError when the
    journal cannot be written; what hooks and callbacks raised.
    """
    check_options(options, LoopOptions.__annotations__, ("schema",))
    if prompt is None and journal is None:
        raise ValueError("a prompt is needed where there is no journal that has one")
    check_words(prompt=prompt, resume=resume, go_on=go_on)
    check_hooks(before_turn, after_turn)
    template = templates.TEMPLATES.get(argv_for) if isinstance(argv_for, str) else argv_for
    if isinstance(template, Template):
        options.setdefault("agent", template.agent)
        if max_cost_usd is not None and not template.tells_cost:
            raise ValueError(f"max_cost_usd would bound nothing: {template.agent} does not tell what it costs")
    contract = contract_of(options)
    bounds = Bounds(
        max_turns=max_turns,
        max_seconds=max_seconds,
        max_cost_usd=max_cost_usd,
        max_errors=max_errors,
        max_repeats=3 if max_repeats is None and contract != "marker" else max_repeats,
    )
    wording = partial(wording_for, go_on=go_on, contract=contract, marker=options.get("marker", "DONE"))
    return Loop(
        command_for(argv_for),
        wording if prompt is None else wording(prompt),
        bounds=bounds,
        journal=journal,
        resume=resume,
        before_turn=before_turn,
        after_turn=after_turn,
        pauses=Pauses(pause, max_pause),
        options=options,
    )
