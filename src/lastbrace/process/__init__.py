"""Run a program and know how it ended: `run`, on asyncio and trio, and `run_sync`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Generic, Literal, Unpack, overload

import anyio
from anyio.from_thread import start_blocking_portal

from ..outcome import Outcome, T
from ..scanner import ScanOptions
from .backend import Backend
from .program import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ..agents.adapter import Adapter
    from ..agents.reply import Reply
    from ..completion import Completion
    from ..events import Found
    from ..schema import Schema
    from .feeding import Input

__all__ = ["Backend", "RunOptions", "run", "run_sync"]

Argv = Sequence[str | PathLike[str]]


class RunOptions(ScanOptions, Generic[T], total=False):
    """The options of `run` and `run_sync`, which say what each means, those of `Watcher` and of a scan included."""

    input: Input | None
    cwd: str | PathLike[str] | None
    env: Mapping[str, str] | None
    timeout: float | None
    idle_timeout: float | None
    grace: float
    stop: Literal["exit", "final"]
    agent: str | Adapter | None
    answer: str | None
    contract: Literal["json", "marker"] | None
    marker: str
    ignore: Iterable[Any]
    after: str | bytes | None
    skip_think: bool
    fragments: bool
    on_object: Callable[[Found], object] | None
    on_text: Callable[[str], object] | None
    on_match: Callable[[Found, T], object] | None
    on_completion: Callable[[Completion], object] | None
    on_reply: Callable[[Reply], object] | None


@overload
def run(argv: Argv, *, schema: type[T] | Schema[T], **options: Unpack[RunOptions[T]]) -> Backend[T]: ...
@overload
def run(argv: Argv, *, schema: Callable[[Any], T], **options: Unpack[RunOptions[T]]) -> Backend[T]: ...
@overload
def run(argv: Argv, *, schema: dict[str, Any] | None = None, **options: Unpack[RunOptions[Any]]) -> Backend[Any]: ...
def run(
    argv: Argv,
    *,
    input: Input | None = None,  # noqa: A002 - subprocess.run's word for it
    cwd: str | PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
    idle_timeout: float | None = None,
    grace: float = 2.0,
    stop: Literal["exit", "final"] = "exit",
    **watch: Any,
) -> Backend[Any]:
    """Run a program and read what it prints: an async context manager, iterable over the objects as they close.

    Left without having been read from, the block reads to the end first (callbacks see everything). Left with an
    iteration or a ``wait()`` begun and not finished (``break``, ``return``, an exception, cancellation), it ends the
    program: its whole process group is asked to terminate, killed after ``grace``, and reaped. Between two objects
    that you take the program waits for you as soon as its pipe is full; stderr, input and the clock never do.

    Arguments:
        argv: the program and its arguments; no shell is involved.
        input: what it reads on stdin: bytes, text (sent as UTF-8), or an async iterable of either; nothing unless
            given. That it does not read it all is no error.
        cwd: the directory to run it in.
        env: its whole environment; ours unless given.
        timeout: seconds from its start to its exit.
        idle_timeout: seconds without output, on stdout or stderr, while we wait for it.
        grace: seconds between asking it to end and killing it, and for a process that it left behind to let go of its
            output.
        stop: ``"exit"``: read until it exits; ``"final"``: end it once the agent's final event has closed (or a
            completion ``done`` or a match of the schema has stood for ``grace``), or without an agent once its newest
            completion is ``done`` or something matched. What it prints after that is not looked at, and its exit status
            not held against it.
        watch: every argument and callback of `Watcher`, scan options included; ``agent`` is ``"auto"`` unless given.

    Raises TypeError and ValueError for arguments that make no sense. At the beginning of the block: BackendError when
    it cannot be started. At the end of the iteration, by ``wait()``, or else when the block is left: BackendTimeout;
    BackendError when it ended with a status other than 0, or by a signal, before it printed anything; what callbacks
    (and the iterable ``input``) raised, several as an ExceptionGroup. Reading goes on after a callback raised.
    """
    words = _words(argv)
    if not (input is None or isinstance(input, bytes | bytearray | memoryview | str) or hasattr(input, "__aiter__")):
        raise TypeError(f"input is bytes, str or an async iterable of them, not {type(input).__name__}")
    if stop not in ("exit", "final"):
        raise ValueError(f"stop must be 'exit' or 'final', not {stop!r}")
    if stop == "final" and watch.get("schema") is None and watch.get("contract", "json") == "marker":
        raise ValueError("stop='final' needs an answer that is known before the end, and a marker is not")
    for name, seconds in (("timeout", timeout), ("idle_timeout", idle_timeout), ("grace", grace)):
        if seconds is not None and not seconds >= 0:
            raise ValueError(f"{name} must be seconds from 0 up, not {seconds!r}")

    def program(on_error: Callable[[Exception], None]) -> Program:
        return Program(
            words, input=input, cwd=cwd, env=env, timeout=timeout, idle_timeout=idle_timeout, grace=grace,
            on_error=on_error,
        )  # fmt: skip

    return Backend(program, stop, {"agent": "auto", **watch})


@overload
def run_sync(argv: Argv, *, schema: type[T] | Schema[T], **options: Unpack[RunOptions[T]]) -> Outcome[T]: ...
@overload
def run_sync(argv: Argv, *, schema: Callable[[Any], T], **options: Unpack[RunOptions[T]]) -> Outcome[T]: ...
@overload
def run_sync(
    argv: Argv, *, schema: dict[str, Any] | None = None, **options: Unpack[RunOptions[Any]]
) -> Outcome[Any]: ...
def run_sync(argv: Argv, **options: Any) -> Outcome[Any]:
    r"""Run a program to its end and return the outcome: `run` without an event loop; same arguments, same errors.

    Inside a running event loop (a notebook, an async application) it works too, and blocks that loop as any call does
    that is not awaited: callbacks then run in another thread. There, prefer `run`.

    >>> import sys
    >>> run_sync([sys.executable, "-c", "print('all green {\"status\": \"done\"}')"]).completion
    Completion(status='done')
    """
    backend: Backend[Any] = run(argv, **options)

    async def to_end() -> Outcome[Any]:
        async with backend:
            pass
        return backend.outcome

    if not _in_event_loop():
        return anyio.run(to_end)
    with start_blocking_portal() as portal:
        return portal.call(to_end)


def _words(argv: Argv) -> list[str]:
    if isinstance(argv, str | bytes):
        raise TypeError(f"argv is a list such as ['agent', '--json'], not {argv!r}; shlex.split makes one")
    words = [os.fsdecode(word) for word in argv]
    if not words:
        raise ValueError("argv is empty")
    return words


def _in_event_loop() -> bool:
    try:
        anyio.get_cancelled_exc_class()
    except RuntimeError:
        return False
    return True
