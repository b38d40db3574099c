"""What many agents are doing now, a row each, as a table for a terminal."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

from rich.table import Table
from rich.text import Text

from ..agents.tools import called_tool
from ..errors import DecodeError
from .amounts import dollars, elapsed, number, tokens
from .lines import printable

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from rich.console import Console, ConsoleOptions, RenderResult

    from ..agents.reply import Reply
    from ..completion import Completion
    from ..events import Found

_QUIET_AFTER = 60  # seconds without output until a row says so
_WORDS = 200  # characters that are looked at for the last words, and shown
_LAST_LINE = 4096  # characters at the end of an answer in which its last line is looked for
_MAX_LOOKED_INTO = 1 << 20  # bytes of an object that is decoded to see which tool it calls
_WIDE = 100  # columns from which all is shown
_COLOURS = {"done": "green", "answered": "green", "continue": "yellow", "quiet": "dim", "working": "cyan"}
_COUNTS = ("turns", "tokens", "cost")  # columns that are there where an agent tells them
_FAILED = "red"  # every other state: error, no-answer, timeout


class Watched(Protocol):
    """What a row is about: a ``Watcher``, a ``Backend``, a ``Source``."""

    @property
    def reply(self) -> Reply | None:
        """The agent's reply so far."""

    @property
    def completion(self) -> Completion | None:
        """The last completion so far."""


class _Facts(NamedTuple):
    """What a row says as long as nothing new is seen."""

    state: str | None
    words: str
    turns: str
    tokens: str
    cost_usd: float | None


@dataclass(slots=True, eq=False)
class Row:
    """One agent or session: ``touch`` it when something was read, and ``end`` it.

    One that ``ends`` is at work until then, whatever it says; of any other what it says is how it stands.
    """

    name: str
    watched: Watched
    clock: Callable[[], float] = time.monotonic
    ends: bool = False
    tool: str = ""
    """The tool that was called last, as the agent named it."""
    began: float = field(init=False)
    seen: float = field(init=False)
    _ended: float | None = None
    _verdict: str | None = None
    _newest: str = ""
    _words: str = ""
    _doing: str = ""
    _facts: _Facts | None = None

    def __post_init__(self) -> None:
        self.began = self.seen = self.clock()

    def touch(self, found: Found | None = None) -> None:
        """Note that something was read, and which object: it may be a tool call."""
        self.seen = self.clock()
        self._facts = None
        if found is None:
            return
        raw = found.raw
        self._newest = raw[:_WORDS].decode("utf-8", "replace")
        hints = (b"ool" in raw or b"call" in raw or b"command" in raw) and len(raw) <= _MAX_LOOKED_INTO
        if hints:  # what is none is not decoded
            with suppress(DecodeError):  # too deep
                tool = called_tool(found.value)
                if tool is not None:
                    self._read()  # what it said before
                    self.tool = self._doing = tool

    def end(self, verdict: str) -> None:
        """Note that it has ended, and in a word how: ``done``, ``error``..."""
        self._ended, self._verdict, self._facts = self.clock(), verdict, None

    @property
    def state(self) -> str:
        """In one word how it stands."""
        known = self._known.state
        if known is not None:
            return known
        return "quiet" if self.clock() - self.seen > _QUIET_AFTER else "working"

    @property
    def seconds(self) -> float:
        """How long it has been at work, or was."""
        now = self.clock() if self.state == "working" else self.seen
        return (now if self._ended is None else self._ended) - self.began

    @property
    def words(self) -> str:
        """The last words of its answer; of an error, what it is; of a completion, what it says."""
        return self._known.words

    @property
    def turns(self) -> str:
        """How many turns it took, where it tells."""
        return self._known.turns

    @property
    def tokens(self) -> str:
        """How many tokens it used, in short, where it tells."""
        return self._known.tokens

    @property
    def cost_usd(self) -> float | None:
        """What it cost in US dollars, where it tells."""
        return self._known.cost_usd

    @property
    def doing(self) -> str:
        """What says most of it in little room: while it works the tool that it called last, unless it spoke since."""
        return self._doing or self.words if self.state == "working" else self.words

    @property
    def style(self) -> str:
        """The colour of its state."""
        return _COLOURS.get(self.state, _FAILED)

    @property
    def _known(self) -> _Facts:
        if self._facts is None:
            self._facts = self._read()
        return self._facts

    def _read(self) -> _Facts:
        reply, completion = self.watched.reply, self.watched.completion
        words = self._newest.strip()
        state = None if completion is None else completion.status.value
        if reply is not None:
            lines = reply.text[-_LAST_LINE:].rstrip().rsplit("\n", 1)
            words = lines[-1] or ("" if reply.agent else words)
            if reply.final and state is None:
                state = "answered"
        if completion is not None:
            words = completion.summary or completion.next or completion.error or words
        if reply is not None and reply.is_error:
            state, words = "error", reply.error or words
        words = printable(" ".join(words[: 2 * _WORDS].split()), _WORDS)
        if words and words != self._words:
            self._words, self._doing = words, ""
        usage = None if reply is None else reply.usage
        return _Facts(
            self._verdict or (None if self.ends else state),
            self._words,
            "" if reply is None else number(reply.turns),
            "" if usage is None else tokens(usage),
            None if reply is None else reply.cost_usd,
        )


