"""The loop itself: a turn is run, judged, written down and given; then the next.

Rules:

1. Nothing runs between two turns: a turn begins and ends within one step of the iteration, so a loop may be left at any
   time.
2. A turn that has ended is in the journal before anyone hears of it, and is never run again.
3. What the turns come to is `Progress`, whether they have just ended or stand in the journal.
"""

from __future__ import annotations

import inspect
import time
from typing import TYPE_CHECKING, Any, Generic, Self

import anyio

from ..async_only import AsyncOnly
from ..errors import BackendError
from ..outcome import Outcome, T
from ..printing import counted
from ..process import Backend, run
from .bounds import Bounds, LoopEnd
from .commands import Command
from .journal import Journal
from .notes import Notes
from .pauses import Pauses
from .progress import Progress
from .record import NextTurn, TurnRecord, Verdict, failure_of, verdict_on
from .spending import Spending
from .turn import Turn
from .wording import Wording

if TYPE_CHECKING:
    import os
    from collections.abc import Awaitable, Callable
    from types import TracebackType

    from ..completion import Completion
    from .commands import ArgvFor

    Word = str | bool | None
    Before = Callable[[NextTurn], Word | Awaitable[Word]]
    After = Callable[[Turn[Any]], Word | Awaitable[Word]]


class Loop(AsyncOnly, Generic[T]):
    """Turns of a program, as `lastbrace.loop` gives them: an async context manager, and iterable, once.

    ``reason`` is a `LoopEnd` once the loop has ended, and ``explanation`` says it in words; ``number``, ``cost_usd``
    and ``seconds`` are sums so far, those of earlier runs on the same journal included; ``completion`` is the newest;
    ``outcome`` that of the last turn; ``backend`` the program that runs now.

    >>> import anyio, lastbrace, sys
    >>> async def main():
    ...     agent = [sys.executable, "-m", "lastbrace.demo", "--fast", "--turns", "3"]
    ...     async with lastbrace.loop(agent, "Fix the tests.") as turns:
    ...         async for turn in turns:
    ...             print(turn.number, turn.prompt, turn.verdict)
    ...     print(turns.reason)
    >>> anyio.run(main)
    1 Fix the tests. continue
    2 Go on with turn 2 of 3. continue
    3 Go on with turn 3 of 3. done
    done
    """

    _usage = "async with lastbrace.loop(argv, prompt) as turns: async for turn in turns: ..."

    def __init__(
        self,
        argv_for: ArgvFor,
        wording: Wording | Callable[[str], Wording],
        *,
        bounds: Bounds,
        journal: str | os.PathLike[str] | None,
        resume: str | None,
        before_turn: Before | None,
        after_turn: After | None,
        pauses: Pauses,
        options: dict[str, Any],
    ) -> None:
        self._argv_for = argv_for
        self._wording = wording
        self._bounds = bounds
        self._journal_path = journal
        self._resume = resume
        self._before, self._after = before_turn, after_turn
        self._pauses = pauses
        self._options = options
        self._guard = anyio.ResourceGuard("iterating over")
        self._journal: Journal | None = None
        self._progress: Progress | None = None
        self._pause = 0.0
        self._backend: Backend[T] | None = None
        self._turn: Turn[T] | None = None
        self._end: tuple[LoopEnd, str] | None = None
        self._closed = False

    @property
    def reason(self) -> LoopEnd | None:
        """How the loop ended; None while it may go on."""
        return None if self._end is None else self._end[0]

    @property
    def explanation(self) -> str:
        """How the loop ended, in words; empty while it may go on."""
        return "" if self._end is None else self._end[1]

    @property
    def number(self) -> int:
        """How many turns have ended."""
        return self._known.turns

    @property
    def cost_usd(self) -> float | None:
        """What the turns cost, in US dollars, as far as they tell; None as long as none does."""
        return self._known.cost_usd

    @property
    def seconds(self) -> float:
        """How long the loop has been at work, its pauses included."""
        if self._progress is None:
            raise self._misused(RuntimeError)
        return self._base + ((self._ended_at or time.monotonic()) - self._began)

    @property
    def session_id(self) -> str | None:
        """The session that the next turn goes on with."""
        return self._known.session_id

    @property
    def completion(self) -> Completion | None:
        """The newest completion of a turn that has ended."""
        return self._known.completion

    @property
    def outcome(self) -> Outcome[T]:
        """The outcome of the last turn. Raises RuntimeError where none has ended in this run."""
        if self._turn is None:
            raise RuntimeError("no turn has ended yet in this run")
        return self._turn.outcome

    @property
    def backend(self) -> Backend[T] | None:
        """The program that runs now, as `lastbrace.run` gives it; None between two turns."""
        return self._backend

    @property
    def _known(self) -> Progress:
        if self._progress is None:
            raise self._misused(RuntimeError)
        return self._progress

    def __repr__(self) -> str:
        if self._progress is None:
            return "<Loop: not begun>"
        how = self.reason or ("left" if self._closed else "not ended")
        return f"<Loop: {counted(self._progress.turns, 'turn')} taken, {how}>"

    async def __aenter__(self) -> Self:
        if self._progress is not None or self._closed:
            raise RuntimeError("this loop was begun before: call loop() again")
        wording = self._wording
        if self._journal_path is not None:
            task = wording.task if isinstance(wording, Wording) else None
            self._journal = Journal(self._journal_path, task)
            wording = wording if isinstance(wording, Wording) else wording(self._journal.task)
        assert isinstance(wording, Wording)  # without a journal there is a prompt
        self._progress = progress = Progress(wording, session_id=self._resume)
        for entry in self._journal.entries if self._journal is not None else ():
            progress.go_on_with(entry) if isinstance(entry, str) else progress.take(entry)
        progress.begin_again(self._bounds)
        self._base, self._began, self._ended_at = progress.elapsed, time.monotonic(), 0.0
        self._end = self._bounds.end_of(progress, progress.elapsed)
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._closed = True
        self._ended_at = self._ended_at or time.monotonic()
        if self._journal is not None:
            self._journal.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Turn[T]:
        progress = self._known
        if self._closed:
            raise RuntimeError("the loop was left")
        with self._guard:
            try:
                turn = await self._step(progress)
            except Exception as error:
                self._end = LoopEnd.ERROR, f"{type(error).__name__}: {error}"
                if isinstance(error, StopAsyncIteration):  # would look as if the loop had come to its end
                    raise RuntimeError("a hook raised StopAsyncIteration") from error
                raise
            except BaseException:
                self._end = LoopEnd.INTERRUPTED, "interrupted"
                raise
            finally:
                if self._end is not None:
                    self._ended_at = self._ended_at or time.monotonic()
        if turn is None:
            raise StopAsyncIteration
        return turn

    async def _step(self, progress: Progress) -> Turn[T] | None:
        """Take the next turn; None where there is none."""
        if self._end is not None or not await self._rest():
            return None
        plan = await self._planned(NextTurn(progress.turns + 1, progress.prompt, progress.session_id))
        if plan is None:
            return None
        turn = self._turn = await self._take(plan)
        await self._conclude(turn)
        return turn

    async def _rest(self) -> bool:
        """Wait before an error is retried; False, and the end, when no time is left for another turn."""
        pause, self._pause = self._pause, 0.0
        left = self._bounds.seconds_left(self.seconds)
        if left is None or pause < left:
            await anyio.sleep(pause)
            left, pause = self._bounds.seconds_left(self.seconds), 0.0
        if left is not None and pause >= left:
            self._end = LoopEnd.MAX_SECONDS, f"its {self._bounds.max_seconds:g} seconds leave no time for another turn"
            return False
        return True

    async def _planned(self, plan: NextTurn) -> NextTurn | None:
        """Ask the hook; None, and the end, when it stops the loop or leaves no time."""
        word = await _word_of(self._before, plan)
        if word is False:
            self._end = LoopEnd.STOPPED, "stopped by the hook before a turn"
            return None
        if self._bounds.seconds_left(self.seconds) == 0:  # the hook took its time
            self._end = LoopEnd.MAX_SECONDS, f"its {self._bounds.max_seconds:g} seconds are over"
            return None
        return NextTurn(plan.number, word, plan.session_id) if isinstance(word, str) else plan

    async def _take(self, plan: NextTurn) -> Turn[T]:
        """Run one turn and write it down."""
        command = self._argv_for(plan.prompt, plan.session_id)
        argv, stdin = command if isinstance(command, Command) else (command, None)
        on_object = self._options.get("on_object")
        notes = Notes(plan, spending := Spending(on_object))
        if self._options.get("agent", "auto") in ("auto", "claude"):  # of others no version matters
            on_object = spending.watch
        times = (self._options.get("timeout"), self._bounds.seconds_left(self.seconds))
        timeout = min((seconds for seconds in times if seconds is not None), default=None)
        options = {**self._options, "input": stdin, "timeout": timeout, "on_object": on_object}
        raised: Exception | None = None
        backend: Backend[T] = run(argv, **options)
        self._backend = backend
        try:
            async with backend:
                pass
            outcome = backend.outcome
            verdict, error = verdict_on(outcome, stopped_at_final=options.get("stop") == "final"), outcome.reason
        except BackendError as caught:
            if caught.outcome is None:  # it never ran, and trying again will not help
                raise
            raised, outcome = backend.callback_error, caught.outcome
            verdict, error = failure_of(caught)
        except Exception as caught:  # a callback's: the turn has ended all the same
            known = _outcome_of(backend)
            if known is None:
                raise
            raised, outcome = caught, known
            verdict, error = verdict_on(outcome), outcome.reason
        except BaseException:
            self._note(self._written(notes, _outcome_of(backend), Verdict.INTERRUPTED, "interrupted"))
            raise
        finally:
            self._backend = None
        turn = Turn(outcome, self._written(notes, outcome, verdict, error))
        self._note(turn.record)
        if raised is not None:
            raise raised
        return turn

    async def _conclude(self, turn: Turn[T]) -> None:
        """See whether the loop goes on after a turn, and ask the hook."""
        progress = self._known
        self._end = self._bounds.end_of(progress, self.seconds)
        if progress.errors and turn.verdict not in (Verdict.DONE, Verdict.CONTINUE):
            self._pause = self._pauses.after(progress.errors)
        word = await _word_of(self._after, turn)
        if isinstance(word, str):
            if self._journal is not None:
                self._journal.append(word)
            progress.go_on_with(word)
            self._end = self._bounds.end_of(progress, self.seconds)
        elif word is False and self._end is None:
            self._end = LoopEnd.STOPPED, "stopped by the hook after a turn"

    def _written(self, notes: Notes, outcome: Outcome[Any] | None, verdict: Verdict, error: str) -> TurnRecord:
        return notes.record(outcome, verdict, error, elapsed=self.seconds, session_costs=self._known.session_costs)

    def _note(self, record: TurnRecord) -> None:
        """Take in a turn, and write it down: a line, without a thread, for it must happen whatever is cancelled."""
        self._known.take(record)
        if self._journal is not None:
            self._journal.append(record)


async def _word_of(hook: Callable[[Any], Word | Awaitable[Word]] | None, about: Any) -> Word:
    """Return what a hook says. Raises TypeError and ValueError for what says nothing."""
    word = None if hook is None else hook(about)
    if inspect.isawaitable(word):
        word = await word
    if word is not None and not isinstance(word, str | bool):
        raise TypeError(f"a hook returns a prompt, False or nothing, not {word!r}")
    if isinstance(word, str) and not word.strip():
        raise ValueError("a hook returned a blank prompt; it returns None to change nothing")
    return word


def _outcome_of(backend: Backend[Any]) -> Outcome[Any] | None:
    try:
        return backend.outcome
    except RuntimeError:  # it was interrupted before it began
        return None
