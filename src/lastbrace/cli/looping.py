"""``lastbrace loop``: a program run until it says that it is done, each turn printed as one line of JSON."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import anyio
import typer

from ..errors import BackendError, JournalError
from ..looping import LoopEnd, Verdict, templates
from ..looping import loop as run_loop
from ..looping.journal import encode
from ..printing import counted, printable
from ..suggestions import meant
from .interrupts import until_signal
from .lines import Output, tell
from .loopview import LoopView
from .options import (
    Contract,
    CwdOption,
    GraceOption,
    IdleTimeoutOption,
    MarkerOption,
    Until,
    UntilOption,
    agent_name,
)
from .running import BY_SIGNAL, CONTINUE, ERROR, NO_ANSWER, NOT_STARTED, OK, TIMEOUT
from .usage import STDIN, exit_with, open_text

if TYPE_CHECKING:
    from ..looping import Loop, Turn

_ENDS = {LoopEnd.DONE: OK, LoopEnd.MAX_SECONDS: TIMEOUT, LoopEnd.ERROR: ERROR, LoopEnd.MAX_ERRORS: ERROR}
_VERDICTS = {Verdict.CONTINUE: CONTINUE, Verdict.NO_ANSWER: NO_ANSWER, Verdict.TIMEOUT: TIMEOUT}
_BOUNDS = {
    LoopEnd.MAX_TURNS: "--max-turns",
    LoopEnd.MAX_SECONDS: "--max-seconds",
    LoopEnd.MAX_COST_USD: "--max-cost",
}
_TEMPLATES = ", ".join(templates.TEMPLATES)


_Command = Annotated[
    list[str] | None,
    typer.Argument(metavar="CMD", help="The program and its arguments; with --template, arguments for its agent."),
]
_Prompt = Annotated[
    str | None, typer.Option(metavar="TEXT", help="What to ask first; '-' reads it from our own stdin.")
]
_PromptFile = Annotated[Path | None, typer.Option(metavar="FILE", help="A file that says what to ask first.")]
_Template = Annotated[str | None, typer.Option(metavar="NAME", help=f"A ready command, with sessions: {_TEMPLATES}.")]
_Agent = Annotated[
    str | None, typer.Option(metavar="NAME", help="Whose output it is, as with run; 'none' is plain text.")
]
_MaxTurns = Annotated[int, typer.Option(metavar="N", min=1, help="How many turns at most.")]
_MaxSeconds = Annotated[float | None, typer.Option(metavar="SECONDS", help="For the whole loop.")]
_MaxCost = Annotated[
    float | None, typer.Option(metavar="USD", help="US dollars; known only after a turn, as the agent tells them.")
]
_MaxErrors = Annotated[int, typer.Option(metavar="N", min=1, help="How many errors in a row end it.")]
_MaxRepeats = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="How often the same completion is progress; 3 unless given.")
]
_Journal = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Where each turn is written down, and what to go on from.")
]
_Resume = Annotated[str | None, typer.Option(metavar="SESSION", help="A session to begin with.")]
_GoOn = Annotated[
    str | None, typer.Option(metavar="TEXT", help="The prompt after 'continue', with $task, $next and $summary.")
]
_Timeout = Annotated[float | None, typer.Option(metavar="SECONDS", min=0, help="For one turn.")]


def loop(
    *,
    command: _Command = None,
    prompt: _Prompt = None,
    prompt_file: _PromptFile = None,
    template: _Template = None,
    agent: _Agent = None,
    max_turns: _MaxTurns = 100,
    max_seconds: _MaxSeconds = None,
    max_cost: _MaxCost = None,
    max_errors: _MaxErrors = 3,
    max_repeats: _MaxRepeats = None,
    journal: _Journal = None,
    resume: _Resume = None,
    go_on: _GoOn = None,
    contract: Annotated[Contract, typer.Option(help="How the program says how it ended.")] = Contract.JSON,
    marker: MarkerOption = "DONE",
    until: UntilOption = Until.EXIT,
    timeout: _Timeout = None,
    idle_timeout: IdleTimeoutOption = None,
    grace: GraceOption = 2.0,
    cwd: CwdOption = None,
) -> None:
    """Run a program until it says that it is done, turn by turn.

    Each turn is printed as one line of JSON. The program gets its prompt on stdin. Its completion decides: done ends
    the loop, continue goes on with its "next" as the prompt, an error is tried again after a growing pause. The last
    line has end: done, error, max_turns, max_seconds, max_cost_usd, max_errors, no_progress, interrupted.
    """
    options = {
        "max_turns": max_turns,
        "max_seconds": max_seconds,
        "max_cost_usd": max_cost,
        "max_errors": max_errors,
        "max_repeats": max_repeats,
        "journal": journal,
        "resume": resume,
        "go_on": go_on,
        "contract": contract.argument,
        "marker": marker,
        "stop": until.stop,
        "timeout": timeout,
        "idle_timeout": idle_timeout,
        "grace": grace,
        "cwd": cwd,
    }
    if agent is not None:
        options["agent"] = agent_name(agent)
    exit_with(lambda: _loop(_what(template, command or []), _text(prompt, prompt_file), options))


def _what(template: str | None, command: list[str]) -> templates.Template | list[str]:
    if template is None:
        if not command:
            raise ValueError("a program is needed after --, or a --template")
        return command
    if template not in templates.TEMPLATES:
        raise ValueError(f"no template {template!r}; there are {_TEMPLATES}{meant(template, templates.TEMPLATES)}")
    return templates.TEMPLATES[template].with_args(*command)


def _text(prompt: str | None, file: Path | None) -> str | None:
    """Return the prompt, wherever it stands."""
    if prompt is not None and file is not None:
        raise ValueError("--prompt and --prompt-file are two prompts")
    name = "--prompt-file"
    if prompt == "-":
        file, name = STDIN, "--prompt"
    if file is None:
        return prompt
    with open_text(file, name) as text:
        return text.read().decode("utf-8", "replace")


def _loop(what: templates.Template | list[str], prompt: str | None, options: dict[str, Any]) -> int:
    output = Output()
    view = LoopView()
    if view.is_possible:
        options = {**options, "on_object": view.on_object}
    turns: Loop[Any] = run_loop(what, prompt, **options)
    last: Turn[Any] | None = None
    failure: Exception | None = None

    async def work() -> None:
        nonlocal last, failure
        async with anyio.create_task_group() as tasks:
            with view.of(turns):
                tasks.start_soon(view.keep_fresh)
                tasks.start_soon(view.keep_away_when_stopped)
                try:
                    async with turns:
                        async for last in turns:
                            view.end(last, forget=output.is_terminal)
                            with view.paused() if output.is_terminal else nullcontext():
                                output.line(encode(last.as_dict()))
                                output.flush()
                            if output.broken:  # a turn may cost money, and nobody would read of it
                                break
                            warn_of_costs_unknown(last)
                except (BackendError, JournalError, ValueError) as caught:
                    failure = caught
                tasks.cancel_scope.cancel()

    def warn_of_costs_unknown(turn: Turn[Any]) -> None:
        if turn.number == 1 and turn.cost_usd is None and options["max_cost_usd"] is not None:
            tell("the first turn does not tell what it cost: as long as none does, --max-cost bounds nothing")

    def hurry() -> None:
        if turns.backend is not None:
            turns.backend.kill()

    received = anyio.run(until_signal, work, hurry)
    if isinstance(failure, ValueError):
        raise failure
    if isinstance(failure, JournalError) and turns.reason is None:  # it could not even begin
        tell(printable(str(failure), 1000))
        return ERROR
    output.line(encode(_summary(turns)))
    output.flush()
    unread = output.broken and turns.reason is None and not received
    _tell_how_it_ended(turns, last, options["journal"], failure, unread=unread)
    if received:
        return BY_SIGNAL + received
    if isinstance(failure, BackendError):
        return NOT_STARTED
    status = _ENDS.get(turns.reason or LoopEnd.ERROR, CONTINUE)
    return _VERDICTS.get(last.verdict, status) if status == ERROR and last is not None and failure is None else status


def _summary(turns: Loop[Any]) -> dict[str, Any]:
    end = turns.reason or LoopEnd.INTERRUPTED  # between two turns
    parts: dict[str, Any] = {"end": str(end), "ok": end is LoopEnd.DONE, "turns": turns.number}
    parts["seconds"] = round(turns.seconds, 3)
    if turns.cost_usd is not None:
        parts["cost_usd"] = round(turns.cost_usd, 6)
    if turns.session_id is not None:
        parts["session_id"] = turns.session_id
    if turns.completion is not None:
        parts["completion"] = turns.completion.as_dict()
    if end is not LoopEnd.DONE:
        parts["error"] = turns.explanation or "interrupted"
    return parts


def _tell_how_it_ended(
    turns: Loop[Any], last: Turn[Any] | None, journal: Path | None, failure: Exception | None, *, unread: bool
) -> None:
    if turns.reason is LoopEnd.DONE:
        return
    interrupted = turns.reason in (None, LoopEnd.INTERRUPTED)
    taken = counted(turns.number, "turn")
    told = f"interrupted after {taken}" if interrupted else str(failure) if failure else f"ended: {turns.explanation}"
    if unread:
        told = f"ended after {taken}: nobody reads its lines any longer"
    tell(printable(told, 3000))
    if last is not None and not interrupted and last.verdict not in (Verdict.DONE, Verdict.CONTINUE):
        for line in last.outcome.stderr_tail.splitlines()[-10:]:
            if line not in told:
                tell(f"its stderr: {printable(line)}")
    bound = _BOUNDS.get(turns.reason) if turns.reason is not None else None
    if journal is None:
        if interrupted:
            tell("without --journal it begins anew")
    elif interrupted or bound is not None:  # without the words of the command, which may hold secrets
        tell("to go on, give the same command again" + ("" if bound is None else f", with a greater {bound}"))
