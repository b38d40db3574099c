"""An answer that was read out of a text that is almost JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from .events import show

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True, repr=False)
class Recovered(Generic[T_co]):
    """An answer, and what had to be done to read it: a guess, but for ``repairs == ()``.

    Attributes:
        value: the answer, as the schema has it.
        repairs: names, in order. Empty where the text holds the answer as it should be; else first the step that read
            it, ``"keys"``, ``"json5"`` or ``"json_repair"``, then what was wrong: ``"unescaped_quote"``,
            ``"raw_control"`` (a line end or tab in a string), ``"bad_escape"`` (a lone backslash), ``"smart_quote"``,
            ``"trailing_comma"``, ``"python_literal"``, ``"mismatched_close"``, ``"json5"`` (in an array or object),
            ``"unreadable"`` (an array or object was replaced by its default, or left empty), ``"closed"`` (the text
            was cut).
        raw: the answer as JSON, repaired.

    >>> import lastbrace
    >>> recovered = lastbrace.recover('{"n": 1, "why": "it says "no""}', {"required": ["n", "why"]})
    >>> recovered.value, recovered.repairs
    ({'n': 1, 'why': 'it says "no"'}, ('keys', 'unescaped_quote'))
    """

    value: T_co
    repairs: tuple[str, ...]
    raw: bytes

    def __repr__(self) -> str:
        return f"Recovered({show(self.raw)}, repairs={self.repairs!r})"
