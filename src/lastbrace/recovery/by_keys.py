r"""Reads an object that is almost JSON by the keys that its schema knows.

Rules

1. An object begins at a brace with a quoted key and a colon after it, and members follow one another by commas, in any
   order. What is none of that ends the attempt. What stood inside a broken object is a fragment, but for a brace in
   column 0, where a new record begins: reading goes on where the broken object's braces are balanced again.
2. A string that JSON reads, with a key or the end of the object after it, is taken as it is; raw line ends and tabs may
   stand in it, and a backslash that begins no escape stands for itself.
3. Any other string runs to a quote that has a known key, or the brace that closes the object, after it. Quotes inside
   may enclose whole objects: while one of their braces is open, nothing ends. Where two readings are as good as each
   other (a key comes twice, an unknown key follows inside a pair of quotes, more than one string has a quote too many),
   there is none.
4. A member with a closed vocabulary is one of its values.
5. An array or object runs to its closing bracket. One that cannot be read is the member's default, or empty; one that
   is JSON up to where the text ends is cut, whatever brackets its strings have. One whose first value would begin with
   ``<`` is a shape to fill in, as `prompts` shows it, and no value.
6. The brace that closes the object must be there, with no further member after it. Where the text ends before, the
   object is cut.
7. The work is counted. What takes more than ``MAX_STEPS_PER_CHARACTER`` is hostile, and has no value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..headless import LOOK_BEHIND, is_headless
from ..members import NO_DEFAULT, Member
from .containers import Mismatch, close_up, is_cut, read_container, walk
from .loose import Json5
from .parts import KEY, WS, Cut, Dead, Exhausted, Parts, begins_at_end, has_odd_quotes
from .strings import read_string

_start = re.compile(rf"\{{(?={WS}{KEY})")
_brace_or_record = re.compile(rf"[{{}}]|\n(?=\{{{WS}{KEY})")
_is_shape = re.compile(rf'(?:[\[{{]{WS}(?:"[^"\n]*+"{WS}:{WS})?)++<').match
_word = re.compile(r"(?:-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][-+]?\d++)?|-?[A-Za-z]++)")
_WORDS = {word: word for word in ("true", "false", "null", "NaN", "Infinity", "-Infinity")}
_PYTHON = {"True": "true", "False": "false", "None": "null"}


@dataclass(slots=True)
class Candidate:
    """An object as it was read: its members as JSON, and what had to be done to read them."""

    start: int
    members: dict[str, str] = field(default_factory=dict)
    repairs: dict[str, None] = field(default_factory=dict)  # an ordered set
    odd: int = 0  # strings with an odd number of quotes inside

    def note(self, repairs: Iterable[str]) -> None:
        """Note what had to be done."""
        self.repairs.update(dict.fromkeys(repairs))

    def as_json(self) -> bytes:
        """Return the object as JSON."""
        pairs = (f"{json.dumps(name, ensure_ascii=False)}: {value}" for name, value in self.members.items())
        return ("{" + ", ".join(pairs) + "}").encode("utf-8", "replace")


class KeyReader:
    r"""Reads the objects of a text by the keys of ``members``.

    With ``close_cut`` an object that the text ends in is closed there; ``is_cut`` says, after ``read``, that there was
    one. ``parts.steps`` counts the characters looked at.

    >>> reader = KeyReader('{"summary": "a "b" c", "n": 1}', [Member("summary", True, "string")])
    >>> [candidate.as_json() for candidate in reader.read()]
    [b'{"summary": "a \\"b\\" c", "n": 1}']
    """

    def __init__(
        self, text: str, members: Iterable[Member], json5: Json5 | None = None, *, close_cut: bool = False
    ) -> None:
        self.parts = Parts(text)
        self.is_cut = False
        self._known = {member.name: member for member in members}
        self._json5 = json5 or Json5()
        self._close_cut = close_cut

    def read(self) -> list[Candidate]:
        """Return the objects that have all members they must have and needed some repair, in the order of the text."""
        found: list[Candidate] = []
        try:
            self._read_all(found)
        except Exhausted:
            return []
        return found

    def _read_all(self, found: list[Candidate]) -> None:
        text = self.parts.text
        position, fragment_end = 0, -1
        while (start := _start.search(text, position)) is not None:
            self.parts.spend(start.end() - position)
            candidate = Candidate(start.start())
            is_fragment = self._is_fragment(candidate.start, fragment_end)
            walked = walk(self.parts, candidate.start)
            try:
                position = self._read_object(candidate)
                if is_cut(self.parts, candidate.start, walked):  # whatever its strings look like
                    raise Cut
            except Dead as dead:
                position = self._balanced(candidate.start, max(dead.position, start.end()), walked) or len(text)
                continue
            except Cut:
                end = self._balanced(candidate.start, start.end(), walked)
                if end is not None and not has_odd_quotes(text[candidate.start : end]):
                    position = end  # broken rather than cut
                    continue
                self.is_cut = not is_fragment
                candidate.note(["closed"])
                if not self._close_cut:
                    return
                position = len(text)
            if is_fragment:
                fragment_end = position
            elif candidate.repairs and candidate.odd < 2 and self._has_all(candidate):
                found.append(candidate)
        self.is_cut = self.is_cut or begins_at_end(text, position)

    def _has_all(self, candidate: Candidate) -> bool:
        return all(name in candidate.members for name, member in self._known.items() if member.required)

    def _is_fragment(self, start: int, fragment_end: int) -> bool:
        """Tell whether the object at ``start`` is a piece of a record whose beginning is not there."""
        text = self.parts.text
        if start == 0 or text[start - 1] == "\n":
            return False
        near = 0 <= fragment_end <= start <= fragment_end + LOOK_BEHIND
        if near and text[fragment_end:start].strip(" \t\r\n") == ",":
            return True
        before = text[max(0, start - LOOK_BEHIND) : start]
        return is_headless(before.encode("utf-8", "replace"), whole=len(before) == start)

    def _balanced(self, start: int, position: int, walked: int | Mismatch | None) -> int | None:
        """Return where, from ``position`` on, the braces since ``start`` are balanced, or a new record begins.

        ``walked`` is how far its brackets go if those in strings do not count: until there they close nothing else.
        """
        depth, text = 0, self.parts.text
        within = len(text) + 1 if walked is None else walked if isinstance(walked, int) else walked.position
        for mark in _brace_or_record.finditer(text, start):
            depth += {"{": 1, "}": -1}.get(mark[0], 0)
            closes = mark.end() == walked or (mark.end() >= within and depth <= 0)
            if mark.end() >= position and (closes or mark[0] == "\n"):
                self.parts.spend(mark.end() - start)
                return mark.end()
        self.parts.spend(len(text) - start)
        return None

    def _read_object(self, candidate: Candidate) -> int:
        """Read the members of an object and return where it ends."""
        parts, position = self.parts, candidate.start + 1
        while True:
            key = parts.key_at(position)
            assert key is not None  # it was looked for, here or by _start
            parts.spend(key.end() - position)
            position = self._read_value(candidate, key[1], key.end())
            if parts.key_after(position) is not None:
                position = parts.text.index(",", position) + 1
                continue
            close = parts.close_at(position)
            if close is None:
                raise Cut if parts.is_cut_after(position) else Dead(position)
            if close[1]:
                candidate.note(["trailing_comma"])
            return close[0]

    def _read_value(self, candidate: Candidate, name: str, position: int) -> int:
        """Read the value of member ``name`` and return where it ends."""
        text, member = self.parts.text, self._known.get(name)
        if position == len(text):
            raise Cut
        if member is not None and member.kind == "choice":
            return self._read_choice(candidate, member, position)
        if text[position] == '"':
            return self._read_string(candidate, name, position)
        if text[position] in "[{":
            return self._read_container(candidate, name, position)
        word = _word.match(text, position)
        if word is None:
            raise Dead(position)
        if word.end() == len(text):
            raise Cut
        value = word[0]
        if value in _PYTHON:
            candidate.note(["python_literal"])
        if value.lstrip("-")[:1].isalpha():
            value = _WORDS.get(value) or _PYTHON.get(value, "")
            if not value:
                raise Dead(position)
        candidate.members[name] = value
        return word.end()

    def _read_choice(self, candidate: Candidate, member: Member, position: int) -> int:
        text = self.parts.text
        for choice in member.choices:
            shown = json.dumps(choice, ensure_ascii=False)
            end = position + len(shown)
            if text.startswith(shown, position) and self.parts.ends_member(end):
                candidate.members[member.name] = shown
                return end
            if end > len(text) and shown.startswith(text[position:].rstrip()):
                raise Cut
        raise Dead(position)

    def _read_string(self, candidate: Candidate, name: str, position: int) -> int:
        string = read_string(self.parts, position, self._known, {*candidate.members, name})
        candidate.members[name] = string.value
        candidate.note(string.repairs)
        candidate.odd += string.quotes % 2
        if string.is_cut:
            raise Cut
        return string.end

    def _read_container(self, candidate: Candidate, name: str, position: int) -> int:
        text, member = self.parts.text, self._known.get(name)
        if _is_shape(text, position):
            raise Dead(position)
        wanted = self._known.keys() - candidate.members.keys() - {name}
        try:
            container = read_container(self.parts, position, wanted, self._json5)
        except Cut:
            closed = close_up(text[position:]) if self._close_cut else None
            value = self._default(member, text[position]) if closed is None else closed
            if value is not None:
                candidate.members[name] = value
            raise
        value = container.value
        if value is None and member is not None:
            value = self._default(member, text[position])
            if value is None:
                raise Dead(position)
        if value is not None:
            candidate.members[name] = value
        candidate.note(container.repairs)
        return container.end

    def _default(self, member: Member | None, bracket: str) -> str | None:
        """Return what stands for an array or object that cannot be read."""
        if member is None or member.kind not in ("array", "object", "any"):
            return None
        if member.default is not NO_DEFAULT:
            return json.dumps(member.default, ensure_ascii=False)
        return "[]" if bracket == "[" else "{}"
