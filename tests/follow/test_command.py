"""`lastbrace follow` as a shell sees it: lines, exit status, signals, and the file that keeps its place."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import stat
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from ..cases import DATA
from ..commands import COMMAND, FULL, command, needs_full, with_and_without_buffer
from .files import SOON, append, line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CLAUDE = DATA / "captures" / "claude" / "a_plain.stream.stdout"
QUIET = ("--idle-timeout", "0.3")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    append(tmp_path / "a.log", line(n=1) + 'text {"status": "continue",\n "x": NaN}\n')
    return tmp_path / "a.log"


def printed(out: bytes) -> list[Any]:
    return [json.loads(text) for text in out.splitlines()]


@contextlib.contextmanager
def running(*arguments: str | Path, under: tuple[str, ...] = ()) -> Iterator[subprocess.Popen[str]]:
    program = subprocess.Popen(
        [*under, *COMMAND, "follow", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with program:
        try:
            yield program
        finally:
            program.kill()


@pytest.mark.usefixtures("path")
def test_lines_have_path_offsets_and_value() -> None:
    status, out, error = command("follow", "--from", "start", *QUIET, "a.log")
    assert (status, error) == (0, "")
    assert printed(out) == [
        {"path": "a.log", "start": 0, "end": 8, "value": {"n": 1}},
        {"path": "a.log", "start": 14, "end": 47, "value": {"status": "continue", "x": None}},
    ]
    assert command("follow", *QUIET, "a.log", ".") == (4, b"", "")


def test_it_tells_what_it_waits_for(path: Path) -> None:
    (path.parent / "empty").mkdir()
    names = ["a.log", "*.log", "none\x07.log", "*.jsonl", "empty", "none\x07.log"]
    status, out, error = command("follow", *QUIET, *names)
    waiting = ["none\\x07.log", "*.jsonl"]
    assert (status, out, error) == (4, b"", "".join(f"lastbrace: waiting for {name}\n" for name in waiting))


def test_until_done(path: Path) -> None:
    status, out, error = command("follow", "--from", "start", "--until", "done", *QUIET, path)
    assert (status, len(printed(out))) == (124, 2)
    assert "last word" in error
    append(path, line(status="done") + line(n=2))
    status, out, error = command("follow", "--from", "start", "--until", "done", path)
    assert (status, len(printed(out)), error) == (0, 3, "")
    append(path.with_name("claude.jsonl"), CLAUDE.read_bytes())
    status, out, _ = command("follow", "--agent", "claude", "--from", "start", "--until", "done", "claude.jsonl")
    assert status == 0
    assert printed(out)[-1]["value"]["type"] == "result"


def test_only_what_satisfies_the_schema(path: Path) -> None:
    (path.parent / "schema.json").write_text(json.dumps({"required": ["n"]}))
    options = ["--schema", "schema.json", "--from", "start"]
    status, out, _ = command("follow", *options, *QUIET, path)
    assert (status, [found["value"] for found in printed(out)]) == (0, [{"n": 1}])
    status, out, _ = command("follow", *options, "--until", "done", path)
    assert (status, len(printed(out))) == (0, 1)


def test_records_come_as_they_are_written_until_a_signal(path: Path) -> None:
    with running("--from", "start", "--poll", path) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        assert json.loads(program.stdout.readline())["value"] == {"n": 1}
        program.stdout.readline()
        append(path, line(n=2))
        assert json.loads(program.stdout.readline())["value"] == {"n": 2}
        program.send_signal(signal.SIGTERM)
        assert program.wait(SOON) == 128 + signal.SIGTERM
        assert program.stderr.read() == ""


def test_under_nohup_a_hang_up_is_no_end(path: Path) -> None:
    with running("--from", "start", "--poll", path, under=("nohup",)) as program:
        assert program.stdout is not None
        for _ in range(2):
            program.stdout.readline()
        program.send_signal(signal.SIGHUP)
        append(path, line(n=2))
        assert json.loads(program.stdout.readline())["value"] == {"n": 2}
        program.send_signal(signal.SIGTERM)
        assert program.wait(SOON) == 128 + signal.SIGTERM


def test_ended_by_its_reader(path: Path) -> None:
    append(path, line(n=1) * 20_000)
    with running("--from", "start", "--state", path.with_name("state"), path) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.readline()
        program.stdout.close()
        assert program.wait(SOON) == 0
        assert program.stderr.read() == ""


def test_its_place_is_kept_in_a_file(path: Path) -> None:
    state = path.with_name("state.json")
    arguments = ("follow", "--from", "start", "--state", state, *QUIET, path)
    assert len(printed(command(*arguments)[1])) == 2
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir() if "new" in file.name] == []
    assert command(*arguments)[1] == b""
    path.rename(path.with_name("a.log.1"))
    append(path.with_name("a.log.1"), line(n=2))
    append(path, line(n=3))
    assert [found["value"] for found in printed(command(*arguments)[1])] == [{"n": 2}, {"n": 3}]


def test_killed_at_any_moment_it_goes_on_from_what_was_saved(path: Path) -> None:
    state = path.with_name("state.json")
    path.write_text("")
    got = []
    for number in range(3):
        append(path, line(n=number))
        with running("--from", "start", "--state", state, path) as program:
            assert program.stdout is not None
            got.append(json.loads(program.stdout.readline())["value"]["n"])
            size = path.stat().st_size
            while not state.exists() or not any(
                file["offset"] >= size - 1 for file in json.loads(state.read_bytes())["files"]
            ):
                os.sched_yield()
            program.kill()
    assert got == [0, 1, 2]


@pytest.mark.parametrize("content", ["", "[]", '{"version": 9, "files": []}', "[" * 100_000])
def test_a_state_file_that_holds_no_cursor(path: Path, content: str) -> None:
    state = path.with_name("state")
    state.write_text(content)
    status, _, error = command("follow", "--state", state, path)
    assert status == 2
    assert "cursor" in error
    assert state.read_text() == content


@needs_full
@with_and_without_buffer
def test_what_could_not_be_printed_comes_again(path: Path, environment: dict[str, str]) -> None:
    words = ["follow", "--from", "start", "--state", "state", *QUIET, path.name]
    with FULL.open("wb") as full:
        done = subprocess.run([*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, env=environment, timeout=SOON)
    assert (done.returncode, done.stderr) == (1, b"lastbrace: [Errno 28] No space left on device\n")
    assert [found["value"] for found in printed(command(*words)[1])] == [{"n": 1}, {"status": "continue", "x": None}]


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("none/state", "No such file or directory"),
        (".", "Is a directory"),
        ("a.log/state", "Not a directory"),
        ("/proc/state", "No such file or directory"),  # a folder in which nothing can be made
    ],
)
def test_a_place_that_cannot_be_kept_is_refused_at_the_start(path: Path, state: str, why: str) -> None:
    status, out, error = command("follow", "--from", "start", "--state", state, *QUIET, path)
    assert (status, out) == (2, b"")
    assert f"--state: cannot keep a place in {state}: {why}" in " ".join(error.split())
    assert list(path.parent.iterdir()) == [path]


def test_a_state_file_is_not_touched_by_what_is_used_wrongly(path: Path) -> None:
    state = path.with_name("state")
    assert command("follow", "--state", state, "")[0] == 2
    assert not state.exists()
    state.write_text("[]")
    before = state.stat()
    assert command("follow", "--state", state, path)[0] == 2
    after = state.stat()
    assert (after.st_ino, after.st_mtime_ns, state.read_text()) == (before.st_ino, before.st_mtime_ns, "[]")
    assert sorted(path.parent.iterdir()) == [path, state]


def test_a_place_that_can_no_longer_be_kept_is_told_once_until_it_can(path: Path) -> None:
    folder = path.with_name("folder")
    folder.mkdir()

    with running("--from", "start", "--poll", "--state", folder / "state", path) as program:
        assert program.stderr is not None
        for _ in range(2):
            _wait_for(folder / "state")
            shutil.rmtree(folder)
            append(path, line(n=2))
            assert program.stderr.readline() == f"lastbrace: cannot save to {folder}/state: No such file or directory\n"
            time.sleep(2.5)  # in which it tries again
            folder.mkdir()
        _wait_for(folder / "state")
        program.send_signal(signal.SIGTERM)
        assert program.wait(SOON) == 128 + signal.SIGTERM
        assert program.stderr.read() == ""


def _wait_for(state: Path) -> None:
    end = time.monotonic() + SOON
    while not state.exists():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_problems_are_told_and_nothing_on_a_terminal_acts_on_them(path: Path) -> None:
    os.mkfifo(path.with_name("pipe\x1b[2J"))
    status, _, error = command("follow", *QUIET, "pipe\x1b[2J")
    assert status == 4
    assert "pipe\\x1b[2J: not a regular file" in error
    assert "\x1b" not in error
    status, _, error = command("follow", "--state", "none\x1b[2J/state", *QUIET, path)
    assert status == 2
    assert "cannot keep a place in none\\x1b[2J/state" in error
    assert "\x1b" not in error


def test_wrong_use(path: Path) -> None:
    assert command("follow")[0] == 2
    assert command("follow", "--agent", "nobody", path)[0] == 2
    assert command("follow", "")[0] == 2
