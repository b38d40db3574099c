"""Objects above `buffer_limit`: values equal to those of stored objects, in memory that does not grow with them."""

from __future__ import annotations

import copy
import json
import pickle
import random
import sys
from typing import Any

import pytest

from lastbrace import (
    DecodeError,
    Dropped,
    Found,
    Scanner,
    Unfinished,
    Watcher,
    find_objects,
    iter_objects,
)

from . import large_object
from .feeding import bytes_read_by_object_readers, in_bytes, in_chunks, scan, ways
from .partial_oracle import data_objects, partial_of, same
from .test_partial import OBJECTS

LIMIT = 8
MEGABYTE = large_object.MEGABYTE


def large(raw: bytes, chunks: list[bytes] | None = None, **options: Any) -> Found:
    """Return the one object of a text read without storing it."""
    (found,) = [event for event in scan(chunks or [raw], buffer_limit=LIMIT, **options) if isinstance(event, Found)]
    return found


@pytest.mark.parametrize("raw", OBJECTS, ids=range(len(OBJECTS)))
def test_its_value_is_that_of_a_stored_object(raw: bytes) -> None:
    (stored,) = find_objects(raw)
    for name, chunks in ways(raw):
        found = large(raw, list(chunks))
        assert found.raw is None, name
        assert (found.start, found.end, found.fragment, found.fence) == (0, len(raw), False, None)
        assert same(found.value, stored.value), name
        assert found.value is found.value


def test_values_of_the_test_data() -> None:
    rng = random.Random(0)
    for name, raw in rng.sample([entry for entry in data_objects() if len(entry[1]) > LIMIT], 250):
        (stored,) = find_objects(raw)
        assert same(large(raw, in_chunks(raw, rng.randint(1, len(raw)))).value, stored.value), name


def test_where_it_stands() -> None:
    text = b'so:\n```json\n{"a": [1, 2, 3]}\n``` {"b": 1} {"torn": 1, "n":{"status":"x"},"a":"b\n'
    for name, chunks in ways(text):
        events = scan(chunks, buffer_limit=LIMIT)
        assert len(events) == 3, name
        found = events[0]
        assert isinstance(found, Found)
        assert (found.start, found.end, found.fence, found.value) == (12, 28, "json", {"a": [1, 2, 3]})
        assert events[1] == Found(33, 41, b'{"b": 1}', fence="json")
        assert events[2] == Dropped(42, len(text) - 1, "buffer_limit")  # it was not kept: nothing in it is found


def test_a_large_fragment() -> None:
    text = b'x,"usage":{"n": "12345678"},{"m": "12345678"} {"ok": "12345678"}'
    for name, chunks in ways(text):
        found = [event for event in scan(chunks, buffer_limit=LIMIT) if isinstance(event, Found)]
        assert [event.fragment for event in found] == [True, True, False], name
        assert [event.value for event in found] == [{"n": "12345678"}, {"m": "12345678"}, {"ok": "12345678"}]


WANTED: list[tuple[Any, bytes, Any]] = [
    (["a"], b'{"b": [1, {"a": 2}], "a": {"x": [1, {"y": null}]}}', {"a": {"x": [1, {"y": None}]}}),
    (["a.x", "c"], rb'{"a": {"y": 1, "x": [2]}, "b": 3, "c": "\ud83d"}', {"a": {"x": [2]}, "c": "\ud83d"}),
    (["i.*.n"], b'{"i": [{"n": 1, "m": 2}, 3, {"m": "n"}, {"n": [4]}]}', {"i": [{"n": 1}, {}, {"n": [4]}]}),
    (["i.1"], b'{"i": ["xxxxx", "yyy", "zzz"]}', {"i": ["yyy"]}),
    (["*"], b'{"a": 1, "b": [2, {"c": 3}]}', {"a": 1, "b": [2, {"c": 3}]}),
    (["a.b"], b'{"a": {"b": 1}, "a": 2, "c": 33333}', {}),
    (["a"], b'{"a": {"b": 1}, "a": 2, "c": 33333}', {"a": 2}),
    ([("a.b",), r"c\.d"], b'{"a.b": 1, "a": {"b": 2}, "c.d": 3}', {"a.b": 1, "c.d": 3}),
    ([], b'{"a": "xxxxxxxxxxxxx"}', {}),
]


@pytest.mark.parametrize(("fields", "raw", "value"), WANTED, ids=range(len(WANTED)))
def test_only_the_members_wanted(fields: Any, raw: bytes, value: Any) -> None:
    for name, chunks in ways(raw):
        found = large(raw, list(chunks), fields=fields)
        assert same(found.value, value), name
        assert not found.empty, name


def test_white_space_alone_is_empty() -> None:
    raw = b"{" + b" " * 20 + b"}"
    for chunks in ([raw], in_bytes(raw)):
        found = large(raw, chunks, fields=["a"])
        assert found.empty
        assert found.value == {}
    assert large(b"[" + b" " * 20 + b"]", roots="array").empty
    assert not large(b"[" + b" " * 20 + b"0]", roots="array", fields=["a"]).empty


def test_when_it_dies_reading_goes_on_there() -> None:
    text = b'{"a": {"b": 1}, "c": nope {"d": 1}'
    for name, chunks in ways(text):
        scanner = Scanner(buffer_limit=LIMIT)
        events = [event for chunk in chunks for event in scanner.feed(chunk)]
        assert events == [Dropped(0, 22, "buffer_limit"), Found(26, 34, b'{"d": 1}')], name
        assert scanner.stats.dropped == 0  # of those that are larger than they may be
        assert scanner.stats.last_dead is not None


