"""What a schema asks of an object, member by member, whatever the schema was given as: read off its JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec

from .pydantic_models import is_of_pydantic
from .schema import Schema, compile_schema

Kind = Literal["string", "choice", "number", "boolean", "array", "object", "any"]

NO_DEFAULT: Any = object()

_KINDS: dict[Any, Kind] = {
    "string": "string", "integer": "number", "number": "number", "boolean": "boolean", "array": "array",
    "object": "object",
}  # fmt: skip
CONTRACT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "status": {
            "enum": ["done", "continue", "error"],
            "description": "done: all of the task is done; continue: some of it is left; error: it cannot be done",
        },
        "summary": {"type": "string", "description": "what was done, or what went wrong"},
        "next": {"type": "string", "description": "what is to be done next, when the status is continue"},
    },
    "required": ["status"],
}
"""The completion contract as a JSON Schema, for words about it; `completion` is what decides."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member that an object may have: its key, whether it must be there, and what its value looks like.

    ``choices`` are the values of a closed vocabulary. ``default`` is what the schema puts where it is missing.

    >>> members_of({"properties": {"verdict": {"enum": ["yes", "no"]}}, "required": ["verdict"]})
    (Member(name='verdict', required=True, kind='choice', choices=('yes', 'no')),)
    """

    name: str
    required: bool
    kind: Kind
    choices: tuple[Any, ...] = ()
    default: Any = NO_DEFAULT

    def __repr__(self) -> str:
        choices = f", choices={self.choices!r}" if self.kind == "choice" else ""
        default = "" if self.default is NO_DEFAULT else f", default={self.default!r}"
        return f"Member(name={self.name!r}, required={self.required}, kind={self.kind!r}{choices}{default})"


def members_of(schema: Any) -> tuple[Member, ...]:
    """Return the members that a schema knows by name: none for a function, or a type without such members."""
    return members_in(document_of(schema))


def members_in(document: dict[str, Any] | None) -> tuple[Member, ...]:
    """Return the members that a JSON Schema knows by name; none without one."""
    return () if document is None else _members(document, document)


def document_of(schema: Any) -> dict[str, Any] | None:
    """Return a schema as a JSON Schema, or None for one that has none: a function, a type beyond JSON Schema.

    Raises what ``compile_schema`` raises for what is no schema.
    """
    compiled = schema if isinstance(schema, Schema) else compile_schema(schema)
    document = _document(compiled.source)
    if document is not None and compiled.nonce is not None:
        name, value = compiled.nonce
        return with_constant(document, name, value)
    return document


def with_constant(document: dict[str, Any], name: str, value: str) -> dict[str, Any]:
    """Return a JSON Schema that asks for one more member than ``document`` does, with that value."""
    more = {"properties": {name: {"const": value, "description": "exactly this"}}, "required": [name]}
    definitions = {key: value for key, value in document.items() if key in ("$defs", "definitions")}
    rest = {key: value for key, value in document.items() if key not in definitions}
    return {"allOf": [rest, more], **definitions}


def _document(source: Any) -> dict[str, Any] | None:
    if isinstance(source, dict):
        return source
    if is_of_pydantic(source):
        import pydantic  # noqa: PLC0415 - there already: the schema is made with it

        try:
            document: dict[str, Any] = pydantic.TypeAdapter(source).json_schema()
        except pydantic.errors.PydanticUserError:  # a type that JSON Schema has no word for
            return None
        return document
    try:
        return msgspec.json.schema(source)
    except (TypeError, ValueError, NameError):
        return None


def resolve(node: Any, document: dict[str, Any], passed: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return what a part of ``document`` stands for: references followed, the parts of an ``allOf`` put together.

    ``passed`` are the references that led here: one that leads to itself stands for anything.
    """
    if not isinstance(node, dict):
        return {}
    reference = node.get("$ref")
    if isinstance(reference, str):
        if reference in passed:
            return {}
        target = _look_up(reference, document)
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return resolve({**target, **beside}, document, passed | {reference})
    return _merge(node, document, passed) if isinstance(node.get("allOf"), list) else node


def _look_up(reference: str, document: dict[str, Any]) -> dict[str, Any]:
    place: Any = document
    for step in reference.removeprefix("#").split("/")[1:]:
        place = place.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(place, dict) else None
    return place if reference.startswith("#") and isinstance(place, dict) else {}


def _merge(node: dict[str, Any], document: dict[str, Any], passed: frozenset[str]) -> dict[str, Any]:
    """Return one object for the parts of ``allOf``: what members they name, and which of them they require."""
    merged: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    required: list[str] = []
    for part in [*node["allOf"], {key: value for key, value in node.items() if key != "allOf"}]:
        one = resolve(part, document, passed)
        properties |= _dict(one.get("properties"))
        required += _list(one.get("required"))
        merged |= one
    if properties:
        merged["properties"] = properties
    if required:
        merged["required"] = required
    return merged


def alternatives(node: dict[str, Any], document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the schemas of which a value satisfies one, each resolved; only ``node`` where it offers no choice."""
    for keyword in ("anyOf", "oneOf"):
        if isinstance(node.get(keyword), list):
            return [resolve(part, document) for part in node[keyword]]
    if isinstance(node.get("type"), list):
        return [{**node, "type": kind} for kind in node["type"]]
    return [node]


def _members(node: Any, document: dict[str, Any]) -> tuple[Member, ...]:
    """Return the members of an object; of several kinds of object, all that any of them knows."""
    found: dict[str, list[Member]] = {}
    objects = [part for part in alternatives(resolve(node, document), document) if _names(part)]
    for part in objects:
        for name in _names(part):
            found.setdefault(name, []).append(_member(name, part, document))
    return tuple(_common(members, len(objects)) for members in found.values())


def _names(node: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys([*_dict(node.get("properties")), *_list(node.get("required"))]))


def _common(members: list[Member], objects: int) -> Member:
    """Return what can be said of one key that several kinds of object have."""
    first = members[0]
    required = len(members) == objects and all(member.required for member in members)
    if all(member.kind == "choice" for member in members):
        choices = [choice for member in members for choice in member.choices]
        return replace(first, required=required, choices=tuple(choices))
    kind: Kind = first.kind if all(member.kind == first.kind for member in members) else "any"
    return replace(first, required=required, kind=kind)


def _member(name: str, node: dict[str, Any], document: dict[str, Any]) -> Member:
    value = resolve(_dict(node.get("properties")).get(name), document)
    parts = alternatives(value, document)
    kinds = {_kind(part) for part in parts if part.get("type") != "null"}
    kind: Kind = kinds.pop() if len(kinds) == 1 else "any"
    choices = [choice for part in parts for choice in choices_of(part)] if kind == "choice" else []
    if kind == "choice" and len(parts) > 1 and any(part.get("type") == "null" for part in parts):
        choices.append(None)
    return Member(
        name,
        name in _list(node.get("required")),
        kind,
        tuple(choices),
        value.get("default", NO_DEFAULT),
    )


def choices_of(node: dict[str, Any]) -> list[Any]:
    """Return the values of a closed vocabulary; none where the schema has no such."""
    if "const" in node:
        return [node["const"]]
    return _list(node.get("enum"))


def _kind(node: dict[str, Any]) -> Kind:
    if choices_of(node):
        return "choice"
    if "type" in node:
        return _KINDS.get(node["type"], "any") if isinstance(node["type"], str) else "any"
    return "object" if "properties" in node else "array" if "items" in node else "any"


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
