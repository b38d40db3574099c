"""Real output of real CLIs, and a sample of each format: the same objects however the bytes arrive."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lastbrace import Event, Found

from .cases import DATA
from .feeding import SCANNERS, in_bytes, in_chunks, scan

if TYPE_CHECKING:
    from pathlib import Path

ONE_BYTE_LIMIT = 300_000  # bytes fed one at a time: the whole of every capture so far

# The formats that print one event a line, by CLI. The others print text, or one value on many lines.
LINE_FORMATS = {
    "claude": {"continue", "hooks", "json", "partial", "pty-stream", "stream", "streamin"},
    "claude-old": {"json", "partial", "stream"},
    "claude1": {"json", "partial", "pty-stream", "stream"},
    "cline": {"json", "pty-json"},
    "codex": {"json", "lastmsg", "sandboxed", "stdin"},
    "codex-old": {"json"},
    "continue": {"json"},
    "copilot": {"json", "nostream"},
    "gemini": {"pty-stream", "stream"},
    "kimi": {"final", "stream"},
    "opencode": {"json", "logs", "thinking"},
    "pi": {"json"},
    "qwen": {"partial", "stream"},
    "qwen-old": {"partial", "pty-stream", "stream"},
    "vibe": {"pty-streaming", "streaming"},
}


def is_lines(path: Path) -> bool:
    if path.parent.name == "samples":
        return path.suffix == ".jsonl"
    return path.suffix == ".stdout" and path.stem.split(".")[-1] in LINE_FORMATS.get(path.parent.name, ())


def name(path: Path) -> str:
    return path.relative_to(DATA).as_posix()


CAPTURES = sorted((DATA / "captures").glob("*/*.stdout"))
ERRORS = sorted((DATA / "captures").glob("*/*.stderr"))
SAMPLES = sorted(path for path in (DATA / "samples").iterdir() if path.name != "expected.json")
ALL = CAPTURES + ERRORS + SAMPLES
LINES = [path for path in ALL if is_lines(path)]
WITH_CHUNKS = [path for path in CAPTURES if path.with_suffix(".chunks").exists()]


@pytest.mark.parametrize("implementation", SCANNERS)
@pytest.mark.parametrize("path", ALL, ids=name)
def test_chunks_of_any_size_give_the_same_objects(path: Path, implementation: str) -> None:
    text = path.read_bytes()
    whole = scan([text], implementation)
    assert scan(in_chunks(text, 64 * 1024), implementation) == whole
    assert scan(in_chunks(text, 7), implementation) == whole
    head = text[:ONE_BYTE_LIMIT]
    assert scan(in_bytes(head), implementation) == (whole if head == text else scan([head], implementation))
    for event in whole:
        check_span(event, text)


def check_span(event: Event, text: bytes) -> None:
    if isinstance(event, Found):
        span = text[event.start : event.end]
        assert (span[:1], span[-1:]) == (event.raw[:1], event.raw[-1:])
        assert b"\x1b" in span or b"\x00" in span or span == event.raw


@pytest.mark.parametrize("path", WITH_CHUNKS, ids=name)
def test_the_reads_as_they_came_give_the_same_objects(path: Path) -> None:
    text = path.read_bytes()
    chunks, at = [], 0
    for _, size in json.loads(path.with_suffix(".chunks").read_text()):
        chunks.append(text[at : at + size])
        at += size
    assert at == len(text) or path.parent.name == "copilot"  # its text was shortened after it was recorded
    for implementation in SCANNERS:
        assert scan(chunks, implementation) == scan([text], implementation)


@pytest.mark.parametrize("implementation", SCANNERS)
@pytest.mark.parametrize("framing", ["free", "lines"])
@pytest.mark.parametrize("path", LINES, ids=name)
def test_line_formats_give_what_json_reads_on_each_line(path: Path, framing: str, implementation: str) -> None:
    text = path.read_bytes()
    found = [event for event in scan([text], implementation, framing=framing) if isinstance(event, Found)]
    objects = [event.value for event in found if not event.fragment]
    assert objects == records(text)


def records(text: bytes) -> list[Any]:
    """Return the objects among the lines of `text` that json reads."""
    values = []
    for line in text.split(b"\n"):
        try:
            value = json.loads(line.decode("utf-8", "replace"))
        except ValueError:
            continue
        if isinstance(value, dict):
            values.append(value)
    return values


def test_there_is_something_to_test() -> None:
    assert len(CAPTURES) > 250
    assert len(SAMPLES) > 50
    assert len(LINES) > 200
    assert sum(len(records(path.read_bytes())) for path in LINES) > 1500
