"""Files that are renamed, copied, truncated, rewritten, deleted, compressed and linked while they are followed."""

from __future__ import annotations

import gzip
import os
import shutil
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from lastbrace.following import copies, looking
from lastbrace.following import log as log_module
from lastbrace.following.contents import Content, News
from lastbrace.following.copies import Copies
from lastbrace.following.files import PlainFile
from lastbrace.following.looking import Looker
from lastbrace.following.reading import Reading

from .files import SOON, Looks, append, followed, line, no_more, take, values

if TYPE_CHECKING:
    from pathlib import Path

    import lastbrace

pytestmark = pytest.mark.anyio


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    return Looks(monkeypatch)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "a.jsonl"
    file.write_text(line(n=0))
    return file


async def nothing_comes_when_it_is_forgotten(log: lastbrace.Log, path: Path, looks: Looks) -> None:
    """Wait until the text that was at the path is forgotten, and see that nothing of it comes again."""
    with anyio.fail_after(SOON):
        while any(file["offset"] for file in log.cursor["files"] if file["path"] == str(path)):
            assert await no_more(log)
    await looks.two_more()
    assert await no_more(log)


def older(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}")


async def test_half_a_record_is_never_glued_to_what_replaces_it(path: Path, looks: Looks) -> None:
    async with followed(path) as log:
        for replace in (lambda: path.rename(older(path, 1)), lambda: os.truncate(path, 0), path.unlink):
            append(path, line(n=1) + '{"n": ')
            assert await values(log, 1) == [{"n": 1}]
            with looks.none():
                replace()
                append(path, "2}\n" + line(n=3))
            assert await values(log, 1) == [{"n": 3}]
        await looks.two_more()
        assert await no_more(log)


async def test_a_renamed_file_is_read_to_its_end_first_and_as_long_as_it_grows(path: Path, looks: Looks) -> None:
    async with followed(path) as log:
        with looks.none():
            append(path, line(n=1) + '{"n"')
            path.rename(older(path, 1))
            append(path, line(n=3))
            append(older(path, 1), ": 2}\n")
        records = await take(log, 3)
        assert [record.value["n"] for record in records] == [1, 2, 3]
        assert {record.path for record in records} == {path}
        assert [record.start for record in records] == [9, 18, 0]
        append(older(path, 1), line(n=4))
        assert await values(log, 1) == [{"n": 4}]


async def test_all_generations_between_two_looks_are_read_in_order(path: Path, looks: Looks) -> None:
    older(path, 7).write_text(line(n=-1))  # was there before: none of it is wanted
    async with followed(path) as log:
        with looks.none():
            append(path, line(n=1))
            for number in (2, 3, 4):
                for generation in (3, 2, 1):
                    if older(path, generation).exists():
                        older(path, generation).rename(older(path, generation + 1))
                path.rename(older(path, 1))
                append(path, line(n=number))
        assert await values(log, 4) == [{"n": number} for number in (1, 2, 3, 4)]
        await looks.two_more()
        assert await no_more(log)


@pytest.mark.parametrize("target", ["a.jsonl", "a*", ""], ids=["path", "glob", "folder"])
@pytest.mark.parametrize("seen", ["before", "between", "after"])
@pytest.mark.parametrize("size", [0, 3000])
async def test_a_copy_gives_what_its_original_did_not_and_nothing_else(
    path: Path, looks: Looks, target: str, seen: str, size: int
) -> None:
    async with followed(path.parent / target) as log:
        append(path, line(n=1, pad="x" * size))
        assert [value["n"] for value in await values(log, 1)] == [1]
        with looks.none():
            append(path, line(n=2))
            if seen == "before":
                shutil.copyfile(path, older(path, 1))
                append(path, line(n=3))
                append(older(path, 1), line(n=3))  # the copy is still being made
        if seen == "before":
            await looks.two_more()
        with looks.none():
            if seen == "between":
                append(path, line(n=3))
                shutil.copyfile(path, older(path, 1))
            if seen == "after":
                append(path, line(n=3) + '{"n": ')
                shutil.copyfile(path, older(path, 1))
                append(path, "4}\n")
                append(older(path, 1), "4}\n")
            os.truncate(path, 0)
            append(path, line(n=5))
        wanted = [2, 3, 4, 5] if seen == "after" else [2, 3, 5]
        assert sorted([value["n"] for value in await values(log, len(wanted))]) == wanted
        await looks.two_more()
        assert await no_more(log)


