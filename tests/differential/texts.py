"""Streams to read: all captures, samples and cases, and any number of mixtures of them with noise and damage."""

from __future__ import annotations

import codecs
import json
import random
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ..cases import ALL as CASES
from ..cases import DATA
from ..fuzz_oracle import NOISE, TOKENS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ENOUGH = 350  # bytes taken of one source for a mixture, on average; 1-byte chunks of much more take too long
AGENTS = {"claude1": "claude", "claude-old": "claude", "codex-old": "codex", "qwen-old": "qwen"}

BETWEEN = [
    b"", b"\n", b"\n\n", b"\r\n", b" ", b",", b"2026-07-28T12:00:00Z INFO request {id=7} took 3 ms\n",
    b"[12:00:01] WARN %{name} is {undefined}\n", b"Working...\rWorking... 50%\rDone.      \r\n",
    b"\x1b[2K\r\x1b[32m\xe2\xa0\x8b\x1b[0m thinking {step: 1}",
    b"Use `function () { return {}; }` or {\"quoted\": text}\n",
    b"```json\n", b"\n```\n", b"<think>", b"</think>", b"\xff\xfe\x80 {\"bytes\": \xff}\n", b"\x00" * 40, b"\x1b[",
    b"\x1b]0;{\"title\": 1}", b"data: ", b"event: message\ndata: {", b"PROMPT ENDS\n", b'{"status": "done"}',
    b'{"status": "continue", "next": "step 2"}', b"DONE\n", b'{"status":"done","nonce":"n-1"} ', b"\xef\xbb\xbf",
    b'{"status": "done", "summary": "he said "hi" to all"}', b"{}", b'{"ignored": true}', b"\xe2\x80\xa8", b"\xc2\x85",
]  # fmt: skip


class Stream(NamedTuple):
    """What a program wrote, whose output it may be, and how that program ended."""

    name: str
    data: bytes
    agent: str | None = None
    stderr: bytes = b""
    status: int | None = 0


def _capture(path: Path) -> Stream:
    about, errors = path.with_suffix(".json"), path.with_suffix(".stderr")
    status = (json.loads(about.read_text()).get("exit") or 0) if about.exists() else 0
    agent = AGENTS.get(path.parent.name, path.parent.name)
    name = path.relative_to(DATA).as_posix()
    return Stream(name, path.read_bytes(), agent, errors.read_bytes() if errors.exists() else b"", status)


@cache
def corpus() -> list[Stream]:
    """Return all captures, samples, plain texts and cases."""
    captures = [_capture(path) for path in sorted((DATA / "captures").glob("*/*.stdout"))]
    errors = sorted((DATA / "captures").glob("*/*.stderr"))
    samples = [path for path in sorted((DATA / "samples").iterdir()) if path.name != "expected.json"]
    others = [*errors, *samples, *sorted((DATA / "plain").iterdir())]
    files = [
        Stream(path.relative_to(DATA).as_posix(), path.read_bytes(), path.name.partition("-")[0]) for path in others
    ]
    return captures + files + [Stream(f"cases/{case.name}", case.text) for case in CASES]


def random_stream(seed: int) -> Stream:
    """Return a mixture of pieces of the corpus, of noise, and of damage."""
    rng = random.Random(seed)
    sources = rng.choices(corpus(), k=rng.choice((1, 1, 1, 2, 2, 3)))
    pieces = [_piece(source.data, rng) for source in sources]
    data = _interleave(pieces, rng) if rng.random() < 0.15 else b"".join(_joined(pieces, rng))
    for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
        data = rng.choice(DAMAGES)(data, rng)
    data = _encode(data, rng)
    stderr = sources[0].stderr or (b'{"type":"error","message":"no"}\n' if rng.random() < 0.1 else b"")
    return Stream(f"seed {seed}", data, sources[0].agent, stderr, rng.choice((0, 0, 0, 0, 1, 3)))


