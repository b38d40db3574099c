"""What an object must be to be an answer: the contract or a schema, and what is not to be taken for one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Generic, Literal

from .completion import MEMBERS, Completion, match_completion, match_texts, match_value, refuse_completion
from .errors import DecodeError
from .events import Found
from .members import CONTRACT, document_of, with_constant
from .nonce import KEY, check_nonce, require_nonce, without_nonce
from .outcome import T
from .paths import Path
from .pipeline import Pipeline, ScanOptions
from .schema import Match, Schema, compile_schema
from .spans import Member

SchemaLike = type[T] | Schema[T] | Callable[[Any], T] | dict[str, Any]


class Matcher(Generic[T]):
    """Decides whether an object is an answer, and what its value is.

    ``takes_all`` says that there is neither contract nor schema, so that every object will do; ``contract`` is None
    where a schema replaces it; ``ignores_any``, that there are values which do not count. With ``nonce`` an answer must
    have that word as its member ``"nonce"``. Raises ValueError or TypeError for a contract, schema or nonce that makes
    no sense.
    """

    __slots__ = ("_ignored", "_nonce", "_schema", "contract", "ignores_any", "match_raw", "takes_all")

    def __init__(
        self,
        contract: Literal["json", "marker"] | None,
        schema: SchemaLike[T] | None,
        ignored: Iterable[Any] = (),
        nonce: str | None = None,
    ) -> None:
        if contract not in ("json", "marker", None):
            raise ValueError(f"contract must be 'json', 'marker' or None, not {contract!r}")
        self._schema: Schema[T] | None = None if schema is None else compile_schema(schema)
        self._nonce = None if nonce is None else check_nonce(nonce)
        if nonce is not None and schema is None and contract != "json":
            raise ValueError("nonce needs contract='json' or a schema: only an object can repeat it")
        if nonce is not None and self._schema is not None:
            self._schema = require_nonce(self._schema, nonce)
        self._ignored = frozenset(map(as_text, ignored))
        self.ignores_any = bool(self._ignored)
        self.contract = contract if schema is None else None
        self.takes_all = schema is None and contract is None
        self.match_raw: Callable[[bytes], Match[Any] | None] = _match_nothing
        """Returns the value of an object's text, as ``match`` does."""
        if self._schema is not None:
            self.match_raw = self._schema.match
        elif contract == "json":
            self.match_raw = _match_contract if nonce is None else partial(_match_with_nonce, nonce=nonce)

    @property
    def key(self) -> bytes | None:
        """A member without which no object matches (an array may), where one is known."""
        return self._schema.key if self._schema is not None else b"status" if self.contract == "json" else None

    @property
    def texts(self) -> tuple[bytes, ...]:
        """The members that are all that is judged by, where those are texts: `match_texts` takes them in this order."""
        return tuple(name.encode() for name in MEMBERS) if self.contract == "json" and self._nonce is None else ()

    @staticmethod
    def match_texts(texts: tuple[Member, ...]) -> Match[Any] | None:
        """Return the value of an object that has these members: see `texts`."""
        completion = match_texts(texts)
        return None if completion is None else Match(completion)

    def ignores(self, found: Found) -> bool:
        """Tell whether this object is one of the values that do not count."""
        return self.ignores_any and as_text(value_or_none(found)) in self._ignored

    def match(self, found: Found) -> Match[Any] | None:
        """Return the value of an object that satisfies the contract or the schema; raises what a user's schema raises.

        Empty objects and fragments satisfy nothing.
        """
        if found.fragment or found.empty:
            return None
        return self.match_raw(found.raw) if found.raw is not None else self._match_value(value_or_none(found))

    def _match_value(self, value: Any) -> Match[Any] | None:
        """Return the value of an object that is decoded already, as ``match`` does."""
        if self._schema is not None:
            return self._schema.match_value(value)
        completion = match_value(value) if self.contract == "json" else None
        if completion is None or (self._nonce is not None and value.get(KEY) != self._nonce):
            return None
        return Match(completion)

    def _lacks_nonce(self, raw: bytes) -> bool:
        return self._nonce is not None and without_nonce(raw, self._nonce) is None

    def members(self, fields: Iterable[Path] | None) -> list[Path] | None:
        """Return the members that are wanted of an object too large to store: these fields, and what is judged by.

        None stands for all of them: so it is where values are compared with those to ignore.
        """
        if self.ignores_any:
            return None
        judged = None if self._schema is None else self._schema.keys
        if self.contract == "json":
            judged = frozenset(MEMBERS if self._nonce is None else (*MEMBERS, KEY))
        if judged is None:
            return None if fields is None else list(fields)
        return [*(fields or ()), *((name,) for name in sorted(judged))]

    @property
    def document(self) -> dict[str, Any] | None:
        """What an object must be, as a JSON Schema; None where that has no words for it."""
        if self._schema is not None:
            return document_of(self._schema)
        if self.contract != "json":
            return None
        return CONTRACT if self._nonce is None else with_constant(CONTRACT, KEY, self._nonce)

    @property
    def wanted(self) -> str:
        """What an object must satisfy, in words; empty where every object will do."""
        return "" if self.takes_all else "the contract" if self._schema is None else "the schema"

    def refusal(self, found: Found) -> str:
        """Return why this object, which did not match, is no answer; empty where there is nothing to say."""
        raw = found.raw
        if raw is None:
            try:
                raw = json.dumps(value_or_none(found)).encode()
            except RecursionError:
                return "too deep for this interpreter"
        if self._schema is not None:
            return self._schema.refusal(raw)
        if self.contract == "json":
            lacking = f"it lacks the {KEY} of the prompt" if self._lacks_nonce(raw) else ""
            return refuse_completion(raw) or lacking
        return ""


