"""Twice the text is twice the work, whatever the text: counted exactly, and timed with a wide margin."""

from __future__ import annotations

import gc
import time
from typing import Any, NamedTuple

import pytest

from .feeding import SCANNERS, in_bytes, scan_stats

WORK_PER_DOUBLING = 2.2
TIMES_AS_MUCH = 4
TIMES_AS_LONG = 8  # linear is 4 and quadratic 16; clocks of busy machines need the room
VISITS = 3.0  # of each byte, on average
LONG_ENOUGH = 0.02  # seconds: shorter times say nothing
ATTEMPTS = 4
DEEP = 10**9


class Hostile(NamedTuple):
    """A text that grows with `n`: a head, a piece repeated, a tail; and the options it is read with."""

    head: bytes
    piece: bytes
    tail: bytes = b""
    options: dict[str, Any] = {}  # noqa: RUF012 - a field's default, never changed

    def text(self, size: int) -> bytes:
        return self.head + self.piece * (size // len(self.piece)) + self.tail


TEXTS = {
    "braces": Hostile(b"", b"{"),
    "braces-deep": Hostile(b"", b"{", options={"max_depth": DEEP}),
    "open-members": Hostile(b"", b'{"a":'),
    "open-members-deep": Hostile(b"", b'{"a":', options={"max_depth": DEEP}),
    "open-members-deep-that-die": Hostile(b"", b'{"a":', b"x", options={"max_depth": DEEP}),
    "open-members-in-lines": Hostile(b"", b'{"a":\n', options={"framing": "lines"}),
    "sequences-in-lines-that-are-cut": Hostile(b"", b'{"a":\x1b[0m\n', options={"framing": "lines"}),
    "sequences-in-dropped-objects": Hostile(b"", b'{"a":\x1b[0m"x"}', options={"max_object_bytes": 5}),
    "sequences-in-large-objects-that-die": Hostile(b"", b'{"a":\x1b[0m"x",x', options={"buffer_limit": 5}),
    "quoted-braces": Hostile(b"", b'{"'),
    "quoted-braces-with-colons": Hostile(b"", b'{"a":"{'),
    "quoted-braces-on-lines": Hostile(b"", b'{"a":"{\n'),
    "open-arrays": Hostile(b"", b"[", options={"roots": "any"}),
    "open-arrays-deep": Hostile(b"", b"[", options={"roots": "any", "max_depth": DEEP}),
    "open-arrays-deep-that-die": Hostile(b"", b"[", b"}", options={"roots": "any", "max_depth": DEEP}),
    "arrays-of-empty-arrays": Hostile(b"[", b"[],", options={"roots": "array"}),
    "members-and-arrays": Hostile(b"", b'{"a":['),
    "members-and-arrays-deep": Hostile(b"", b'{"a":[', options={"roots": "any", "max_depth": DEEP}),
    "colons-and-empty-objects": Hostile(b"", b'":{}'),
    "closed-members": Hostile(b"", b'{"a":{},'),
    "closed-members-deep": Hostile(b"", b'{"a":{},"b":', options={"max_depth": DEEP}),
    "many-members": Hostile(b"{", b'"a":{},', b"x"),
    "many-members-unfinished": Hostile(b"{", b'"a":{"b":[]},'),
    "escaped-quotes": Hostile(b'{"a":"', b'\\"'),
    "escapes-that-die": Hostile(b"", b'{"a":"\\x'),
    "quotes-and-backslashes": Hostile(b"", b'"\\'),
    "backslashes": Hostile(b'{"a":', b"\\"),
    "strings-in-strings": Hostile(b"", b'{"a":"{\\"b\\":\\"'),
    "one-string": Hostile(b'{"a":"', b"x", b'"}'),
    "one-string-unfinished": Hostile(b'{"a":"', b"{"),
    "one-number": Hostile(b'{"a":', b"7"),
    "one-fraction": Hostile(b'{"a":0.', b"7", b"}"),
    "white-space": Hostile(b"{", b" ", b'"a":1}'),
    "white-space-before-each": Hostile(b"", b'"k":' + b" " * 600 + b"{}"),
    "heads-that-look-back": Hostile(b"", b',"k":[[[[[[[[ {"a":1}'),
    "apostrophes": Hostile(b"", b"'k':{}"),
    "fragments-after-a-torn-record": Hostile(b'{"rows":[{"n":0},,"rows":[', b'{"n":1},'),
    "fragments-of-an-unfinished-record": Hostile(b'{"rows":[', b'{"n":1},'),
    "torn-records": Hostile(b"", b'{"a":1,"usage":{"n":1},"t":"cut off{"a":2}\n'),
    "fences": Hostile(b"", b'```json\n{"a":1}\n```\n'),
    "fences-without-objects": Hostile(b"", b"```json\n"),
    "fences-in-one-line": Hostile(b"", b"```json "),
    "placeholders": Hostile(b"", b"a {word} and %{name} "),
    "records": Hostile(b"", b'{"type":"event","n":12,"list":[1,2,{"a":null}]}\n'),
    "literals": Hostile(b"", b'{"a":tru '),
    "escape-sequences": Hostile(b"", b'\x1b[31m{"a":\x1b[0m1}\x00'),
    "sequences-that-never-end": Hostile(b"", b"\x1b]0;"),
    "bare-sequences": Hostile(b"", b"\x1b["),
    "one-sequence-that-never-ends": Hostile(b"\x1b[", b"1"),
    "sequences-cut-by-braces": Hostile(b"", b"\x1b[{"),
    "too-large-to-store": Hostile(b"", b'{"a":"0123456789"}', options={"max_object_bytes": 8}),
    "one-too-large-to-store": Hostile(b'{"a":[', b'{"b":1},', options={"max_object_bytes": 100}),
    "above-the-buffer-limit": Hostile(b"", b'{"a":"0123456789"}', options={"buffer_limit": 8}),
    "above-it-that-die": Hostile(b"", b'{"a":"0123456789"x', options={"buffer_limit": 8}),
    "one-above-the-buffer-limit": Hostile(b'{"a":[', rb'{"b":1.5},"\ud83d",', options={"buffer_limit": 100}),
    "one-string-above-the-buffer-limit": Hostile(b'{"a":"', rb"x\u00e9", b'"}', options={"buffer_limit": 100}),
}

each_text = pytest.mark.parametrize("hostile", TEXTS.values(), ids=TEXTS)
each_scanner = pytest.mark.parametrize("implementation", SCANNERS)


@each_scanner
@each_text
@pytest.mark.parametrize("chunked", [False, True], ids=["whole", "bytes"])
def test_counted_work(hostile: Hostile, chunked: bool, implementation: str) -> None:
    size = 4_000
    counted = []
    for factor in (1, 2, 4):
        text = hostile.text(size * factor)
        stats = scan_stats(in_bytes(text) if chunked else [text], implementation, **hostile.options)
        work = stats.bytes + stats.reread
        assert work <= VISITS * len(text)
        counted.append(work)
    assert counted[1] <= WORK_PER_DOUBLING * counted[0]
    assert counted[2] <= WORK_PER_DOUBLING * counted[1]


@each_scanner
@each_text
@pytest.mark.parametrize("chunked", [False, True], ids=["whole", "bytes"])
def test_time(hostile: Hostile, chunked: bool, implementation: str) -> None:
    size, largest = (5_000, 80_000) if chunked else (100_000, 3_200_000)
    before = seconds(hostile, size, implementation, chunked)
    while size < largest and before < LONG_ENOUGH:
        size *= 2
        before = seconds(hostile, size, implementation, chunked)
    ratios = [seconds(hostile, TIMES_AS_MUCH * size, implementation, chunked) / max(before, LONG_ENOUGH)]
    while ratios[-1] > TIMES_AS_LONG and len(ratios) < ATTEMPTS:  # a busy machine, or memory that is fetched anew
        size *= 2
        before = seconds(hostile, size, implementation, chunked)
        ratios.append(seconds(hostile, TIMES_AS_MUCH * size, implementation, chunked) / max(before, LONG_ENOUGH))
    assert ratios[-1] <= TIMES_AS_LONG, f"{TIMES_AS_MUCH} times the text, up to {size} bytes: {ratios} times as long"


def seconds(hostile: Hostile, size: int, implementation: str, chunked: bool) -> float:
    """Return the processor time of scanning the text, without that of the collector, which comes in leaps."""
    text = hostile.text(size)
    chunks = in_bytes(text) if chunked else [text]
    gc.collect()
    gc.disable()
    try:
        started = time.process_time()
        scan_stats(chunks, implementation, **hostile.options)
        return time.process_time() - started
    finally:
        gc.enable()
