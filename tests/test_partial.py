"""The value of an object that is still open: right after every byte, and cheap to ask for."""

from __future__ import annotations

import copy
import json
import pickle
import random
import re
from collections.abc import Callable
from typing import Any

import pytest

import lastbrace
from lastbrace import Found, Scanner, Unfinished, Watcher

from .cases import ALL, Case
from .feeding import bytes_read_by_object_readers, in_bytes, in_chunks, random_chunks
from .partial_oracle import MISSING, check, data_objects, grows, partial_of, same

OBJECTS = [
    b'{"status": "done", "summary": "all green"}',
    b'{"a": {"b": [1, [2.5, -3e10], {"c": null}], "d": true}, "e": [false, "x", []], "f": {}}',
    b'{"": "", "k": [ "one" , "two" ] , "n" : [ ] }',
    '{"é": "caffè 漢字 😀", "emoji": "😀😀"}'.encode(),
    rb'{"e\u0073c": "\u00e9\n\t\"\\\/ \\u0041 \\", "pair": "\ud83d\ude00\ud83d\ude00", "\ud83d\ude00": 1}',
    rb'{"lone": "\ud83d", "x": "\ud83d\n", "y": "\ud83d\ud83d\ude00", "z": "\ude00\u00e9", "w": "\ud83dA\\"}',
    b'{"nan": NaN, "inf": [Infinity, -Infinity], "big": 123456789012345678901234567890, "huge": 1e400}',
    b'{"f": [1.5, -0.0, 1E+5, 9007199254740993, 1e0000000001, 5e-324, 0e99999999999999999999, 1e-99999999999]}',
    b'{"a": 1, "a": "two", "b": {"c": 1}, "b": {"c": [2]}}',
    b'{"bad": "a\xff\xe2\x82b\xed\xa0\x80\xf0\x9f\x98", "\xe2": "\xc3(", "then": "\xe2\\n"}',
    b'{"t": tr' b'ue, "list": [null,false,true], "deep": [[[[[["x"]]]]]]}',
    b'{ "a" : { "b" : "c"\n\n\n} \n, "d" : 1 \n}',
]  # fmt: skip


@pytest.mark.parametrize("raw", OBJECTS, ids=range(len(OBJECTS)))
def test_after_every_byte(raw: bytes) -> None:
    check(raw, range(1, len(raw)))


