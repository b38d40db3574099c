"""What many agents are doing now, a row each, as a table for a terminal."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ..printing import printable
from .amounts import dollars, elapsed
from .row import Row, Watched

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from rich.console import Console, ConsoleOptions, RenderResult

    from ..events import Found

_WIDE = 100  # columns from which all is shown
_COUNTS = ("turns", "tokens", "cost")  # columns that are there where an agent tells them


class Board:
    """Rows as a table for a terminal of any size: where it has fewer lines, those that were active last are shown."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.note = ""
        """What else people should know: a line below the rows."""
        self._clock = clock
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
        yield self.table(options.max_width, console.size.height - bool(self.note) - (self.count > 1))
        if self.count != 1:
            text = self.summary() if self._rows else "nothing was written since; rows come as files are written to"
            yield Text(text, "dim", no_wrap=True)
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
        costs = [row.cost_usd for row in self._rows.values() if row.cost_usd is not None and dollars(row.cost_usd)]
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
