"""What answers are among objects above `buffer_limit`: contract, schemas, agents; and their value as a type."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypedDict

import msgspec
import pydantic
import pytest

from lastbrace import Completion, DecodeError, Status, Watcher, last_object

from . import large_object
from .feeding import in_chunks
from .test_large import LIMIT, large


class Struct(msgspec.Struct):
    status: str
    n: int = 0


@dataclass
class Data:
    status: str


class Dictionary(TypedDict):
    status: str


class Tagged(msgspec.Struct, tag="done", tag_field="status"):
    n: int


class Strict(msgspec.Struct, forbid_unknown_fields=True):
    status: str


class Closed(msgspec.Struct, forbid_unknown_fields=True):
    status: str
    n: int
    other: str


class Model(pydantic.BaseModel):
    status: str
    n: int = 0


def function(value: Any) -> str:
    return str(value["status"])


EVERYTHING = {"other": "12345678", "status": "done", "n": 3}
JSON_SCHEMA = {"required": ["status"], "properties": {"other": {"type": "string"}}}
SCHEMAS: list[tuple[Any, Any, Any]] = [
    (Struct, Struct("done", 3), {"status": "done", "n": 3}),
    (Data, Data("done"), {"status": "done"}),
    (Dictionary, {"status": "done"}, {"status": "done"}),
    (Tagged, Tagged(3), {"status": "done", "n": 3}),
    (Closed, Closed("done", 3, "12345678"), EVERYTHING),
    (Model, Model(status="done", n=3), EVERYTHING),
    (function, "done", EVERYTHING),
    (JSON_SCHEMA, EVERYTHING, EVERYTHING),
    (dict[str, str | int], EVERYTHING, EVERYTHING),
]


@pytest.mark.parametrize(("schema", "value", "built"), SCHEMAS, ids=range(len(SCHEMAS)))
def test_schemas(schema: Any, value: Any, built: Any) -> None:
    matches: list[Any] = []
    watcher = Watcher(schema=schema, buffer_limit=LIMIT, on_match=lambda found, value: matches.append((found, value)))
    text = json.dumps(EVERYTHING) + '{"other": "12345678", "state": [1.5]}'
    for chunk in in_chunks(text.encode(), 7):
        watcher.feed(chunk)
    outcome = watcher.close()
    assert [match[1] for match in matches] == [value]
    assert outcome.value == value
    assert outcome.match is matches[0][0]
    assert outcome.match is not None
    assert outcome.match.value == built
    assert last_object(text, schema=schema, buffer_limit=LIMIT) == value


def test_what_a_large_object_is_refused_for() -> None:
    watcher = Watcher(schema=Strict, buffer_limit=LIMIT)
    watcher.feed('{"status": "done", "more": 1}')
    outcome = watcher.close()
    assert (outcome.state, "more" in outcome.reason) == ("no_match", True)


@pytest.mark.parametrize("options", [{}, {"schema": dict[str, int]}, {"schema": {"required": ["more"]}}])
def test_an_object_too_deep_to_be_written_anew_is_refused_for_that(options: dict[str, Any]) -> None:
    watcher: Watcher[Any] = Watcher(**options, buffer_limit=LIMIT, fields=["*"], max_depth=100_000)
    watcher.feed('{"deep": ' + "[" * 50_000 + "]" * 50_000 + "}")
    outcome = watcher.close()
    assert (outcome.state, "too deep" in outcome.reason) == ("no_match", True)


def test_the_contract() -> None:
    watcher = Watcher(buffer_limit=LIMIT, fields=["extra.n"])
    watcher.feed('{"long": "123456789", "extra": {"m": 1, "n": 2}, "status": "done", "summary": "ok"} {"a": "1234567"}')
    outcome = watcher.close()
    assert outcome.completion == Completion(Status.DONE, summary="ok")
    assert outcome.match is not None
    assert outcome.match.value == {"extra": {"n": 2}, "status": "done", "summary": "ok"}
    assert repr(outcome.match) == "Found(0, 83, None)"
    assert outcome.ok


def test_the_marker() -> None:
    watcher = Watcher(buffer_limit=LIMIT, contract="marker")
    watcher.feed('{"long": "123456789"}\nDONE\n')
    assert watcher.close().ok


def test_an_agents_events_and_answer() -> None:
    answer = '{"items": [1, 2, 3], "status": "done", "summary": "all gr\u00fcn"}'
    event = {"type": "result", "subtype": "success", "is_error": False, "session_id": "s", "result": "Well: " + answer}
    watcher = Watcher(agent="claude", buffer_limit=LIMIT)
    watcher.feed(json.dumps(event | {"total_cost_usd": 0.5, "usage": {"input_tokens": 3}}) + "\n")
    outcome = watcher.close(0)
    assert outcome.completion == Completion(Status.DONE, summary="all grün")
    assert outcome.reply is not None
    assert outcome.reply.cost_usd == 0.5
    assert outcome.match is not None
    assert outcome.match.raw is None


def test_a_capture() -> None:
    capture = (large_object.ROOT / "tests/data/captures/claude/a_plain.partial.stdout").read_bytes()
    outcomes = []
    for limit in (None, LIMIT):
        watcher = Watcher(agent="auto", buffer_limit=limit)
        for chunk in in_chunks(capture, 100):
            watcher.feed(chunk)
        outcomes.append(watcher.close(0))
    stored, built = outcomes
    assert (built.completion, built.reply, built.ok) == (stored.completion, stored.reply, True)


def test_decode() -> None:
    found = large(b'{"status": "done", "n": 3}')
    assert found.decode(Struct) == Struct("done", 3)
    assert found.decode(dict[str, Any]) == found.value
    with pytest.raises(DecodeError):
        found.decode(Strict)


def test_a_nonce() -> None:
    for schema in (None, Struct):
        watcher = Watcher(buffer_limit=LIMIT, nonce="a1", schema=schema)
        watcher.feed('{"other": "12345678", "status": "done", "nonce": "a1"} {"status": "error", "nonce": "b2"}')
        outcome = watcher.close()
        assert outcome.match is not None
        assert outcome.match.value == {"status": "done", "nonce": "a1"}
        assert outcome.value == (Completion(Status.DONE) if schema is None else Struct("done"))
