"""A program that the command line runs: shown to people while it runs, and its outcome printed as one line."""

from __future__ import annotations

import json
import signal
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio

from ._lines import Output, one_line, printable
from ._live import View
from .completion import Status
from .errors import BackendError, BackendTimeout
from .explain import explain
from .process import Backend, run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import BinaryIO

    from .outcome import Outcome

OK, ERROR, CONTINUE, NO_ANSWER, TIMEOUT, NOT_STARTED, INTERRUPTED = 0, 1, 3, 4, 124, 127, 128
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


class Result(NamedTuple):
    """The exit status of a run, what is known of it, and what went wrong in words."""

    status: int
    outcome: Outcome[Any] | None
    error: str | None


def run_job(options: dict[str, Any], *, verbose: bool = False) -> int:
    """Run a program with these options of `run`, print its outcome on stdout, and return our exit status.

    Raises ValueError or TypeError for options that make no sense.
    """
    view = View(verbose=verbose)
    if verbose:
        hooks = {name: getattr(view, name) for name in ("on_text", "on_object", "on_completion")}
        options = {**options, **hooks}
    backend: Backend[Any] = run(**options)
    with view:
        view.follow(backend)
        result = anyio.run(_run, backend, options.get("schema") is not None)
    output = Output()
    output.line(describe(result))
    output.flush()
    if result.error is not None:
        view.note(printable(result.error, 3000))
    return result.status


async def _run(backend: Backend[Any], by_schema: bool) -> Result:
    """Run to the end, or until a signal comes: one to us does not reach a program in a group of its own."""
    received = 0

    async def end_on_signal() -> None:
        nonlocal received
        wanted = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
        with anyio.open_signal_receiver(*wanted) as signals:
            async for number in signals:
                received = received or number
                tasks.cancel_scope.cancel()

    started = False
    try:
        async with anyio.create_task_group() as tasks:
            if sys.platform != "win32":
                tasks.start_soon(end_on_signal)
                await anyio.lowlevel.checkpoint()
            async with backend:
                started = True
                await backend.wait()
            tasks.cancel_scope.cancel()
    except* BackendError as group:
        error: BackendError = group.exceptions[0]
