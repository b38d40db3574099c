"""Values: what ``json.loads`` gives on the text, whatever msgspec makes of it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lastbrace.decoding import decode, decode_as
from lastbrace.errors import DecodeError

digits = st.text("0123456789", min_size=1, max_size=30)
exponents = st.one_of(
    st.just(""),
    st.tuples(st.sampled_from("eE"), st.sampled_from(["", "+", "-"]), digits.map(lambda d: d[:3])).map("".join),
)
numbers = st.one_of(
    st.integers(-(2**70), 2**70).map(str),
    st.integers(1, 4300).map(lambda n: "-" + "7" * n),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda x: f"{x:.25e}"),
    st.tuples(st.sampled_from(["", "-"]), digits, digits, exponents).map(
        lambda p: f"{p[0]}{p[1].lstrip('0') or '0'}.{p[2]}{p[3]}"
    ),
    st.sampled_from(["NaN", "Infinity", "-Infinity", "-0", "1E400"]),
).map(str.encode)
strings = st.lists(
    st.one_of(
        st.sampled_from(
            [rb"\"", rb"\\", rb"\/", rb"\b", rb"\n", rb"\u0000", rb"\ud83d", rb"\uDE00", rb"\u00e9", b"{", b"\x7f"]
        ),
        st.binary(max_size=4).map(lambda b: bytes(c for c in b if c >= 0x80)),
        st.text(max_size=4).map(lambda t: json.dumps(t, ensure_ascii=False).encode("utf-8", "replace")[1:-1]),
    ),
    max_size=6,
).map(lambda parts: b'"' + b"".join(parts) + b'"')
keys = st.one_of(st.sampled_from([b'""', b'"a"', rb'"\u0061"', b'"b"', b'"\xff"', b'"\xef\xbf\xbd"']), strings)


def join_members(members: list[tuple[bytes, bytes]]) -> bytes:
    return b"{" + b" , ".join(key + b":" + value for key, value in members) + b"}"


values = st.recursive(
    st.one_of(numbers, strings, st.sampled_from([b"true", b"false", b"null"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: b"[" + b",\n".join(items) + b"]"),
        st.lists(st.tuples(keys, inner), max_size=4).map(join_members),
    ),
    max_leaves=12,
)
objects = st.lists(st.tuples(keys, values), max_size=5).map(join_members)


def reference(raw: bytes) -> Any:
    return json.loads(raw.decode("utf-8", "replace"))


def check_equal(raw: bytes) -> None:
    # The repr tells what == does not: 1 from 1.0 and True, -0.0 from 0.0, NaN, the order of keys.
    assert repr(decode(raw)) == repr(reference(raw))


@settings(max_examples=300, deadline=None)
@given(objects)
def test_any_object_is_read_as_json_reads_it(raw: bytes) -> None:
    check_equal(raw)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=12))
def test_any_bytes_in_a_string_are_replaced_as_python_replaces_them(data: bytes) -> None:
    check_equal(b'{"a": "' + bytes(c for c in data if c >= 0x20 and c not in b'"\\') + b'"}')


@pytest.mark.parametrize(
    "number",
    [
        "-0",
        "-0.0",
        "0e0",
        "1E400",
        "-1E400",
        "1e-400",
        "5e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "9007199254740993.0",
        "0.1000000000000000055511151231257827",
        "0." + "0" * 500 + "1e600",
        "123456789012345678901e0",
        "1" * 25 + ".5",
        "9" * 309 + ".0",
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "-18446744073709551616",
        "-19477678823131236538",
        "1" * 400,
        "-" + "9" * 4300,
        "NaN",
        "Infinity",
        "-Infinity",
    ],
)
def test_numbers(number: str) -> None:
    check_equal(b'{"n": %s}' % number.encode())


@pytest.mark.parametrize(
    "raw",
    [
        rb'{"a": "\ud83d"}',
        rb'{"a": "\ud83dx", "b": "\ude00\ud83d", "c": "\ud83d\ude00"}',
        rb'{"\ud83d": 1}',
        rb'{"a": "\u0000\b\f\n\r\t\"\\\/\u001F"}',
        b'{"a": "\xff", "b": "\xed\xa0\x80", "c": "\xc0\x80", "d": "\xe2\x28\xa1", "e": "\xf0\x9f\x98"}',
        b'{"\xff": 1, "\xef\xbf\xbd": 2}',
        b'{"a": "\xef\xbb\xbf\xf0\x9f\x98\x80\x7f"}',
        b'{"": {"": []}}',
        b'{"a": 1, "b": 2, "a": 3}',
        b'{"a": {"x": 1}, "a": {}}',
        rb'{"a": 1, "\u0061": NaN}',
        b"[]",
        b'[ {"a" : [ ] } ,\r\n\ttrue,false,null ]',
    ],
)
def test_strings_and_keys(raw: bytes) -> None:
    check_equal(raw)


def test_a_value_is_as_deep_as_the_default_limit_allows() -> None:
    check_equal(b'{"a":' * 200 + b"1" + b"}" * 200)
    check_equal(b'{"a":' * 199 + b"[NaN]" + b"}" * 199)


@pytest.mark.parametrize("leaf", [b"1", b"NaN", b'"\xff"'])
@pytest.mark.parametrize(("head", "tail"), [(b'{"a":', b"}"), (b"[", b"]")])
def test_too_deep_for_the_interpreter_is_a_decode_error(head: bytes, tail: bytes, leaf: bytes) -> None:
    raw = head * 200_000 + leaf + tail * 200_000
    with pytest.raises(DecodeError, match="too deep"):
        decode(raw)
    with pytest.raises(DecodeError, match="too deep"):
        decode_as(raw, dict[str, Any])


def test_an_integer_too_long_for_the_interpreter_is_a_decode_error() -> None:
    before = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(640)
        with pytest.raises(DecodeError, match="640 digits"):
            decode(b'{"n": NaN, "m": %s}' % (b"1" * 641))
    finally:
        sys.set_int_max_str_digits(before)


@pytest.mark.parametrize("raw", [b"", b"{", b"{a: 1}", b'{"a": 1} x', b"\xff"])
def test_what_is_no_json_is_a_decode_error(raw: bytes) -> None:
    with pytest.raises(DecodeError):
        decode(raw)


class Point(msgspec.Struct):
    x: int
    label: str = ""


@dataclass
class Cost:
    usd: float


def test_typed_values() -> None:
    assert decode_as(b'{"x": 1, "other": [2]}', Point) == Point(1)
    assert decode_as(b'{"usd": 2}', Cost) == Cost(2.0)
    assert decode_as(b'{"1": [2]}', dict[int, tuple[int]]) == {1: (2,)}


def test_typed_values_where_msgspec_refuses_the_text() -> None:
    assert decode_as(rb'{"x": 1, "label": "\ud83d"}', Point) == Point(1, "\ud83d")
    assert decode_as(b'{"x": 1, "label": "\xff"}', Point) == Point(1, "\ufffd")
    assert decode_as(b'{"x": 1, "other": NaN}', Point) == Point(1)
    assert decode_as(b'{"usd": -1E400}', Cost) == Cost(float("-inf"))
    assert decode_as(b'{"1": NaN}', dict[int, float]).keys() == {1}


def test_lone_surrogates_in_keys_and_among_choices() -> None:
    assert decode_as(rb'{"\ud83d": 2, "x": 1}', Point) == Point(1)
    assert decode_as(rb'{"\ud83d": 2}', dict[str, int]) == {"\ud83d": 2}
    with pytest.raises(DecodeError):
        decode_as(rb'{"a": "\ud83d"}', dict[str, Literal["a"]])


def test_of_duplicate_keys_only_the_last_has_to_be_of_the_type() -> None:
    assert decode_as(b'{"x": "draft", "x": 1}', Point) == Point(1)
    with pytest.raises(DecodeError):
        decode_as(b'{"x": 1, "x": "draft"}', Point)


def test_a_value_of_another_type_is_a_decode_error_that_says_where() -> None:
    with pytest.raises(DecodeError, match=r"Expected `int`, got `str` - at `\$\.x`"):
        decode_as(b'{"x": "1"}', Point)
    with pytest.raises(DecodeError, match="missing required field `x`"):
        decode_as(b'{"label": "\xff"}', Point)
