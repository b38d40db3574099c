"""Targets: files that lastbrace wrote once and anybody may have written over: cursors, journals, recordings."""

from __future__ import annotations

import atexit
import contextlib
import io
import math
import os
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import anyio
import typer

import lastbrace
from lastbrace.cli import replaying
from lastbrace.following.identity import Print
from lastbrace.looping import LoopEnd
from lastbrace.looping.journal import Journal
from lastbrace.looping.record import TurnRecord, Verdict

from .inputs import MAX_BYTES, Input

_FOLDER = tempfile.TemporaryDirectory(prefix="lastbrace-fuzz-")
atexit.register(_FOLDER.cleanup)
_SHORT = 2500  # characters of an error: it is for people


def _told(error: Exception) -> str:
    """Return the beginning of an error's message, which must be one that can be shown."""
    assert 0 < len(str(error)) < _SHORT, error
    return str(error).partition(":")[0]


LOG = b'{"n": 1}\nprose {"n": 2} {"n":\n 3}\n{"n": 4}\n{"open": '
_ROTATED = b'{"old": 1}\n{"old": 2}\n'
# In a cursor's place: what differs from one machine to another.
PLACES = {b"/LOG/": "", b"7001": "", b"7002": "", b"7003": ""}


def _log() -> Path:
    """Return a log and one rotated away, both as they always are; learn what a cursor calls them."""
    folder = Path(_FOLDER.name, "log")
    path = folder / "a.jsonl"
    if not PLACES[b"7001"]:
        folder.mkdir()
        for name, text in (("a.jsonl", LOG), ("a.jsonl.1", _ROTATED)):
            (folder / name).write_bytes(text)
        PLACES[b"/LOG/"] = f"{folder.as_posix()}/"
        PLACES[b"7001"] = str(path.stat().st_dev)
        PLACES[b"7002"], PLACES[b"7003"] = (str((folder / name).stat().st_ino) for name in ("a.jsonl", "a.jsonl.1"))
    return path


def cursor(data: bytes) -> Any:
    """Any cursor is a clear error, or each record after it comes once, and none comes again with the next one."""
    path = _log()
    text = data[:MAX_BYTES]
    for name, here in PLACES.items():
        text = text.replace(name, here.encode())
    options: dict[str, Any] = {"agent": None, "contract": None, "idle_timeout": 0, "force_polling": True}
    try:
        log = lastbrace.follow(path, start=text, **options)  # type: ignore[arg-type]
    except ValueError as error:
        return _told(error)

    async def read(log: lastbrace.Log) -> list[lastbrace.Record]:
        async with log:
            return [record async for record in log]

    seen: set[tuple[bytes, int, int]] = set()
    for number in range(2):
        records = anyio.run(read, log)
        for record in records:
            raw = record.found.raw or b""
            assert raw in (LOG[record.start : record.end], _ROTATED[record.start : record.end])
            assert (raw, record.start, record.end) not in seen, (record, seen)
            seen.add((raw, record.start, record.end))
        if number == 0:
            log = lastbrace.follow(path, start=log.cursor, **options)
    return sorted(seen)


def seed_cursor(path: str, offset: int, text: bytes, inode: int, **more: Any) -> dict[str, Any]:
    """Return a position as a cursor has it."""
    head, tail = Print.of(text[: min(offset, 1024)]), Print.of(text[max(0, offset - 1024) : offset])
    prints = {"head": [head.length, head.hash], "tail": [tail.length, tail.hash]}
    return {"path": path, "device": 7001, "inode": inode, "offset": offset, **prints, **more}


def journal(data: bytes) -> Any:
    """Any journal is a clear error, or a loop goes on with numbers to reckon with; what was read is read again."""
    chosen = Input(data)
    task = chosen.choose(("T", None))
    path = Path(_FOLDER.name, "journal")
    path.write_bytes(chosen.rest)
    bounds = {"max_turns": 5, "max_seconds": 1000, "max_cost_usd": 10}
    seen = []
    for _ in range(2):
        turns = lastbrace.loop(["agent"], task, journal=path, **bounds)  # type: ignore[arg-type]
        try:
            _run(turns.__aenter__())
        except (lastbrace.JournalError, ValueError) as error:
            return _refused(error, path.read_bytes() == chosen.rest)
        try:
            seen.append(_state_of(turns))
        finally:
            _run(turns.__aexit__(None, None, None))
        assert turns.number <= chosen.rest.count(b"\n")
    assert seen[0] == seen[1]
    one = TurnRecord(turn=1, prompt="T", verdict=Verdict.CONTINUE, started="", seconds=0.0, elapsed=turns.seconds)
    with Journal(path, None) as opened:
        opened.append(one)
    with Journal(path, None) as opened:
        assert opened.entries[-1] == one
        assert sum(isinstance(entry, TurnRecord) for entry in opened.entries) >= turns.number
    return seen[0]


def _state_of(turns: lastbrace.Loop[Any]) -> Any:
    """Return how far a loop has come, which must be something to go on with."""
    assert turns.cost_usd is None or turns.cost_usd >= 0, turns.cost_usd
    assert 0 <= turns.seconds < math.inf, turns.seconds
    assert turns.reason is None or isinstance(turns.reason, LoopEnd)
    assert bool(turns.explanation) == (turns.reason is not None)
    assert turns.session_id is None or (turns.session_id.isascii() and not turns.session_id.startswith("-"))
    return turns.number, turns.cost_usd, turns.session_id, turns.reason, turns.completion, turns._known.prompt


def _refused(error: Exception, untouched: bool) -> str:
    assert untouched
    assert isinstance(error, lastbrace.JournalError) or "a prompt is needed" in str(error)
    return _told(error)


def _run(awaitable: Any) -> None:
    """Run what waits for nothing."""
    with contextlib.suppress(StopIteration):
        awaitable.send(None)
        raise AssertionError("it waits")


def recording(data: bytes) -> Any:
    """Any recording is played as far as it can be read, or is a clear error with the number of its line."""
    path = Path(_FOLDER.name, "recording")
    path.write_bytes(data[:MAX_BYTES])
    stdout, stderr = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with (
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
        mock.patch("os.kill", _as_kill),
        mock.patch("signal.signal"),
        mock.patch("resource.setrlimit") if sys.platform != "win32" else contextlib.nullcontext(),
    ):
        try:
            replaying.replay(path, "max")
        except typer.BadParameter as error:
            return _told_of(error)
        except typer.Exit as ended:
            status = ended.exit_code
    assert 0 <= status < 1 << 32, status
    return status, stdout.buffer.getvalue(), stderr.buffer.getvalue()  # type: ignore[attr-defined]


def _told_of(error: typer.BadParameter) -> str:
    assert "line " in error.message or "it is empty" in error.message
    assert error.message.isprintable()
    assert len(error.message) < _SHORT
    return error.message.partition(": ")[2]


def _as_kill(pid: int, number: int) -> None:
    """Refuse what the system refuses."""
    assert pid == os.getpid()
    number.to_bytes(4, sys.byteorder, signed=True)  # OverflowError beyond a C int, as os.kill
    assert number not in replaying.STOPS, number
    if not 0 <= number <= 64:
        raise OSError("no such signal")
