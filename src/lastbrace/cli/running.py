"""A program that the command line runs: shown to people while it runs, its outcome printed as one line of JSON."""

from __future__ import annotations

import json
import signal
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio

from ..completion import Completion, Status
from ..errors import BackendError, BackendTimeout
from ..printing import printable
from ..process import Backend, run
from ..watcher import Watcher
from .chunks import chunks_of
from .lines import Output, marked, one_line, tell
from .live import View
from .recording import Recorder
from .signals import Forwarder

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from ..agents.reply import Reply
    from ..outcome import Outcome

OK, ERROR, CONTINUE, NO_ANSWER, TIMEOUT, NOT_STARTED = 0, 1, 3, 4, 124, 127
BY_SIGNAL = 128  # plus its number, as shells have it
_ANSWERS = {Status.DONE: OK, Status.CONTINUE: CONTINUE, Status.ERROR: ERROR}


class Result(NamedTuple):
    """Our exit status, what is known of the run, and in words what kept it from an answer."""

    status: int
    outcome: Outcome[Any] | None
    error: str | None


def run_program(options: dict[str, Any], *, verbose: bool = False, save: Path | None = None) -> int:
    """Run a program with these options of `run`, print its outcome on stdout, and return our exit status.

    What it writes is recorded in the file ``save``. Raises ValueError or TypeError for options that make no sense.
    """
    output = Output()
    view = View(verbose=verbose)
    if verbose:
        options = {**options, "on_completion": view.on_completion}
    run(**options)  # says what makes no sense before anything is opened
    with ExitStack() as stack:
        recorder = None
        if save is not None:
            recorder = stack.enter_context(_recorder(save, options["argv"], view))
            options = {**options, "on_output": recorder.take}
        stack.enter_context(view)
        if verbose or view.is_live:
            options = {**options, "on_text": view.on_text, "on_object": view.on_object}
        backend: Backend[Any] = run(**options)
        view.follow(backend)
        result = anyio.run(_run, backend, Forwarder(backend, view, options.get("grace", 2.0)), view)
        if recorder is not None and result.outcome is not None and result.outcome.returncode is not None:
            recorder.end(result.outcome.returncode)
    output.line(describe(result))
    output.flush()
    if result.error is not None:
        view.note(printable(result.error, 3000))
    if result.outcome is not None and result.status not in (OK, CONTINUE):
        for line in result.outcome.stderr_tail.splitlines()[-10:]:
            if line not in (result.error or ""):
                view.note(f"its stderr: {printable(line)}")
    return result.status


def _recorder(save: Path, argv: list[str], view: View) -> Recorder:
    try:
        return Recorder(save, argv, lambda text: view.note(printable(text, 1000)))
    except OSError as error:
        raise ValueError(f"cannot save to {save}: {error.strerror}") from error


def read_output(file: BinaryIO, options: dict[str, Any]) -> int:
    """Read an agent's saved output, print what it says as one line of JSON, and return our exit status.

    Raises ValueError or TypeError for options of `Watcher` that make no sense.
    """
    watcher: Watcher[Any] = Watcher(**options)
    for chunk in chunks_of(file):
        watcher.feed(chunk)
    result = judge(watcher.close())
    if result.error is not None:
        tell(printable(result.error, 3000))
    output = Output()
    output.line(describe(result))
    output.flush()
    return result.status


async def _run(backend: Backend[Any], forwarder: Forwarder, view: View) -> Result:
    error = unread = None
    scope = anyio.CancelScope()
    async with anyio.create_task_group() as tasks:
        await tasks.start(forwarder.run, scope)
        tasks.start_soon(view.keep_fresh)
        with scope:
            try:
                async with backend:
                    pass
            except BackendError as caught:
                error = caught
            except OSError as caught:  # our own callbacks raise none
                unread = f"cannot read the input: {caught.strerror or caught}"
        tasks.cancel_scope.cancel()
    if forwarder.received and (error is None or error.outcome is not None):
        name = signal.Signals(forwarder.received).name
        return Result(BY_SIGNAL + forwarder.received, backend.outcome, f"ended by {name}")
    if isinstance(error, BackendTimeout):
        return Result(TIMEOUT, error.outcome, str(error))
    if error is not None:
        return Result(ERROR if error.outcome else NOT_STARTED, error.outcome, str(error))
    if unread is not None:
        return Result(ERROR, backend.outcome, unread)
    return judge(backend.outcome)


def judge(outcome: Outcome[Any]) -> Result:
    """Return the exit status that an outcome stands for, and in words what kept it from an answer."""
    failed = outcome.returncode or (outcome.reply is not None and outcome.reply.is_error)
    if outcome.ok:
        completion = outcome.completion
        return Result(OK if completion is None else _ANSWERS[completion.status], outcome, None)
    if outcome.state != "ok":
        return Result(ERROR if failed else NO_ANSWER, outcome, f"no answer: {outcome.reason}")
    said_so = outcome.completion is not None and outcome.completion.status == Status.ERROR
    return Result(ERROR, outcome, None if said_so else outcome.reason)


def describe(result: Result) -> bytes:
    """Return a run as one line of JSON, without what is not there."""
    outcome = result.outcome
    parts: dict[str, bytes] = {"ok": _encoded(outcome is not None and outcome.ok and result.status in (OK, CONTINUE))}
    if outcome is not None:
        parts["state"] = _encoded(outcome.state)
        if outcome.completion is not None:
            parts["completion"] = _encoded(Completion.as_dict(outcome.completion))
        if outcome.match is not None:
            parts["value"] = one_line(outcome.match.raw)
        if outcome.recovered is not None:
            parts["recovered"] = marked(outcome.recovered)
        if outcome.reply is not None and outcome.reply.agent is not None:
            parts["reply"] = one_line(_encoded(_described(outcome.reply)))
        if outcome.unfinished is not None:
            parts["unfinished"] = _encoded({"start": outcome.unfinished.start, "size": outcome.unfinished.size})
        if outcome.returncode is not None:
            parts["returncode"] = _encoded(outcome.returncode)
    if result.error is not None:
        parts["error"] = _encoded(result.error)
    return b"{" + b",".join(_encoded(key) + b":" + part for key, part in parts.items()) + b"}"


def _described(reply: Reply) -> dict[str, Any]:
    """Return a reply without what it does not tell, and without the event that it was read from."""
    fields = {name: getattr(reply, name) for name in reply.__struct_fields__ if name not in ("raw", "usage")}
    if reply.usage is not None:
        fields["usage"] = {name: getattr(reply.usage, name) for name in reply.usage.__struct_fields__}
        fields["usage"] = {name: count for name, count in fields["usage"].items() if count is not None}
    return {name: value for name, value in fields.items() if value is not None}


def _encoded(value: Any) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half an emoji
        return json.dumps(value, separators=(",", ":")).encode()