@pytest.mark.parametrize("extra", [0, 1, 5000])
async def test_rewritten_to_the_same_or_a_larger_size(path: Path, looks: Looks, extra: int) -> None:
    async with followed(path) as log:
        text = line(n=1, pad="x" * 2000)
        append(path, text)
        await take(log, 1)
        with looks.none():
            size = path.stat().st_size
            path.write_text(line(n=2) + " " * (size - 9 + extra) + "\n" + line(n=3))
        assert await values(log, 2) == [{"n": 2}, {"n": 3}]


async def test_rewritten_behind_the_same_first_kilobyte(path: Path, looks: Looks) -> None:
    banner = "# " + "=" * 3000 + "\n"
    path.write_text(banner)
    async with followed(path) as log:
        append(path, line(run=1, n=1) * 30)
        await take(log, 30)
        with looks.none():
            path.write_text(banner + line(run=2, n=1) * 40)
        assert await values(log, 40) == [{"run": 2, "n": 1}] * 40


async def test_a_writer_that_moves_a_closing_bracket_writes_the_same_text(path: Path, looks: Looks) -> None:
    path.write_text("[" + ",\n".join(line(n=n, pad="x" * 90).strip() for n in range(20)) + "\n]")
    async with followed(path) as log:
        for number in (20, 21):
            with looks.none(), path.open("r+b") as file:
                file.seek(-2, os.SEEK_END)
                file.write(b",\n" + line(n=number).strip().encode() + b"\n]")
            assert await values(log, 1) == [{"n": number}]
        await looks.two_more()
        assert await no_more(log)


async def test_a_file_saved_anew_with_more_in_it_gives_what_is_new(path: Path, looks: Looks) -> None:
    text = line(n=1, pad="x" * 2000)
    path.write_text(text)
    async with followed(path) as log:
        for number in (2, 3):
            text += line(n=number)
            with looks.none():
                path.with_suffix(".tmp").write_text(text)
                path.with_suffix(".tmp").replace(path)
            assert await values(log, 1) == [{"n": number}]


async def test_deleted_and_made_anew(path: Path, looks: Looks) -> None:
    async with followed(path) as log:
        with looks.none(), path.open("a") as file:
            append(path, line(n=1))
            path.unlink()
            file.write(line(n=2))
        assert await values(log, 2) == [{"n": 1}, {"n": 2}]
        await looks.two_more()
        append(path, line(n=1))
        assert await values(log, 1) == [{"n": 1}]


async def test_a_symbolic_link_that_is_moved(tmp_path: Path, looks: Looks) -> None:
    link, one, two = tmp_path / "current", tmp_path / "run-one", tmp_path / "run-two"
    append(one, line(n=0))
    append(two, line(n=3))
    link.symlink_to(one)
    async with followed(link) as log:
        with looks.none():
            append(one, line(n=1))
            link.unlink()
            link.symlink_to(two)
            append(one, line(n=2))
        records = await take(log, 3)
        assert [record.value["n"] for record in records] == [1, 2, 3]
        assert {record.path for record in records} == {link}