class Board:
    """Rows as a table for a terminal of any size: where it has fewer lines, those that were active last are shown."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic, lines: int | None = None) -> None:
        self.note = ""
        """What else people should know: a line below the rows."""
        self._clock = clock
        self._lines = lines
        self._rows: dict[Hashable, Row] = {}  # those that were active last come last
        self._shown: list[Row] = []
        self._changed = True

    def row(self, key: Hashable, name: str, watched: Watched, *, ends: bool = False) -> Row:
        """Return the row of this key, a new one if there is none yet."""
        row = self._rows.get(key)
        if row is None:
            row = self._rows[key] = Row(name, watched, self._clock, ends=ends)
            self._changed = True
        return row

    def touch(self, key: Hashable, found: Found | None = None) -> Row:
        """Note that something was read for the row of this key, and return it."""
        row = self._rows[key] = self._rows.pop(key)
        row.touch(found)
        self._changed = True
        return row

    def drop(self, key: Hashable) -> None:
        """Show the row of this key no more."""
        del self._rows[key]
        self._changed = True

    def __contains__(self, key: Hashable) -> bool:
        return key in self._rows

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = console.size.height if self._lines is None else min(self._lines, console.size.height)
        yield self.table(options.max_width, height - bool(self.note) - (len(self._rows) > 1))
        if len(self._rows) > 1 or not self._rows:
            yield Text(self.summary() if self._rows else "nothing was written since; rows come as files are written to", "dim", no_wrap=True)
        if self.note:
            yield Text(printable(self.note, 1000), "yellow", no_wrap=True, overflow="ellipsis")

    def table(self, width: int, height: int) -> Table:
        """Return the table for so many columns and lines."""
        room = max(1, height - 1)
        self._shown = list(islice(reversed(self._rows.values()), room))[::-1]
        self._shown.sort(key=lambda row: row.began)
        self._changed = False
        wide = width >= _WIDE
        table = Table(box=None, pad_edge=False, expand=True, header_style="dim", show_header=height > 2)
        table.add_column("agent", no_wrap=True, overflow="ellipsis", max_width=max(8, width // 4))
        table.add_column("state", no_wrap=True)
        table.add_column("time", no_wrap=True, justify="right")
        told = [title for title in _COUNTS if wide and any(_count(row, title) for row in self._shown)]
        for title in told:
            table.add_column(title, no_wrap=True, justify="right")
        has_tools = wide and any(row.tool for row in self._shown)
        if has_tools:
            table.add_column("last tool", no_wrap=True, overflow="ellipsis", ratio=2)
        table.add_column("last words" if wide else "doing", no_wrap=True, overflow="ellipsis", ratio=3)
        for row in self._shown:
            table.add_row(*_cells(row, max(8, width // 4), told, wide=wide, has_tools=has_tools))
        return table

    @property
    def moment(self) -> object:
        """What tells whether it has to be drawn anew: equal as long as nothing shown changes."""
        if self._changed:
            return None
        states = [row.state for row in self._shown]
        return states, int(self._clock()) if "working" in states else None  # all times in one go, once a second

    def summary(self) -> str:
        """Return in a line how many are not shown and how many are in which state, and what they cost."""
        states = Counter(row.state for row in self._rows.values())
        costs = [row.cost_usd for row in self._rows.values() if row.cost_usd is not None]
        count = "1 agent" if len(self._rows) == 1 else f"{len(self._rows)} agents"
        cost = dollars(sum(costs)) if costs else ""
        parts = [f"{number} {state}" for state, number in states.most_common()]
        hidden = len(self._rows) - len(self._shown)
        more = f"and {hidden} more; " if hidden and self._shown else ""
        return f"{more}{count}: {', '.join(parts)}{'; ' + cost if cost else ''}" if parts else "nothing was written"


def _count(row: Row, title: str) -> str:
    if title == "cost":
        return "" if row.cost_usd is None else dollars(row.cost_usd)
    return row.turns if title == "turns" else row.tokens


def _cells(row: Row, most: int, told: list[str], *, wide: bool, has_tools: bool) -> Iterator[Text]:
    style = row.style
    yield Text(_fit(printable(row.name, 500), most), style="bold")
    yield Text(row.state, style=style)
    yield Text(elapsed(row.seconds))
    yield from (Text(_count(row, title)) for title in told)
    if has_tools:
        yield Text(printable(row.tool), style="cyan")
    yield Text(row.words if wide else printable(row.doing), style="" if style in ("dim", "cyan") else style)


def _fit(name: str, most: int) -> str:
    """Return a name cut to so many characters: of its folder the end is left out, of anything else the beginning.

    >>> _fit("payments-api/4a2f20aa", 18), _fit("nightly-build-of-everything", 12)
    ('payments…/4a2f20aa', '…-everything')
    """
    if len(name) <= most:
        return name
    folder, slash, rest = name.rpartition("/")
    room = most - len(rest) - 2
    return f"{folder[:room]}…{slash}{rest}" if slash and room > 2 else "…" + name[1 - most :]
