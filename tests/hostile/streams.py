"""Hostile texts, fed as a program would write them: in chunks of 64 KiB."""

from __future__ import annotations

import codecs
import contextlib
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import lastbrace
from lastbrace import Outcome, Watcher

from .case import MB, Case

CHUNK = 65536
DONE = b'\n{"status": "done"}\n'
DEEP = 10**9


def repeated(piece: bytes, size: int) -> Iterator[bytes]:
    """Yield a text of so many bytes, in chunks."""
    block = piece * max(1, CHUNK // len(piece))
    for _ in range(size // len(block)):
        yield block
    yield block[: size % len(block) // len(piece) * len(piece)]


def pour(chunks: Iterable[bytes], **options: Any) -> Outcome[Any]:
    """Return the outcome of a text in chunks."""
    watcher: Watcher[Any] = Watcher(**options)
    for chunk in chunks:
        watcher.feed(chunk)
    return watcher.close()


def around(head: bytes, chunks: Iterable[bytes], tail: bytes) -> Iterator[bytes]:
    """Yield chunks with one before and one after them."""
    yield head
    yield from chunks
    yield tail


def hides_nothing(size: int, *, piece: bytes, head: bytes = b"", tail: bytes = b"", **options: Any) -> None:
    """Read a hostile text, then an answer, which must be found."""
    outcome = pour(around(head, repeated(piece, size), tail + DONE), **options)
    assert outcome.completion is not None
    assert outcome.completion.status == "done", outcome


def is_an_answer(size: int, *, piece: bytes, head: bytes, tail: bytes, **options: Any) -> None:
    """Read an answer with a hostile member in it."""
    outcome = pour(around(head, repeated(piece, size), tail), **options)
    assert outcome.completion is not None
    assert outcome.completion.status == "done", outcome


def in_utf16(size: int, *, piece: str) -> None:
    """Read UTF-16; what comes after it, in UTF-16 as well, must be found."""
    body = repeated(piece.encode("utf-16-le", "surrogatepass"), size)
    outcome = pour(around(codecs.BOM_UTF16_LE, body, DONE.decode().encode("utf-16-le") + b"\n"))  # and half a character
    assert outcome.ok, outcome


def many_objects(size: int, **options: Any) -> None:
    """Read so many objects, each of which is an answer."""
    piece = b'{"status":"continue","n":1}\n'
    outcome = pour(around(b"", repeated(piece, size * len(piece)), DONE), **options)
    assert outcome.ok
    assert outcome.stats.objects == size + 1


def many_callbacks(size: int) -> None:
    """Call back for each of so many objects, for its members, its completion, its match and the text between."""
    counts = dict.fromkeys(("object", "text", "match", "completion", "field"), 0)

    def count(name: str, *_: object) -> None:
        counts[name] += 1

    many_objects(
        size,
        **{f"on_{name}": partial(count, name) for name in counts if name != "field"},
        on_field={"n": partial(count, "field")},
    )
    assert counts["object"] == counts["completion"] == counts["match"] == size + 1
    assert counts["field"] == size


def many_raising_callbacks(size: int) -> None:
    """Call back for each of so many objects in one chunk, and raise each time: all errors come at once."""

    def fail(found: object) -> None:
        raise ValueError("no")

    watcher: Watcher[Any] = Watcher(on_object=fail)
    try:
        watcher.feed(b'{"n":1}\n' * size)
    except ExceptionGroup as errors:
        assert len(errors.exceptions) == size  # noqa: PT017 - what else there is to say of it
    assert watcher.close().stats.objects == size


def many_keys(size: int, *, key: str, seen: bool) -> None:
    """Read one object of so many members; with `seen`, look at its value."""
    rows = (key.format(number) for number in range(size))
    outcome = pour(around(b'{"status":"done"', (f',"{row}":0'.encode() for row in rows), b"}"), max_object_bytes=None)
    assert outcome.ok
    assert outcome.last is not None
    assert not seen or len(outcome.last.value) in (2, size + 1)


def many_events(size: int, *, agent: str | None, event: bytes) -> None:
    """Read so many events of an agent."""
    pour(repeated(event, size * len(event)), agent=agent)


def asked_live(size: int) -> None:
    """Ask for the value so far of one object after each of many small chunks."""
    watcher: Watcher[Any] = Watcher(on_partial=len)
    watcher.feed(b'{"status":"done","rows":[')
    for _ in range(size // 16):
        watcher.feed(b'{"n":12345.678},')
    watcher.feed(b"0]}")
    assert watcher.close().ok


def deep_value(size: int) -> None:
    """Read an object deeper than any interpreter can hold, and ask for its value."""
    found = lastbrace.find_objects(b'{"a":' * (size // 6) + b"1" + b"}" * (size // 6), max_depth=DEEP)
    with contextlib.suppress(lastbrace.DecodeError):
        assert found[0].value is not None


def recovered(size: int, *, piece: bytes) -> None:
    """Look for an answer that is almost JSON in a text that has the look of many."""
    pour(around(b"", repeated(piece, size), b""), recover=True)


LIMITED = {"max_object_bytes": MB}
STREAMS = [
    Case("depth", "objects in objects, never closed", partial(hides_nothing, piece=b'{"a":', tail=b"x"), 8 * MB),
    Case(
        "depth without limit",
        "the same, with `max_depth` a billion",
        partial(hides_nothing, piece=b'{"a":', tail=b"x", max_depth=DEEP, max_object_bytes=None),
        8 * MB,
        memory=300,
    ),
    Case("depth of a value", "one that is closed, and whose value is asked for", deep_value, 4 * MB, memory=60),
    Case(
        "a long string",
        "one string, within `max_object_bytes`",
        partial(is_an_answer, head=b'{"status":"done","summary":"', piece=b"x", tail=b'"}'),
        32 * MB,
        memory=160,
    ),
    Case(
        "a string too long",
        "one string above `max_object_bytes` (1 MiB)",
        partial(hides_nothing, head=b'{"a":"', piece=b"x", tail=b'"}', **LIMITED),
        32 * MB,
    ),
    Case(
        "an object too large",
        "one object above `buffer_limit` (64 KiB)",
        partial(
            is_an_answer,
            head=b'{"status":"done","rows":[',
            piece=b'{"n":"x"},',
            tail=b"0]}",
            buffer_limit=65536,
            max_object_bytes=None,
        ),
        8 * MB,
        seconds=60,
    ),
    Case("a long integer", "digits without end", partial(hides_nothing, head=b'{"a":', piece=b"7"), 10 * MB, memory=40),
    Case(
        "a long fraction",
        "a fraction of so many digits, in an answer",
        partial(is_an_answer, head=b'{"status":"done","n":0.', piece=b"7", tail=b"}"),
        10 * MB,
        memory=80,
    ),
    Case(
        "a long exponent",
        "an exponent of so many digits, in an answer",
        partial(is_an_answer, head=b'{"status":"done","n":1e', piece=b"7", tail=b"}"),
        10 * MB,
        memory=80,
    ),
    Case("a million objects", "answers, one a line", many_objects, 1_000_000, "objects"),
    Case("a million callbacks", "answers, and five callbacks for each", many_callbacks, 200_000, "objects", 60),
    Case(
        "callbacks that raise",
        "objects in one chunk, and a callback that raises for each",
        many_raising_callbacks,
        100_000,
        "objects",
        memory=120,
    ),
    Case(
        "keys",
        "members of one object, its value built",
        partial(many_keys, key="key{}", seen=True),
        1_000_000,
        "members",
        memory=250,
    ),
    Case(
        "keys like integers",
        "keys that are integers",
        partial(many_keys, key="{}", seen=True),
        1_000_000,
        "members",
        memory=250,
    ),
    Case(
        "keys alike",
        "long keys that differ at their end",
        partial(many_keys, key="k" * 100 + "{}", seen=True),
        200_000,
        "members",
        memory=150,
    ),
    Case(
        "one key",
        "the same key, again and again",
        partial(many_keys, key="key", seen=True),
        1_000_000,
        "members",
        memory=80,
    ),
    Case(
        "keys unseen",
        "members of one object of which only the contract's are wanted",
        partial(many_keys, key="key{}", seen=False),
        1_000_000,
        "members",
        memory=80,
    ),
    Case(
        "asked live",
        "an object whose value so far is shown after every 16 bytes",
        asked_live,
        2 * MB,
        memory=60,
        seconds=60,
    ),
    Case("titles that never end", "OSC that is never closed", partial(hides_nothing, piece=b"\x1b]0;"), 8 * MB),
    Case("a title that never ends", "one OSC", partial(hides_nothing, head=b"\x1b]0;", piece=b"x"), 32 * MB),
    Case("a sequence that never ends", "one CSI", partial(hides_nothing, head=b"\x1b[", piece=b"1;"), 32 * MB),
    Case("a storm of sequences", "bare CSI", partial(hides_nothing, piece=b"\x1b["), 20 * MB),
    Case("a storm of colours", "a colour for each letter", partial(hides_nothing, piece=b"\x1b[31mx"), 8 * MB),
    Case(
        "colours in an object",
        "a colour for each letter of an answer",
        partial(is_an_answer, head=b'{"status":"done","summary":"', piece=b"\x1b[31mx", tail=b'"}'),
        8 * MB,
        memory=60,
    ),
    Case("a flood of ESC", "ESC alone", partial(hides_nothing, piece=b"\x1b"), 8 * MB),
    Case("a flood of NUL", "NUL alone", partial(hides_nothing, piece=b"\0"), 32 * MB),
    Case("NUL in between", "a NUL after each letter", partial(hides_nothing, piece=b"x\0"), 4 * MB),
    Case("UTF-16", "noise in UTF-16", partial(in_utf16, piece="a {b} "), 4 * MB),
    Case(
        "UTF-16 of all widths",
        "characters of 1 to 4 bytes in turns",
        partial(in_utf16, piece="a\u00e9\u4e2d\U0001f600"),
        4 * MB,
    ),
    Case(
        "UTF-16 that is none",
        "halves of surrogate pairs, and marks in the middle",
        partial(in_utf16, piece="\udc00\ud83d\ufeff"),
        4 * MB,
    ),
    Case(
        "objects just too large",
        "objects of `max_object_bytes` and one byte",
        partial(hides_nothing, piece=b'{"a":"' + b"x" * 93 + b'"}\n', max_object_bytes=100),
        8 * MB,
    ),
    Case(
        "objects just too deep",
        "objects of `max_depth` and one level",
        partial(hides_nothing, piece=b'{"a":' * 201 + b"1" + b"}" * 201),
        8 * MB,
    ),
    Case(
        "objects just not buffered",
        "objects of `buffer_limit` and one byte",
        partial(hides_nothing, piece=b'{"a":"' + b"x" * 93 + b'"}\n', buffer_limit=100),
        2 * MB,
        seconds=60,
    ),
    Case(
        "integers just too long",
        "integers of 4,301 digits",
        partial(hides_nothing, piece=b'{"a":' + b"7" * 4301 + b"}"),
        8 * MB,
    ),
    Case(
        "broken records",
        "records cut short, with whole ones in them",
        partial(hides_nothing, piece=b'{"a":1,"usage":{"n":1},"t":"cut off{"a":2}\n'),
        8 * MB,
    ),
    Case(
        "almost answers",
        "answers that are almost JSON, with `recover`",
        partial(recovered, piece=b'{"status": "done", "summary": "he said "hi"'),
        4 * MB,
        seconds=60,
        memory=60,
    ),
    Case(
        "almost answers in one line",
        "quotes and braces, with `recover`",
        partial(recovered, piece=b'"status": {"'),
        4 * MB,
        seconds=60,
        memory=60,
    ),
    Case(
        "unknown events",
        "events that no agent prints",
        partial(many_events, agent="auto", event=b'{"type":"x","text":"y"}\n'),
        400_000,
        "events",
    ),
    Case(
        "an answer in pieces",
        "an agent's answer in deltas of one letter",
        partial(
            many_events,
            agent="claude",
            event=b'{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"{"}}}\n',
        ),
        100_000,
        "events",
        seconds=60,
        memory=60,
    ),
    Case(
        "many answers",
        "an agent's messages, each an answer",
        partial(
            many_events,
            agent="claude",
            event=b'{"type":"assistant","message":{"content":[{"type":"text","text":"{\\"status\\":\\"done\\"}"}]}}\n',
        ),
        50_000,
        "events",
        seconds=60,
        memory=60,
    ),
]