def test_max_object_bytes_still_holds() -> None:
    text = b'{"a": "' + b"x" * 50 + b'"} {"b": "' + b"y" * 10 + b'"}'
    for name, chunks in ways(text):
        events = scan(chunks, buffer_limit=LIMIT, max_object_bytes=30)
        assert events[0] == Dropped(0, 59, "max_object_bytes"), name
        assert isinstance(events[1], Found)
        assert events[1].value == {"b": "y" * 10}


@pytest.mark.parametrize("raw", OBJECTS, ids=range(len(OBJECTS)))
def test_its_value_while_it_grows(raw: bytes) -> None:
    scanner = Scanner(buffer_limit=LIMIT)
    for at, byte in enumerate(in_bytes(raw[:-1]), 1):
        scanner.feed(byte)
        assert scanner.open is not None
        assert same(scanner.open.partial(), partial_of(raw[:at]))
    events = scanner.close()
    assert len(events) == 1
    assert isinstance(events[0], Unfinished)
    assert same(events[0].partial(), partial_of(raw[:-1]))


def test_lines() -> None:
    text = b'{"a": "12345678", "b": [1, 2\n{"c": "12345678"}\n{"d": "123456'
    for name, chunks in ways(text):
        events = scan(chunks, buffer_limit=LIMIT, framing="lines")
        assert [type(event) for event in events] == [Unfinished, Found, Unfinished], name
        values = [event.partial() if isinstance(event, Unfinished) else None for event in events]
        assert values == [{"a": "12345678", "b": [1]}, None, {"d": "123456"}]


def test_equal_and_hashable() -> None:
    one, other, third = large(b'{"a": "12345678"}'), large(b'{"a": "12345678"}'), large(b'{"a": "12345679"}')
    assert one == other
    assert hash(one) == hash(other)
    assert one != third
    assert copy.deepcopy(one) == one == pickle.loads(pickle.dumps(one))


def test_an_integer_that_the_interpreter_refuses() -> None:
    text = b'{"n": ' + b"1" * 1000 + b"}"
    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        for chunks in ([text], in_bytes(text)):
            found = large(text, chunks)
            with pytest.raises(DecodeError):
                _ = found.value
    finally:
        sys.set_int_max_str_digits(digits)


def test_limits_that_make_no_sense() -> None:
    with pytest.raises(ValueError, match="buffer_limit must be at least 1"):
        Scanner(buffer_limit=0)
    with pytest.raises(ValueError, match="not a path"):
        Scanner(buffer_limit=10, fields=[""])


@pytest.mark.parametrize("ignore", [[], ["{}"]])
def test_fields_from_an_iterator_are_wanted_of_every_object(ignore: list[str]) -> None:
    watcher = Watcher(schema=dict, buffer_limit=LIMIT, fields=iter(["a"]), ignore=ignore)
    for _ in range(2):
        watcher.feed('{"a": 1, "b": "12345678"}')
        assert watcher.close().value == {"a": 1}
        watcher.reset()
    watcher = Watcher(agent="claude", schema={"required": ["a"]}, buffer_limit=LIMIT, fields=iter(["a"]))
    watcher.feed(json.dumps({"type": "result", "is_error": False, "result": '{"a": 1, "b": "12345678"}'}))
    assert watcher.close().value == {"a": 1}


def test_iter_objects() -> None:
    chunks = [b'{"rows": [', b'{"n": 1}, {"n": 2}', b'], "status": "done"}', b' {"s": 1}']
    found = list(iter_objects(chunks, buffer_limit=LIMIT, fields=["status"]))
    assert [event.value for event in found] == [{"status": "done"}, {"s": 1}]


def test_memory_does_not_grow_with_the_object() -> None:
    nothing = large_object.read(MEGABYTE, 0, "nothing")
    rows = large_object.read(24 * MEGABYTE, 0)
    assert rows.value == {"first": [1, 2.5], "text": 0, "status": "done"}
    assert rows.peak - nothing.peak < 20 * MEGABYTE
    string = large_object.read(64 * MEGABYTE, 60 * MEGABYTE)
    assert string.value == {"first": [1, 2.5], "text": 60 * MEGABYTE, "status": "done"}
    assert string.peak - nothing.peak < (60 + 40) * MEGABYTE
    unwanted = large_object.read(64 * MEGABYTE, 60 * MEGABYTE, "skip")
    assert unwanted.peak - nothing.peak < 20 * MEGABYTE


@pytest.mark.parametrize("unit", [b'{"id": 7, "t": "xy z"}, ', b'"' + b"x" * 3000 + rb'\n",', b"0.5,", rb'"\ud83d",'])
def test_work_is_in_proportion_to_the_object(unit: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in the bytes that are read, those read again included."""
    read = bytes_read_by_object_readers(monkeypatch)
    for size in (10_000, 40_000):
        read.bytes = 0
        work = 0
        text = b'{"rows": [' + unit * (size // len(unit)) + b'0], "status": "done"}'
        watcher = Watcher(buffer_limit=LIMIT)
        for chunk in in_chunks(text, 16):
            watcher.feed(chunk)
            last, work = read.bytes - work, read.bytes  # what the chunk at hand took
        assert watcher.completion is not None
        assert last <= 2 * 16  # the last one no more than any
        assert len(text) <= work <= 1.7 * len(text)
