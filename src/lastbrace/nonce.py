"""A word that only the prompt knows, and that an answer must repeat: no echo, quote or injected text can stand in."""

from __future__ import annotations

import json
from typing import Any, TypeVar

import msgspec

from . import decoding
from .members import document_of, members_in, resolve
from .schema import Schema

T = TypeVar("T")

_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode

KEY = "nonce"


def check_nonce(nonce: str) -> str:
    """Return ``nonce``. Raises ValueError where it is no word to repeat."""
    if not isinstance(nonce, str) or not nonce or not nonce.isprintable():
        raise ValueError(f"a nonce is a text on one line that is not empty, not {nonce!r}")
    return nonce


def require_nonce(schema: Schema[T], nonce: str) -> Schema[T]:
    """Return ``schema`` for objects that have the member ``nonce`` beside, which its value does not show.

    Raises ValueError for a nonce that is no word, and for a schema that has no room for one.

    >>> from .schema import compile_schema
    >>> require_nonce(compile_schema(dict[str, int]), "a1").match(b'{"n": 1, "nonce": "a1"}')
    Match(value={'n': 1})
    """
    document = document_of(schema)
    if document is not None and resolve(document, document).get("type") == "array":
        raise ValueError("only an object can repeat a nonce, and the schema asks for an array")
    if document is not None and any(member.name == KEY for member in members_in(document)):
        raise ValueError(f"the schema has a member {KEY!r} of its own")

    def read(raw: bytes) -> T:
        rest = without_nonce(raw, nonce)
        if rest is None:
            raise ValueError(f"it lacks the {KEY} of the prompt")
        return schema.read(rest)

    def convert(value: Any) -> T:
        if not isinstance(value, dict) or value.get(KEY) != nonce:
            raise ValueError(f"it lacks the {KEY} of the prompt")
        return schema.convert({key: member for key, member in value.items() if key != KEY})

    keys = None if schema.keys is None else {*schema.keys, KEY}
    return Schema(read, (KEY,), schema.source, (KEY, check_nonce(nonce)), convert=convert, keys=keys)


def without_nonce(raw: bytes, nonce: str) -> bytes | None:
    """Return an object without its nonce, or None where that is not there, or another.

    Raises DecodeError for what is no JSON.
    """
    if f'"{KEY}"'.encode() not in raw and b"\\u" not in raw:
        return None
    try:
        members = _members(raw)  # each as it is written: a number may have more digits than a float
    except decoding.REFUSED:
        value: Any = decoding.decode(raw)
        is_right = isinstance(value, dict) and value.pop(KEY, None) == nonce
        return json.dumps(value).encode() if is_right else None
    given = members.pop(KEY, None)
    return msgspec.json.encode(members) if given is not None and decoding.decode(bytes(given)) == nonce else None
