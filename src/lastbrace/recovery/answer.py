"""Recovery at the end of a watched stream: what an answer must be there is what the watcher's matcher says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, Literal

from ..chunks import to_bytes
from ..events import Found
from ..matching import Matcher, as_text, value_or_none
from ..members import members_in
from ..outcome import T
from ..recovered import Recovered
from ..schema import Match
from .repair import Repair


class AnswerRecovery(Generic[T]):
    """Looks for an answer that is almost JSON where nothing matched; ``accepts`` says that it then counts as one.

    What would be recovered from the texts in ``ignore`` does not count, nor do the values that the matcher ignores.

    Raises ValueError where the contract has nothing to recover, or ``recover`` is no choice.
    """

    def __init__(self, matcher: Matcher[T], recover: Literal[True, "accept"], ignore: Iterable[Any] = ()) -> None:
        if recover is not True and recover != "accept":
            raise ValueError(f"recover must be False, True or 'accept', not {recover!r}")
        if matcher.contract == "marker":
            raise ValueError("recover needs contract='json', a schema or contract=None: a marker cannot be repaired")
        self.accepts = recover == "accept"
        self._matcher = matcher
        self._repair = Repair(members_in(matcher.document))
        self._ignore = [to_bytes(text).decode("utf-8", "replace") for text in ignore if isinstance(text, str | bytes)]

    def find(self, text: str) -> Recovered[T] | None:
        """Return the newest answer in ``text``; raises what a user's schema raises."""
        ignored: set[str] = set()

        def note(raw: bytes) -> None:
            ignored.add(as_text(value_or_none(Found(0, len(raw), raw))))

        for prompt in self._ignore:
            self._repair.find(prompt, note)
        return self._repair.find(text, lambda raw: self._match(raw, ignored))

    def _match(self, raw: bytes, ignored: set[str]) -> Match[Any] | None:
        found = Found(0, len(raw), raw)
        if found.empty or self._matcher.ignores(found) or as_text(value_or_none(found)) in ignored:
            return None
        return Match(value_or_none(found)) if self._matcher.takes_all else self._matcher.match_raw(raw)
