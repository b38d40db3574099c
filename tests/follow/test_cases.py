"""What went wrong for people who followed files: the operations in `tests/data/cases/tail`, one by one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ..cases import ALL, Case
from .files import Looks, append, followed, no_more, values, without_notices

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.anyio

WITH_OPERATIONS = [case for case in ALL if "ops" in case.expect]
WITHOUT = [case for case in ALL if case.name.startswith("tail/") and "ops" not in case.expect]


class Writer:
    """Does to a file what a case says."""

    def __init__(self, path: Path, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = path
        self.old = path.with_name(path.name + ".1")
        self.case = case
        self.monkeypatch = monkeypatch
        self.written = -1

    def do(self, operation: str, *arguments: Any) -> None:
        action: Callable[..., None] = getattr(self, operation)
        action(*arguments)

    def create(self) -> None:
        self.path.touch()

    def write(self, chunk: int) -> None:
        append(self.path, self.case.chunks[chunk])
        self.written = chunk

    def write_old(self, chunk: int) -> None:
        append(self.old, self.case.chunks[chunk])
        self.written = chunk

    def rename(self) -> None:
        self.path.rename(self.old)

    def truncate(self) -> None:
        os.truncate(self.path, 0)

    def unlink(self) -> None:
        self.path.rename(self.path.with_name("deleted"))

    def create_same_inode(self) -> None:
        """Have a new file with the inode of the deleted one, which a file system does not give on request."""
        os.truncate(self.path.with_name("deleted"), 0)
        self.path.with_name("deleted").rename(self.path)

    def crash_writer(self) -> None:
        """Nothing more comes from this writer, which no file shows."""

    def no_event(self) -> None:
        without_notices(self.monkeypatch)

    def stat_returns(self, size: int) -> None:
        """Have `stat` tell an old size, as a network file system may."""
        stat = os.stat

        def stale(path: Any, *arguments: Any, **options: Any) -> os.stat_result:
            status = stat(path, *arguments, **options)
            if not isinstance(path, int) and Path(path) == self.path:
                names = {name for name in dir(status) if name.startswith("st_")} - {*status.__match_args__}
                fields = {name: getattr(status, name) for name in names}
                return os.stat_result([size if at == 6 else value for at, value in enumerate(status)], fields)
            return status

        self.monkeypatch.setattr(os, "stat", stale)


@pytest.mark.parametrize("polling", [True, False], ids=["polling", "notices"])
@pytest.mark.parametrize("case", WITH_OPERATIONS, ids=[case.name for case in WITH_OPERATIONS])
async def test_operations(case: Case, polling: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch)
    writer = Writer(tmp_path / "the.log", case, monkeypatch)
    steps: list[list[Any]] = []  # what is done between two looks
    for name, *arguments in case.expect["ops"]:
        if name == "poll":
            steps.append([])
        elif name != "start_follow":
            (steps or [steps.append([]) or []])  # type: ignore[func-returns-value]
            steps[-1].append((name, *arguments))
    got: list[Any] = []
    async with followed(writer.path, force_polling=polling) as log:
        for step in steps:
            with looks.none():
                for operation in step:
                    writer.do(*operation)
            due = [at for at in case.expect["emit_after_chunk"] if at <= writer.written]
            got += await values(log, len(due) - len(got))
        await looks.two_more()
        assert await no_more(log)
    assert got == case.objects


@pytest.mark.parametrize("case", WITHOUT, ids=[case.name for case in WITHOUT])
async def test_a_file_that_is_there(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch)
    path = tmp_path / "the.log"
    path.write_bytes(case.text)
    async with followed(path, start="start", force_polling=True) as log:
        assert await values(log, len(case.objects)) == case.objects
        await looks.two_more()
        assert await no_more(log)
