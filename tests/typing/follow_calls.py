"""The calls of `follow` as a user would write them: mypy reads this file, nothing runs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, assert_type

import msgspec

import lastbrace
from lastbrace import Completion, Found, Log, Outcome, Record, Reply, Source
from lastbrace.following import FollowOptions


class Verdict(msgspec.Struct):
    verdict: str


def show(record: Record) -> None:
    assert_type(record.path, Path)
    assert_type(record.found, Found)
    assert_type((record.start, record.end), tuple[int, int])
    assert_type(record.completion, Completion | None)
    assert_type(record.match, Found | None)
    print(record.value)


def on_problem(path: Path, why: str) -> None:
    print(path, why)


async def follow() -> None:
    async with lastbrace.follow("agent.log") as log:
        async for record in log:
            assert_type(record, Record)
            show(record)
            Path("state.json").write_text(json.dumps(log.cursor))
    state: Any = json.loads(Path("state.json").read_text())
    async with lastbrace.follow(
        [Path("runs"), "logs/**/*.jsonl"],
        start=state,
        until_done=True,
        idle_timeout=60,
        force_polling=True,
        on_problem=on_problem,
        agent="claude",
        schema=Verdict,
        on_match=print,
        framing="lines",
    ) as log:
        await log.wait()
    known(log)
    options: FollowOptions = {"start": "start", "unwrap": "docker", "contract": None}
    lastbrace.follow("c-json.log", **options)


def known(log: Log) -> None:
    assert_type(log.cursor, dict[str, Any])
    assert_type(log.buffered, int)
    assert_type(log.outcomes, dict[Path, Outcome[Any]])
    print(log.ended)
    for path, source in log.sources.items():
        assert_type((path, source), tuple[Path, Source])
        assert_type(source.reply, Reply | None)
        assert_type(source.completion, Completion | None)
        assert_type((source.last, source.match), tuple[Found | None, Found | None])
        assert_type(source.last_at, float | None)
        assert_type(source.outcome, Outcome[Any] | None)
        print(source.bytes, source.records, source.state, source.watcher)
