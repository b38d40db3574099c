"""What `lastbrace.run` gives: a program that runs, read through a watcher, errors raised where they are due."""

from __future__ import annotations

import dataclasses
from collections import deque
from typing import TYPE_CHECKING, Any, Generic, Literal, Self

from ..async_only import AsyncOnly
from ..completion import Completion, Status
from ..errors import BackendError, BackendTimeout
from ..exits import describe_exit, how_it_ended
from ..outcome import Outcome, State, T
from ..printing import counted, readable
from ..watcher import Watcher
from .decoding import TextDecoder
from .kept import KeptErrors

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from ..agents.reply import Reply
    from ..events import Found, Stats
    from .program import Program

_SHOWN = 2000  # characters of stderr in a message


class Backend(AsyncOnly, Generic[T]):
    r"""A running program, as `run` gives it: an async context manager, and iterable, once, over the objects it prints.

    ``pid`` and ``returncode`` are the program's; ``last``, ``match``, ``completion``, ``reply``, ``state`` and
    ``stats`` what its output says so far; ``outcome`` the verdict, from the end on.

    >>> import anyio, lastbrace, sys
    >>> async def main():
    ...     async with lastbrace.run([sys.executable, "-c", "print('so: {\"status\": \"done\"}')"]) as backend:
    ...         async for found in backend:
    ...             print(found.value)
    ...     print(backend.outcome.completion.status, backend.returncode)
    >>> anyio.run(main)
    {'status': 'done'}
    done 0
    """

    _usage = (
        "async with lastbrace.run(argv) as agent: async for found in agent: ...; "
        "without an event loop: outcome = lastbrace.run_sync(argv)"
    )

    def __init__(
        self,
        program: Callable[..., Program],
        *,
        stop: Literal["exit", "final"],
        encoding: str | None,
        watch: dict[str, Any],
    ) -> None:
        self._errors = KeptErrors()
        self._program = program(on_error=self._errors.keep)
        self._decoder = None if encoding is None else TextDecoder(encoding)
        self._stop = stop
        self._watch = watch
        self._on_object: Callable[[Found], object] | None = watch.get("on_object")
        self._watcher: Watcher[T] = Watcher(**{**watch, "on_object": self._see})
        self._queue: deque[Found] = deque()
        self._begun = self._collect = self._spoke = self._stopped = False
        self._error: Exception | None = None
        self._outcome: Outcome[T] | None = None

    @property
    def outcome(self) -> Outcome[T]:
        """The verdict on the whole run. Raises RuntimeError before the end."""
        if self._outcome is None:
            raise RuntimeError("the program has not ended yet: iterate to the end, await wait() or leave the block")
        return self._outcome

    @property
    def pid(self) -> int:
        """The program's process id, which is its group's too. Raises RuntimeError before the start."""
        return self._program.child.group.pid

    @property
    def returncode(self) -> int | None:
        """The program's exit status, negative for the signal that ended it; None while it runs."""
        return self._program.returncode

    @property
    def callback_error(self) -> Exception | None:
        """What callbacks (and the iterable ``input``) raised so far, several as an ExceptionGroup."""
        return self._errors.all

    @property
    def last(self) -> Found | None:
        """The newest object read so far."""
        return self._watcher.last

    @property
    def match(self) -> Found | None:
        """The newest object read so far that satisfies the contract or the schema."""
        return self._watcher.match

    @property
    def completion(self) -> Completion | None:
        """The newest completion read so far; None until there is one."""
        return self._watcher.completion

    @property
    def reply(self) -> Reply | None:
        """The agent's reply so far; None with ``agent=None``."""
        return self._watcher.reply

    @property
    def state(self) -> State:
        """Whether something matched so far, and why not: see `Outcome`."""
        return self._watcher.state

    @property
    def stats(self) -> Stats:
        """What was read so far, in counts."""
        return self._watcher.stats

    def __repr__(self) -> str:
        code = self.returncode
        how = "running" if self._program.is_started else "not started"
        read = counted(self.stats.objects, "object")
        return f"<Backend of {self._program}: {how if code is None else describe_exit(code)}, {read}>"

    async def __aenter__(self) -> Self:
        await self._program.__aenter__()
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if exc is None and not self._begun and self._outcome is None:
                await self._read_to_end()
        finally:
            try:
                await self._program.__aexit__()
            finally:
                self._conclude()
        if exc is None:
            self._raise_error()
        elif self._error is not None:
            exc.add_note(f"The program's run also raised {self._error!r}")

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Found:
        self._begin()
        self._collect = True
        while not self._queue:
            if self._outcome is not None:
                self._raise_error()
                raise StopAsyncIteration
            await self._advance()
        return self._queue.popleft()

    def send_signal(self, number: int) -> None:
        """Send a signal to the program's whole group (on Windows, to the program); nothing once it is over.

        What the program then does is its own affair: a signal that ends it counts as if it came from elsewhere. While
        it is stopped by ``SIGSTOP``, until ``SIGCONT``, its times stand still. Raises RuntimeError before the start.
        """
        self._program.send_signal(number)

    def kill(self) -> None:
        """End the program's whole group at once, without its grace. Raises RuntimeError before the start."""
        self._program.kill()

    async def wait(self) -> Outcome[T]:
        """Read to the end and return the outcome. Objects not iterated over by then go to the callbacks alone.

        Raises BackendTimeout, BackendError (it died before it said anything) and what callbacks raised.
        """
        self._begin()
        await self._read_to_end()
        self._raise_error()
        return self.outcome

    def _begin(self) -> None:
        """Note that somebody reads, who may give up."""
        if not self._program.is_started:
            raise self._misused(RuntimeError)
        self._begun = True

    async def _read_to_end(self) -> None:
        if self._on_object is None and not self._spoke:  # nobody asks for objects any more: do not make them
            self._watcher = Watcher(**self._watch)
        self._collect = False
        self._queue.clear()
        while self._outcome is None:
            await self._advance()

    async def _advance(self) -> None:
        """Read and scan one chunk, or come to the end."""
        chunk = await self._program.receive()
        if not chunk:
            self._conclude()
            return
        self._spoke = True
        if self._stopped:
            return
        try:
            self._watcher.feed(chunk if self._decoder is None else self._decoder.decode(chunk))
        except Exception as error:  # a callback's: raised at the end
            self._errors.keep(error)
        if self._stop == "final":
            self._stop_at_end()

    def _stop_at_end(self) -> None:
        """End the program once it has said its last word; an agent has its grace to say so itself."""
        if self._watcher.is_final or (self._answer() is not None and not self._watcher.has_agent):
            self._stopped = True
            self._program.stop()
        elif self._answer() is not None:
            self._program.stop(answer=self._answer)

    def _answer(self) -> Found | None:
        """Return the answer that stands now, if it is one to stop at."""
        completion = self._watcher.completion
        if completion is not None and completion.status != Status.DONE:
            return None
        any_will_do = self._watch.get("schema") is None and self._watch.get("contract", "json") is None
        # The first event of an agent would be one where any object will do.
        return None if any_will_do and self._watcher.has_agent else self._watcher.match

    def _see(self, found: Found) -> None:
        if self._collect:
            self._queue.append(found)
        if self._on_object is not None:
            self._on_object(found)

    def _conclude(self) -> None:
        if self._outcome is not None:
            return
        code, stopped = self._program.returncode, self._program.child.group.ours
        end: dict[str, Any] = {"returncode": code, "stderr": self._program.stderr_tail, "stopped": stopped}
        try:
            if self._decoder is not None and not self._stopped:
                self._watcher.feed(self._decoder.decode(b"", final=True))
        except Exception as error:  # a callback's
            self._errors.keep(error)
        try:
            self._outcome = self._watcher.close(**end)
        except Exception as error:  # a callback's
            self._errors.keep(error)
            self._outcome = self._watcher.close()
        if self._program.expired is not None:
            self._outcome = dataclasses.replace(self._outcome, ok=False, reason=self._program.expired)
        self._error = self._failure(code, stopped, self._outcome)

    def _failure(self, code: int | None, stopped: bool, outcome: Outcome[T]) -> Exception | None:
        callbacks = self._errors.all
        error: BackendError
        if self._program.expired is not None:
            error = BackendTimeout(self._program.expired, outcome=outcome)
        elif code and not (stopped or self._spoke or self._watcher.agent_reported_error):
            said = outcome.stderr_tail.strip()
            said = f": {'...' if len(said) > _SHOWN else ''}{readable(said[-_SHOWN:], _SHOWN)}" if said else ""
            what = f"{self._program} {how_it_ended(code)} before it printed anything"
            error = BackendError(what + said, outcome=outcome)
        else:
            return callbacks
        if callbacks is not None:
            error.add_note(f"A callback also raised {callbacks!r}")
        return error

    def _raise_error(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error
