"""What an object must be to be an answer: the contract or a schema, and what is not to be taken for one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, Generic, Literal

from .completion import match_completion, refuse_completion
from .errors import DecodeError
from .events import Found
from .outcome import T
from .schema import Match, Schema, compile_schema

SchemaLike = type[T] | Schema[T] | Callable[[Any], T] | dict[str, Any]


class Matcher(Generic[T]):
    """Decides whether an object is an answer, and what its value is.

    ``takes_all`` says that there is neither contract nor schema, so that every object will do; ``contract`` is None
    where a schema replaces it. Raises ValueError or TypeError for a contract or schema that makes no sense.
    """

    __slots__ = ("_ignored", "_schema", "contract", "takes_all")

    def __init__(
        self, contract: Literal["json", "marker"] | None, schema: SchemaLike[T] | None, ignored: Iterable[Any] = ()
    ) -> None:
        if contract not in ("json", "marker", None):
            raise ValueError(f"contract must be 'json', 'marker' or None, not {contract!r}")
        self._schema: Schema[T] | None = None if schema is None else compile_schema(schema)
        self._ignored = frozenset(map(_as_text, ignored))
        self.contract = contract if schema is None else None
        self.takes_all = schema is None and contract is None

    def ignores(self, found: Found) -> bool:
        """Tell whether this object is one of the values that do not count."""
        return bool(self._ignored) and _as_text(value_or_none(found)) in self._ignored

    def match(self, found: Found) -> Match[Any] | None:
        """Return the value of an object that satisfies the contract or the schema; raises what a user's schema raises.

        Empty objects and fragments satisfy nothing.
        """
        if found.fragment or found.empty:
            return None
        if self._schema is not None:
            return self._schema.match(found.raw)
        if self.contract == "json":
            completion = match_completion(found.raw)
            return None if completion is None else Match(completion)
        return None

    @property
    def wanted(self) -> str:
        """What an object must satisfy, in words; empty where every object will do."""
        return "" if self.takes_all else "the contract" if self._schema is None else "the schema"

    def refusal(self, found: Found) -> str:
        """Return why this object, which did not match, is no answer; empty where there is nothing to say."""
        if self._schema is not None:
            return self._schema.refusal(found.raw)
        if self.contract == "json":
            return refuse_completion(found.raw)
        return ""


def _as_text(value: Any) -> str:
    """Return one text for all values that are equal as JSON, whatever the order of their keys."""
    try:
        return json.dumps(value, sort_keys=True)
    except RecursionError:
        return ""


def value_or_none(found: Found) -> Any:
    """Return the object's value, None where it cannot be built."""
    try:
        return found.value
    except DecodeError:
        return None
