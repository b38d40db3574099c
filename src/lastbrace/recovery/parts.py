"""What stands between the members of an object that is almost JSON: keys, commas, the brace that closes it."""

from __future__ import annotations

import re
from bisect import bisect_left

MAX_STEPS_PER_CHARACTER = 16  # of work; honest text takes two or three
MAX_KEY = 120  # characters of a key; longer ones are text

WS = "[ \\t\\r\\n]*+"
KEY = f'"([^"\\\\\\n]{{1,{MAX_KEY}}}+)"{WS}:'
_key = re.compile(WS + KEY + WS)
_follow = re.compile(f"{WS},{WS}{KEY}")
_close = re.compile(rf"{WS}(,?){WS}\}}")
_rest = re.compile(rf"{WS}(?:,{WS}(?:\"[^\"\\\n]{{0,{MAX_KEY}}}+(?:\"{WS}:?{WS})?)?)?\Z")
_part = re.compile(rf"(?P<object>\{{{WS}[\"'])|(?P<member>,{WS}{KEY})|[{{}}]")
_quote = re.compile(r"\"|\\.", re.DOTALL)
_beginning = re.compile(rf"\{{{WS}(?:[\"'][^\"'\\\n]{{0,{MAX_KEY}}}+(?:[\"']{WS})?)?\Z")


class Dead(Exception):  # noqa: N818 - no error: it ends one attempt
    """What was being read is no object; reading goes on at ``position``."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class Cut(Exception):  # noqa: N818 - no error: it ends the last attempt
    """The text ended inside the object."""


class Exhausted(Exception):  # noqa: N818 - no error: it ends all attempts
    """The text took more work than honest text does."""


class Parts:
    """A text, what stands at its positions, and the work that it took to find out."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps = 0
        self._after: tuple[list[int], list[bool]] | None = None  # see _goes_on; made when first asked for

    def spend(self, steps: int) -> None:
        """Count work, in characters looked at. Raises Exhausted for too much of it."""
        self.steps += steps + 1
        if self.steps > MAX_STEPS_PER_CHARACTER * (len(self.text) + 64):
            raise Exhausted

    def key_at(self, position: int) -> re.Match[str] | None:
        """Return the key at ``position``, ``[1]``, with its colon and up to its value."""
        return _key.match(self.text, position)

    def key_after(self, position: int) -> str | None:
        """Return the key of the member that follows where another has ended."""
        follow = _follow.match(self.text, position)
        return None if follow is None else follow[1]

    def close_at(self, position: int) -> tuple[int, bool] | None:
        """Return where the object closes after a member, and whether a comma is left over; None where it does not.

        A brace after which further members come closes something else.
        """
        close = _close.match(self.text, position)
        if close is None or self._goes_on(close.end()):
            return None
        return close.end(), bool(close[1])

    def ends_member(self, position: int) -> bool:
        """Tell whether a member may end here: another follows, the object closes, or the text ends."""
        return self.ends_member_for_sure(position) or self.is_cut_after(position)

    def ends_member_for_sure(self, position: int) -> bool:
        """Tell whether a member ends here: another follows, or the object closes."""
        return self.key_after(position) is not None or self.close_at(position) is not None

    def is_cut_after(self, position: int) -> bool:
        """Tell whether the text ends right after a member, or in the next one's key."""
        return _rest.match(self.text, position) is not None

    def _goes_on(self, position: int) -> bool:
        """Tell whether the object goes on at ``position``, after one of its braces.

        It does where a further member comes, or a brace that closes what was not opened here, before another object
        begins.
        """
        if self._after is None:
            self.spend(len(self.text))
            self._after = _look_ahead(self.text)
        return self._after[1][bisect_left(self._after[0], position)]


def begins_at_end(text: str, position: int) -> bool:
    """Tell whether an object begins after ``position`` whose first key the text cuts."""
    return _beginning.search(text, position) is not None


def has_odd_quotes(text: str) -> bool:
    """Tell whether a string is still open at the end of ``text``, going by the number of its quotes."""
    return [mark[0] for mark in _quote.finditer(text)].count('"') % 2 == 1


def _look_ahead(text: str) -> tuple[list[int], list[bool]]:
    """Return where braces and members stand in ``text``, and for each whether an object goes on that closed before it.

    The last of the latter is for the end of the text. One pass from the left pairs the braces, one from the right says
    what follows each.
    """
    parts = list(_part.finditer(text))
    partner: dict[int, int] = {}
    opened: list[int] = []
    for index, part in enumerate(parts):
        if part["member"] is None and part[0] != "}":
            opened.append(index)
        elif part["member"] is None and opened:
            partner[opened.pop()] = index
    goes_on = [False] * (len(parts) + 1)
    decided = len(parts)  # the next part that is an object or a member, which decide at any depth
    for index in range(len(parts) - 1, -1, -1):
        part = parts[index]
        if part["object"] is not None or part["member"] is not None:
            goes_on[index], decided = part["object"] is None, index
        elif part[0] == "}":
            goes_on[index] = True
        else:
            closed = partner.get(index, len(parts))
            goes_on[index] = goes_on[decided if decided < closed else min(closed + 1, len(parts))]
    return [part.start() for part in parts], goes_on