def _piece(data: bytes, rng: random.Random) -> bytes:
    """Return some lines or bytes of a text: its head, its end, both, or from its middle."""
    most = int(rng.expovariate(1 / ENOUGH)) + 1 if rng.random() < 0.99 else 8000
    if len(data) <= most:
        return data
    match rng.randrange(4):
        case 0:
            return _whole_lines(data[:most])
        case 1:
            return _whole_lines(data[:most]) + data[-most // 2 :]
        case 2:
            at = rng.randrange(len(data) - most)
            at = data.rfind(b"\n", 0, at) + 1
            return data[at : at + most]
        case _:
            at = data.rfind(b"\n", 0, len(data) - most) + 1
            return data[at:] if len(data) - at < 3 * most else data[-most:]


def _whole_lines(data: bytes) -> bytes:
    return data[: data.rfind(b"\n") + 1] or data


def _joined(pieces: list[bytes], rng: random.Random) -> list[bytes]:
    joined = []
    for piece in pieces:
        joined += [*rng.choices(BETWEEN, k=rng.choice((0, 0, 1, 1, 2))), piece]
    return joined + rng.choices(BETWEEN, k=rng.choice((0, 0, 1, 1, 2)))


def _interleave(pieces: list[bytes], rng: random.Random) -> bytes:
    """Return the lines of several writers, or pieces of them, in turns."""
    runs = [piece.splitlines(keepends=True) for piece in [*pieces, *rng.choices(BETWEEN, k=2)]]
    taken = []
    while any(runs):
        run = rng.choice([run for run in runs if run])
        line = run.pop(0)
        if len(line) > 1 and rng.random() < 0.1:  # a writer whose line is not written at once
            cut = rng.randrange(1, len(line))
            run.insert(0, line[cut:])
            line = line[:cut]
        taken.append(line)
    return b"".join(taken)


def _span(data: bytes, rng: random.Random) -> tuple[int, int]:
    at = rng.randint(0, len(data))
    return at, min(len(data), at + rng.choice((1, 1, 2, 5, 30, 300)))


def _cut_end(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randint(0, len(data))]


def _cut_beginning(data: bytes, rng: random.Random) -> bytes:
    return data[rng.randint(0, len(data)) :]


def _cut_out(data: bytes, rng: random.Random) -> bytes:
    at, end = _span(data, rng)
    return data[:at] + data[end:]


def _repeat(data: bytes, rng: random.Random) -> bytes:
    at, end = _span(data, rng)
    return data[:at] + data[at:end] * rng.choice((2, 2, 3, 10)) + data[end:]


def _overwrite(data: bytes, rng: random.Random) -> bytes:
    at, end = _span(data, rng)
    return data[:at] + rng.randbytes(end - at) + data[end:]


def _insert(data: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.choice((1, 2, 10))):
        at = rng.randint(0, len(data))
        data = data[:at] + rng.choice(rng.choice((NOISE, TOKENS, BETWEEN))) + data[at:]
    return data


def _colour(data: bytes, rng: random.Random) -> bytes:
    """Return a text with sequences between its bytes."""
    rate = rng.choice((0.01, 0.1))
    return b"".join(
        rng.choice(NOISE) + data[at : at + 1] if rng.random() < rate else data[at : at + 1] for at in range(len(data))
    )


def _line_ends(data: bytes, rng: random.Random) -> bytes:
    return data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b"\r\r\n", b"")))


def _wrap(data: bytes, rng: random.Random) -> bytes:
    """Return a text as a terminal of so many columns breaks it."""
    width = rng.choice((40, 80, 132))
    return b"\n".join(data[at : at + width] for at in range(0, len(data), width))


def _quote(data: bytes, rng: random.Random) -> bytes:
    """Return a text as a string member of a record."""
    return json.dumps({"type": "log", "text": data.decode("utf-8", "replace")}).encode() + rng.choice((b"", b"\n"))


DAMAGES: list[Callable[[bytes, random.Random], bytes]] = [
    _cut_end, _cut_end, _cut_beginning, _cut_out, _repeat, _overwrite, _insert, _insert, _colour, _line_ends, _wrap,
    _quote,
]  # fmt: skip


def _encode(data: bytes, rng: random.Random) -> bytes:
    """Return a text in UTF-16 now and then, or with a mark that it does not need; some of it not to be decoded."""
    if rng.random() > 0.1:
        return data
    kind = rng.choice(("utf-8", "utf-16-le", "utf-16-be"))
    if kind == "utf-8":
        return codecs.BOM_UTF8 * rng.choice((1, 1, 2)) + data
    text = data.decode("utf-8", "replace")
    for surprise in rng.choices(("", "", "\ud83d", "\udc00", "\ufeff", "\U0001f600", "\0"), k=3):
        at = rng.randint(0, len(text))
        text = text[:at] + surprise + text[at:]
    data = ("\ufeff" + text).encode(kind, "surrogatepass")
    return data[: len(data) - rng.choice((0, 0, 0, 1, 2, 3))]