async def test_compressed_generations_are_read_when_they_match_and_never_twice(path: Path, looks: Looks) -> None:
    async with followed(path.parent / "*.jsonl*") as log:
        append(path, line(n=1))
        await take(log, 1)
        with looks.none():
            path.rename(older(path, 1))
            append(older(path, 1), line(n=2))
            append(path, line(n=3))
        assert await values(log, 2) == [{"n": 2}, {"n": 3}]
        with looks.none():
            text = older(path, 1).read_bytes() + line(n=4).encode()
            older(path, 1).unlink()
            path.with_name("a.jsonl.2.gz").write_bytes(gzip.compress(text[:30]) + gzip.compress(text[30:]))
        assert await values(log, 1) == [{"n": 4}]
        packed = gzip.compress(line(n=5).encode() + line(n=6).encode() * 1000)
        path.with_name("other.jsonl.gz").write_bytes(packed[: len(packed) // 2])
        await looks.two_more()
        append(path.with_name("other.jsonl.gz"), packed[len(packed) // 2 :])
        assert await values(log, 1001) == [{"n": 5}] + [{"n": 6}] * 1000
        await looks.two_more()
        assert await no_more(log)


async def compressed(log: lastbrace.Log, path: Path, looks: Looks, *parts: float) -> bytes:
    """Have 500 records read, rotated, compressed, deleted and forgotten; return all of the compressed file.

    Of that so much is there at a time.
    """
    append(path, "".join(line(n=number, id=os.urandom(20).hex()) for number in range(1, 500)))
    await take(log, 500)
    path.rename(older(path, 1))
    await looks.two_more()
    data = gzip.compress(older(path, 1).read_bytes())
    for part in parts:
        path.with_name("a.jsonl.1.gz").write_bytes(data[: int(len(data) * part)])
        await looks.two_more()
    older(path, 1).unlink()
    with anyio.fail_after(SOON):
        while any(file["path"] == str(path) for file in log.cursor["files"]):
            assert await no_more(log)
    return data


@pytest.mark.parametrize("slow", [False, True], ids=["whole", "slow"])
async def test_a_compressed_generation_is_not_delivered_again_when_its_text_has_ended(
    path: Path, looks: Looks, monkeypatch: pytest.MonkeyPatch, slow: bool
) -> None:
    monkeypatch.setattr(looking, "_LOST_FOR", 0.05)
    packed = path.with_name("a.jsonl.1.gz")
    async with followed(path.parent / "*.jsonl*", start="start") as log:
        data = await compressed(log, path, looks, *((0.5,) if slow else (0.5, 1.0)))
        for written in (100, len(data) // 2, len(data)) if slow else ():  # it was never whole until then
            packed.write_bytes(data[:written])
            await looks.two_more()
        with looks.none():  # else it would be one that was read to its end, and another one now
            packed.write_bytes(data)
        await looks.two_more()
        assert await no_more(log)
        append(packed, gzip.compress(line(n=500).encode()))
        assert await values(log, 1) == [{"n": 500}]
        cursor = log.cursor
    async with followed(path.parent / "*.jsonl*", start=cursor) as log:
        await looks.two_more()
        assert await no_more(log)


async def test_a_backup_of_what_was_rewritten_is_not_delivered_again(path: Path, looks: Looks) -> None:
    async with followed(path.parent, start="start") as log:
        await take(log, 1)
        path.write_text("\n" + "".join(line(n=number) for number in range(1, 200)))
        await take(log, 199)
        with looks.none():
            path.with_name("a.jsonl.bak").write_bytes(path.read_bytes()[:1500])
            path.write_text("\n" + line(n=200))  # begins with the same line, which is blank
        assert await values(log, 1) == [{"n": 200}]
        await looks.two_more()
        assert await no_more(log)


async def test_a_copy_that_grew_while_it_was_compared_is_not_delivered_again(
    path: Path, looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "_LOST_FOR", 0.05)
    copy, wait = path.with_name("a.jsonl.bak"), Copies._wait
    text = path.read_text() + "".join(line(n=number, pad="x" * 100) for number in range(1, 100))

    def grow_and_wait(self: Copies, *arguments: Any) -> None:
        copy.write_text(text)
        wait(self, *arguments)

    async with followed(path.parent / "a*", start="start") as log:
        append(path, text[len(line(n=0)) :])
        await take(log, 100)
        with monkeypatch.context() as patched:
            patched.setattr(Copies, "_wait", grow_and_wait)
            copy.write_text(text[:5000])
            await looks.two_more()
            with looks.none():  # that is still writing it
                patched.undo()
        assert copy.read_text() == text
        append(path, line(n=100))
        await take(log, 1)
        os.truncate(path, 0)
        await nothing_comes_when_it_is_forgotten(log, path, looks)


async def test_a_copy_that_grew_to_the_last_moment_is_not_delivered_again(
    path: Path, looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "_LOST_FOR", 0.05)
    text = path.read_text() + "".join(line(n=number, pad="x" * 100) for number in range(1, 100))
    async with followed(path.parent / "a*", start="start") as log:
        append(path, text[len(line(n=0)) :])
        await take(log, 100)
        older(path, 1).write_text(text[:5000])
        await looks.two_more()
        append(path, line(n=100))  # which the copy will not have
        await take(log, 1)
        with looks.none():
            older(path, 1).write_text(text)
            os.truncate(path, 0)
        await nothing_comes_when_it_is_forgotten(log, path, looks)


@pytest.mark.parametrize("size", [11, 5000])
async def test_a_backup_of_what_was_truncated_at_once_is_not_delivered_again(
    path: Path, looks: Looks, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(looking, "_LOST_FOR", 0.05)
    text = path.read_text() + "".join(line(n=number, pad="x" * 100) for number in range(1, 100))
    text = text[: text.index("\n", size - 11) + 1] + line(n=200)
    async with followed(path.parent / "a*", start="start") as log:
        append(path, text[len(line(n=0)) :])
        await take(log, text.count("\n"))
        with looks.none():
            path.with_name("a.jsonl.bak").write_text(text.removesuffix(line(n=200)))
            os.truncate(path, 0)
        await nothing_comes_when_it_is_forgotten(log, path, looks)


async def test_one_file_under_two_names_is_delivered_once(path: Path, looks: Looks) -> None:
    path.with_name("b.jsonl").symlink_to(path)
    os.link(path, path.with_name("c.jsonl"))
    async with followed(path.parent / "*.jsonl") as log:
        append(path, line(n=1))
        assert await values(log, 1) == [{"n": 1}]
        await looks.two_more()
        assert await no_more(log)


async def test_a_cursor_has_a_compressed_generation_at_any_moment(
    path: Path, looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "_LOST_FOR", 0.05)
    take_one, known = Reading.take, []

    def taken(reading: Reading, news: News) -> None:
        take_one(reading, news)
        known.append(any(file["path"].endswith(".gz") for file in log.cursor["files"]))

    async with followed(path.parent / "*.jsonl*", start="start") as log:
        monkeypatch.setattr(Reading, "take", taken)
        await compressed(log, path, looks, 1.0)
        await looks.two_more()
        assert await no_more(log)
    assert known[-1]
    assert all(known[known.index(True) :])


async def test_files_of_their_own_may_hold_the_same(tmp_path: Path) -> None:
    for name in ("worker.log", "worker-2.log", "worker-3.log"):
        append(tmp_path / name, line(status="done"))
    async with followed(tmp_path / "*.log", start="start") as log:
        assert await values(log, 3) == [{"status": "done"}] * 3


async def test_a_backup_is_not_delivered_and_what_goes_its_own_way_is(path: Path, looks: Looks) -> None:
    backup, fork = path.with_name("a.jsonl.bak"), path.with_name("a.jsonl.fork")
    async with followed(path.parent, start="start") as log:
        append(path, line(n=1))
        await take(log, 2)
        with looks.none():
            shutil.copyfile(path, backup)
            shutil.copyfile(path, fork)
            append(fork, line(n=2))
            append(path, line(n=3))
        assert sorted([value["n"] for value in await values(log, 2)]) == [2, 3]
        append(backup, line(n=4))
        assert await values(log, 1) == [{"n": 4}]
        append(path, line(n=5))
        assert await values(log, 1) == [{"n": 5}]
        await looks.two_more()
        assert await no_more(log)


@pytest.mark.parametrize("written", [1.0, 0.5, 0.01], ids=["whole", "half", "hardly"])
async def test_a_compressed_generation_is_not_delivered_again_after_a_restart(
    path: Path, looks: Looks, monkeypatch: pytest.MonkeyPatch, written: float
) -> None:
    monkeypatch.setattr(looking, "_LOST_FOR", 0.05)
    packed = path.with_name("a.jsonl.1.gz")
    async with followed(path.parent / "*.jsonl*", start="start") as log:
        data = await compressed(log, path, looks, written)
        cursor = log.cursor
    async with followed(path.parent / "*.jsonl*", start=cursor) as log:
        await looks.two_more()
        with looks.none():
            packed.write_bytes(data)
        await looks.two_more()
        assert await no_more(log)
        append(path, line(n=500))
        assert await values(log, 1) == [{"n": 500}]


@pytest.mark.parametrize("parts", [False, True], ids=["a copy", "one that goes its own way"])
async def test_truncated_while_it_is_compared_with_its_copy(
    path: Path, looks: Looks, monkeypatch: pytest.MonkeyPatch, parts: bool
) -> None:
    judge, is_in, where_they_part = Copies.judge, Content.is_in, copies.where_they_part
    judging: list[Any] = []

    def truncate() -> None:
        if judging:
            judging.clear()
            os.truncate(path, 0)
            append(path, line(n=32))

    def judged(these: Copies, unknown: Any, now: float) -> Any:
        judging[:] = [unknown] if path.stat().st_size > 1_000_000 else []
        return judge(these, unknown, now)

    def seen_in(content: Content, file: Any) -> bool:
        there = is_in(content, file)
        if there and not parts:
            truncate()
        return there

    class Truncated:
        """A file that is truncated when its first block has been read."""

        def __init__(self, file: Any) -> None:
            self._file = file

        def read_at(self, offset: int, size: int) -> bytes:
            if offset:
                truncate()
            return bytes(self._file.read_at(offset, size))

    monkeypatch.setattr(Copies, "judge", judged)
    monkeypatch.setattr(Content, "is_in", seen_in)
    monkeypatch.setattr(copies, "where_they_part", lambda one, other: where_they_part(one, Truncated(other)))
    async with followed(path.parent / "a*", start="start") as log:
        append(path, line(n=1))
        await take(log, 2)
        with looks.none():
            append(path, "".join(line(n=n, pad="x" * 40_000) for n in range(2, 32)))
            shutil.copyfile(path, older(path, 1))
            if parts:
                append(older(path, 1), line(other=1))
        got = await values(log, 32 if parts else 31)
        assert sorted(value["n"] for value in got if "n" in value) == [*range(2, 33)]
        await looks.two_more()
        assert await no_more(log)
    assert not judging


@pytest.mark.parametrize("rewritten", [False, True])
async def test_truncated_between_a_look_at_its_copy_and_the_first_read(
    path: Path, looks: Looks, monkeypatch: pytest.MonkeyPatch, rewritten: bool
) -> None:
    read, armed = Looker._read, [True]

    def truncated(looker: Looker, budget: int) -> int:
        if not armed or path.stat().st_size < 1000:
            return read(looker, budget)
        armed.clear()
        os.truncate(path, 0)
        append(path, line(n=6))
        spent = read(looker, budget)
        if rewritten:
            path.write_text("-" * 100 + "\n" + line(n=7))
        return spent

    monkeypatch.setattr(Looker, "_read", truncated)
    async with followed(path.parent / "a*", start="start") as log:
        await take(log, 1)
        with looks.none():
            path.unlink()
            append(path, "".join(line(n=n, pad="x" * 1000) for n in range(1, 6)))
            shutil.copyfile(path, older(path, 1))
        wanted = [*range(1, 7), *([7] if rewritten else [])]
        assert sorted([value["n"] for value in await values(log, len(wanted))]) == wanted
        await looks.two_more()
        assert await no_more(log)


@pytest.mark.parametrize("is_known", [False, True])
async def test_written_over_while_it_is_read(
    path: Path, looks: Looks, monkeypatch: pytest.MonkeyPatch, is_known: bool
) -> None:
    old = line(n=1, pad="x" * 2000) + line(n=2, pad="x" * 2000)
    new = "-" * 4000 + "\n" + line(n=3, pad="y" * 2000) + line(n=4)
    read_at, armed = PlainFile.read_at, [True]

    def mixed(file: PlainFile, offset: int, size: int) -> bytes:
        data = read_at(file, offset, size)
        if not armed or len(data) < 3000 or size < len(data) + 1:
            return data
        armed.clear()
        path.write_text(new)
        return data[:3000] + read_at(file, offset + 3000, size - 3000)

    async with followed(path, start="start") as log:
        if is_known:
            append(path, line(n=0, pad="x" * 2000))
            await take(log, 2)
        else:
            await take(log, 1)
        monkeypatch.setattr(PlainFile, "read_at", mixed)
        with looks.none():
            if not is_known:
                path.unlink()
            append(path, old)
        assert [value["n"] for value in await values(log, 2)] == [3, 4]
        append(path, line(n=5))
        assert [value["n"] for value in await values(log, 1)] == [5]
        await looks.two_more()
        assert await no_more(log)
        assert not armed


async def test_copies_of_a_log_that_was_truncated_before_its_first_bytes_were_read(path: Path, looks: Looks) -> None:
    first, more = ("".join(line(n=n, pad="x" * 1000) for n in numbers) for numbers in (range(1, 4), range(4, 6)))
    async with followed(path.parent / "a*", start="start") as log:
        with looks.none():
            append(path.with_name("a.jsonl.bak"), first)
        assert sorted([value["n"] for value in await values(log, 4)]) == [0, 1, 2, 3]
        append(older(path, 1), first + more)  # from before that, and complete
        assert [value["n"] for value in await values(log, 2)] == [4, 5]
        shutil.copyfile(older(path, 1), path.with_name("a.jsonl.save"))
        append(path, line(n=6))
        assert [value["n"] for value in await values(log, 1)] == [6]
        await looks.two_more()
        assert await no_more(log)


async def test_a_fork_that_was_deleted_unread_takes_no_copy_of_its_original(
    path: Path, looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, fork, packed = Looker._read, path.with_name("a.jsonl.fork"), path.with_name("a.jsonl.1.gz")

    def deleted(looker: Looker, budget: int) -> int:
        fork.unlink(missing_ok=True)
        return read(looker, budget)

    append(path, line(n=1, pad="x" * 2000))
    async with followed(path.parent / "a*", start="start") as log:
        await take(log, 2)
        monkeypatch.setattr(Looker, "_read", deleted)
        with looks.none():
            shutil.copyfile(path, fork)
            append(fork, "# something else\n")
        await looks.two_more()
        append(path, line(n=2))
        await take(log, 1)
        with looks.none():
            append(path, line(n=3))
            packed.write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
            append(path, line(n=4))
        assert [value["n"] for value in await values(log, 2)] == [3, 4]
        await looks.two_more()
        assert await no_more(log)


async def test_a_log_that_comes_after_its_backup(path: Path, looks: Looks) -> None:
    first, backup = "".join(line(n=n, pad="x" * 1000) for n in range(1, 4)), path.with_name("a.jsonl.bak")
    async with followed(path.parent / "a*", start="start") as log:
        await take(log, 1)
        path.unlink()
        await looks.two_more()
        append(backup, first)
        await take(log, 3)
        append(path, first[:2000])  # being written, and not there when its backup was looked at
        await looks.two_more()
        append(path, first[2000:] + line(n=4))
        assert [value["n"] for value in await values(log, 1)] == [4]
        await looks.two_more()
        assert await no_more(log)


@pytest.mark.parametrize("pad", [0, 2000])
async def test_backups_that_only_begin_alike_are_read_whole(path: Path, looks: Looks, pad: int) -> None:
    head = line(new="session", pad="x" * pad)
    async with followed(path.parent / "a*", start="start") as log:
        append(path.with_name("a.jsonl.bak"), head + line(n=1, pad="x" * 2000))
        await values(log, 3)
        path.unlink()
        for file, n in ((older(path, 1), 2), (path, 3)):
            append(file, head)
            await looks.two_more()
            append(file, line(n=n, pad=str(n) * 2000))
            assert [value.get("n") for value in await values(log, 2)] == [None, n]
        await looks.two_more()
        assert await no_more(log)


async def test_compressed_generations_that_were_there_are_left_alone(path: Path, looks: Looks) -> None:
    path.with_name("a.jsonl.1.gz").write_bytes(gzip.compress(line(old=1).encode() * 500))
    async with followed(path.parent) as log:
        with looks.none():
            path.with_name("a.jsonl.1.gz").rename(path.with_name("a.jsonl.2.gz"))
            path.with_name("a.jsonl.1.gz").write_bytes(gzip.compress(line(n=0).encode() + line(n=1).encode()))
            path.write_text(line(n=2))
        assert sorted([value["n"] for value in await values(log, 2)]) == [1, 2]
        await looks.two_more()
        assert await no_more(log)


@pytest.mark.parametrize("target", ["a.jsonl", "a*"], ids=["path", "glob"])
async def test_copied_and_truncated_before_anything_of_it_was_read(
    path: Path, target: str, looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_module, "_AHEAD", 100)  # no more is read until somebody takes it
    async with followed(path.parent / target) as log:
        with looks.none():
            append(path, "".join(line(n=n, pad="x" * 1000) for n in range(1, 10)))
            shutil.copyfile(path, older(path, 1))
            os.truncate(path, 0)
            append(path, line(n=10) + line(n=11))
        await looks.two_more()
        with looks.none():
            older(path, 1).rename(older(path, 2))
            shutil.copyfile(path, older(path, 1))
        await looks.two_more()
        with looks.none():
            os.truncate(path, 0)
        await looks.two_more()
        append(path, line(n=12))
        assert [value["n"] for value in await values(log, 12)] == list(range(1, 13))
        await looks.two_more()
        assert await no_more(log)


async def test_nothing_is_remembered_of_files_that_are_gone(
    path: Path, looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "_LOST_FOR", 0.0)
    monkeypatch.setattr(looking, "_TIDIED_EVERY", 0.0)
    packed = [path.with_name(f"{path.name}.{number}.gz") for number in range(1, 4)]
    known = []
    async with followed(path.parent / "a*") as log:
        for n in range(1, 13):
            append(path, line(n=n))
            assert await values(log, 1) == [{"n": n}]
            with looks.none():
                packed[2].unlink(missing_ok=True)
                for newer, older_one in ((1, 2), (0, 1)):
                    if packed[newer].exists():
                        packed[newer].rename(packed[older_one])
                packed[0].write_bytes(gzip.compress(path.read_bytes()))
                path.unlink()
                append(path, line(n=0, again=n))
            await looks.two_more()
            await looks.two_more()
            assert await values(log, 1) == [{"n": 0, "again": n}]
            known.append(len(log.cursor["files"]))
        assert max(known[6:]) <= max(known[:6]) <= 6
