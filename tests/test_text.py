"""Whole texts: find, first, last, what is said when there is none, and the end of what is balanced."""

from __future__ import annotations

import contextlib
import json
import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lastbrace
from lastbrace import (
    Completion,
    NoObjectError,
    Reply,
    Status,
    balanced_end,
    find_objects,
    first_object,
    last_object,
    parse_completion,
    parse_reply,
)  # fmt: skip

FENCED = 'like {"n": 0} or\n```json\n{"n": 1}\n```\nor {"n": 2}\n~~~\n{"n": 3}\n~~~\n'


@pytest.mark.parametrize(
    "make", [str.encode, str, lambda text: bytearray(text.encode()), lambda t: memoryview(t.encode())]
)
def test_any_kind_of_text(make: Any) -> None:
    data = make('é {"n": 1} %{x} {"n": 2}')
    assert [(found.start, found.end, found.value) for found in find_objects(data)] == [
        (3, 11, {"n": 1}), (17, 25, {"n": 2}),
    ]  # fmt: skip
    assert (first_object(data), last_object(data)) == ({"n": 1}, {"n": 2})


@pytest.mark.parametrize("function", [find_objects, first_object, last_object])
@pytest.mark.parametrize("data", [None, 5, ["{}"], {"a": 1}])
def test_what_is_no_text(function: Any, data: Any) -> None:
    with pytest.raises(TypeError, match="bytes, bytearray, memoryview or str"):
        function(data)


@pytest.mark.parametrize("data", [None, 5, ["{}"], {"a": 1}])
def test_what_never_raises_takes_no_text_for_an_empty_one(data: Any) -> None:
    assert parse_completion(data) == parse_completion("")
    assert parse_reply(data) == parse_reply("")


def test_scan_options() -> None:
    text = '[{"a": 1}] {"b": NaN}\n{"c":\n1}'
    assert [found.value for found in find_objects(text, roots="array")] == [[{"a": 1}]]
    assert [found.raw for found in find_objects(text, roots="any", strict=True)] == [b'[{"a": 1}]', b'{"c":\n1}']
    assert [found.raw for found in find_objects(text, framing="lines")] == [b'{"a": 1}', b'{"b": NaN}']
    assert last_object(text, max_object_bytes=8) == {"c": 1}
    assert first_object('{"a": {"b": {}}} {"c": 1}', max_depth=2) == {"c": 1}
    assert last_object('{"a": "\x1b[1mb"}') == {"a": "b"}
    assert last_object('{"a": "\x1b[1mb"}', strip_ansi=False, default=None) is None
    for function in (find_objects, first_object, last_object):
        with pytest.raises(ValueError, match="roots"):
            function(text, roots="string")  # type: ignore[operator]
        with pytest.raises(TypeError):
            function(text, colour=True)  # type: ignore[operator]


def test_fragments_only_on_request() -> None:
    cut = '{"result": {"n": 1}, "usage": {"n": 2}'
    assert find_objects(cut) == []
    assert [(found.fragment, found.value) for found in find_objects(cut, fragments=True)] == [
        (True, {"n": 1}), (True, {"n": 2}),
    ]  # fmt: skip
    for function in (first_object, last_object):
        with pytest.raises(NoObjectError, match="ended inside an object that began at byte 0"):
            function(cut)  # type: ignore[operator]
    assert (first_object(cut, fragments=True), last_object(cut, fragments=True)) == ({"n": 1}, {"n": 2})
    assert last_object('{"n": 1} ' + cut) == {"n": 1}


def test_a_fenced_object_is_preferred_then_the_first() -> None:
    assert first_object(FENCED) == {"n": 1}
    assert first_object(FENCED, prefer_fenced=False) == {"n": 0}
    assert last_object(FENCED) == {"n": 3}
    assert first_object('{"n": 0} {"n": 1}') == {"n": 0}
    assert first_object('{"n": 0}\n```\n{}\n```') == {"n": 0}
    assert first_object(FENCED, schema=lambda value: value if value["n"] != 1 else int("x")) == {"n": 3}


def test_an_empty_object_counts_where_there_is_nothing_else() -> None:
    assert last_object('{"n": 1} {}') == first_object('{} {"n": 1}') == {"n": 1}
    assert last_object("x {} y") == first_object("x {  } y") == {}
    assert last_object("{} []", roots="any") == []
    assert first_object("{} []", roots="any") == {}
    assert last_object("{}", default=5) == {}
    with pytest.raises(NoObjectError, match="1 object, none that satisfies the schema"):
        last_object("{}", schema=dict[str, int])


@pytest.mark.parametrize("function", [first_object, last_object])
@pytest.mark.parametrize("default", [None, 0, {"d": 1}, ...])
def test_a_default_of_any_kind(function: Any, default: Any) -> None:
    assert function("none", default=default) is default
    assert function('{"a": "x"}', schema=dict[str, int], default=default) is default
    assert function('{"a": 1}', default=default) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "no JSON object in 0 bytes"),
        ("é", {}, "no JSON object in 2 bytes"),
        ("{", {}, r"ended inside an object that began at byte 0 \(1 bytes? read\)"),
        ('ab {"a": 1', {}, r"ended inside an object that began at byte 3 \(7 bytes read\)"),
        ('{"a": done}', {}, r"what began at byte 0 broke off at byte 6 \(not a value\), in .*done"),
        ('x, "a": {"b": 1}', {}, "only 1 fragment of broken ones"),
        ('{"long": "answer"}', {"max_object_bytes": 8}, "1 object dropped, larger than max_object_bytes"),
        ('{"a": 1} {"b": 2}', {"schema": {"required": ["c"]}}, "2 objects, none that satisfies the schema"),
    ],
)
def test_the_error_says_why(text: str, options: dict[str, Any], message: str) -> None:
    for function in (first_object, last_object):
        with pytest.raises(NoObjectError, match=message) as raised:
            function(text, **options)  # type: ignore[operator]
        assert isinstance(raised.value, LookupError)
        assert isinstance(raised.value, lastbrace.LastbraceError)


