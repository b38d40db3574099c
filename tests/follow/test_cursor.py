"""What a cursor covers: exactly what was yielded, whatever became of the files meanwhile."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from typing import TYPE_CHECKING, Any

import pytest

import lastbrace
from lastbrace.following.finding import Finder
from lastbrace.following.looking import Looker
from lastbrace.following.places import Places

from ..cases import DATA
from .files import Looks, append, followed, line, no_more, rest, take, values

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.anyio

CLAUDE = (DATA / "captures" / "claude" / "a_plain.stream.stdout").read_bytes()


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    return Looks(monkeypatch)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.jsonl"


def saved(log: lastbrace.Log) -> Any:
    """Return the cursor as it comes back from a file."""
    return json.loads(json.dumps(log.cursor))


async def all_of(*arguments: Any, looks: Looks, **options: Any) -> list[Any]:
    """Return the values of all records that are there."""
    got = []
    async with followed(*arguments, **options) as log:
        await looks.two_more()
        while not await no_more(log) or log.buffered:
            got.append((await anext(log)).value)
    return got


async def test_each_later_record_comes_again(path: Path) -> None:
    text = "noise " + line(n=0) + "more {} noise " + line(n=1) + line(n=2).strip() + line(n=3) + '{"n": '
    path.write_text(text)
    for framing in ("lines", "free"):
        cursors = []
        async with followed(path, start="start", framing=framing, fragments=True) as log:
            records = []
            for _ in range(5):
                cursors.append(saved(log))
                records += await take(log, 1)
            cursors.append(saved(log))
        append(path, "4}\n")
        for number, cursor in enumerate(cursors):
            async with followed(path, start=cursor, framing=framing) as log:
                again = await take(log, 6 - number)
                assert [record.value for record in again[: 5 - number]] == [record.value for record in records[number:]]
                assert [(record.start, record.end) for record in again[: 5 - number]] == [
                    (record.start, record.end) for record in records[number:]
                ]
                assert again[-1].value == {"n": 4}
        path.write_text(text)


async def test_a_record_on_several_lines_comes_again_beside_those_of_an_agent(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(CLAUDE)
    for agent in ("auto", "claude", None):
        path.write_bytes(CLAUDE)
        async with followed(path, start="start", agent=agent, idle_timeout=0.7) as log:
            await take(log, CLAUDE.count(b"\n"))
            append(path, '{\n  "n": 1,\n')
            await rest(log)
            cursor = saved(log)
        append(path, "}\n".replace("}", '  "m": 2\n}') + line(n=3))
        async with followed(path, start=cursor, agent=agent) as log:
            assert [record.value for record in await take(log, 2)] == [{"n": 1, "m": 2}, {"n": 3}]


@pytest.mark.parametrize("name", ["a.log", "a.jsonl"])
@pytest.mark.parametrize(("encoding", "mark"), [("utf-16-le", BOM_UTF16_LE), ("utf-16-be", BOM_UTF16_BE)])
async def test_a_log_in_utf_16_goes_on_after_a_cursor(tmp_path: Path, name: str, encoding: str, mark: bytes) -> None:
    path = tmp_path / name

    def written(*numbers: int) -> bytes:
        return "".join(line(n=number, word="\u0a0a\u0a00 \u000a") for number in numbers).encode(encoding)

    path.write_bytes(mark + written(0, 1))
    cursors: list[Any] = ["start"]
    async with followed(path, start="start", idle_timeout=0.2) as log:
        for _ in range(2):
            await take(log, 1)
            cursors.append(saved(log))
        await rest(log)
        cursors.append(saved(log))
    append(path, written(2, 3))
    for number, cursor in zip((0, 1, 2, 2), cursors, strict=True):
        async with followed(path, start=cursor) as log:
            assert [record.value["n"] for record in await take(log, 4 - number)] == [*range(number, 4)]
    async with followed(path, start="end") as log:
        append(path, written(4))
        assert [record.value["n"] for record in await take(log, 1)] == [4]


def renamed(path: Path) -> None:
    path.rename(path.with_name("a.jsonl.1"))


def copied(path: Path) -> None:
    shutil.copyfile(path, path.with_name("a.jsonl.1"))
    os.truncate(path, 0)


def compressed(path: Path) -> None:
    path.with_name("a.jsonl-20260131.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()


def twice(path: Path) -> None:
    renamed(path)
    path.with_name("a.jsonl.1").rename(path.with_name("a.jsonl.2"))
    append(path, line(n=30))
    copied(path)


@pytest.mark.parametrize("pad", [0, 3000])
@pytest.mark.parametrize("target", ["a.jsonl", "a*"], ids=["path", "glob"])
@pytest.mark.parametrize("rotate", [renamed, copied, compressed, twice])
async def test_rotated_while_nobody_looked(
    path: Path, rotate: Callable[[Path], None], target: str, pad: int, looks: Looks
) -> None:
    async with followed(path.parent / target, start="start") as log:
        append(path, line(n=1, pad="x" * pad) + line(n=2) + '{"n": ')
        await take(log, 1)
        cursor = saved(log)
    append(path, "3}\n")
    rotate(path)
    append(path, line(n=4))
    wanted = [2, 3, 30, 4] if rotate is twice else [2, 3, 4]
    async with followed(path.parent / target, start=cursor) as log:
        got = [value["n"] for value in await values(log, len(wanted))]
        assert got == wanted if target == "a.jsonl" else sorted(got) == sorted(wanted)
        await looks.two_more()
        assert await no_more(log)
        cursor = saved(log)
    assert await _all(path.parent / target, cursor, looks) == []


async def test_a_copy_that_went_its_own_way_before_the_original_was_delivered(path: Path, looks: Looks) -> None:
    copy = path.with_name("a.jsonl.copy")
    async with followed(path.parent / "a*", start="start") as log:
        append(path, line(n=1, pad="x" * 2000))
        await take(log, 1)
        with looks.none():
            append(path, line(n=2) + line(n=3))
            shutil.copyfile(path, copy)
            append(copy, line(n=30))
        await take(log, 1)
        cursor = saved(log)
    assert len(cursor["files"]) == 2
    async with followed(path.parent / "a*", start=cursor, idle_timeout=0.5) as log:
        assert sorted(value["n"] for value in await rest(log)) == [3, 30]
    away = path.parent / "b"
    for found in (True, False):  # what the original does not deliver, the copy does
        path.rename(away)
        async with followed(path.parent / "a*", start=cursor, idle_timeout=3) as log:
            await looks.two_more()
            assert await no_more(log)
            if found:
                away.rename(path)
            assert sorted(value["n"] for value in await rest(log)) == [3, 30]


@pytest.mark.parametrize("same_number", [False, True])
async def test_a_compressed_log_that_began_like_the_one_that_stands_is_read_on(
    path: Path, looks: Looks, same_number: bool
) -> None:
    head = line(n=1, pad="x" * 1500)
    async with followed(path.parent / "a*", start="start") as log:
        append(path, head)
        await take(log, 1)
        cursor = saved(log)
    append(path, line(n=4))
    path.with_name("a.jsonl.1.gz").write_bytes(gzip.compress(path.read_bytes()))
    if same_number:  # as a new file may have it: nothing tells it from the old one
        path.write_text(head + line(n=7))
    else:
        path.with_name("b").write_text(head + line(n=7))
        path.with_name("b").rename(path)
    wanted = [4, 7] if same_number else [1, 4, 7]
    async with followed(path.parent / "a*", start=cursor) as log:
        assert sorted(value["n"] for value in await values(log, len(wanted))) == wanted
        await looks.two_more()
        assert await no_more(log)


async def test_a_copy_that_went_its_own_way_is_read_on_when_it_is_compressed(path: Path, looks: Looks) -> None:
    copy = path.with_name("a.jsonl.bak")
    async with followed(path.parent / "a*", start="start") as log:
        append(path, line(n=1, pad="x" * 1500) + line(n=2))
        await take(log, 2)
        with looks.none():
            shutil.copyfile(path, copy)
            append(copy, line(n=30))
            append(path, line(n=3))
        await looks.two_more()
        await looks.two_more()
        cursor = saved(log)
    copy.with_name("a.jsonl.bak.gz").write_bytes(gzip.compress(copy.read_bytes()))
    copy.unlink()
    async with followed(path.parent / "a*", start=cursor) as log:
        assert sorted([(await take(log, 1))[0].value["n"] for _ in range(2)]) == [3, 30]
        await looks.two_more()
        assert await no_more(log)


async def test_a_backup_written_over_while_away_is_read_on_in_a_longer_copy(path: Path, looks: Looks) -> None:
    first, backup = "".join(line(n=n, pad="x" * 1000) for n in (1, 2)), path.with_name("a.jsonl.bak")
    append(path, line(n=0))
    append(backup, first)
    async with followed(path.parent / "a*", start="start") as log:
        await take(log, 3)
        cursor = saved(log)
    append(path.with_name("a.jsonl.1"), first + line(n=3))
    backup.write_text(line(n=4, pad="y" * 1500))
    async with followed(path.parent / "a*", start=cursor) as log:
        assert sorted(value["n"] for value in await values(log, 2)) == [3, 4]
        await looks.two_more()
        assert await no_more(log)


@pytest.mark.parametrize("pad", [1000, 100_000])
async def test_a_copy_that_goes_its_own_way_within_a_record(path: Path, looks: Looks, pad: int) -> None:
    copy = path.with_name("a.jsonl.bak")
    async with followed(path.parent / "a*", start="start") as log:
        append(path, line(n=1) + line(n=2))
        await take(log, 1)
        cursor = saved(log)
        with looks.none():
            shutil.copyfile(path, copy)
            for file, z in ((path, 1), (copy, 2)):
                append(file, line(n=3, pad="x" * pad, z=z) + line(n=3 + z))
        got = [record.value for record in await take(log, 5)]
        assert sorted((value["n"], value.get("z", 0)) for value in got) == [(2, 0), (3, 1), (3, 2), (4, 0), (5, 0)]
    async with followed(path.parent / "a*", start=cursor) as log:
        again = [record.value for record in await take(log, 5)]
        assert sorted(again, key=str) == sorted(got, key=str)
        await looks.two_more()
        assert await no_more(log)


async def test_logs_that_began_alike_are_each_delivered(path: Path, looks: Looks) -> None:
    other = path.with_name("b.jsonl")
    async with followed(path.parent / "*.jsonl", start="start") as log:
        append(path, line(n=1))
        append(other, line(n=1))
        await take(log, 2)
        cursor = saved(log)
    for file in (path, other):
        append(file, line(n=2) + line(n=3))
    async with followed(path.parent / "*.jsonl", start=cursor) as log:
        got = [(record.path.name, record.value["n"]) for record in await take(log, 4)]
        assert sorted(got) == [(file.name, number) for file in (path, other) for number in (2, 3)]
        await looks.two_more()
        assert await no_more(log)


@pytest.mark.parametrize("target", ["a.jsonl", "a*"], ids=["path", "glob"])
@pytest.mark.parametrize("step", [(Finder, "find"), (Places, "walk"), (Looker, "_take_in"), (Looker, "_read")])
async def test_files_that_appear_while_the_first_look_goes_on(
    path: Path, step: tuple[type, str], target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, name = step
    take_step = getattr(owner, name)
    appeared = []

    def take_step_and_write(*arguments: Any) -> Any:
        result = take_step(*arguments)
        if not path.exists():
            append(path, line(n=3))
            appeared.append(name)
        return result

    async with followed(path.parent / target, start="start") as log:
        append(path, line(n=1) + line(n=2))
        await take(log, 1)
        cursor = saved(log)
    renamed(path)
    monkeypatch.setattr(owner, name, take_step_and_write)
    async with followed(path.parent / target, start=cursor) as log:
        renamed_on = path.with_name("a.jsonl.2")
        path.with_name("a.jsonl.1").rename(renamed_on)  # the next rotation comes at once
        path.rename(path.with_name("a.jsonl.1"))
        append(path, line(n=4))
        assert await values(log, 3) == [{"n": 2}, {"n": 3}, {"n": 4}]
    assert appeared == [name]


async def _all(target: Path, cursor: Any, looks: Looks) -> list[Any]:
    got = []
    async with followed(target, start=cursor) as log:
        await looks.two_more()
        while not await no_more(log):
            got.append(None)
    return got


async def test_a_cursor_advances_over_text_without_records(path: Path, looks: Looks) -> None:
    path.write_text("noise\n" * 1000 + '{"half')
    async with followed(path, start="start") as log:
        await looks.two_more()
        assert await no_more(log)
        (position,) = log.cursor["files"]
        assert position["offset"] == 6000


async def test_a_cursor_is_small_and_says_what_it_covers(path: Path) -> None:
    append(path, line(n=1))
    async with followed(path, start="start") as log:
        await take(log, 1)
        cursor = log.cursor
    status = path.stat()
    (position,) = cursor["files"]
    assert (position["path"], position["device"], position["inode"]) == (str(path), status.st_dev, status.st_ino)
    assert 8 <= position["offset"] <= 9
    assert position["head"][0] == position["offset"]
    assert len(json.dumps(cursor)) < 300


async def test_another_file_at_the_path_is_read_from_its_beginning(path: Path) -> None:
    append(path, line(n=1))
    async with followed(path, start="start") as log:
        await take(log, 1)
        cursor = saved(log)
    path.write_text(line(n=2) + line(n=3))  # in the same file
    async with followed(path, start=cursor) as log:
        assert await values(log, 2) == [{"n": 2}, {"n": 3}]


async def test_a_file_that_the_cursor_does_not_know_is_read_from_its_beginning(path: Path) -> None:
    async with followed(path) as log:
        cursor = saved(log)
    append(path, line(n=1))
    async with followed(path, start=json.dumps(cursor)) as log:
        assert await values(log, 1) == [{"n": 1}]


@pytest.mark.parametrize(
    "cursor", [[], {}, {"version": 1}, {"version": 2, "files": []}, {"version": 1, "files": [{"path": "a"}]}, "{", 3]
)
async def test_what_is_no_cursor_is_refused(path: Path, cursor: Any) -> None:
    with pytest.raises(ValueError, match="cursor"):
        lastbrace.follow(path, start=cursor)


@pytest.mark.parametrize(
    "change",
    [
        {"offset": -1}, {"offset": 10**30}, {"offset": 2**62 + 1}, {"skip": -1}, {"skip": 10**30}, {"head": [-1, ""]},
        {"tail": [2000, ""]},
    ],
)  # fmt: skip
async def test_places_that_no_file_has_are_refused(path: Path, change: dict[str, Any]) -> None:
    append(path, line(n=1) + line(n=2))
    async with followed(path, start="start") as log:
        await take(log, 1)
    cursor = log.cursor
    cursor["files"][0] |= change
    with pytest.raises(ValueError, match=f"no cursor.*{next(iter(change))}"):
        lastbrace.follow(path, start=cursor)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"' + "\ufffd" * 100_000, '{"version": 1' + "0" * 4000 + ', "files": []}']
)
async def test_what_is_no_cursor_is_refused_in_a_few_words(path: Path, text: str) -> None:
    for cursor in (text, text.encode()):
        with pytest.raises(ValueError, match="cursor") as caught:
            lastbrace.follow(path, start=cursor)  # type: ignore[arg-type]  # JSON will do too
        assert len(str(caught.value)) < 400
