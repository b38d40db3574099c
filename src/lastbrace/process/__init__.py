"""Run a program and know how it ended: `run`, on asyncio and trio, and `run_sync`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, Generic, Literal, Unpack, overload

import anyio
from anyio.from_thread import start_blocking_portal

from ..outcome import Outcome, T
from ..suggestions import check_options
from ..watch_options import WatchOptions, reusable
from .backend import Backend
from .checks import check_input, check_pty, check_stderr, check_stop, check_times
from .launch import Launch
from .program import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ..schema import Schema
    from .feeding import Input

__all__ = ["Backend", "RunOptions", "run", "run_sync"]

Argv = Sequence[str | PathLike[str]]


class RunOptions(WatchOptions[T], Generic[T], total=False):
    """The options of `run` and `run_sync`, which say what each means, those of `Watcher` and of a scan included."""

    input: Input | None
    cwd: str | PathLike[str] | None
    env: Mapping[str, str] | None
    timeout: float | None
    idle_timeout: float | None
    grace: float
    stop: Literal["exit", "final"]
    stderr: Literal["keep", "inherit", "merge"] | Callable[[str], object]
    encoding: str | None
    pty: bool
    leave_group: bool
    on_output: Callable[[Literal["stdout", "stderr"], bytes], object] | None


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
    stderr: Literal["keep", "inherit", "merge"] | Callable[[str], object] = "keep",
    encoding: str | None = None,
    pty: bool = False,
    leave_group: bool = False,
    on_output: Callable[[Literal["stdout", "stderr"], bytes], object] | None = None,
    **watch: Any,
) -> Backend[Any]:
    """Run a program and read what it prints: an async context manager, iterable over the objects as they close.

    Left without having been read from, the block reads to the end first (callbacks see everything). Left with an
    iteration or a ``wait()`` begun and not finished (``break``, ``return``, an exception, cancellation), it ends the
    program: its whole process group is asked to terminate, killed after ``grace``, and reaped. Between two objects
    that you take the program waits for you as soon as its pipe is full; stderr, input and the clock never do. Another
    task may leave the block than entered it, as when the event loop closes a generator that was never exhausted.

    Arguments:
        argv: the program and its arguments; no shell is involved.
        input: what it reads on stdin: bytes, text (sent as UTF-8, or in ``encoding``), or an async iterable of
            either; nothing unless given. That it does not read it all is no error.
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
        stderr: ``"keep"``: read it all along and keep its end, for ``outcome.stderr_tail`` and errors; ``"inherit"``:
            it goes where ours goes, unseen; ``"merge"``: it is part of the output, in the order of writing; or a
            function, called with its text as it comes (cut anywhere, but at whole characters), its end kept as well.
        encoding: of what it writes, and of text that it reads: ``"cp1252"``, ``"shift_jis"``… What is none of it
            becomes U+FFFD. Offsets and counts of bytes are then those of the output as UTF-8. None: UTF-8, or UTF-16
            where a byte-order mark says so, with offsets of the output as written.
        pty: its stdout (with ``stderr="merge"``, its stderr) is a terminal, for a program that prints only to one: so
            wide that nothing wraps, without echo, line ends as written, and its controlling terminal. Its stdin is
            not: ``input``, or empty. What it leaves behind is hung up at its exit. POSIX only.
        leave_group: leave alone, rather than end, what still holds its output ``grace`` after it exited by itself.
        on_output: called with ``"stdout"`` or ``"stderr"`` and the bytes, as they are read: to record them.
        watch: every argument and callback of `Watcher`, scan options included; ``agent`` is ``"auto"`` unless given.

    Raises TypeError and ValueError for arguments that make no sense. At the beginning of the block: BackendError when
    it cannot be started. At the end of the iteration, by ``wait()``, or else when the block is left: BackendTimeout;
    BackendError when it ended with a status other than 0, or by a signal, before it printed anything; what callbacks
    (and the iterable ``input``) raised, several as an ExceptionGroup. Reading goes on after a callback raised.
    """
    check_options(watch, RunOptions.__annotations__, run.__kwdefaults__, ("schema",))
    launch = Launch(
        argv=_words(argv),
        cwd=cwd,
        env=env,
        stdin=input is not None,
        stderr="pipe" if stderr == "keep" or callable(stderr) else stderr,
        pty=pty,
    )
    check_input(input, encoding)
    check_stderr(stderr)
    check_times(timeout=timeout, idle_timeout=idle_timeout, grace=grace)
    check_stop(stop, watch)
    check_pty(pty=pty)
    program = partial(
        Program,
        launch,
        input=input,
        timeout=timeout,
        idle_timeout=idle_timeout,
        grace=grace,
        leave_group=leave_group,
        encoding=encoding,
        on_stderr=stderr if callable(stderr) else None,
        tap=on_output,
    )
    return Backend(program, stop=stop, encoding=encoding, watch={"agent": "auto", **reusable(watch)})


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
        raise TypeError(f"argv is a list such as ['agent', '--json'], not {type(argv).__name__}; shlex.split makes one")
    if not isinstance(argv, Iterable):
        raise TypeError(f"argv is a list such as ['agent', '--json'], not {type(argv).__name__}")
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
