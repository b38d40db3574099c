"""How a program says that it is done: the completion contract, as a JSON object or as a marker on the last line."""

from __future__ import annotations

import reprlib
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import UNSET

from . import decoding
from .errors import DecodeError

_short = reprlib.Repr()
_short.maxstring = 80


class Status(StrEnum):
    """What a completion says: the work is done, goes on, or failed.

    >>> Status("continue") is Status.CONTINUE, Status.DONE == "done"
    (True, True)
    """

    DONE = "done"
    CONTINUE = "continue"
    ERROR = "error"


class Completion(msgspec.Struct, frozen=True, gc=False):
    """How a program ended, by its own word.

    ``status`` is a `Status`; ``summary`` and ``next`` are the program's texts, or None where it gave none.
    ``error`` is set only where there was nothing to go by, to ``"invalid-json"``; a program that reports an error of
    its own has the status ``error`` and says why in ``summary``.

    >>> Completion(Status.DONE, summary="all green")
    Completion(status='done', summary='all green')
    """

    status: Status
    summary: str | None = None
    next: str | None = None
    error: str | None = None

    def as_dict(self) -> dict[str, str]:
        """Return the fields that are set, as plain strings. An empty text that the program gave is kept.

        >>> Completion(Status.CONTINUE, next="step2").as_dict()
        {'status': 'continue', 'next': 'step2'}
        """
        fields = ((name, getattr(self, name)) for name in self.__struct_fields__)
        return {name: str(text) for name, text in fields if text is not None}

    def __repr__(self) -> str:
        return f"Completion({', '.join(f'{name}={_short.repr(text)}' for name, text in self.as_dict().items())})"


INVALID = Completion(Status.ERROR, error="invalid-json")
"""What stands for a completion where no object satisfies the contract."""


class _Wire(msgspec.Struct, gc=False):
    """The members that count. Of duplicates each is read and the last is kept, so none may be judged before the end."""

    status: Any = None
    summary: Any = UNSET
    next: Any = UNSET


MEMBERS = _Wire.__struct_fields__
"""The members that the contract reads."""

_decode = msgspec.json.Decoder(_Wire).decode
_STATUSES = {str(status): status for status in Status}


def match_completion(raw: bytes) -> Completion | None:
    """Return what one object says under the contract, or None where it does not satisfy it. Never raises.

    The contract: ``{"status": "continue" | "done" | "error", "summary"?: str, "next"?: str}``. Other members are
    ignored (and not even built), a ``summary`` or ``next`` that is not a string, null included, is no match, and of
    duplicate keys the last counts.

    >>> match_completion(b'{"status": "done", "summary": "ok", "extra": 1}')
    Completion(status='done', summary='ok')
    >>> match_completion(b'{"status": "maybe"}') is None
    True
    """
    # No search for the key first: msgspec skips members faster than Python finds bytes.
    try:
        wire = _decode(raw)
    except decoding.REFUSED:
        return _match_value(raw)
    return _match(wire.status, wire.summary, wire.next)


def match_texts(texts: tuple[Any, ...]) -> Completion | None:
    """Return the same for the `MEMBERS` as ``Pipeline.members_of`` tells them."""
    status, summary, following = texts
    known = _STATUSES.get(status)
    return None if known is None or summary is False or following is False else Completion(known, summary, following)


def refuse_completion(raw: bytes) -> str:
    """Return why one object is no completion, in words.

    >>> refuse_completion(b'{"status": "done", "next": null}')
    'its "next" is null, not a string'
    """
    try:
        value = decoding.decode(raw)
    except DecodeError as error:
        return str(error)
    if not isinstance(value, dict) or "status" not in value:
        return 'it has no "status"'
    if not isinstance(value["status"], str) or value["status"] not in _STATUSES:
        return f'its "status" is {_short.repr(value["status"])}, not continue, done or error'
    for name in ("summary", "next"):
        if name in value and not isinstance(value[name], str):
            shown = "null" if value[name] is None else _short.repr(value[name])
            return f'its "{name}" is {shown}, not a string'
    return ""


def _match_value(raw: bytes) -> Completion | None:
    """Match what msgspec refuses: an array, and an object that perhaps only ``json`` reads."""
    if raw.startswith(b"["):
        return None
    try:
        value = decoding.decode(raw)
    except DecodeError:
        return None
    return match_value(value)


def match_value(value: Any) -> Completion | None:
    """Return what a decoded object says under the contract, or None where it does not satisfy it.

    >>> match_value({"status": "done"})
    Completion(status='done')
    """
    if not isinstance(value, dict):
        return None
    return _match(value.get("status"), value.get("summary", UNSET), value.get("next", UNSET))


def _match(status: Any, summary: Any, following: Any) -> Completion | None:
    known = _STATUSES.get(status) if isinstance(status, str) else None
    if known is None:
        return None
    if not (summary is UNSET or isinstance(summary, str)) or not (following is UNSET or isinstance(following, str)):
        return None
    return Completion(known, None if summary is UNSET else summary, None if following is UNSET else following)


class Marker:
    r"""The marker contract: a program is done when its last line that is not blank is the marker.

    Feed it text in pieces cut anywhere, then ask :meth:`close`. A line ends at ``\n``, ``\r\n`` or a lone ``\r``:
    a terminal goes back to the first column there, and what a spinner or progress bar drew before is no longer the
    line. Lines are trimmed of any Unicode white space. It holds the beginning of one line, no longer than the marker,
    however long the line is.

    ``marker`` is trimmed too; ValueError where nothing is left of it, or where it has a line end inside.

    >>> marker = Marker()
    >>> for piece in ("working 99%\rworking 100%\n  DO", "NE  \n\n"):
    ...     marker.feed(piece)
    >>> marker.close()
    Completion(status='done')
    """

    __slots__ = ("_head", "_is_marker", "_marker", "_more")

    def __init__(self, marker: str = "DONE") -> None:
        if not isinstance(marker, str):
            raise TypeError(f"a marker is a text, not {_short.repr(marker)}")
        self._marker = marker.strip()
        if not self._marker or "\n" in self._marker or "\r" in self._marker:
            raise ValueError(f"a marker is one line that is not blank, not {_short.repr(marker)}")
        self._is_marker = False  # the last line that ended, blank ones passed over
        self._head = ""  # of the line being read, from its first visible character, as long as the marker at most
        self._more = False  # the line being read has a visible character after its head

    def feed(self, text: str) -> None:
        """Read the next piece of the text."""
        end = _last_line_end(text)
        if end >= 0:
            body = text[:end].rstrip()
            start = _last_line_end(body) + 1
            if start:
                self._is_marker = body[start:].strip() == self._marker
            else:
                self._read(body)
                self._is_marker = self._verdict()
            self._head, self._more = "", False
            text = text[end + 1 :]
        self._read(text)

    def close(self) -> Completion:
        """Return ``done`` or ``continue``, as the text fed so far has it."""
        return Completion(Status.DONE if self._verdict() else Status.CONTINUE)

    def _read(self, piece: str) -> None:
        """Take in a piece of the line being read."""
        if self._more:
            return
        if not self._head:
            piece = piece.lstrip()
        room = len(self._marker) - len(self._head)
        self._head += piece[:room]
        rest = piece[room:]
        self._more = bool(rest) and not rest.isspace()

    def _verdict(self) -> bool:
        """Whether the line being read, or the last one where it is blank so far, is the marker."""
        if not self._head:
            return self._is_marker
        return self._head == self._marker and not self._more


def _last_line_end(text: str) -> int:
    return max(text.rfind("\n"), text.rfind("\r"))
