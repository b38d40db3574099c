"""Targets: the scanner, and what stands before it and after it: terminal filter, byte-order marks, decoder."""

from __future__ import annotations

import codecs
import itertools
import json
from typing import TYPE_CHECKING, Any, Literal

import msgspec

import lastbrace
from lastbrace import decoding
from lastbrace.encoding import Utf8Input
from lastbrace.implementation import decode_in_c
from lastbrace.noise import MAX_STRING_BYTES, TerminalFilter
from lastbrace.process.decoding import TextDecoder

from ..fuzz_oracle import Fact, facts
from ..oracle import expected
from .inputs import Input, few_ways, must_be_same, told

if TYPE_CHECKING:
    from collections.abc import Callable

    from lastbrace.offsets import OffsetMap


def scanner(data: bytes) -> Any:
    """What is found is what the rule finds, at its place, whatever the cuts; no byte is read more than three times."""
    chosen = Input(data)
    options: dict[str, Any] = {
        "roots": chosen.choose(("object", "array", "any")),
        "framing": chosen.choose(("free", "lines")),
        "strict": chosen.choose((False, True)),
        "max_depth": chosen.choose((200, 1, 2, 3)),
        "max_object_bytes": chosen.choose((None, 2, 7, 20)),
        "buffer_limit": chosen.choose((None, 1, 5, 12)),
    }
    first: Any = None
    for chunks in few_ways(chosen.rest):
        scanner = lastbrace.Scanner(**options)
        events = [event for chunk in chunks for event in scanner.feed(chunk)]
        opened = scanner.open and (scanner.open, repr(scanner.open.partial()))
        events += scanner.close()
        stats = scanner.stats
        assert stats.reread <= 2 * len(chosen.rest) * 2, stats  # a byte of UTF-16 may be two of UTF-8
        seen = (facts(events), opened, scanner.last, told(stats))
        first = seen if first is None else first
        must_be_same(first, seen, chunks)
    got = [fact if fact[0] in ("found", "large") else (*fact[:2], 0, *fact[3:]) for fact in first[0]]
    assert got == _by_the_rule(chosen.rest, options), (got, options)
    return first


def _by_the_rule(text: bytes, options: dict[str, Any]) -> list[Fact]:
    """Return what the oracle finds in the cleaned text, at its offsets in the input."""
    encoding, terminal = Utf8Input(), TerminalFilter()
    cleaned = terminal.feed(encoding.feed(text) + encoding.close())

    def offset(position: int, past: int = 0) -> int:
        return encoding.offsets.at(terminal.offsets.at(position) + past)

    return [
        (
            event.kind,
            offset(event.start),
            offset(event.end - 1, 1) if event.kind in ("found", "large") else 0,
            event.raw,
            event.fragment,
        )
        for event in expected(cleaned, **options)
    ]


def terminal(data: bytes) -> Any:
    """What is left is part of the input, at its offset, free of sequences; no sequence swallows more than its limit."""
    whole = TerminalFilter().feed(data)
    for chunks in few_ways(data):
        terminal = TerminalFilter()
        pieces = [terminal.feed(chunk) for chunk in chunks]
        assert b"".join(pieces) == whole, chunks
        offsets = _ascending(terminal.offsets, len(whole))
        assert [data[at] for at in offsets[:-1]] == [*whole]
        assert all(before < after for before, after in itertools.pairwise(offsets)), offsets
        assert offsets[-1] <= len(data)
    assert not {0x1B, 0} & {*whole}
    assert TerminalFilter().feed(whole) == whole
    kept = data.translate(None, b"\x00")
    if b"\x1b" not in data:
        assert whole == kept
    if not any(opener in data for opener in (b"\x1b]", b"\x1bP", b"\x1bX", b"\x1b^", b"\x1b_", b"\x7f", b"\x1b\x1b")):
        controls = {*range(0x20), 0x7F}  # those inside a sequence are read as the terminal reads them: it goes on
        if not controls - {0x1B, 0x0A, 0x0D} & {*data}:
            assert all(whole.count(byte) == data.count(byte) for byte in b'{}"\r\n')
    long = TerminalFilter()
    for _ in range(3):
        long.feed(data)
    assert long.feed(b"x" * (MAX_STRING_BYTES + 4)).endswith(b"x")
    return whole


def _ascending(offsets: OffsetMap, end: int) -> list[int]:
    """Ask for all offsets as the scanner does, who forgets those before."""
    asked = []
    for position in range(end + 1):
        asked.append(offsets.at(position))
        offsets.advance(position)
    return asked


_CODECS = (None, "utf-8", "utf-16", "utf-32", "cp1252", "shift_jis", "gb18030", "latin-1")


def encoding(data: bytes) -> Any:
    """Bytes with or without a mark are decoded as the standard library does, whatever the cuts, at their offsets."""
    chosen = Input(data)
    codec, text = chosen.choose(_CODECS), chosen.rest
    name = "utf-16-le" if text.startswith(codecs.BOM_UTF16_LE) else "utf-16-be"
    marked = text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    wanted = text[2:].decode(name, "replace").encode() if marked else text.removeprefix(codecs.BOM_UTF8)
    decoded = ""
    for chunks in few_ways(text):
        reader = Utf8Input()
        assert b"".join([*map(reader.feed, chunks), reader.close()]) == wanted, chunks
        offsets = _ascending(reader.offsets, len(wanted))
        assert offsets == sorted(offsets)
        assert offsets[0] >= 0
        assert offsets[-1] <= len(text) + 1  # half a character at the end counts as one
        if not marked:
            assert offsets[-1] == len(text)
        decoder = TextDecoder(codec)
        pieces = "".join([*map(decoder.decode, chunks), decoder.decode(b"", final=True)])
        decoded = decoded or pieces
        assert pieces == decoded, chunks
    return wanted


class Answer(msgspec.Struct):
    """A type as users write them."""

    status: Literal["done", "continue"]
    n: int = 0
    cost: float | None = None
    names: list[str] = []


_TYPES: tuple[Any, ...] = (dict[str, int], dict[str, str], dict[int, Any], list[dict[str, float]], Answer)


def decode(data: bytes) -> Any:
    """An object has the value that `json` gives it, and as a type what that value gives; no JSON is a DecodeError."""
    value_of(lambda: decoding.decode(data))
    in_c = NotImplemented if decode_in_c is None else decode_in_c(data)
    if in_c is not NotImplemented:
        must_be_same(repr(json.loads(data.decode("utf-8", "replace"))), repr(in_c), data)
    values = []
    for found in lastbrace.find_objects(data, roots="any", fragments=True):
        wanted = json.loads((found.raw or b"").decode("utf-8", "replace"))
        must_be_same(wanted, found.value, found.raw)
        for kind in _TYPES:
            converted = value_of(lambda kind=kind, wanted=wanted: decoding.convert_as(wanted, kind))
            must_be_same(converted, value_of(lambda kind=kind, found=found: found.decode(kind)), (found.raw, kind))
        values.append(repr(wanted))
    return values


def value_of(read: Callable[[], Any]) -> Any:
    """Return what was read, or the class of the error that a user is told of, whose message must be short."""
    try:
        return read()
    except lastbrace.DecodeError as error:
        message = str(error)
    assert 0 < len(message) < 1000
    return lastbrace.DecodeError