class Point(msgspec.Struct):
    x: int


def test_a_schema() -> None:
    text = '{"x": 1} {"x": "no"} {"x": 2} {"y": 3}'
    assert (first_object(text, schema=Point), last_object(text, schema=Point)) == (Point(1), Point(2))
    assert last_object(text, schema=lambda value: value["x"] * 2) == 4
    assert last_object('{"a": 1}', schema=lambda value: None) is None
    with pytest.raises(TypeError, match="a schema is"):
        last_object(text, schema=5)  # type: ignore[call-overload]


def test_a_schema_that_fails_for_a_reason_of_its_own() -> None:
    def check(value: Any) -> Any:
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        last_object('{"x": 1}', schema=check)


def test_a_value_that_cannot_be_built() -> None:
    deep = '{"a":' * 100_000 + "1" + "}" * 100_000
    assert last_object(deep + ' {"n": 1}') == {"n": 1}
    (found,) = find_objects(deep, max_depth=200_000)
    with pytest.raises(lastbrace.DecodeError, match="deep"):
        _ = found.value
    with pytest.raises(lastbrace.DecodeError, match="deep"):
        last_object(deep, max_depth=200_000)


def test_parse_completion() -> None:
    done = Completion(Status.DONE)
    assert parse_completion('a {"status":"done"} b') == done
    assert parse_completion("x\nDONE", contract="marker") == done
    assert parse_completion("x\nREADY", contract="marker", marker="READY") == done
    assert parse_completion('{"status":"done"}'.encode("utf-16")) == done
    assert parse_completion(None).as_dict() == {"status": "error", "error": "invalid-json"}  # type: ignore[arg-type]
    assert parse_completion(None, contract="marker").status == "continue"  # type: ignore[arg-type]


def test_parse_reply() -> None:
    event = {"type": "result", "subtype": "success", "is_error": False, "result": "hi", "session_id": "s"}
    line = json.dumps({**event, "total_cost_usd": 0.5})
    expected = ("claude", "hi", "s", False, True, 0.5)
    for data in (line, line.encode(), f"noise {{x}}\n{line}\n", line.encode("utf-16"), json.dumps([json.loads(line)])):
        for agent in ("auto", "claude"):
            reply = parse_reply(data, agent=agent)
            facts = (reply.agent, reply.text, reply.session_id, reply.is_error, reply.final, reply.cost_usd)
            assert facts == expected
    assert parse_reply(line, returncode=1).is_error
    failed = parse_reply(line[:-1], agent="claude", returncode=1, stderr=b"Error: no disk")
    assert (failed.is_error, failed.final) == (True, False)
    assert "no disk" in (failed.error or "")
    plain = parse_reply("just text", returncode=0)
    assert plain == Reply(text="just text")
    assert parse_reply("just text", returncode=2).error == "exit status 2"
    with pytest.raises(ValueError, match="claude, codex"):
        parse_reply("", agent="clod")


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(), st.binary(), st.text('{}[]":,\\ \n\ud83d1ax')))
def test_only_errors_of_its_own(data: Any) -> None:
    for function in (first_object, last_object):
        with contextlib.suppress(NoObjectError):
            assert isinstance(function(data), dict)
    assert isinstance(parse_reply(data, stderr=data), Reply)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("{}", 0, 2),
        ("x{y}z", 1, 4),
        ("[{]}", 0, None),
        ("{[}]", 0, None),
        ("{[]", 0, None),
        ('{"}"}', 0, 5),
        (r'{"\"}"}', 0, 7),
        (r'{"\\"}"', 0, 6),
        ('{"a', 0, None),
        ('{"a\\', 0, None),
        ('{"line\nend}"}', 0, 13),
        ("{'}'}", 0, 3),
        ("}{}", 1, 3),
        ("é{é}", 1, 4),
        ('"{"a"}', 1, 6),
        ("[1, [2], 3] 4", 0, 11),
        ("[1, [2], 3] 4", 4, 7),
        ("{" * 100_000 + "}" * 100_000, 0, 200_000),
    ],
)
def test_balanced_end(text: str, start: int, end: int | None) -> None:
    assert balanced_end(text, start) == end
    data = text.encode()
    at = len(text[:start].encode())
    assert balanced_end(data, at) == (None if end is None else len(text[:end].encode()))


@pytest.mark.parametrize("start", [1, 2, 3, 99, -1, -2, -4])
def test_where_no_bracket_stands(start: int) -> None:
    for text in ("{a}", "}{}", "", b"{a}", b"}{}"):
        if text[start : start + 1] in ("{", b"{") and start > 0:
            continue
        with pytest.raises(ValueError, match="no opening bracket"):
            balanced_end(text, start)


def test_balanced_end_of_every_object() -> None:
    rng = random.Random(5)
    for _ in range(200):
        pieces = ('{"a": "}\\"{"}', '{"b": [{}, "]"]}', "{x", "prose", '"', "[1]", "\n")
        text = "".join(rng.choices(pieces, k=8))
        for found in find_objects(text, roots="any", fragments=True):
            assert balanced_end(text.encode(), found.start) == found.end
