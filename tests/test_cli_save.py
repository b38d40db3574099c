"""`lastbrace run --save` and `lastbrace replay`: what was recorded comes back as it was."""

from __future__ import annotations

import io
import json
import os
import signal
import stat
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from lastbrace.cli.recording import Ended, Wrote, read_recording
from lastbrace.cli.replaying import play

from .commands import COMMAND, command, inside
from .processes import DONE

if TYPE_CHECKING:
    from pathlib import Path

HEADER = b'{"lastbrace_recording": 1, "program": "x", "started": "2026-01-31T12:00:00Z"}\n'
ODD = r"""printf 'one \303'; printf 'err\376' >&2; sleep 0.2; printf '\251\000\033[1m\n'; """


def save(path: Path, script: str, *options: str) -> tuple[int, dict[str, Any]]:
    status, out, _ = command("run", "--save", path, *options, "--", "/bin/sh", "-c", script)
    return status, json.loads(out)


def replay(path: Path, *options: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, "replay", path, *options], capture_output=True, timeout=60)


def test_bytes_streams_status_and_times_come_back(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    save(path, ODD + f"echo '{DONE}'; exit 7")
    events = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert sorted(events[0]) == ["lastbrace_recording", "program", "started"]
    assert [event["t"] for event in events[1:]] == sorted(event["t"] for event in events[1:])
    assert events[-1]["exit"] == 7
    began = time.monotonic()
    done = replay(path)
    assert time.monotonic() - began >= 0.2
    assert (done.returncode, done.stderr) == (7, b"err\xfe")
    assert done.stdout == "one é\0\x1b[1m\n".encode() + DONE.encode() + b"\n"


def test_a_run_of_a_replay_ends_as_the_run_did(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    for script in (
        f"echo text '{DONE}'",
        'echo \'{"status": "done", "sum\'',
        "echo x; exit 3",
        "echo x; kill -QUIT $$",
    ):
        status, line = save(path, script)
        again, out, _ = command("run", "--", *COMMAND, "replay", path, "--speed", "max")
        assert (again, json.loads(out)) == (status, line)
    assert line["returncode"] == -signal.SIGQUIT


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGINT, signal.SIGPIPE])
def test_a_signal_comes_back(number: signal.Signals, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(HEADER + b'{"t": 0, "out": "x"}\n{"t": 0, "exit": %d}\n' % -number)
    done = replay(path)
    assert (done.returncode, done.stdout, done.stderr) == (-number, b"x", b"")


@pytest.mark.parametrize("name", ["SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU"])
def test_a_signal_that_ends_nothing_does_not_stop_a_replay(name: str, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    number = getattr(signal, name)
    path.write_bytes(HEADER + b'{"t": 0, "exit": -%d}\n' % number)
    assert replay(path).returncode == 128 + number


def test_neither_arguments_nor_environment_nor_input_are_recorded(tmp_path: Path) -> None:
    path, prompt = tmp_path / "run.jsonl", tmp_path / "prompt"
    prompt.write_text("hunter2")
    script = "cat >/dev/null; echo said"
    arguments = ["run", "--save", path, "--input", prompt, "--", "/bin/sh", "-c", script, "hunter2"]
    command(*arguments, env={**os.environ, "TOKEN": "hunter2"})
    text = path.read_text()
    assert "hunter2" not in text
    assert '"program": "sh"' in text
    assert "said" in text


def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("there before, and longer than what is recorded now" * 100)
    path.chmod(0o644)
    assert save(path, f"echo '{DONE}'")[0] == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert replay(path).stdout == DONE.encode() + b"\n"


def test_a_full_disk_is_told_and_changes_nothing_about_the_run() -> None:
    status, out, error = command("run", "--save", "/dev/full", "--", "echo", DONE)
    assert (status, json.loads(out)["ok"]) == (0, True)
    assert error == "lastbrace: /dev/full is incomplete: No space left on device\n"


def test_a_file_that_cannot_be_opened_is_told_before_the_program_is_started(tmp_path: Path) -> None:
    started = tmp_path / "started"
    for path in (tmp_path, tmp_path / "no" / "folder"):
        status, out, error = command("run", "--save", path, "--", "touch", started)
        assert (status, out) == (2, b"")
        assert "cannot save to" in error
    assert not started.exists()


def test_what_never_started_has_no_end(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    assert command("run", "--save", path, "--", "no-such-agent")[0] == 127
    done = replay(path)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"has no end" in done.stderr


@pytest.mark.parametrize("rest", [b"", b'{"t": 0.1, "ou', b'{"t": 0.1, "out": "y"'])
def test_a_recording_that_was_cut_is_played_as_far_as_it_goes(rest: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(HEADER + b'{"t": 0, "out": "x"}\n' + rest)
    done = replay(path)
    assert (done.returncode, done.stdout) == (1, b"x")
    assert b"has no end: the recording was cut" in done.stderr


def test_a_recording_comes_through_a_pipe_as_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_bytes(cut := HEADER + b'{"t": 0, "out": "x"}\n')
    assert replay(tmp_path / "run.jsonl").returncode == 1
    status, out, error = command("replay", "/dev/stdin", stdin=cut)
    assert (status, out) == (1, b"x")
    assert "has no end: the recording was cut" in error
    status, out, error = command("replay", "/dev/stdin", stdin=b"")
    assert (status, out) == (2, b"")
    assert "it is empty: this is no recording" in error


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "it is empty: this is no recording, as 'lastbrace run --save FILE' makes them"),
        (b'{"a": 1}\n', "line 1: this is no recording"),
        (b"[]", "line 1: this is no recording"),
        (b"text\n", "line 1: this is no recording, as 'lastbrace run --save FILE' makes them"),
        (b"\xff\xfe\n", "line 1: this is no recording"),
        (b'{"lastbrace_recording": 2}\n', "line 1: a recording of version 2, and only 1 is known"),
        (HEADER + b"text\n{}\n", "line 2: not JSON"),
        (HEADER + b"[" * 100_000 + b"\n", "line 2: not JSON"),
        (HEADER + b"[]\n", "line 2: not an object"),
        (HEADER + b'{"out": "x"}\n', 'line 2: "t" must be the seconds since the start'),
        (HEADER + b'{"t": -1, "out": "x"}\n', 'line 2: "t" must be'),
        (HEADER + b'{"t": Infinity, "out": "x"}\n', 'line 2: "t" must be'),
        (HEADER + b'{"t": NaN, "out": "x"}\n', 'line 2: "t" must be'),
        (HEADER + b'{"t": true, "out": "x"}\n', 'line 2: "t" must be'),
        (HEADER + b'{"t": 1' + b"0" * 400 + b', "out": "x"}\n', 'line 2: "t" must be'),
        (HEADER + b'{"t": 0, "exit": 99999999999}\n', "line 2: it needs one of"),
        (HEADER + b'{"t": 0, "exit": -99999999999}\n', "line 2: it needs one of"),
        (HEADER + b'{"t": 0, "out": 1}\n', "line 2: it needs one of"),
        (HEADER + b'{"t": 0, "exit": "1"}\n', "line 2: it needs one of"),
        (HEADER + b'{"t": 0, "out64": "?"}\n', "line 2: not base64"),
        (HEADER + b'{"t": 0, "out": "\\ud83d"}\n', "line 2: half a character"),
    ],
)
def test_what_is_no_recording_is_told(text: bytes, why: str, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(text)
    status, _, error = inside("replay", path)
    assert status == 2
    assert why in error


def test_files_that_are_not_there_and_speeds_that_are_none(tmp_path: Path) -> None:
    assert inside("replay", tmp_path / "nothing")[0] == 2
    path = tmp_path / "run.jsonl"
    path.write_bytes(HEADER)
    for speed in ("-1", "nan", "fast", ""):
        status, _, error = inside("replay", path, f"--speed={speed}")
        assert status == 2
        assert "a number from 0 up, or 'max'" in error


def test_speed_divides_the_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    now = [100.0]

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    monkeypatch.setattr("lastbrace.cli.replaying.time.sleep", sleep)
    monkeypatch.setattr("lastbrace.cli.replaying.time.monotonic", lambda: now[0])
    events = [Wrote(1.0, "stdout", b""), Wrote(5.0, "stderr", b""), Ended(6.0, 3)]
    for rate, pauses in ((1, [1.0, 4.0, 1.0]), (2, [0.5, 2.0, 0.5]), (float("inf"), [])):
        slept.clear()
        assert play(iter(events), rate) == 3
        assert slept == pauses


def test_a_reader_that_goes_away_ends_a_replay_as_it_ends_a_program(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(HEADER + b'{"t": 0, "out": "x"}\n' * 100_000 + b'{"t": 0, "exit": 0}\n')
    with subprocess.Popen([*COMMAND, "replay", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.close()
        assert program.stderr.read() == b""
    assert program.returncode == -signal.SIGPIPE


def test_a_file_of_another_kind_is_read_lazily() -> None:
    events = read_recording(io.BytesIO(HEADER + b'{"t": 0, "out": "x"}\n' + b"text\n"))
    assert next(events) == Wrote(0, "stdout", b"x")
    with pytest.raises(ValueError, match="line 3"):
        next(events)
