"""The steps of recovery, on a text in which nothing was found: the schema's keys, JSON5, a general repairer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from .. import decoding
from ..errors import DecodeError
from ..members import Member
from ..recovered import Recovered
from ..schema import Match
from .broken import Broken, last_broken
from .by_keys import KeyReader
from .loose import MAX_CHARACTERS, Json5
from .parts import WS, has_odd_quotes

Truncated = Literal["refuse", "accept"]
General = Literal["json_repair"]

_tag = re.compile(r"<(/?)think>")
_has_shape = re.compile(rf'(?:[\[{{]|"{WS}:){WS}<').search  # where a value must stand, as in what `prompts` shows


@dataclass(frozen=True, slots=True)
class Repair:
    """How to look for an answer that is almost JSON.

    ``members`` are the keys that the schema knows. With ``truncated="accept"`` an object in which the text ends is
    closed there. ``general`` names a repairer that is tried last.

    Raises ValueError for an option that is none, ImportError where the repairer is not installed.
    """

    members: tuple[Member, ...] = ()
    truncated: Truncated = "refuse"
    general: General | None = None

    def __post_init__(self) -> None:
        if self.truncated not in ("refuse", "accept"):
            raise ValueError(f"truncated must be 'refuse' or 'accept', not {self.truncated!r}")
        if self.general not in (None, "json_repair"):
            raise ValueError(f"general must be 'json_repair' or None, not {self.general!r}")
        if self.general is not None:
            _load_json_repair()

    def find(self, text: str, match: Callable[[bytes], Match[Any] | None]) -> Recovered[Any] | None:
        """Return the newest answer in ``text`` for which ``match`` has a value, read by the first step that finds one.

        What stands between ``<think>`` and ``</think>`` is no answer.
        """
        text = _without_thoughts(text)
        json5 = Json5()
        if self.members:
            reader = KeyReader(text, self.members, json5, close_cut=self.truncated == "accept")
            candidates = reader.read()
            if reader.is_cut and self.truncated == "refuse":
                return None
            for candidate in reversed(candidates):
                raw = candidate.as_json()
                found = match(raw)
                if found is not None:
                    return Recovered(found.value, ("keys", *candidate.repairs), raw)
        broken = last_broken(text)
        if broken is None or (broken.is_cut and self.truncated == "refuse"):
            return None
        return self._first(self._read_loosely(broken, json5), match)

    def _read_loosely(self, broken: Broken, json5: Json5) -> Iterator[tuple[str, list[str]]]:
        """Yield what the object is to readers of more than JSON, as JSON, and what had to be done."""
        if not broken.is_cut:
            loose = json5.read(broken.text)
            if loose is not None:
                yield loose
        is_open = has_odd_quotes(broken.text) and self.truncated == "refuse"  # its brace stands in a string
        may_guess = len(broken.text) <= MAX_CHARACTERS and not is_open and not _has_shape(broken.text)
        if self.general is not None and may_guess:
            repaired = _repair(broken.text)
            if repaired is not None and self._stands_in(repaired, broken.text):
                yield json.dumps(repaired, ensure_ascii=False), ["json_repair", *(["closed"] if broken.is_cut else [])]

    def _first(
        self, readings: Iterable[tuple[str, list[str]]], match: Callable[[bytes], Match[Any] | None]
    ) -> Recovered[Any] | None:
        for value, repairs in readings:
            for raw in (value.encode("utf-8", "replace"), _last_item(value)):
                found = None if raw is None else match(raw)
                if raw is not None and found is not None:
                    return Recovered(found.value, tuple(repairs), raw)
        return None

    def _stands_in(self, value: Any, text: str) -> bool:
        """Tell whether a guess has its required members, and its closed vocabularies, from the text."""
        for member in self.members:
            given = value.get(member.name) if isinstance(value, dict) else None
            word = re.escape(given) if member.kind == "choice" and isinstance(given, str) else ""
            place = rf"(?<!\w){re.escape(member.name)}[\"'\u201d]?\s*:\s*[\"'\u201c]?{word}(?!\w)"
            if (member.required or word) and re.search(place if word else place[:-6], text) is None:
                return False
        return True


def _last_item(value: str) -> bytes | None:
    """Return the last object of an array of them: in text each of them would be an answer of its own."""
    try:
        items = decoding.decode(value.encode("utf-8", "replace"))
    except DecodeError:
        return None
    if not isinstance(items, list) or not items or not isinstance(items[-1], dict):
        return None
    return json.dumps(items[-1], ensure_ascii=False).encode("utf-8", "replace")


def _without_thoughts(text: str) -> str:
    """Return ``text`` with a NUL, over which no object is read, for what is only thought."""
    kept: list[str] = []
    begin = depth = 0
    for tag in _tag.finditer(text):
        if not tag[1]:
            if not depth:
                kept.append(text[begin : tag.start()])
            depth = 1
        else:
            if not depth:
                kept.clear()  # it began before the text did
            depth, begin = 0, tag.end()
            kept.append("")
    return "\0".join([*kept, "" if depth else text[begin:]]) if begin or depth else text


def _load_json_repair() -> Any:
    try:
        import json_repair  # noqa: PLC0415 - the extra
    except ImportError as error:
        raise ImportError("general='json_repair' needs one more package: pip install 'lastbrace[recover]'") from error
    return json_repair


def _repair(text: str) -> Any:
    try:
        return _load_json_repair().loads(text, skip_json_loads=True)
    except Exception:  # another's guess at hostile text may fail in any way, and then is no value
        return None
