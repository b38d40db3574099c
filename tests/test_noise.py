"""Terminal sequences, NUL and byte-order marks go before anything is read, however chunks cut them."""

from __future__ import annotations

import random

import pytest

from lastbrace import Found, Unfinished
from lastbrace.noise import MAX_STRING_BYTES, TerminalFilter

from .feeding import events_of, in_bytes, outcome_of, random_chunks, watch

SEQUENCES: dict[str, bytes] = {
    "colour": b"\x1b[31m",
    "reset": b"\x1b[m",
    "true colour": b"\x1b[38;2;255;100;0m",
    "colour with colons": b"\x1b[38:2::255:100:0m",
    "private parameter": b"\x1b[?2004h",
    "other private parameters": b"\x1b[>4;1m\x1b[=1u\x1b[<1u",
    "intermediate byte": b"\x1b[!p\x1b[1 q",
    "controls inside": b"\x1b[3\x08\x071\x7fm",
    "cursor": b"\x1b[10;5H\x1b[2K\x1b[A",
    "begun twice": b"\x1b[3\x1b[31m",
    "two bytes": b"\x1b7\x1b8\x1b=\x1b>\x1bc\x1bM\x1bN\x1bO",
    "character set": b"\x1b(B\x1b)0\x1b#8\x1b%G",
    "title ended by BEL": b"\x1b]0;a title\x07",
    "title ended by ST": b"\x1b]2;a title\x1b\\",
    "title that holds an object": b'\x1b]0;{"status":"done"}\x07',
    "title beyond ASCII": "\x1b]0;caf\u00e9 \u2713\x07".encode(),
    "link": b'\x1b]8;id=1;https://example.com/{a}?b="c"\x1b\\',
    "link without its end": b"\x1b]8;;\x07",
    "device control string": b'\x1bPq#0;2;{"a":1}\x1b\\',
    "start of string": b"\x1bX{\x1b\\",
    "privacy message": b"\x1b^}\x1b\\",
    "application command": b"\x1b_Gi=1;AAAA\x1b\\",
    "string cancelled": b"\x1b]0;a\x18\x1b]0;b\x1a",
    "sequence cancelled": b"\x1b[31\x18\x1b\x1a",
    "NUL": b"\x00",
    "many NULs": b"\x00" * 50,
    "NUL inside": b"\x1b[\x0031m",
}

each_sequence = pytest.mark.parametrize("sequence", SEQUENCES.values(), ids=SEQUENCES)


def found(text: bytes) -> list[tuple[int, int, bytes]]:
    return [(event.start, event.end, event.raw) for event in events_of(text) if isinstance(event, Found)]


@each_sequence
def test_sequences_inside_an_object_are_removed(sequence: bytes) -> None:
    text = b'{"a":"x' + sequence + b'y","' + sequence + b'b":' + sequence + b"[1," + sequence + b"2]" + sequence + b"}"
    assert found(text) == [(0, len(text), b'{"a":"xy","b":[1,2]}')]


@each_sequence
def test_offsets_count_the_text_as_fed(sequence: bytes) -> None:
    text = sequence + b'log {"a":1' + sequence + b"}" + sequence + b'\n{"b":2}' + sequence
    first, second = text.index(b"log ") + 4, text.index(b'{"b":2}')
    assert found(text) == [
        (first, first + len(b'{"a":1' + sequence + b"}"), b'{"a":1}'),
        (second, second + 7, b'{"b":2}'),
    ]


@each_sequence
def test_a_line_that_begins_with_a_sequence_begins_in_column_0(sequence: bytes) -> None:
    text = b'{"torn":{"cut off\n' + sequence + b'{"b":2}'
    assert [event.fragment for event in events_of(text) if isinstance(event, Found)] == [False]


@pytest.mark.parametrize("end", range(1, 30))
def test_a_sequence_that_never_ends_costs_no_object_before_it(end: int) -> None:
    sequence = (b'\x1b]8;id=1;https://e.com/"{' * 2)[:end]
    assert found(b'{"a":1}' + sequence) == [(0, 7, b'{"a":1}')]


@pytest.mark.parametrize("begun", [b"\x1b", b"\x1b[", b"\x1b[3", b"\x1b[?25", b"\x1b[1;", b"\x1b(", b"\x1b[ "])
@pytest.mark.parametrize("kept", [b'{"a":1}', b'\n{"a":1}', b'\r\n{"a":1}', '\u00e9{"a":1}'.encode()])
def test_an_unfinished_sequence_hides_nothing(begun: bytes, kept: bytes) -> None:
    start = len(begun) + kept.index(b"{")
    assert found(begun + kept) == [(start, start + 7, b'{"a":1}')]


def test_quotes_and_braces_end_a_sequence_inside_an_object() -> None:
    assert [raw for _, _, raw in found(b'{"a":"x\x1b[3","b":{\x1b}}')] == [b'{"a":"x","b":{}}']


@pytest.mark.parametrize("begun", [b"\x1b]0;", b"\x1bP", b"\x1bX", b"\x1b^", b"\x1b_"])
def test_a_string_that_never_ends_stops_at_the_line_end(begun: bytes) -> None:
    text = begun + b'lost {"a":1} lost\n{"b":2}'
    assert [raw for _, _, raw in found(text)] == [b'{"b":2}']


