"""The decoder in C: what it accepts is what `json` reads, it accepts all that is ordinary, and it harms nobody."""

from __future__ import annotations

import gc
import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lastbrace
from lastbrace.decoding import decode
from lastbrace.errors import DecodeError
from lastbrace.implementation import AUTOMATA, decode_in_c

from .json_documents import DOCUMENTS
from .test_decoding import objects
from .test_native import IN_C, resident, run

DATA = Path(__file__).parent / "data"
DEEPEST = 200
WIDTHS = (8, 16, 32, 64)  # bytes that are looked at together, on one processor or another

decoders = [decode_in_c] if decode_in_c is not None else []  # none where there was no compiler

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18) + 1, 10**18 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
)


def judged(raw: bytes) -> str | None:
    """Return the `repr` of what json reads, which tells 1 from 1.0 and -0.0 from 0.0; None where it reads nothing."""
    try:
        return repr(json.loads(raw.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return None


def check(raw: bytes, *, accepted: bool | None = None) -> bool:
    """Hold the decoder to json, and return whether it accepts; where there is none, whether it would have to."""
    for decoder in decoders:
        value = decoder(raw)
        if value is not NotImplemented:
            assert repr(value) == judged(raw), raw
        assert accepted is None or (value is not NotImplemented) is accepted, raw
    return judged(raw) is not None


def mutated(raw: bytes, rng: random.Random) -> bytes:
    """Return a text that differs from this one a little, as what is broken or hostile does."""
    at, length = rng.randrange(len(raw) + 1), rng.choice((0, 1, 1, 2, 7))
    new = rng.choice((b"", b'"', b"\\", b"\\u", b"\\ud83d", b"{", b"}", b"[", b"]", b",", b":", b"0", b"-", b".", b"e9",
                      b" ", b"\n", b"\x00", b"\x1f", b"\x7f", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98\x80", b"\xff",
                      raw[at : at + 9], bytes([rng.randrange(256)])))  # fmt: skip
    return raw[:at] + new + raw[at + length :]


def texts() -> list[bytes]:
    """Return JSON of many kinds, short enough to be cut at every byte."""
    captured = [line for path in sorted(DATA.glob("captures/*/*.stdout")) for line in path.read_bytes().splitlines()]
    chosen = sorted({line for line in captured if line.startswith(b"{") and len(line) < 800}, key=len)[::20]
    return [*DOCUMENTS.values(), *chosen, SAMPLE]


SAMPLE = json.dumps(
    {
        "kind": "assistant", "empty": "", "ü": "naïve café", "euro": "12 €", "face": "\U0001f600" * 3,
        "numbers": [0, -1, 10**17, 1.5, -2.5e-7, 1e22, 123456789012345678], "nested": {"a": [[], {}, [{"b": None}]]},
        "code": 'if x:\n\treturn "a\\b"\n' * 4, "ascii": "x" * 100, "latin": "é" * 40, "yes": True, "no": False,
        "a key of many bytes" * 3: 1,
    },
    ensure_ascii=False,
).encode()  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(plain, st.sampled_from([None, 2]), st.booleans())
def test_whatever_json_writes_is_read(value: Any, indent: int | None, ascii_only: bool) -> None:
    check(json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode(), accepted=True)


@settings(max_examples=300, deadline=None)
@given(objects)
def test_whatever_json_reads_is_read_alike_or_left_to_others(raw: bytes) -> None:
    check(raw)


def test_a_text_that_was_changed_is_read_as_json_reads_it() -> None:
    rng = random.Random(7)
    seeds = texts()
    accepted = 0
    for _ in range(20_000):
        raw = rng.choice(seeds)
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            raw = mutated(raw, rng)
        accepted += check(raw)
    assert accepted > 2000


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_of_every_kind(name: str) -> None:
    check(DOCUMENTS[name], accepted={"y": True, "n": False}.get(name[0]))


def test_every_text_of_the_test_data() -> None:
    read = 0
    for path in sorted(path for path in DATA.rglob("*") if path.is_file()):
        data = path.read_bytes()
        read += sum(check(text) for text in (data, *data.splitlines()))
    assert read > 500


def test_a_text_that_was_cut_anywhere() -> None:
    for raw in texts():
        for end in range(len(raw)):
            check(raw[:end])
            check(raw[end:])


@pytest.mark.parametrize("number", [
    "0", "-0", "-0.0", "0.0", "0e0", "0e99999999999", "-1", "9", "10", "2147483647", "4294967296",
    "9007199254740993", "123456789012345678", "-999999999999999999", "1234567890123456789", "-9223372036854775808",
    "9223372036854775808", "18446744073709551615", "18446744073709551616", "12345678901234567890", "1" * 400,
    "-" + "9" * 399, "1.0", "0.1", "-0.1", "1.5", "1E+2", "1e2", "1E5", "1e-2", "1e22", "1e23", "1.0e22", "123e-22",
    "9007199254740993.0", "9007199254740992.5", "9007199254740995.5", "0.1000000000000000055511151231257827",
    "0.84442185152504812", "8.5e-7", "7.450580596923828125e-9", "2.5e-27", "9999999999999999999e27",
    "18446744073709551615e-27", "1e27", "1e28", "5e-324", "2.4703282292062327e-324", "2.2250738585072014e-308",
    "1.7976931348623157e308", "1e400", "-1e400", "1e-400", "1e99999", "1e-99999", "0." + "0" * 9990 + "1e9991",
    "0." + "0" * 20000 + "1e20001", "1" + "0" * 300 + "e-300", "0." + "0" * 500 + "1e600", "9" * 309 + ".0",
    "1.00000000000000000000000000001", "1." + "0" * 50 + "1",
])  # fmt: skip
def test_numbers(number: str) -> None:
    for text in (number, f"[{number}]", f"[{number},1]", f'{{"n":{number}}}', f" {number}\n"):
        check(text.encode(), accepted=True)


@pytest.mark.parametrize("number", [
    "00", "01", "-01", "-", "--1", "+1", "1.", ".5", "-.5", "1.e5", "1e", "1e+", "1e-", "1E", "1ee2", "0x10",
    "1_000", "1 2", "1e5.0", "1.2.3", "١", "NaN", "Infinity", "-Infinity", "nan", "1" * 5000, "1" * 401,
])  # fmt: skip
def test_numbers_that_are_none_or_not_ordinary(number: str) -> None:
    for text in (number, f"[{number}]", f'{{"n":{number}}}'):
        check(text.encode(), accepted=False)


def test_doubles_are_the_nearest_ones() -> None:
    rng = random.Random(3)
    for _ in range(20_000):
        digits = str(rng.randrange(1, 10 ** rng.randint(1, 21)))
        if rng.random() < 0.3:  # between two doubles, or almost
            digits = str((rng.randrange(2**52, 2**53) * 2 + 1) * 2 ** rng.randrange(8) + rng.choice((-1, 0, 0, 1)))
        point = rng.randint(0, len(digits))
        text = f"{digits[:point] or '0'}.{digits[point:] or '0'}e{rng.randint(-30, 30)}"
        text = text.lstrip("0") if not text.startswith("0.") else text
        check((text if text[0] != "." else f"0{text}").encode(), accepted=True)
        check(repr(rng.random() * 10 ** rng.randint(-20, 20)).encode(), accepted=True)


@pytest.mark.parametrize("body", [
    rb"\u0000", rb"\u001f", rb"\u007f", rb"\u0080", rb"\u00e9", rb"\u00ff", rb"\u0100", rb"\u07ff", rb"\u0800",
    rb"\uffff", rb"\ud83d\ude00", rb"\uD83D\uDE00", rb"\udbff\udfff", rb"\ud800\udc00", rb"\ue000", rb"\ud7ff",
    rb"\"\\\/\b\f\n\r\t", b"\x7f", "é".encode(), "ÿ".encode(), "Ā".encode(), "€".encode(), "\ufffd".encode(),
    "\uffff".encode(), "\U00010000".encode(), "\U0010ffff".encode(), "a\u0301\u200d\U0001f600é".encode(), b"'",
    b"{}[],:",
])  # fmt: skip
def test_strings_wherever_they_end(body: bytes) -> None:
    for length in (0, 1, *(width + near for width in WIDTHS for near in (-2, -1, 0, 1)), 300):
        for text in (b"x" * length + body, body + b"x" * length, body * (length or 1)):
            check(b'"' + text + b'"', accepted=True)
            check(b'{"%s": "%s", "%s": 1}' % (text, text, text), accepted=True)


@pytest.mark.parametrize("body", [
    rb"\ud83d", rb"\ude00", rb"\ud83d\ud83d", rb"\ud83dx\ude00", rb"\ud83d\n", rb"\ud83d\u0041", rb"\u", rb"\u12",
    rb"\u123g", rb"\u 123", rb"\u-123", rb"\x41", rb"\U0041", rb"\'", b"\\\n", b"\\", b"\\\x00", b"\n", b"\t",
    b"\x00", b"\x1f", b"\x80", b"\xbf", b"\xc0\x80", b"\xc1\xbf", b"\xc3", b"\xc3(", b"\xe0\x80\x80",
    b"\xe0\x9f\xbf", b"\xe2\x82", b"\xe2(\xa1", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf0\x80\x80\x80",
    b"\xf0\x8f\xbf\xbf", b"\xf0\x9f\x98", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xff",
])  # fmt: skip
def test_strings_that_are_none_or_not_ordinary(body: bytes) -> None:
    for length in (0, 1, *(width + near for width in WIDTHS for near in (-2, -1, 0, 1)), 300):
        some = b"x" * length
        for text in (some + body, body + some, some + body + some, "é€".encode() + body):
            check(b'"' + text + b'"', accepted=False)
            check(b'{"%s": 1}' % text, accepted=False)
            check(b'{"a": "%s' % text, accepted=False)


@pytest.mark.parametrize(("head", "tail"), [(b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")])
def test_depth(head: bytes, tail: bytes) -> None:
    times = DEEPEST // (head.count(b"[") + head.count(b"{"))
    check(head * times + b"1" + tail * times, accepted=True)
    check(head * times + b"[]" + tail * times, accepted=False)
    check(head * times, accepted=False)
    check(head * 1_000_000, accepted=False)
    check((b"[" + head * (times - 1) + b"1" + tail * (times - 1) + b"]")[: -len(tail)], accepted=False)


def test_many_values_side_by_side() -> None:
    for count in (126, 127, 128, 129, 1000, 100_000):
        check(b"[" + b",".join([b"{}"] * count) + b"]", accepted=True)
        check(json.dumps({f"key {number}": number for number in range(count)}).encode(), accepted=True)
        check(b"[" + b'{"a":1},' * count, accepted=False)


def test_keys_that_look_alike_are_told_apart() -> None:
    keys = [letter * length for length in (0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 200) for letter in "ab"]
    keys += ["12345678" + middle * 8 + "12345678" for middle in "abc"]
    keys += ["\0", "\0\0", "a\0", "a" * 8 + "\0", "é", "\u20ac"]
    keys += [f"{number:x}" for number in range(5000)]
    rng = random.Random(5)
    for _ in range(20):
        rng.shuffle(keys)
        check(json.dumps(dict.fromkeys(keys, 1), ensure_ascii=False).encode(), accepted=True)


@pytest.mark.parametrize("raw", [
    b'{"a": 1, "b": 2, "a": 3}', b'{"a": 1, "\\u0061": 2}', b'{"\\u0061": 1, "a": {"a": 2, "a": 3}, "b": 4}',
    b'{"a":{},"a":[]}',
])  # fmt: skip
def test_of_the_same_keys_the_last_value_stands_where_the_first_one_did(raw: bytes) -> None:
    check(raw, accepted=True)


@pytest.mark.parametrize("around", [b" ", b"\t\n\r ", b"\n" * 100])
def test_white_space(around: bytes) -> None:
    tokens = [b"{", b'"a"', b":", b"[", b"1", b",", b"true", b"]", b",", b'"b"', b":", b"null", b"}"]
    check(around.join([b"", *tokens, b""]), accepted=True)


@pytest.mark.parametrize("space", [b"\x0b", b"\x0c", b"\x00", b"\xa0", b"\xc2\xa0", b"\xef\xbb\xbf", b"//", b"x", b"}"])
def test_what_is_no_white_space(space: bytes) -> None:
    for text in (b"%s{}", b"{}%s", b"{%s}", b'{"a"%s:1}', b"[%s1]", b"[1%s]"):
        check(text % space, accepted=False)


@pytest.mark.parametrize("raw", ["{}", bytearray(b"{}"), memoryview(b"{}"), None, 1])
def test_what_is_no_bytes_is_left_to_others(raw: Any) -> None:
    assert [decoder(raw) for decoder in decoders] == [NotImplemented for _ in decoders]


def test_what_is_left_to_others_says_what_is_wrong() -> None:
    with pytest.raises(DecodeError, match=r"line 1 column (8|10) ") as told:
        decode(b'{"a": 1, }')
    assert told.value.__context__ is None or isinstance(told.value.__context__, ValueError)


def test_ten_thousand_texts_leave_nothing_behind() -> None:
    rng = random.Random(1)
    kept = [
        SAMPLE, *(mutated(SAMPLE, rng) for _ in range(40)), *(SAMPLE[:end] for end in range(0, len(SAMPLE), 20)),
        b'{"long": "' + b"x\\n" * 5000 + b'"}', b'["' + b"\\u00e9" * 5000 + b"\xff", b"[" + b'{"a": 1},' * 500,
        b"[" * 300, b"1" * 400, "é".encode() * 300,
    ]  # fmt: skip

    def read(times: int) -> None:
        for number in range(times):
            for decoder in decoders:
                decoder(kept[number % len(kept)])

    read(500)
    gc.collect()
    blocks, found, memory = sys.getallocatedblocks(), len(gc.get_objects()), resident()
    references = [sys.getrefcount(value) for value in (None, NotImplemented)]
    read(10_000)
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 100
    assert len(gc.get_objects()) - found < 20
    assert resident() - memory < 3_000_000
    after = [sys.getrefcount(value) for value in (None, NotImplemented)]
    assert all(abs(now - before) < 100 for now, before in zip(after, references, strict=True))


def test_a_failed_allocation_is_a_memory_error() -> None:
    """Each allocation fails in turn, where this interpreter has the means to let it."""
    program = f"""
from lastbrace.implementation import decode_in_c
try:
    from _testcapi import remove_mem_hooks, set_nomemory
except ImportError:
    print("no means")
    raise SystemExit
texts = [{SAMPLE!r}, b"[" + b"1," * 500 + b"2]", b'["' + b"\\\\n" * 9000 + b'"]', b"[" + b"12345" * 60 + b"]"]
wanted = [decode_in_c(text) for text in texts]
failed = 0
for text, value in zip(texts, wanted):
    for number in range(1, 200):
        try:
            set_nomemory(number, number + 1)
            got = decode_in_c(text)
        except MemoryError:
            failed += 1
        else:
            remove_mem_hooks()
            assert got == value, got
        finally:
            remove_mem_hooks()
        assert decode_in_c(text) == value
print("failed" if failed > 20 else f"failed {{failed}} times")
"""
    assert [run(program) for _ in IN_C] in ([], ["failed"], ["no means"])


def test_a_sub_interpreter_decodes_with_keys_of_its_own() -> None:
    program = f"""
import lastbrace, os
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
lastbrace.last_object('{{"status": "done"}}')
child = '''
import sys, types
package = types.ModuleType("lastbrace")
package.__path__ = [{str(Path(lastbrace.__file__).parent)!r}]
sys.modules["lastbrace"] = package
from lastbrace._native import decode
for _ in range(100):
    assert decode(b'{{"status": "done"}}') == {{"status": "done"}}
'''
for _ in range(3):
    interpreter = interpreters.create()
    problem = interpreters.run_string(interpreter, child)
    assert problem is None, problem
    interpreters.destroy(interpreter)
assert lastbrace.last_object('{{"status": "done"}}') == {{"status": "done"}}
print("decoded")
"""
    assert [run(program) for _ in IN_C] == ["decoded" for _ in IN_C]


def test_it_is_there_where_the_scanner_in_c_is() -> None:
    assert (decode_in_c is not None) is ("c" in AUTOMATA)
    assert run("from lastbrace.implementation import decode_in_c; print(decode_in_c)", LASTBRACE_PURE="1") == "None"