def _match_contract(raw: bytes) -> Match[Completion] | None:
    completion = match_completion(raw)
    return None if completion is None else Match(completion)


def _match_with_nonce(raw: bytes, nonce: str) -> Match[Completion] | None:
    match = _match_contract(raw)
    return None if match is None or without_nonce(raw, nonce) is None else match


def _match_nothing(raw: bytes) -> None:
    """Match no object: neither contract nor schema says what an answer is."""


def as_text(value: Any) -> str:
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


def match_schema(schema: Schema[T], found: Found) -> Match[T] | None:
    """Return the value of an object as a schema has it, or None where it does not satisfy it."""
    if found.raw is not None:
        return schema.match(found.raw)
    try:
        value = found.value
    except DecodeError:
        return None
    return schema.match_value(value)


def check_ignore(ignore: Iterable[Any]) -> tuple[Any, ...]:
    """Return texts and values that can be read more than once. Raises TypeError for one of them, and for others."""
    if isinstance(ignore, str | bytes | dict):
        raise TypeError("ignore is a list of texts and values, not one of them")
    ignore = tuple(ignore)
    for item in ignore:
        if not isinstance(item, str | bytes):
            try:
                json.dumps(item)
            except (TypeError, RecursionError) as error:
                raise TypeError(f"ignore is a list of texts and values of JSON: {error}") from None
    return ignore


def ignored_values(ignore: Iterable[Any], scan: ScanOptions) -> list[Any]:
    """Return the values that do not count: those given, and those of all objects in the texts given."""
    # As an agent's answer is read, whatever the framing of its events; and these texts are in memory anyway.
    free: ScanOptions = {**scan, "framing": "free", "buffer_limit": None}
    values: list[Any] = []
    for item in ignore:
        if isinstance(item, str | bytes):
            pipeline = Pipeline(**free)
            events = pipeline.feed(item) + pipeline.close()
            values += [value_or_none(event) for event in events if isinstance(event, Found) and not event.empty]
        else:
            values.append(item)
    return values
