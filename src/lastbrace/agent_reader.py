"""Recognises which agent is speaking, and drives its adapter."""

from __future__ import annotations

import codecs
import copy
from typing import Any

from .agents import adapter_for, recognise, recognise_text
from .agents.adapter import Adapter, Change
from .agents.generic import Generic
from .agents.plain import PlainText
from .errors import DecodeError
from .events import Found, Inner, Text
from .pipeline import Pipeline

MAX_EVENTS_UNRECOGNISED = 1000  # an agent shows itself in its first events; a long plain log need not be decoded
MAX_EARLY_BYTES = 4 << 20  # of such events that are kept
MAX_HEAD = 4096  # characters of text in which a banner may stand


class AgentReader:
    """Takes the events of a program's output and keeps the reply.

    ``agent`` is the name of an agent, an adapter, or ``"auto"``: recognised from the first unmistakable event, until
    then plain text. ``answer`` is the path of the answer in events of an agent without an adapter. Raises ValueError
    for a name or a path that is none.
    """

    def __init__(self, agent: str | Adapter | None, answer: str | None = None) -> None:
        self._early: list[dict[str, Any]] | None = None  # events that may still turn out to be an agent's
        self._early_size = self._seen = 0
        self._head = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.adapter: Adapter
        if answer is not None:
            self.adapter = Generic(answer)
        elif isinstance(agent, Adapter):
            self.adapter = agent
        elif agent == "auto":
            self.adapter = PlainText()
            self._early = []
        else:
            self.adapter = adapter_for(agent or "")
        self._told = (id(self.adapter), 0)
        self.reported_error = False  # known at the end: whether the agent itself did, on stdout or stderr

    @property
    def needs_text(self) -> bool:
        """Whether the text between events is needed."""
        return self.adapter.plain_text or self.adapter.reads_text

    @property
    def is_plain(self) -> bool:
        """Whether the output is, so far, the answer itself."""
        return self.adapter.plain_text

    def take(self, event: Inner) -> None:
        """Take in an event of the output."""
        if isinstance(self.adapter, PlainText):
            if isinstance(event, Text | Found):
                self.adapter.feed_raw(b"{}" if event.raw is None else event.raw)
                if self._early is not None:
                    self._look_for_agent(event)
        elif isinstance(event, Text):
            if self.adapter.reads_text:
                self.adapter.feed_text(self._decoder.decode(event.raw))
        else:
            value = value_of(event)
            if value is not None:
                self.adapter.feed(value)

    def take_stderr(self, stderr: str, *, recognise_it: bool) -> None:
        """Take in the objects found in stderr; ``recognise_it`` lets one show which agent this is."""
        pipeline = Pipeline()
        for event in pipeline.feed(stderr) + pipeline.close():
            value = value_of(event)
            if value is None:
                continue
            if recognise_it and self._early is not None:
                self._adopt(recognise(value))
            self.adapter.feed_stderr(value)

    def has_news(self) -> bool:
        """Tell whether anything but the growing text has changed in the reply since the last time."""
        known, self._told = self._told, (id(self.adapter), self.adapter.revision)
        return known != self._told

    def close(self, returncode: int | None, stderr: str, *, cut: bool, stopped: bool) -> None:
        """End the output, and judge it by what it said and by the exit status.

        ``cut`` says that it ended inside an event, ``stopped`` that we ended it.
        """
        self.adapter.is_stopped = stopped
        self.reported_error = self.adapter.has_failed
        self.adapter.is_cut = cut and not self.adapter.plain_text
        self.adapter.close(returncode, stderr)

    def take_changes(self) -> list[Change]:
        """Return what happened to the answer since the last time."""
        changes = self.adapter.changes
        if changes:
            self.adapter.changes = []
        return changes

    def _look_for_agent(self, event: Text | Found) -> None:
        assert self._early is not None
        if isinstance(event, Text):
            if len(self._head) < MAX_HEAD:
                self._head += self._decoder.decode(event.raw)
                self._adopt(recognise_text(self._head[:MAX_HEAD]))
            return
        value = value_of(event)
        if value is None:
            return
        self._early_size += event.end - event.start
        if self._early_size > MAX_EARLY_BYTES:
            self._early.clear()
        self._early.append(value)
        self._seen += 1
        if not self._adopt(recognise(value)) and self._seen >= MAX_EVENTS_UNRECOGNISED:
            self._early = None

    def _adopt(self, adapter: Adapter | None) -> bool:
        """Let ``adapter`` go on, if there is one, with all that came before."""
        if adapter is None:
            return False
        plain, head, early = self.adapter, self._head, self._early or []
        self.adapter, self._early, self._head = adapter, None, ""
        if adapter.plain_text:
            adapter.feed_text(plain.text)
        elif adapter.reads_text:
            adapter.feed_text(head)
        for value in early:
            adapter.feed(value)
        return True


def reader_for(agent: str | Adapter | None, answer: str | None) -> AgentReader | None:
    """Return the reader of a new stream, None where that is plain text; raises what ``AgentReader`` raises."""
    if agent is None and answer is None:
        return None
    if answer is not None and agent not in (None, "auto"):
        raise ValueError("answer is for an agent without an adapter: give agent or answer, not both")
    # An adapter given ready-made is a pattern: each stream has its own.
    return AgentReader("auto" if agent is None else copy.deepcopy(agent), answer)


def value_of(event: Inner) -> dict[str, Any] | None:
    """Return the value of an object that stands for itself, None for anything else."""
    if not isinstance(event, Found) or event.fragment:
        return None
    try:
        value = event.value
    except DecodeError:
        return None
    return value if isinstance(value, dict) else None
