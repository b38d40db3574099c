"""What one agent or session is doing now: its state, its tool and its last words, however it is read."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..agents.tools import called_tool
from ..errors import DecodeError
from ..printing import printable
from .amounts import number, tokens

if TYPE_CHECKING:
    from ..agents.reply import Reply
    from ..completion import Completion
    from ..events import Found

_QUIET_AFTER = 60  # seconds without output until a row says so
_WORDS = 200  # characters that are looked at for the last words, and shown
_LAST_LINE = 4096  # characters at the end of an answer in which its last line is looked for
_MAX_LOOKED_INTO = 1 << 20  # bytes of an object that is decoded to see which tool it calls
_COLOURS = {"done": "green", "answered": "green", "continue": "yellow", "quiet": "dim", "working": "cyan"}
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
            said = completion.summary or completion.next or completion.error
            words = said or ("" if words.rstrip().endswith("}") else words)  # itself it tells no more than the state
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
