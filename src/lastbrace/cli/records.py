"""Files that the command line follows: their records as JSON Lines, or a row each; the cursor kept in a file."""

from __future__ import annotations

import json
import os
from contextlib import nullcontext
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

    from ..following import Log, Record
    from .place import Place

_SAVE_EVERY = 1.0  # seconds
_ANSWERS = {Status.DONE: OK, Status.CONTINUE: CONTINUE, Status.ERROR: ERROR}


def follow_files(
    paths: Sequence[str], options: dict[str, Any], place: Place | None, *, view: bool | None = None
) -> int:
    """Follow files with these options of `follow`, print their records, and return our exit status.

    It goes on from ``place``, and keeps there how far it came.
    With ``view`` people see a row for each file, on stderr; unless given, where stderr is a terminal and stdout no
    pipe, whose reader may write to the same terminal. Records are then not printed on a terminal. Raises ValueError or
    TypeError for options that make no sense, or a place that is no cursor.
    """
    if place is not None and place.cursor is not None:
        options = {**options, "start": place.cursor}
    output = Output()
    shown = FilesView() if FilesView.is_possible() and (not output.is_pipe if view is None else view) else None
    say = tell if shown is None else shown.note
    log = follow(paths, on_problem=lambda path, why: say(f"{printable(str(path))}: {printable(why)}"), **options)
    for path in dict.fromkeys(paths):
        if not os.path.isdir(path) and not any(map(os.path.exists, Finder([path], lambda *_: None).find())):
            (tell if shown is None else shown.note_until_seen)(f"waiting for {printable(path, 1000)}")
    return anyio.run(_Following(log, output, place, options, shown).run)


class _Following:
    """Prints the records of a log, and saves its cursor: never before what it covers was printed."""

    def __init__(
        self, log: Log, output: Output, place: Place | None, options: dict[str, Any], view: FilesView | None
    ) -> None:
        self._log = log
        self._output = output
        self._place = place
        self._view = view
        self._say = tell if view is None else view.note
        self._is_printed = view is None or not output.is_terminal
        self._matches_only = options.get("schema") is not None
        self._until_done = options["until_done"]
        self._shown = 0

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
        while self._place is not None:
            self._save()
            await anyio.sleep(_SAVE_EVERY)

    def _save(self) -> None:
        if self._place is None:
            return
        self._output.flush()
        if not self._output.broken:  # else what the cursor covers may not have reached anyone
            self._place.keep(self._log.cursor, self._say)
