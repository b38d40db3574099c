"""Which files are followed: globs, folders, links in a circle, and what cannot be read."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from lastbrace.following import files, finding
from lastbrace.following.finding import Finder

from .files import Looks, append, followed, line, take, values


def found(*paths: str) -> set[str]:
    return set(Finder(paths, lambda name, why: None).find())


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a.log", "b.txt", "x/a.log", "x/y/a.log", "x/y/c.log", ".hidden/a.log", "x/.a.log", "we[i]rd.log"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        append(tmp_path / name, line(name=name))
    (tmp_path / "x" / "loop").symlink_to(tmp_path)
    (tmp_path / "x" / "self").symlink_to("self")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a.log"], {"a.log"}),
        (["none.log"], {"none.log"}),
        (["*.log"], {"a.log", "we[i]rd.log"}),
        (["we[i]rd.log"], {"we[i]rd.log"}),
        (["[ab].*"], {"a.log", "b.txt"}),
        (["x/*/*.log"], {"x/loop/a.log", "x/loop/we[i]rd.log", "x/y/a.log", "x/y/c.log"}),
        (["x/*/a.log"], {"x/y/a.log", "x/loop/a.log"}),
        (["**/c.log"], {"x/y/c.log"}),
        (["x/.*"], {"x/.a.log"}),
        ([".hidden/*"], {".hidden/a.log"}),
        (["none/**/*.log"], set()),
        (["x/y"], {"x/y/a.log", "x/y/c.log"}),
        (["x/y", "*.txt", "a.log"], {"x/y/a.log", "x/y/c.log", "b.txt", "a.log"}),
    ],
)
@pytest.mark.usefixtures("tree")
def test_names(paths: list[str], names: set[str]) -> None:
    assert found(*paths) == names


@pytest.mark.parametrize("pattern", ["", "**", "**/a.log"])
def test_folders_deeper_than_the_interpreter_can_call(tmp_path: Path, pattern: str) -> None:
    depth = 600
    (tmp_path / "/".join("d" * depth)).mkdir(parents=True)
    append(tmp_path / "/".join("d" * depth) / "a.log", line(n=0))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(depth)
    try:
        names = found(os.path.join(tmp_path, pattern))
    finally:
        sys.setrecursionlimit(limit)
    assert [os.path.basename(name) for name in names] == ["a.log"]


@pytest.mark.parametrize("path", ["**", ".", "**/*"])
def test_links_in_a_circle(tree: Path, path: str) -> None:
    got = [name for name in found(path) if os.path.isfile(name)]
    real = {os.path.relpath(os.path.realpath(name), tree) for name in got}
    assert real == {"a.log", "b.txt", "x/a.log", "x/y/a.log", "x/y/c.log", "we[i]rd.log"}
    assert len(got) == len(real)


def test_at_rest_no_directory_is_listed_again(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(finding.time, "monotonic", lambda: now)
    scans: list[str] = []
    scan = finding._scan
    monkeypatch.setattr(finding, "_scan", lambda folder: (scans.append(folder), scan(folder))[1])
    finder = Finder(["**/*.log"], lambda name, why: None)
    first = finder.find()
    now += 1
    assert finder.find() == first
    assert len(scans) == len(set(scans)) * 2  # the clock of the file system may be coarse
    now += 2
    finder.find()
    scans.clear()
    assert finder.find() == first
    assert scans == []
    append(tree / "x" / "new.log", "")
    assert set(finder.find()) == {*first, os.path.join("x", "new.log")}
    assert scans == ["x"]


@pytest.mark.anyio
async def test_what_cannot_be_read_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch)
    (tmp_path / "closed").mkdir()
    append(tmp_path / "good.log", line(n=1))
    append(tmp_path / "bad.log", line(n=2))
    append(tmp_path / "bad.gz", "no gzip file" * 100)
    os.mkfifo(tmp_path / "pipe")
    open_, scandir = os.open, os.scandir
    forbidden = {str(tmp_path / "bad.log"), str(tmp_path / "closed")}

    def refuse(path: Any) -> None:
        if path in forbidden:
            raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(files.os, "open", lambda path, *rest: (refuse(path), open_(path, *rest))[1])
    monkeypatch.setattr(finding.os, "scandir", lambda path: (refuse(path), scandir(path))[1])
    problems: list[tuple[str, str]] = []
    paths = [tmp_path, tmp_path / "closed", tmp_path / "pipe", tmp_path / "good.log" / "below"]
    async with followed(
        paths, start="start", on_problem=lambda path, why: problems.append((path.name, why)), force_polling=True
    ) as log:
        assert await values(log, 1) == [{"n": 1}]
        await looks.two_more()
        forbidden.clear()
        (record,) = await take(log, 1)
        assert record.value == {"n": 2}
        assert sorted(set(problems)) == sorted(problems)
        assert {name for name, _ in problems} == {"bad.log", "bad.gz", "closed", "pipe"}
        assert ("bad.log", "Permission denied") in problems


@pytest.mark.anyio
async def test_ten_thousand_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch)
    for number in range(10_000):
        (tmp_path / f"{number}.log").touch()
    async with followed(tmp_path) as log:
        append(tmp_path / "9999.log", line(n=1))
        append(tmp_path / "1.log", line(n=1))
        assert await values(log, 2) == [{"n": 1}] * 2
        await looks.two_more()
        assert len(os.listdir("/dev/fd")) < 600
