"""Run a program again and again until it says that it is done: `loop`, on asyncio and trio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Generic, Unpack, overload

from ..process import RunOptions, run
from ..suggestions import check_options
from . import templates
from .bounds import Bounds, LoopEnd
from .commands import Command, command_for
from .pauses import Pauses
from .record import NextTurn, Verdict
from .runner import Loop
from .templates import Template
from .turn import Turn
from .wording import AGAIN, CONTRACT, MARKER, Wording

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
    for name, text in (("prompt", prompt), ("resume", resume), ("go_on", go_on)):
        if text is not None and not isinstance(text, str):
            raise TypeError(f"{name} is a text, not {text!r}")
    for hook in (before_turn, after_turn):
        if hook is not None and not callable(hook):
            raise TypeError(f"a hook is a function, and {hook!r} is none")
    if prompt is not None and not prompt.strip():
        raise ValueError("the prompt is blank")
    if resume is not None and (not resume or resume.startswith("-")):
        raise ValueError(f"resume is a session's id, not {resume!r}")
    template = templates.TEMPLATES.get(argv_for) if isinstance(argv_for, str) else argv_for
    if isinstance(template, Template):
        options.setdefault("agent", template.agent)
        if max_cost_usd is not None and not template.tells_cost:
            raise ValueError(f"max_cost_usd would bound nothing: {template.agent} does not tell what it costs")
    contract = _contract(options)
    bounds = Bounds(
        max_turns=max_turns,
        max_seconds=max_seconds,
        max_cost_usd=max_cost_usd,
        max_errors=max_errors,
        max_repeats=3 if max_repeats is None and contract != "marker" else max_repeats,
    )

    def wording(task: str) -> Wording:
        words = _WORDS[contract].format(marker=options.get("marker", "DONE"))
        return Wording(task, go_on, words, f"\n\n{words}".replace("$", "$$") if contract == "marker" else "")

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


_WORDS = {"json": CONTRACT, "marker": MARKER, "schema": AGAIN}


def _contract(options: dict[str, Any]) -> str:
    """Return by what the turns are judged; TypeError and ValueError where these options of `run` make no loop."""
    if "input" in options:
        raise TypeError("a loop has no input: its prompt is what the program reads")
    for name in ("ignore", "fields"):  # every turn reads them
        if isinstance(options.get(name), Iterator):
            options[name] = list(options[name])
    if options.get("timeout") == 0:
        raise ValueError("timeout=0 leaves no time for a turn")
    run(["-"], **options)  # starts nothing, and finds fault with the others before the first turn does
    if options.get("schema") is not None:
        return "schema"
    contract: str | None = options.get("contract", "json")
    if contract is None:
        raise ValueError("a loop goes by a contract or a schema: without them nothing says whether it goes on")
    return contract