@pytest.mark.parametrize("begun", [b"\x1b]", b"\x1bP", b"\x1bX", b"\x1b^", b"\x1b_"])
def test_a_string_that_never_ends_is_given_up(begun: bytes) -> None:
    text = begun + b"x" * 4096 + b'{"b":2}'
    assert found(text) == [(len(text) - 7, len(text), b'{"b":2}')]


@pytest.mark.parametrize("length", [4080, 4090, 4094, 4095])
def test_a_string_of_the_longest_kind_is_removed(length: int) -> None:
    assert [raw for _, _, raw in found(b"\x1b]" + b"{" * length + b'\x07{"b":2}')] == [b'{"b":2}']


def test_escaped_escapes_are_text() -> None:
    text = b'{"log":"\\u001b[31mred\\u0000"}'
    assert [event.value for event in events_of(text) if isinstance(event, Found)] == [{"log": "\x1b[31mred\x00"}]


def test_without_the_filter_an_escape_is_illegal_in_json() -> None:
    assert events_of(b'{"a":"\x1b[31m"} {"b":\x001}', strip_ansi=False) == []


def test_text_outside_objects_is_told_without_sequences() -> None:
    text = '\x1b[32mcaf\u00e9\x1b[0m {"a":1}\x00 \x1b]0;t\x07end'.encode()
    outcome_of(text, contract=None)  # the same text under every cut
    _, seen = watch([text], contract=None)
    assert "".join(seen.texts) == "caf\u00e9  end"


OBJECT = '{"status":"done","msg":"caf\u00e9 \U0001f389"}'


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("before", ["", "log \u2713\n"])
def test_byte_order_marks(encoding: str, before: str) -> None:
    text = (before + OBJECT + "\n").encode(encoding)
    (event,) = events_of(text)
    assert isinstance(event, Found)
    assert event.value == {"status": "done", "msg": "caf\u00e9 \U0001f389"}
    assert event.raw == OBJECT.encode()
    assert (event.start, event.end) == (len(before.encode(encoding)), len((before + OBJECT).encode(encoding)))


def test_big_endian() -> None:
    (event,) = events_of(b"\xfe\xff" + OBJECT.encode("utf-16-be"))
    assert isinstance(event, Found)
    assert (event.start, event.end) == (2, 2 + 2 * len(OBJECT) + 2)


@pytest.mark.parametrize("mark", [b"\xef", b"\xef\xbb", b"\xff", b"\xfe", b"\xff\xff\xfe", b"\xef\xbb{"])
def test_half_a_mark_is_noise(mark: bytes) -> None:
    text = mark + b' {"a":1}'
    assert found(text)[-1] == (len(text) - 7, len(text), b'{"a":1}')


def test_a_mark_further_on_is_text() -> None:
    assert [raw for _, _, raw in found(b'{"a":"\xef\xbb\xbf"}')] == [b'{"a":"\xef\xbb\xbf"}']


def test_utf16_with_sequences_cut_short() -> None:
    text = b"\xff\xfe" + '\x1b[31m{"a":\x1b[0m1} {"b":'.encode("utf-16-le")
    first, second = events_of(text)
    assert isinstance(first, Found)
    assert (first.start, first.end, first.raw) == (12, 12 + 2 * 11, b'{"a":1}')
    assert isinstance(second, Unfinished)
    assert second.start == 12 + 2 * 12


def filtered(chunks: list[bytes]) -> tuple[bytes, list[int], bool]:
    """Return what is left of the chunks, where each byte of it came from, and whether the end is in no sequence."""
    terminal = TerminalFilter()
    text = b"".join(terminal.feed(chunk) for chunk in chunks)
    return text, [terminal.offsets.at(at) for at in range(len(text))], terminal.is_in_text


ODD_BYTES = [bytes([byte]) for byte in b'\x1b\x1b\x1b[[]]PX^_\\m;0?/ #({}"|~z@O\r\n\x00\x01\x07\x18\x1a\x7f\x80\xff']
LONG = [b"\x1b]" + b"x" * (MAX_STRING_BYTES + more) for more in (-1, 0, 1)]


def test_what_is_read_in_one_go_is_read_by_the_rules_for_single_bytes() -> None:
    rng = random.Random(0)
    for _ in range(3000):
        kinds = rng.sample(ODD_BYTES, rng.randint(2, 12)) if rng.random() < 0.7 else ODD_BYTES
        text = b"".join(rng.choices([b"\x1b", *kinds], k=rng.randint(1, 50)))
        bare = filtered(in_bytes(text))
        assert filtered([text]) == bare, text
        assert filtered(random_chunks(text, rng)) == bare, text


@pytest.mark.parametrize("begun", LONG)
@pytest.mark.parametrize("rest", ODD_BYTES)
def test_a_string_is_given_up_after_the_same_byte(begun: bytes, rest: bytes) -> None:
    text = begun + rest + b"1"
    assert filtered([text]) == filtered(in_bytes(text)) == filtered([begun, rest, b"1"])
