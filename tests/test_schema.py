"""Schemas of every kind: raw bytes in, the typed value or None out."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tracemalloc
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple, NewType, NotRequired, TypedDict

import msgspec
import pydantic
import pydantic.dataclasses
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lastbrace.schema import Match, Schema, compile_schema

JSON_SCHEMA_2020 = "https://json-schema.org/draft/2020-12/schema"


class Point(msgspec.Struct):
    x: int
    label: str = ""


class Line(msgspec.Struct, tag="line", tag_field="kind"):
    ends: list[Point]


class Dot(msgspec.Struct, tag="dot", tag_field="kind"):
    at: Point


class Pair(msgspec.Struct, array_like=True):
    a: int
    b: int


class Tree(msgspec.Struct):
    name: str
    kids: list[Tree] = []


class Even(msgspec.Struct):
    n: int

    def __post_init__(self) -> None:
        if self.n % 2:
            raise LookupError(self.n)


@dataclass
class Holder:
    inner: PydanticDataclass


@dataclass
class Verdict:
    status: Literal["done", "continue"]
    files: list[str] = field(default_factory=list)


class Usage(TypedDict):
    tokens: int
    cost: NotRequired[float]


class Named(NamedTuple):
    a: int
    b: str


Counts = NewType("Counts", dict[str, int])


class Model(pydantic.BaseModel):
    x: int
    label: str = ""


def value_of(schema: Any, raw: bytes) -> Any:
    match = compile_schema(schema).match(raw)
    assert match is not None
    return match.value


def refuses(schema: Any, raw: bytes) -> bool:
    return compile_schema(schema).match(raw) is None


@pytest.mark.parametrize(
    ("schema", "raw", "expected"),
    [
        (Point, b'{"x": 1, "other": [{}]}', Point(1)),
        (Verdict, b'{"status": "done", "files": ["a"]}', Verdict("done", ["a"])),
        (Usage, b'{"tokens": 1, "other": 2}', {"tokens": 1}),
        (dict[str, int], b'{"a": 1}', {"a": 1}),
        (dict, b'{"a": [1.5, null]}', {"a": [1.5, None]}),
        (dict[str, object], b'{"a": {}}', {"a": {}}),
        (Any, b'{"a": 1}', {"a": 1}),
        (Line | Dot, b'{"kind": "dot", "at": {"x": 1}}', Dot(Point(1))),
        (Line | Dot, b'{"ends": [], "kind": "line"}', Line([])),
        (Point | None, b'{"x": 1}', Point(1)),
        (Point | list[Point], b'[{"x": 1}]', [Point(1)]),
        (Pair, b"[1, 2]", Pair(1, 2)),
        (Named, b'[1, "x"]', Named(1, "x")),
        (Tree, b'{"name": "a", "kids": [{"name": "b"}]}', Tree("a", [Tree("b")])),
        (Annotated[dict[str, int], msgspec.Meta(min_length=1)], b'{"a": 1}', {"a": 1}),
        (Counts, b'{"a": 1}', {"a": 1}),
        (dict[int, float], b'{"1": 2}', {1: 2.0}),
    ],
)
def test_types_of_msgspec(schema: Any, raw: bytes, expected: Any) -> None:
    assert value_of(schema, raw) == expected
    assert type(value_of(schema, raw)) is type(expected)


@pytest.mark.parametrize(
    ("schema", "raw"),
    [
        (Point, b'{"x": "1"}'),
        (Point, b'{"x": 1.5}'),
        (Point, b'{"x": null}'),
        (Point, b'{"label": "x"}'),
        (Point, b'{"inner": {"x": 1}}'),
        (Point, b'[{"x": 1}]'),
        (Point, b"{}"),
        (Verdict, b'{"status": "maybe"}'),
        (Usage, b'{"tokens": true}'),
        (dict[str, int], b'{"a": 1, "b": "2"}'),
        (Line | Dot, b'{"kind": "circle", "at": {"x": 1}}'),
        (Line | Dot, b'{"at": {"x": 1}}'),
        (Pair, b'{"a": 1, "b": 2}'),
        (Annotated[dict[str, int], msgspec.Meta(min_length=1)], b"{}"),
        (list[int], b"{}"),
    ],
)
def test_types_are_taken_strictly(schema: Any, raw: bytes) -> None:
    assert refuses(schema, raw)


@pytest.mark.parametrize("schema", [Point, Model])
@pytest.mark.parametrize(
    ("raw", "x", "label"),
    [
        (rb'{"x": 1, "label": "\ud83d"}', 1, "\ud83d"),
        (b'{"x": 1, "label": "\xff"}', 1, "\ufffd"),
        (b'{"x": 1, "label": "ok", "cost": NaN}', 1, "ok"),
        (b'{"x": 1, "label": "ok", "cost": -1E400}', 1, "ok"),
        (rb'{"x": 1, "label": "ok", "cut": "\ud83d"}', 1, "ok"),
        (rb'{"x": 1, "label": "ok", "\ud83d": NaN}', 1, "ok"),
        (b'{"x": %s, "label": "ok"}' % (b"1" * 400), int("1" * 400), "ok"),
        (b'{"x": 1, "label": "ok", "deep": %s}' % (b"[" * 300 + b"]" * 300), 1, "ok"),
        (rb'{"\u0078": 1, "lab\u0065l": "ok"}', 1, "ok"),
        (b'{"x": 1, "x": 2, "label": "ok"}', 2, "ok"),
        (b'{"x": [], "x": 2, "label": "ok"}', 2, "ok"),
        (rb'{"x": [], "\u0078": 2, "label": "ok"}', 2, "ok"),
    ],
)
def test_whatever_json_reads_can_match(schema: Any, raw: bytes, x: int, label: str) -> None:
    value = value_of(schema, raw)
    assert (value.x, value.label) == (x, label)


@pytest.mark.parametrize("schema", [Point, Model, {"properties": {"x": {"type": "integer"}}, "required": ["x"]}])
@pytest.mark.parametrize("raw", [b'{"x": 1, "x": "no"}', b'{"x": 1, "d": %s}' % (b"[" * 9_999_999 + b"]" * 9_999_999)])
def test_what_json_refuses_or_overrides_does_not_match(schema: Any, raw: bytes) -> None:
    assert refuses(schema, raw)


def test_infinite_numbers_are_floats() -> None:
    assert value_of(dict[str, float], b'{"a": 1E400, "b": -Infinity}') == {"a": float("inf"), "b": float("-inf")}
    assert refuses(dict[str, int], b'{"a": 1E400}')
    assert value_of(Usage, b'{"tokens": 1, "cost": 1E400}')["cost"] == float("inf")


names = st.sampled_from(['"x"', r'"\u0078"', '"label"', '"kind"', '"at"', '"ends"', '"other"', r'"\ud83d"'])
leaves = st.sampled_from(
    ["1", "-0", "1E400", "NaN", "null", '"s"', r'"\ud83d"', '"dot"', '"line"', "[]", "true", "1.5"]
)
documents = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(st.tuples(names, inner), max_size=5).map(lambda m: "{" + ",".join(f"{k}:{v}" for k, v in m) + "}"),
        st.lists(inner, max_size=2).map(lambda items: "[" + ",".join(items) + "]"),
    ),
    max_leaves=10,
).filter(lambda text: text[0] in "{[")


def shown(value: Any) -> str:
    return re.sub(r"\\ud83d|\ufffd", "?", repr(value))


@settings(max_examples=800, deadline=None)
@given(documents)
def test_every_object_is_judged_as_its_value_would_be(text: str) -> None:
    for schema in (Point, Line | Dot, dict[str, Point], Point | list[Point], Usage):
        try:
            # msgspec.convert looks keys up by their UTF-8, which a lone surrogate has not.
            expected = shown(msgspec.convert(json.loads(text.replace(r'\ud83d":', '?":')), schema))
        except (msgspec.ValidationError, UnicodeEncodeError):
            expected = None
        match = compile_schema(schema).match(text.encode())
        assert (None if match is None else shown(match.value)) == expected


def test_a_post_init_refuses_as_a_function_does() -> None:
    assert value_of(Even, b'{"n": 2}') == Even(2)
    assert refuses(Even, b'{"n": 1}')
    assert value_of(Even, b'{"n": 1, "n": 2}') == Even(2)


class Colour(Enum):
    RED = "red"


class StrictModel(pydantic.BaseModel, strict=True):
    day: date
    colour: Colour
    sizes: set[int]


class Aliased(pydantic.BaseModel):
    x: int = pydantic.Field(alias="X")
    y: int = pydantic.Field(validation_alias=pydantic.AliasChoices("yy", "why"))


class Filled(pydantic.BaseModel):
    x: int

    @pydantic.model_validator(mode="before")
    @classmethod
    def fill(cls, value: Any) -> Any:
        return {"x": 0, **value}


class Seven:
    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.with_default_schema(core_schema.int_schema(), default=7)


class Defaulted(pydantic.BaseModel):
    seven: Seven
    x: int


class Failing(pydantic.BaseModel):
    x: int

    @pydantic.field_validator("x")
    @classmethod
    def look_up(cls, value: int) -> int:
        return {1: 10}[value]


@pydantic.dataclasses.dataclass
class PydanticDataclass:
    x: Annotated[int, pydantic.Field(gt=0)]


class Rooted(pydantic.RootModel[dict[str, int]]):
    pass


def test_pydantic_models() -> None:
    assert value_of(Model, b'{"x": "1", "other": 2}') == Model(x=1)
    assert refuses(Model, b'{"x": "one"}')
    assert refuses(Model, b'{"label": "x"}')
    assert refuses(Model, b'{"inner": {"x": 1}}')
    assert value_of(PydanticDataclass, b'{"x": 1}') == PydanticDataclass(1)
    assert refuses(PydanticDataclass, b'{"x": 0}')
    assert value_of(Rooted, b'{"root": 1}').root == {"root": 1}
    assert value_of(Rooted, b'{"a": 1}').root == {"a": 1}
    assert value_of(list[Model], b'[{"x": 1}]') == [Model(x=1)]
    assert value_of(Model | PydanticDataclass, b'{"x": 1}') == Model(x=1)
    assert refuses(Holder, b'{"inner": {"x": 0}}')
    assert value_of(Holder, b'{"inner": {"x": 1}}') == Holder(PydanticDataclass(1))
    strict = value_of(StrictModel, b'{"day": "2025-01-02", "colour": "red", "sizes": [1]}')
    assert (strict.day, strict.colour, strict.sizes) == (date(2025, 1, 2), Colour.RED, {1})


def test_pydantic_models_that_read_other_keys_or_none() -> None:
    assert value_of(Aliased, b'{"X": 1, "why": 2}').y == 2
    assert value_of(Filled, b'{"a": 1}').x == 0
    assert value_of(Defaulted, b'{"x": 1}').seven == 7
    assert refuses(Defaulted, b'{"seven": 1}')


def test_a_validator_that_fails_on_the_data_refuses_it() -> None:
    assert value_of(Failing, b'{"x": 1}').x == 10
    assert refuses(Failing, b'{"x": 2}')


def test_a_json_schema() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "integer", "minimum": 1}}, "required": ["x"]}
    assert value_of(schema, b'{"x": 1, "y": [2]}') == {"x": 1, "y": [2]}
    assert refuses(schema, b'{"x": 0}')
    assert refuses(schema, b'{"x": "1"}')
    assert refuses(schema, b'{"y": 1}')
    assert value_of(schema, rb'{"\u0078": 1, "y": "\ud83d"}') == {"x": 1, "y": "\ud83d"}
    assert value_of({}, b'{"a": NaN}').keys() == {"a"}
    assert value_of({"required": ["x"]}, b"[]") == []


def test_a_json_schema_of_an_older_draft_ignores_what_stands_beside_a_reference() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$ref": "#/definitions/any",
        "required": ["x"],
        "definitions": {"any": {"type": "object"}},
    }
    assert value_of(schema, b"{}") == {}


def test_a_json_schema_with_references_into_itself() -> None:
    tree = {"$defs": {"node": {"properties": {"kids": {"items": {"$ref": "#/$defs/node"}}}, "required": ["name"]}}}
    schema = {**tree, "$ref": "#/$defs/node"}
    assert value_of(schema, b'{"name": "a", "kids": [{"name": "b"}]}')["name"] == "a"
    assert refuses(schema, b'{"name": "a", "kids": [{"nom": "b"}]}')
    assert value_of({"$ref": JSON_SCHEMA_2020}, b'{"type": "string"}') == {"type": "string"}
    assert refuses({"$ref": JSON_SCHEMA_2020}, b'{"type": "strng"}')
    assert refuses({"$ref": "#"}, b'{"endless": 1}')


def test_data_that_a_validator_cannot_compute_with_is_refused() -> None:
    assert refuses({"properties": {"x": {"multipleOf": 0.5}}}, b'{"x": %s}' % (b"1" * 4000))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "strng"},
        {"required": "x"},
        {"pattern": "("},
        {"$schema": []},
        {"$schema": 3},
        {"$ref": "#/$defs/missing"},
        {"properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}},
        {"properties": {"a": {"$ref": "other.json"}}, "$id": "file:///etc/"},
    ],
)
def test_a_json_schema_that_cannot_be_used_is_refused_at_once_and_nothing_is_fetched(
    schema: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urllib.request.urlopen", lambda *_args, **_kwargs: pytest.fail("fetched"))
    with pytest.raises(ValueError, match=r"JSON Schema"):
        compile_schema(schema)


def test_a_json_schema_changed_later_changes_nothing() -> None:
    schema: dict[str, Any] = {"required": ["x"]}
    compiled = compile_schema(schema)
    schema["required"].append("y")
    assert compiled.match(b'{"x": 1}') == Match({"x": 1})


def test_a_json_schema_without_the_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    with pytest.raises(ImportError, match=r"pip install 'lastbrace\[jsonschema\]'"):
        compile_schema({"type": "object"})


def positive(value: Any) -> int:
    if value["n"] <= 0:
        raise ValueError("not positive")
    return int(value["n"])


def test_a_function() -> None:
    assert value_of(positive, b'{"n": 3}') == 3
    assert value_of(lambda _value: None, b"{}") is None
    assert value_of(pydantic.TypeAdapter(Model).validate_python, b'{"x": 1}') == Model(x=1)


@pytest.mark.parametrize("raw", [b'{"n": 0}', b'{"m": 1}', b'{"n": "3"}', b"[]", b'{"n": Infinity}', b'{"n": NaN}'])
def test_a_function_that_fails_on_the_data_refuses_it(raw: bytes) -> None:
    assert refuses(positive, raw)


@pytest.mark.parametrize("error", [RuntimeError, OSError, NameError, MemoryError, KeyboardInterrupt])
def test_a_function_that_fails_on_its_own_account_is_heard(error: type[BaseException]) -> None:
    def broken(_value: Any) -> None:
        raise error("mine")

    with pytest.raises(error, match="mine"):
        compile_schema(broken).match(b"{}")


def test_a_function_gets_a_value_of_its_own() -> None:
    schema: Schema[Any] = compile_schema(lambda value: value.pop("a"))
    assert schema.match(b'{"a": 1}') == schema.match(b'{"a": 1}') == Match(1)


class Plain:
    def __init__(self, value: Any) -> None:
        self.value = value


async def later(value: Any) -> Any:
    return value


@pytest.mark.parametrize(
    "schema",
    [
        *(None, 3, "name", b"{}", ["x"], True, later, Point(1), Model(x=1)),
        *(int, str, date, Colour, int | str, Plain, list[Plain], Point | Line),
    ],
)
def test_anything_else_is_refused_at_once_with_what_is_supported(schema: Any) -> None:
    with pytest.raises(TypeError, match=r"msgspec\.Struct.*pydantic.*JSON Schema.*function"):
        compile_schema(schema)


def test_a_compiled_schema_is_a_schema() -> None:
    compiled = compile_schema(Point)
    assert compile_schema(compiled) is compiled


def test_objects_without_a_required_key_are_not_read() -> None:
    seen: list[bytes] = []
    match = Schema(seen.append, ["x", "y z"]).match
    others = [b'{"x": 1}', b'{"x y z": 1, "x": 2}', rb'{"x": 1, "z": "\u1234"}', b"{}"]
    for raw in others:
        assert match(raw) is None
    assert seen == []
    possible = [b'{"y z": 1, "x": 2}', b"[]", rb'{"\u0078": 1, "y\u0020z": 2}']
    for raw in possible:
        match(raw)
    assert seen == possible


@pytest.mark.parametrize("schema", [Point, Verdict, Usage, Model, {"required": ["status"]}])
def test_an_event_that_cannot_match_costs_nothing_to_refuse(schema: Any) -> None:
    match = compile_schema(schema).match
    raw = b'{"type": "event", "list": [' + b"[1],\n" * 50_000 + b"[]]}"
    tracemalloc.start()
    assert match(raw) is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1000


def test_importing_the_schemas_loads_no_extra() -> None:
    code = (
        "import lastbrace.schema, sys; print({'pydantic', 'jsonschema', 'referencing', 'asyncio'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
