"""A table of what many agents are doing now, a row each, for a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from rich.segment import Segments
from rich.table import Table
from rich.text import Text

from ..agents.tools import called_tool
from ..completion import Status
from .lines import printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from ..agents.reply import Reply, Usage
    from ..completion import Completion
    from ..events import Found, Stats
    from ..outcome import Outcome

_QUIET_AFTER = 60  # seconds without output until a row says so
_WORDS = 200  # characters at the end of an answer that are looked at for its last words
_COLOURS = {"done": "green", "ok": "green", "continue": "yellow", "error": "red", "no answer": "red", "quiet": "dim"}


class Watched(Protocol):
    """What a row is about: a ``Watcher``, or a ``Backend``."""

    @property
    def reply(self) -> Reply | None:
        """The agent's reply so far."""

    @property
    def completion(self) -> Completion | None:
        """The last completion so far."""

    @property
    def stats(self) -> Stats:
        """What was read so far."""


@dataclass(slots=True, eq=False)
class Row:
    """One agent or session: feed it with what is seen of it, and ``end`` it."""

    name: str
    watched: Watched
    clock: Callable[[], float] = time.monotonic
    tool: str = ""
    began: float = field(init=False)
    seen: float = field(init=False)
    ended: float | None = None
    verdict: str = ""

    def __post_init__(self) -> None:
        self.began = self.seen = self.clock()

    def see(self, found: Found) -> None:
        """Take in an object that was read: it may be a tool call."""
        self.seen = self.clock()
        if b"ool" in found.raw or b"call" in found.raw or b"command" in found.raw:  # before decoding what is none
            self.tool = called_tool(found.value) or self.tool

    def end(self, outcome: Outcome[Any]) -> None:
        """Note how it has ended."""
        self.ended = self.clock()
        if not outcome.ok:
            failed = outcome.returncode or (outcome.reply is not None and outcome.reply.is_error)
            self.verdict = "error" if failed or outcome.state == "ok" else "no answer"

    @property
    def state(self) -> str:
        """In one word how it stands."""
        completion, reply = self.watched.completion, self.watched.reply
        if self.verdict or (reply is not None and reply.is_error and reply.final):
            return self.verdict or "error"
        if completion is not None:
            return completion.status.value
        if self.ended is not None:
            return "ok"
        return "quiet" if self.clock() - self.seen > _QUIET_AFTER else "working"

    @property
    def words(self) -> str:
        """The last words of the answer; of an error, what it is; of a completion, what it says."""
        completion, reply = self.watched.completion, self.watched.reply
        if reply is not None and reply.is_error and reply.error:
            return reply.error
        if completion is not None:
            return completion.summary or completion.next or completion.error or ""
        lines = [] if reply is None else reply.text[-_WORDS:].split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    @property
    def changed(self) -> tuple[object, ...]:
        """What tells whether the row has to be drawn anew, but for the time."""
        return (self.watched.stats.bytes, self.ended, self.tool, self.state)


class Board:
    """The rows, drawn as a table as wide and as high as its terminal; those that were active last come first to stay.

    It is drawn anew when a row has changed or a second has gone by, so that watching costs next to nothing at rest.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.rows: dict[str, Row] = {}
        self._clock = clock
        self._drawn: tuple[object, Segments] | None = None

    def row(self, name: str, watched: Watched) -> Row:
        """Return the row of that name, a new one if there is none yet or it is about something else."""
        row = self.rows.get(name)
        if row is None or row.watched is not watched:
            row = self.rows[name] = Row(name, watched, self._clock)
        return row

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        state = (options.max_width, options.height, console.size, int(self._clock()))
        key = (state, *(row.changed for row in self.rows.values()))
        if self._drawn is None or self._drawn[0] != key:
            lines = console.render_lines(self.table(options.max_width, console.size.height), options, new_lines=True)
            self._drawn = (key, Segments(segment for line in lines for segment in line))
        yield self._drawn[1]

    def table(self, width: int, height: int) -> Table:
        """Return the table for a terminal of that many columns and lines."""
        room = max(1, height - 4)
        rows = list(self.rows.values())
        shown = rows
        if len(rows) > room:
            shown = sorted(rows, key=lambda row: row.seen, reverse=True)[: room - 1]
            shown.sort(key=lambda row: row.began)
        wide = width >= 100
        table = Table(box=None, pad_edge=False, expand=True, header_style="dim")
        for title in ("", "state", "time", "turns", "tokens", "cost")[: 6 if wide else 3]:
            right = title in ("time", "turns", "tokens", "cost")
            table.add_column(title, no_wrap=True, justify="right" if right else "left", max_width=width // 4)
        if wide:
            table.add_column("last tool", no_wrap=True, overflow="ellipsis", ratio=2)
        table.add_column("last words", no_wrap=True, overflow="ellipsis", ratio=3)
        for row in shown:
            table.add_row(*self._cells(row, wide=wide))
        if len(rows) > len(shown):
            table.add_row(Text(f"and {len(rows) - len(shown)} more", style="dim"))
        return table

    def _cells(self, row: Row, *, wide: bool) -> Iterable[Text]:
        reply = row.watched.reply
        state = row.state
        style = _COLOURS.get(state, "")
        yield Text(_last(printable(row.name, 500), 40), style="bold")
        yield Text(state, style=style)
        yield Text(elapsed((self._clock() if row.ended is None else row.ended) - row.began))
        if wide:
            yield Text("" if reply is None or reply.turns is None else str(reply.turns))
            yield Text("" if reply is None or reply.usage is None else tokens(reply.usage))
            yield Text("" if reply is None or reply.cost_usd is None else f"${reply.cost_usd:.2f}")
            yield Text(printable(row.tool), style="cyan")
        yield Text(printable(row.words), style=style if state in (*Status, "ok") else "")

    def summary(self) -> str:
        """Return in a line how they all ended, and what it cost."""
        states: dict[str, int] = {}
        cost, known = 0.0, False
        for row in self.rows.values():
            states[row.state] = states.get(row.state, 0) + 1
            reply = row.watched.reply
            if reply is not None and reply.cost_usd is not None:
                cost, known = cost + reply.cost_usd, True
        parts = [f"{count} {state}" for state, count in sorted(states.items())]
        return ", ".join(parts or ["nothing seen"]) + (f"; ${cost:.2f}" if known else "")


def elapsed(seconds: float) -> str:
    """Return a time for people.

    >>> elapsed(7.4), elapsed(187), elapsed(7264)
    ('7 s', '3:07', '2:01:04')
    """
    whole = max(0, int(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02}:{rest:02}"
    return f"{minutes}:{rest:02}" if minutes else f"{rest} s"


def tokens(usage: Usage) -> str:
    """Return how many tokens were used, in short."""
    parts = (usage.input, usage.output, usage.cache_read, usage.cache_write)
    count = usage.total if usage.total is not None else sum(part or 0 for part in parts)
    if count >= 1_000_000:
        return f"{count / 1_000_000:.1f}M"
    return f"{count / 1000:.1f}k" if count >= 1000 else str(count)


def _last(text: str, most: int) -> str:
    """Return the end of a path, which tells more than its beginning."""
    return text if len(text) <= most else "…" + text[1 - most :]
