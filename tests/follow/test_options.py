"""The options of `follow`, its callbacks, and what is known of each file meanwhile."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest

import lastbrace
from lastbrace import Completion, Found, Status

from ..cases import DATA
from .files import SOON, Looks, append, followed, line, no_more, rest, take, values

pytestmark = pytest.mark.anyio

CLAUDE = (DATA / "captures" / "claude" / "a_plain.stream.stdout").read_bytes()
EVENTS = [json.loads(event) for event in CLAUDE.splitlines()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.log"


async def test_each_record_says_what_became_known_with_it(path: Path) -> None:
    append(path, line(n=1) + line(status="continue", next="b") + line(status="done"))
    async with lastbrace.follow(path, start="start") as log:
        records = await take(log, 3)
    assert [record.completion for record in records] == [
        None, Completion(Status.CONTINUE, next="b"), Completion(Status.DONE),
    ]  # fmt: skip
    assert [record.match is not None for record in records] == [False, True, True]
    assert log.outcomes[path].ok
    assert log.outcomes[path].completion == Completion(Status.DONE)


async def test_an_agent_s_file_is_read_through_its_adapter(path: Path) -> None:
    append(path, CLAUDE + line(n=1).encode())
    async with lastbrace.follow(path, start="start", until_done=True) as log:
        got = await rest(log)
        assert got == EVENTS
        assert log.ended == "done"
        source = log.sources[path]
        assert source.reply is not None
        assert (source.reply.agent, source.reply.final) == ("claude", True)
        assert source.reply.cost_usd == EVENTS[-1]["total_cost_usd"]
        assert source.completion == Completion(Status.DONE, summary="Nothing to change; all 3 files are fine.")
        assert (source.state, source.records, source.is_done) == ("ok", len(EVENTS), True)
        assert source.bytes == path.stat().st_size
        assert source.last_at is not None
        assert source.last is not None
    async with followed(path, start=log.cursor) as log:
        assert await values(log, 1) == [{"n": 1}]


async def test_an_agent_that_answers_without_a_last_word(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lastbrace.following.log, "_FINAL", 0.05)
    append(path, b"".join(CLAUDE.splitlines(keepends=True)[:-1]))
    async with lastbrace.follow(path, start="start", until_done=True) as log:
        assert await rest(log) == EVENTS[:-1]
        assert log.ended == "done"


async def test_until_each_file_is_done(tmp_path: Path) -> None:
    one, two, three = (tmp_path / name for name in ("one.log", "two.log", "three"))
    append(one, line(status="done") + line(n=1))
    async with lastbrace.follow([two, tmp_path / "*.log"], start="start", until_done=True) as log:
        assert await values(log, 1) == [{"status": "done"}]
        append(three, line(status="done"))  # not followed
        append(two, line(status="continue"))
        assert await values(log, 1) == [{"status": "continue"}]
        append(two, line(status="done") + line(n=2))
        assert await rest(log) == [{"status": "done"}]
        assert await rest(log) == []


async def test_until_something_satisfies_the_schema(path: Path) -> None:
    @dataclass
    class Point:
        x: int

    matches: list[Point] = []
    append(path, line(y=1) + line(x=2) + line(x=3))
    async with lastbrace.follow(
        path, start="start", schema=Point, until_done=True, on_match=lambda found, value: matches.append(value)
    ) as log:
        assert await rest(log) == [{"y": 1}, {"x": 2}]
    assert matches[0] == Point(2)


async def test_idle_timeout_counts_while_we_wait(path: Path) -> None:
    append(path, line(n=1) * 2)
    async with followed(path, start="start", idle_timeout=0.05) as log:
        await take(log, 1)
        await anyio.sleep(0.1)
        assert await rest(log) == [{"n": 1}]
        assert log.ended == "idle"


async def test_callbacks_say_which_file_they_are_about(tmp_path: Path) -> None:
    seen: list[tuple[str, Any]] = []

    def note(what: Found | Completion) -> None:
        assert log.source is not None
        seen.append((log.source.path.name, what.status if isinstance(what, Completion) else what.value))

    for name in ("a", "b"):
        append(tmp_path / name, line(status="done", n=name))
    async with lastbrace.follow(tmp_path, start="start", on_object=note, on_completion=note, until_done=True) as log:
        await log.wait()
    assert seen == [
        ("a", {"status": "done", "n": "a"}), ("a", "done"), ("b", {"status": "done", "n": "b"}), ("b", "done"),
    ]  # fmt: skip
    assert log.source is None


async def test_an_option_that_can_be_read_once_serves_every_file(tmp_path: Path) -> None:
    example = 'End with {"status": "done"}'
    for name in ("a", "b"):
        append(tmp_path / name, f"> {example}\n" + line(n=1))
    async with lastbrace.follow(tmp_path, start="start", ignore=iter([example])) as log:
        assert [record.value for record in await take(log, 2)] == [{"n": 1}] * 2
    outcome = lastbrace.run_sync([sys.executable, "-c", f"print({example!r})"], ignore=iter([example]))
    assert not outcome.ok


async def test_what_a_callback_raises_comes_after_the_records_before_it(path: Path) -> None:
    def fail(found: Found) -> None:
        if found.value == {"n": 1}:
            raise KeyError("mine")

    append(path, line(n=0) + line(n=1) + line(n=2))
    async with followed(path, start="start", on_object=fail) as log:
        got = []
        with pytest.raises(KeyError, match="mine"):
            async for record in log:
                got.append(record.value["n"])
        assert got == [0, 1, 2]
        append(path, line(n=3))
        assert await values(log, 1) == [{"n": 3}]


async def test_framing_goes_by_the_name(tmp_path: Path) -> None:
    text = '{"a":\n{"b": 1}\n'
    for name, count in (("a.jsonl", 1), ("b.ndjson", 1), ("c.JSONL.1", 1), ("d.log", 0)):
        append(tmp_path / name, text)
        async with followed(tmp_path / name, start="start", idle_timeout=0.05, force_polling=True) as log:
            assert await rest(log) == [{"b": 1}] * count
    async with followed(tmp_path / "d.log", start="start", framing="lines") as log:
        assert await values(log, 1) == [{"b": 1}]


async def test_what_an_older_file_said_stands_until_the_new_one_says_something(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = Looks(monkeypatch)
    async with lastbrace.follow(path) as log:
        append(path, line(status="done"))
        await take(log, 1)
        path.rename(path.with_name("a.log.1"))
        append(path, "nothing yet\n")
        await looks.two_more()
        assert await no_more(log)
        source = log.sources[path]
        assert (source.completion, source.state) == (Completion(Status.DONE), "ok")
        assert source.match is not None
        append(path, line(status="continue"))
        await take(log, 1)
        assert source.completion == Completion(Status.CONTINUE)
    assert log.outcomes[path].completion == Completion(Status.CONTINUE)


async def test_a_slow_reader_loses_nothing_and_memory_is_bounded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch)
    monkeypatch.setattr(lastbrace.following.log, "_AHEAD", 300_000)
    async with followed(path) as log:
        for generation in range(3):
            append(path, "".join(line(g=generation, n=n, pad="x" * 1000) for n in range(1000)))
            await looks.two_more()
            assert log._looker.bytes_read <= 600_000
            path.rename(path.with_name("other.log"))  # over the one before: it is deleted
            await looks.two_more()
        with anyio.fail_after(SOON):
            got = [record.value["g"] * 1000 + record.value["n"] for record in await take(log, 3000)]
        assert got == list(range(3000))


@pytest.mark.parametrize(
    ("paths", "options", "error"),
    [
        ([], {}, ValueError), ("", {}, ValueError), ("a\0b", {}, ValueError), (3, {}, TypeError),
        ("a", {"start": "middle"}, ValueError), ("a", {"unwrap": "podman"}, ValueError),
        ("a", {"idle_timeout": -1}, ValueError), ("a", {"until_done": True, "contract": "marker"}, ValueError),
        ("a", {"agent": "nobody"}, ValueError), ("a", {"roots": "none"}, ValueError), ("a", {"speed": 1}, TypeError),
    ],
)  # fmt: skip
async def test_what_makes_no_sense_is_refused(paths: Any, options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        lastbrace.follow(paths, **options)


async def test_async_callbacks_are_refused(path: Path) -> None:
    async def later(*_: object) -> None: ...

    for name in ("on_problem", "on_object"):
        with pytest.raises(TypeError, match=name if name == "on_problem" else "later"):
            lastbrace.follow(path, **{name: later})  # type: ignore[arg-type, misc]