@pytest.mark.parametrize("raw", OBJECTS, ids=range(len(OBJECTS)))
def test_after_any_cut(raw: bytes) -> None:
    for cut in range(1, len(raw)):
        check(raw, [cut])
    rng = random.Random(0)
    for _ in range(20):
        check(raw, sorted(rng.sample(range(1, len(raw)), rng.randint(1, len(raw) // 2))))


def test_of_a_random_part_of_the_test_data() -> None:
    rng = random.Random(0)
    objects = list(data_objects())
    assert len(objects) > 3_000
    for name, raw in rng.sample(objects, 250):
        check(raw, sorted(rng.sample(range(1, len(raw)), min(6, len(raw) - 1))), name)


@pytest.mark.parametrize("raw", [raw for raw in OBJECTS if b'"a": 1, "a"' not in raw])
def test_it_only_grows_towards_the_value(raw: bytes) -> None:
    scanner = Scanner()
    value: Any = {}
    for byte in in_bytes(raw[:-1]):
        scanner.feed(byte)
        assert scanner.open is not None
        before, value = json.loads(json.dumps(value)), scanner.open.partial()
        assert grows(before, value)
    found = scanner.feed(raw[-1:])[-1]
    assert isinstance(found, Found)
    assert grows(value, found.value)


@pytest.mark.parametrize("case", ALL, ids=[case.name for case in ALL])
def test_of_what_went_wrong_for_people(case: Case) -> None:
    if len(case.text) > 5000 or re.search(rb"[\x00\x1b]|\A\xef\xbb\xbf|\A\xff\xfe|\A\xfe\xff", case.text):
        return  # long ones are slow to check; offsets of the others are not those of the text
    for chunks in (case.chunks, in_bytes(case.text)):
        scanner = Scanner(**case.expect.get("options", {}))
        at = 0
        for chunk in chunks:
            scanner.feed(chunk)
            at += len(chunk)
            if scanner.open is not None:
                prefix = case.text[scanner.open.start : at]
                assert same(scanner.open.partial(), partial_of(prefix)), prefix


@pytest.mark.parametrize("change", [lambda value: value.clear(), lambda value: value.get("list", []).clear()])
def test_who_changes_it_spoils_the_value_and_nothing_else(change: Callable[[dict[str, Any]], None]) -> None:
    scanner, text = Scanner(), '{"text": "so far", "list": ["one", ["two"], 3], "text": "so"}'
    for byte in text[:-1]:
        scanner.feed(byte)
        assert scanner.open is not None
        change(scanner.open.partial())
    scanner.feed(text[-1:])
    assert scanner.last is not None
    assert scanner.last.value == json.loads(text)


def test_it_is_the_growing_value_itself() -> None:
    scanner = Scanner()
    scanner.feed('{"list": [1, ')
    opened = scanner.open
    assert opened is not None
    value = opened.partial()
    scanner.feed('2, 3], "text": "so f')
    assert scanner.open is not None
    assert scanner.open.partial() is value
    assert opened.partial() == value == {"list": [1, 2, 3], "text": "so f"}
    scanner.feed('ar"} ')
    assert scanner.open is None
    assert opened.partial() == {"list": [1, 2, 3], "text": "so f"}  # what it was when it was last asked for
    assert opened == Unfinished(0, opened.size)


UNENDED = {
    b'{"a": 12': 12, b'{"a": 12.': 12, b'{"a": 12.5e': 12.5, b'{"a": -': MISSING, b'{"a": -0': 0, b'{"a": 1e5': 1e5,
    b'{"a": t': True, b'{"a": fal': False, b'{"a": nul': None, b'{"a": I': float("inf"), b'{"a": -I': float("-inf"),
    b'{"a": 1, "a": 2': 2,
}  # fmt: skip


@pytest.mark.parametrize("text", UNENDED)
def test_numbers_and_words_when_asked_for(text: bytes) -> None:
    expected = {} if UNENDED[text] is MISSING else {"a": UNENDED[text]}
    for chunks in ([text], in_bytes(text)):
        scanner = Scanner()
        for chunk in chunks:
            scanner.feed(chunk)
            assert scanner.open is not None
            scanner.open.partial(unended=True)
        assert same(scanner.open.partial(unended=True), expected)  # type: ignore[union-attr]
        assert same(scanner.open.partial(), partial_of(text))  # type: ignore[union-attr]


@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize("raw", OBJECTS, ids=range(len(OBJECTS)))
def test_at_the_end_of_the_input(raw: bytes, asked: bool) -> None:
    for cut in range(1, len(raw)):
        scanner = Scanner()
        for chunk in random_chunks(raw[:cut], random.Random(cut)):
            scanner.feed(chunk)
            if asked and scanner.open is not None:
                scanner.open.partial()
        event = scanner.close()[0]
        assert isinstance(event, Unfinished)
        assert same(event.partial(), partial_of(raw[:cut]))
        assert same(event.partial(), partial_of(raw[:cut]))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_lines_that_are_cut(size: int) -> None:
    lines = [b'{"a": [1, 2, {"b": "cut he', b'{"c": 1}', b'  {"d": "\xc3', b'{"e": tru', b'{"last": "on']
    scanner = Scanner(framing="lines")
    unfinished = []
    for chunk in in_chunks(b"\n".join(lines), size):
        unfinished += [event for event in scanner.feed(chunk) if isinstance(event, Unfinished)]
    unfinished += [event for event in scanner.close() if isinstance(event, Unfinished)]
    assert [event.partial() for event in unfinished] == [
        {"a": [1, 2, {"b": "cut he"}]}, {"d": ""}, {}, {"last": "on"},
    ]  # fmt: skip


def test_of_an_object_too_large_to_store() -> None:
    scanner = Scanner(max_object_bytes=20)
    scanner.feed('{"a": 1, "b": "')
    assert scanner.open is not None
    assert scanner.open.partial() == {"a": 1, "b": ""}
    scanner.feed("and so on and on")
    assert scanner.open.partial() is None  # not what it was when somebody asked
    fresh = Scanner(max_object_bytes=20)
    fresh.feed('{"a": 1, "b": "and so on and on')
    assert fresh.open is not None
    assert fresh.open.partial() is None


def test_what_is_not_stored_any_more_is_not_shown_again_and_again() -> None:
    shown = []
    watcher: Watcher[Any] = Watcher(max_object_bytes=20, on_partial=lambda value: shown.append(dict(value)))
    for chunk in ('{"a": 1, "b": "', "12345", "67890", "and so on", "and on"):
        watcher.feed(chunk)
    assert shown == [{"a": 1, "b": ""}, {"a": 1, "b": "12345"}]


def test_of_one_after_another() -> None:
    scanner = Scanner(roots="any")
    scanner.feed('{"a": %} and [1, {"b')
    assert scanner.open is not None
    assert scanner.open.partial() == [1, {}]
    scanner.feed('": x] {"c": "d')
    assert scanner.open.partial() == {"c": "d"}


def test_terminal_sequences_are_not_in_it() -> None:
    scanner = Scanner()
    scanner.feed('{"a": "re\x1b[31md", "b": [1\x1b[0m2, ')
    assert scanner.open is not None
    assert scanner.open.partial() == {"a": "red", "b": [12]}


@pytest.mark.parametrize("unit", [b'{"id": 7, "t": "xy z"}, ', b'"' + b"x" * 3000 + rb'\n",', b"0.5,", rb'"\ud83d",'])
def test_asking_costs_in_proportion_to_what_is_new(unit: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in the bytes that are looked at again, and in events of the parser."""
    read = bytes_read_by_object_readers(monkeypatch)
    counts = []
    for size in (20_000, 40_000, 80_000):
        read.bytes = 0
        scanner = Scanner()
        text = b'{"rows": [' + unit * (size // len(unit))
        for chunk in in_chunks(text, 16):
            scanner.feed(chunk)
            assert scanner.open is not None
            scanner.open.partial()
        assert read.bytes <= 1.7 * len(text)  # an escape that is cut is read again
        counts.append(read.bytes)
    assert counts[2] < 2.2 * counts[1] < 4.9 * counts[0]


def test_a_long_number_is_read_once() -> None:
    scanner = Scanner()
    scanner.feed('{"a": 0.')
    for _ in range(20_000):
        scanner.feed("7" * 10)
        assert scanner.open is not None
        scanner.open.partial()
    scanner.feed(", ")
    assert scanner.open.partial() == {"a": float("0." + "7" * 200_000)}


def test_unfinished_made_by_hand_has_no_value() -> None:
    assert lastbrace.Unfinished(0, 1).partial() is None
    assert repr(lastbrace.Unfinished(0, 1)) == "Unfinished(start=0, size=1)"


def test_copies_have_the_value_of_now() -> None:
    scanner = Scanner()
    scanner.feed('{"a": 1, "b": "x')
    opened = scanner.open
    assert opened is not None
    copies = [copy.deepcopy(opened), pickle.loads(pickle.dumps(opened))]
    scanner.feed("y")
    assert opened.partial() == {"a": 1, "b": "xy"}
    for each in [*copies, copy.deepcopy(copies[0])]:
        assert each == opened
        assert each.partial() == {"a": 1, "b": "x"}
