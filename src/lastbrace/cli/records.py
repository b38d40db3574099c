"""Files that the command line follows: their records as JSON Lines, or a row each; the cursor kept in a file."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any

import anyio

from ..completion import Status
from ..following import follow
from ..following.finding import Finder
from ..printing import printable
from .interrupts import until_signal
from .lines import Output, one_line, tell
from .running import BY_SIGNAL, CONTINUE, ERROR, NO_ANSWER, OK, TIMEOUT
from .watching import FilesView

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ..following import Log, Record

_SAVE_EVERY = 1.0  # seconds
_ANSWERS = {Status.DONE: OK, Status.CONTINUE: CONTINUE, Status.ERROR: ERROR}


def follow_files(paths: Sequence[str], options: dict[str, Any], state: Path | None, *, view: bool | None = None) -> int:
    """Follow files with these options of `follow`, print their records, and return our exit status.

    With ``view`` people see a row for each file, on stderr; unless given, where stderr is a terminal and stdout no
    pipe, whose reader may write to the same terminal. Records are then not printed on a terminal. Raises ValueError or
    TypeError for options that make no sense, or a state file that holds none.
    """
    if state is not None and (saved := _read(state)) is not None:
        options = {**options, "start": saved}
    output = Output()
    shown = FilesView() if FilesView.is_possible() and (not output.is_pipe if view is None else view) else None
    say = tell if shown is None else shown.note
    log = follow(paths, on_problem=lambda path, why: say(f"{printable(str(path))}: {printable(why)}"), **options)
    for path in dict.fromkeys(paths):
        if not os.path.isdir(path) and not any(map(os.path.exists, Finder([path], lambda *_: None).find())):
            (tell if shown is None else shown.note_until_seen)(f"waiting for {printable(path, 1000)}")
    return anyio.run(_Following(log, output, state, options, shown).run)


class _Following:
    """Prints the records of a log, and saves its cursor: never before what it covers was printed."""

    def __init__(
        self, log: Log, output: Output, state: Path | None, options: dict[str, Any], view: FilesView | None
    ) -> None:
        self._log = log
        self._output = output
        self._state = state
        self._view = view
        self._is_printed = view is None or not output.is_terminal
        self._matches_only = options.get("schema") is not None
        self._until_done = options["until_done"]
        self._shown = 0
        self._saved: dict[str, Any] | None = None

    async def run(self) -> int:
        """Follow until it ends, or we are told to end; return our exit status."""
        with self._view or nullcontext():
            received = await until_signal(self._print_records, hurry=lambda: None)
        return BY_SIGNAL + received if received else self._judge()

    async def _print_records(self) -> None:
        async with anyio.create_task_group() as tasks, self._log:
            if self._view is not None:
                tasks.start_soon(self._view.keep_fresh)
                tasks.start_soon(self._view.keep_away_when_stopped)
            tasks.start_soon(self._save_now_and_then)
            try:
                async for record in self._log:
                    self._show(record)
                    if self._output.broken:
                        break
            finally:
                self._save()
            tasks.cancel_scope.cancel()

    def _show(self, record: Record) -> None:
        if self._view is not None:
            self._view.see(record, self._log.sources)
        found = record.match if self._matches_only else record.found
        if found is not None:
            self._shown += 1
        if found is not None and self._is_printed:
            parts = [
                b'"path":' + json.dumps(str(record.path)).encode(),
                b'"start":%d,"end":%d' % (record.start, record.end),
                b'"value":' + one_line(found.raw),
            ]
            self._output.line(b"{" + b",".join(parts) + b"}")
        if not self._log.buffered:
            self._output.flush()

    def _judge(self) -> int:
        if self._log.ended == "idle" and self._until_done:
            tell("no last word yet, and nothing more was written")
            return TIMEOUT
        if self._log.ended == "done":
            newest = [source.completion for source in self._log.sources.values()]
            statuses = {_ANSWERS[completion.status] for completion in newest if completion is not None}
            replies = [source.reply for source in self._log.sources.values()]
            if ERROR in statuses or any(reply is not None and reply.is_error for reply in replies):
                return ERROR
            if CONTINUE in statuses:
                return CONTINUE
            return OK if statuses or self._matches_only else NO_ANSWER
        return OK if self._shown else NO_ANSWER

    async def _save_now_and_then(self) -> None:
        while self._state is not None:
            self._save()
            await anyio.sleep(_SAVE_EVERY)

    def _save(self) -> None:
        if self._state is None:
            return
        self._output.flush()
        cursor = self._log.cursor
        if cursor == self._saved or self._output.broken:
            return
        try:
            _write(self._state, cursor)
        except OSError as error:
            tell(f"cannot save to {printable(str(self._state))}: {error.strerror}")
        else:
            self._saved = cursor


def _read(state: Path) -> Any:
    """Return the cursor in the file, or None where there is no file yet. Raises ValueError for what is no cursor."""
    try:
        return json.loads(state.read_bytes())
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{printable(str(state))} holds no cursor: {error}") from None


def _write(state: Path, cursor: dict[str, Any]) -> None:
    """Replace the file by one with this cursor, readable by its owner alone. Raises OSError."""
    target = os.path.realpath(state)
    fd, name = tempfile.mkstemp(prefix=".", suffix=".new", dir=os.path.dirname(target))
    try:
        with open(fd, "w", encoding="utf-8") as file:
            json.dump(cursor, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
