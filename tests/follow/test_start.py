"""Where following begins: at the end, at the beginning, in the middle of a record, in files that come later."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .files import Looks, append, followed, line, no_more, take, values

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    return Looks(monkeypatch)


async def test_from_the_end_only_what_is_written_later(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    append(path, line(n=1) * 1000)
    async with followed(path) as log:
        append(path, line(n=2))
        (record,) = await take(log, 1)
        assert (record.value, record.start, record.end) == ({"n": 2}, 9000, 9008)
        assert path.read_bytes()[record.start : record.end] == record.found.raw
        assert (record.found.start, record.found.end) == (9000, 9008)


@pytest.mark.parametrize("name", ["a.log", "a.jsonl"])
@pytest.mark.parametrize("before", ["", line(n=0), "x" * 100_000 + "\n", line(n=0) * 10_000])
async def test_a_record_that_is_being_written_when_following_begins(tmp_path: Path, name: str, before: str) -> None:
    path = tmp_path / name
    append(path, before + '{"a": {"b": 1}, "c')
    async with followed(path) as log:
        append(path, '": {"d": 2}}\n')
        (record,) = await take(log, 1)
        assert record.value == {"a": {"b": 1}, "c": {"d": 2}}
        assert record.start == len(before)


async def test_what_was_complete_on_the_line_is_not_delivered(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    append(path, line(n=1).strip())
    async with followed(path) as log:
        append(path, line(n=2))
        assert await values(log, 1) == [{"n": 2}]


async def test_in_the_middle_of_a_record_too_long_to_look_back_to(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    append(path, '{"long": "' + "x" * 200_000)
    async with followed(path) as log:
        append(path, '", "usage": {"n": 1}}\n' + line(n=2))
        assert await values(log, 1) == [{"n": 2}]


async def test_backups_that_were_there_are_read_from_their_end_too(tmp_path: Path, looks: Looks) -> None:
    first, path, backup = line(n=0, pad="x" * 2000), tmp_path / "a.jsonl", tmp_path / "a.jsonl.bak"
    path.write_text(first + line(n=1))
    backup.write_text(first + line(n=2))
    backup.with_name("a.jsonl.save").write_text(first + line(n=2) + line(n=3))
    async with followed(tmp_path / "a*") as log:
        await looks.two_more()
        append(path, line(n=4))
        append(backup, line(n=5))
        assert sorted(value["n"] for value in await values(log, 2)) == [4, 5]
        await looks.two_more()
        assert await no_more(log)


async def test_files_that_come_later_are_read_from_their_beginning(tmp_path: Path, looks: Looks) -> None:
    async with followed([tmp_path / "later" / "*" / "a.log", tmp_path / "b.log"]) as log:
        await looks.two_more()
        (tmp_path / "later" / "x").mkdir(parents=True)
        append(tmp_path / "later" / "x" / "a.log", line(n=1))
        (record,) = await take(log, 1)
        assert (record.path, record.value) == (tmp_path / "later" / "x" / "a.log", {"n": 1})
        append(tmp_path / "b.log", line(n=2))
        (record,) = await take(log, 1)
        assert (record.path, record.value) == (tmp_path / "b.log", {"n": 2})


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("start", ["start", "end"])
async def test_utf_16_as_some_shells_write_it(tmp_path: Path, encoding: str, start: str) -> None:
    path = tmp_path / "a.log"
    append(path, ("\ufeff" + line(n=1)).encode(encoding))
    async with followed(path, start=start) as log:
        append(path, line(n="é").encode(encoding))
        records = await take(log, 2 if start == "start" else 1)
        assert records[-1].value == {"n": "é"}
        raw = path.read_bytes()[records[-1].start : records[-1].end]
        assert raw.decode(encoding) == line(n="é").strip()


async def test_one_path_given_as_text_or_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with followed("./a.log", start="start") as log:
        append(tmp_path / "a.log", line(n=1))
        (record,) = await take(log, 1)
        assert str(record.path) == "a.log"
    async with followed("*.log", start="start") as log:
        assert await values(log, 1) == [{"n": 1}]
        assert await no_more(log)
