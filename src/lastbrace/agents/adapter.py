"""What all adapters share: the answer as it grows, the reply so far, and the verdict at the end."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal, NamedTuple

import msgspec

from ..exits import describe_exit
from .reply import Reply

EARLY_END = "the output ended before its final event"
_ERROR_LINE = re.compile(r"(?i:^\W*\w*error\b|\berror: )|\bERROR [a-z]")
_UNCOMPARED = ("raw", "structured")  # of any depth and size
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Change(NamedTuple):
    """What happened to the answer: text was added to the draft, the draft was abandoned, or the answer is known."""

    kind: Literal["add", "restart", "final", "structured"]
    value: Any = None


class Adapter(ABC):
    """Turns the events of one CLI into a reply. Sans-I/O: ``feed`` each event in order, ``close`` at the end.

    A subclass sets ``name``, tells its events from all others in ``recognises``, and reads each in ``feed`` with the
    methods below. It takes nothing for granted: any member may be missing or of another type (``fields`` helps), and
    unknown events are passed over.
    """

    name: ClassVar[str | None]
    reads_text: ClassVar[bool] = False
    """Whether what stands between the events is fed to ``feed_text``."""
    plain_text: ClassVar[bool] = False
    """Whether the output is the answer itself: text and objects alike go to ``feed_text``, as one stream."""

    def __init__(self) -> None:
        self.changes: list[Change] = []  # of the answer, since whoever drives the adapter took them last
        self.is_cut = False  # the output ended inside an event
        self.is_stopped = False  # its reader ended the run, which is no fault of the agent
        self.revision = 0  # counts the changes of the reply, but for its growing text
        self._text: list[str] = []
        self._is_structured = False
        self._noted: str | None = None
        self._reply = Reply(agent=self.name)

    @classmethod
    @abstractmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell whether ``event`` is unmistakably one of this CLI's."""

    @classmethod
    def recognises_text(cls, head: str) -> bool:
        """Tell whether output that begins with the text ``head`` is unmistakably this CLI's."""
        return False

    @abstractmethod
    def feed(self, event: dict[str, Any]) -> None:
        """Read the next event of stdout."""

    def feed_text(self, text: str) -> None:  # noqa: B027 - few adapters read it
        """Read text that stands between events, in pieces as it comes."""

    def feed_stderr(self, event: dict[str, Any]) -> None:  # noqa: B027 - few adapters read it
        """Read an object found in stderr, where some CLIs report what ended them."""

    def close(self, returncode: int | None, stderr: str) -> None:
        """End the stream: judge it by what it said and by the exit status (None: not known, or none of its own)."""
        reply = self._reply
        exited = describe_exit(returncode) if returncode else ""
        if reply.is_error or (self.is_stopped and not returncode):
            return
        if not reply.final and (self.is_cut or self.needs_final_event()):
            why = f": {self._noted}" if self._noted else last_line(stderr)
            self.fail(EARLY_END + (f" ({exited})" if exited else "") + why)
        elif exited:
            self.fail(("reported success, but " if reply.final else "") + exited + last_line(stderr))

    def needs_final_event(self) -> bool:
        """Whether a stream that has not shown its end was cut. For CLIs without such a sign, only the exit tells."""
        return True

    @property
    def reply(self) -> Reply:
        """The reply so far."""
        text = self.text
        if text != self._reply.text:
            self._reply = msgspec.structs.replace(self._reply, text=text)
        return self._reply

    @property
    def is_final(self) -> bool:
        """Whether the stream has shown its end."""
        return self._reply.final

    @property
    def has_failed(self) -> bool:
        """Whether the agent has reported an error that it did not get over."""
        return self._reply.is_error

    @property
    def text(self) -> str:
        """The best answer text so far."""
        if len(self._text) > 1:
            self._text = ["".join(self._text)]
        return self._text[0] if self._text else ""

    def add(self, text: str | None) -> None:
        """Add a delta to the draft of the answer."""
        if text:
            self._text.append(text)
            self.changes.append(Change("add", text))

    def restart(self) -> None:
        """Abandon the draft: it was an attempt that is repeated, or words before a tool call."""
        if self._text or self._is_structured:
            self._text, self._is_structured = [], False
            self.changes.append(Change("restart"))

    def answer(self, text: str, *, last: str = "") -> None:
        """Take ``text`` as the final answer; it wins over any draft.

        Where it is several messages joined, ``last`` is the one that the contract is looked for in.
        """
        self._text = [text] if text else []
        self.changes.append(Change("final", last or text))
        self.revision += 1

    def structure(self, value: Any) -> None:
        """Take ``value`` as the answer's structured output, which wins over its text."""
        self.update(structured=value)
        self._is_structured = True
        self.changes.append(Change("structured", value))

    def update(self, **fields: Any) -> None:
        """Set fields of the reply; a None changes nothing."""
        known = {name: value for name, value in fields.items() if value is not None}
        if known:
            self._set(**known)

    def finish(self, event: dict[str, Any] | None = None, **fields: Any) -> None:
        """Note that the stream has shown its end, in ``event``; a success unless ``fail`` says otherwise."""
        self.update(final=True, raw=event, **fields)

    def fail(self, error: str | None, **fields: Any) -> None:
        """Note that the run failed, and why."""
        known = error or self._reply.error or self._noted
        self.update(is_error=True, error=known or "the agent reports an error", **fields)

    def note(self, error: str | None) -> None:
        """Remember an error that the agent may get over (None: it did): why it failed, if nothing else says so."""
        self._noted = error

    def recover(self) -> None:
        """Take a failure back: the agent tried again."""
        self._set(is_error=False, error=None, final=False, raw=None)

    def new_run(self) -> None:
        """Begin anew: what follows in the stream is another run, and what the one before it said is no answer to it."""
        self.restart()
        self._noted = None
        self._set(**_blank)

    def _set(self, **fields: Any) -> None:
        changed = {name: value for name, value in fields.items() if not self._has(name, value)}
        if changed:
            self._reply = msgspec.structs.replace(self._reply, **changed)
            self.revision += 1

    def _has(self, name: str, value: Any) -> bool:
        """Tell whether the reply's field is this already."""
        known = getattr(self._reply, name)
        return known is value or (name not in _UNCOMPARED and bool(known == value))


_blank = {name: value for name, value in msgspec.structs.asdict(Reply()).items() if name not in ("agent", "text")}


def last_line(stderr: str) -> str:
    """Return the line of stderr that says most, as an appendix: the last that begins as an error, else the last."""
    lines = [line.strip() for line in _COLOUR.sub("", stderr).split("\n") if any(map(str.isalpha, line))]
    lines = [line for line in lines if not line.startswith("at ")] or lines  # of a stack trace
    line = next((line for line in reversed(lines) if _ERROR_LINE.search(line)), lines[-1] if lines else "")
    return f": {line[:300]}" if line else ""
