"""What a schema asks for, read off every kind of schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NotRequired, TypedDict

import msgspec
import pydantic
import pytest

from lastbrace.members import CONTRACT, Member, members_in, members_of
from lastbrace.schema import compile_schema


class Inner(msgspec.Struct):
    a: int


class OfMsgspec(msgspec.Struct, rename="camel"):
    the_status: Literal["done", "error"]
    text: str
    size: int = 3
    ratio: float | None = None
    on: bool = False
    inner: Inner | None = None
    tags: list[str] = []


@dataclass
class OfDataclass:
    status: Literal["done", "error"] | None
    tags: list[str] = field(default_factory=list)


class OfTyping(TypedDict):
    status: str
    count: NotRequired[int]


class OfPydantic(pydantic.BaseModel):
    status: Literal["done"] = pydantic.Field(alias="Status")
    count: int | str = 1


class Line(msgspec.Struct, tag="line", tag_field="kind"):
    ends: list[int]
    name: str


class Dot(msgspec.Struct, tag="dot", tag_field="kind"):
    ends: str
    name: str = ""


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (
            OfMsgspec,
            [
                Member("theStatus", True, "choice", ("done", "error")), Member("text", True, "string"),
                Member("size", False, "number", (), 3), Member("ratio", False, "number", (), None),
                Member("on", False, "boolean", (), False), Member("inner", False, "object", (), None),
                Member("tags", False, "array", (), []),
            ],
        ),
        (
            OfDataclass,
            [Member("status", True, "choice", ("done", "error", None)), Member("tags", False, "array", (), [])],
        ),
        (OfTyping, [Member("status", True, "string"), Member("count", False, "number")]),
        (OfPydantic, [Member("Status", True, "choice", ("done",)), Member("count", False, "any", (), 1)]),
        (
            Line | Dot,
            [
                Member("kind", True, "choice", ("line", "dot")), Member("ends", True, "any"),
                Member("name", False, "string"),
            ],
        ),
        (Inner | None, [Member("a", True, "number")]),
        ({"required": ["a"]}, [Member("a", True, "any")]),
        (
            {"$ref": "#/$defs/x~1y", "$defs": {"x/y": {"properties": {"a": {"const": 1}}}}},
            [Member("a", False, "choice", (1,))],
        ),
        ({"allOf": [{"properties": {"a": {}}}, {"required": ["a"]}, {"$ref": "#"}]}, [Member("a", True, "any")]),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, [Member("a", False, "any")]),
        ({"type": "object"}, []),
        (dict[str, int], []),
        (list[Inner], []),
        (lambda value: value, []),
    ],
)  # fmt: skip
def test_members(schema: Any, expected: list[Member]) -> None:
    assert sorted(members_of(schema), key=lambda m: m.name) == sorted(expected, key=lambda m: m.name)
    assert members_of(compile_schema(schema)) == members_of(schema)


def test_the_contract_has_its_members() -> None:
    names = {member.name: (member.required, member.kind) for member in members_in(CONTRACT)}
    assert names == {"status": (True, "choice"), "summary": (False, "string"), "next": (False, "string")}
