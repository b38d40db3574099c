"""`lastbrace run` and `lastbrace demo` as a shell sees them: stdout, stderr, exit status, and a terminal."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from .commands import COMMAND, command
from .processes import DONE, FOREVER, runs

if TYPE_CHECKING:
    from pathlib import Path


def run_sh(script: str, *options: str, stdin: bytes = b"") -> tuple[int, dict[str, Any], str]:
    status, out, error = command("run", *options, "--", "/bin/sh", "-c", script, stdin=stdin)
    assert out.count(b"\n") == 1
    return status, json.loads(out), error


@pytest.mark.parametrize(
    ("script", "status", "line", "said"),
    [
        (
            f"echo text '{DONE}'",
            0,
            {"ok": True, "state": "ok", "completion": {"status": "done"}, "value": {"status": "done"}, "returncode": 0},
            "",
        ),
        (
            """echo '{"status": "continue", "next": "b", "more": 1}'""",
            3,
            {
                "ok": True,
                "state": "ok",
                "completion": {"status": "continue", "next": "b"},
                "value": {"status": "continue", "next": "b", "more": 1},
                "returncode": 0,
            },
            "",
        ),
        (
            """echo '{"status": "error"}'; echo why >&2""",
            1,
            {
                "ok": False,
                "state": "ok",
                "completion": {"status": "error"},
                "value": {"status": "error"},
                "returncode": 0,
            },
            "its stderr: why",
        ),
        (
            f"echo '{DONE}'; exit 9",
            1,
            {
                "ok": False,
                "state": "ok",
                "completion": {"status": "done"},
                "value": {"status": "done"},
                "returncode": 9,
                "error": "the program exited with status 9",
            },
            "the program exited with status 9",
        ),
    ],
)
def test_run(script: str, status: int, line: dict[str, Any], said: str) -> None:
    assert run_sh(script)[:2] == (status, line)
    assert said in run_sh(script)[2]


@pytest.mark.parametrize(
    ("script", "status", "state", "why"),
    [
        ("true", 4, "none", "no answer: the program printed nothing"),
        ("""echo '{"a": 1} {"b": 1}'""", 4, "no_match", "2 objects, none that satisfies the contract"),
        ("""echo '{"a": 1, b}'""", 4, "malformed", "what began at byte 0"),
        ("""echo '{"status": "done", "sum'""", 4, "malformed", "what began at byte 0"),
        ("""printf '{"status": "done", "sum'""", 4, "incomplete", "ended inside an object that began at byte 0"),
        ("echo oops >&2; exit 2", 1, "none", "exited with status 2 before it printed anything: oops"),
        ("echo text; exit 2", 1, "none", "no answer: no JSON object in 5 bytes; the program exited with status 2"),
    ],
)
def test_run_says_why_there_is_no_answer(script: str, status: int, state: str, why: str) -> None:
    found, line, error = run_sh(script)
    assert (found, line["state"], line["ok"]) == (status, state, False)
    assert why in line["error"]
    assert why in error


def test_run_with_a_marker() -> None:
    assert run_sh("echo work; echo FIN", "--contract", "marker", "--marker", "FIN")[0] == 0
    status, line, _ = run_sh("echo work", "--contract", "marker")
    assert (status, line["completion"]) == (3, {"status": "continue"})


def test_run_until_done() -> None:
    status, line, _ = run_sh(f"echo '{DONE}'; sleep {FOREVER}", "--until", "done")
    assert (status, line["ok"], line["returncode"]) == (0, True, -15)


def test_run_with_timeouts() -> None:
    for option in ("--timeout", "--idle-timeout"):
        status, line, error = run_sh(f"echo '{DONE}'; sleep {FOREVER}", option, "0.5")
        assert (status, line["ok"], line["returncode"]) == (124, False, -15)
        assert "0.5 s" in line["error"]
        assert "0.5 s" in error


def test_run_of_what_is_not_there() -> None:
    for options in (["--", "no-such-agent"], ["--cwd", "/no/such/place", "--", "true"]):
        status, out, error = command("run", *options)
        assert status == 127
        assert json.loads(out)["ok"] is False
        assert "cannot start" in error


def test_run_with_a_schema(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}')
    status, line, _ = run_sh("""echo '{"n": 1} {"n": "x"} {"m": 1}'""", "--schema", str(schema))
    assert (status, line) == (0, {"ok": True, "state": "ok", "value": {"n": 1}, "returncode": 0})
    status, _, error = run_sh("""echo '{"n": "x"}'""", "--schema", str(schema))
    assert status == 4
    assert "none that satisfies the schema" in error


def test_run_with_input_and_directory(tmp_path: Path) -> None:
    text = tmp_path / "prompt"
    text.write_text('{"status": "done", "summary": "é"}')
    for options, stdin in ((["--input", str(text)], b""), (["--input", "-"], text.read_bytes())):
        status, line, _ = run_sh("cat", *options, stdin=stdin)
        assert (status, line["completion"]["summary"]) == (0, "é")
    assert run_sh("cat prompt", "--cwd", str(tmp_path))[0] == 0
    assert run_sh("cat", stdin=DONE.encode())[0] == 4  # ours is not the program's unless asked for


def test_run_leaves_the_programs_options_alone() -> None:
    status, out, _ = command("run", "echo", "--timeout", "1", DONE)
    assert status == 0
    assert json.loads(out)["state"] == "ok"


@pytest.mark.parametrize(
    ("number", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131)]
)
def test_a_signal_ends_the_program_too(number: int, expected: int, tmp_path: Path) -> None:
    code = f"""sleep {FOREVER} & echo "{{\\"child\\": $!}}" > "$0"; wait"""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    arguments = [*COMMAND, "run", "--", "/bin/sh", "-c", code, str(fifo)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        child = json.loads(fifo.read_text())["child"]
        program.send_signal(number)
        out, error = program.communicate(timeout=60)
    assert program.returncode == expected
    assert json.loads(out)["error"] == f"ended by {signal.Signals(number).name}"
    assert b"Traceback" not in error
    assert not runs(child)


def test_two_signals_of_an_impatient_terminal_end_it_at_once_and_the_line_is_printed(tmp_path: Path) -> None:
    code = f"""trap '' INT TERM QUIT; sleep {FOREVER} & echo "{{\\"child\\": $!}}" > "$0"; echo '{DONE}'; wait; wait"""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    arguments = [*COMMAND, "run", "--grace", str(FOREVER), "--", "/bin/sh", "-c", code, str(fifo)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        child = json.loads(fifo.read_text())["child"]
        time.sleep(0.3)
        program.send_signal(signal.SIGINT)
        time.sleep(0.3)
        program.send_signal(signal.SIGQUIT)
        out, error = program.communicate(timeout=60)
    assert program.returncode == 130
    line = json.loads(out)
    assert (line["error"], line["completion"], line["returncode"]) == ("ended by SIGINT", {"status": "done"}, -9)
    assert b"Traceback" not in error
    assert not runs(child)


def test_demo_shows_what_is_seen_and_ends_with_the_completion() -> None:
    status, out, error = command("demo", "--fast")
    assert status == 0
    assert json.loads(out)["completion"]["status"] == "done"
    assert "\x1b" not in error
    kinds = [line.split()[2] for line in error.splitlines()]
    assert {"text", "object", "answer"} == set(kinds)
    assert "done: 3 tests fixed" in error


def on_a_terminal(*arguments: str, stdout_too: bool = False) -> tuple[int, bytes, bytes]:
    """Run a command with stderr on a terminal; return its status, its stdout, and what the terminal got."""
    ours, theirs = pty.openpty()
    shown = bytearray()

    def read() -> None:
        try:
            while data := os.read(ours, 65536):
                shown.extend(data)
        except OSError:  # what Linux says when nobody has the terminal any more
            pass

    reader = threading.Thread(target=read)
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    stdout = theirs if stdout_too else subprocess.PIPE
    with subprocess.Popen([*COMMAND, *arguments], stdout=stdout, stderr=theirs, env=environment) as program:
        os.close(theirs)
        reader.start()
        out = program.stdout.read() if program.stdout is not None else b""
    reader.join()
    os.close(ours)
    return program.returncode, out, bytes(shown)


def test_on_a_terminal_there_is_a_live_line_and_nothing_of_the_program_acts_on_it() -> None:
    answer = '{"status": "done", "summary": "\\u001b[2J\\u202e\x9b31mred"}'
    status, out, shown = on_a_terminal("run", "--", "/bin/sh", "-c", f"echo '\x1b]0;title\x07 {answer}'; sleep 0.6")
    assert status == 0
    assert json.loads(out)["ok"] is True
    assert b"1 object" in shown
    assert b"\x1b[" in shown
    for bad in (b"\x1b[2J", b"\x1b]0", "\u202e".encode(), "\x9b".encode()):
        assert bad not in shown
    assert b"\\x1b[2J" in shown


def test_demo_on_a_terminal() -> None:
    status, out, shown = on_a_terminal("demo", "--fast")
    assert status == 0
    assert json.loads(out)["ok"] is True
    assert b"done: 3 tests fixed" in shown
