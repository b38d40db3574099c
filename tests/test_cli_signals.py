"""What `lastbrace run` does with signals, and with a program's terminal, stderr and encoding."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from .commands import COMMAND, command, inside
from .processes import DONE, FOREVER, runs
from .test_cli import on_a_terminal

# Signals that a shell or nohup had ignored for the tests are not ignored for what they start.
RESET = (
    "import os, signal, sys\nfor n in (1, 2, 3): signal.signal(n, signal.SIG_DFL)\nos.execv(sys.argv[1], sys.argv[1:])"
)


class Running:
    """`lastbrace run` of a shell script that has said it is ready, by writing its process id into a fifo."""

    def __init__(self, folder: Path, script: str, *options: str) -> None:
        fifo = folder / "fifo"
        os.mkfifo(fifo)
        arguments = [*COMMAND, "run", *options, "--", "/bin/sh", "-c", script, str(fifo)]
        self._program = subprocess.Popen(
            [sys.executable, "-c", RESET, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.pid = self._program.pid
        self.child = int(fifo.read_text())

    def send(self, number: int) -> None:
        self._program.send_signal(number)

    def end(self) -> tuple[int, dict[str, Any]]:
        with self._program:
            out, error = self._program.communicate(timeout=60)
        assert b"Traceback" not in error
        assert not runs(self.child)
        return self._program.returncode, json.loads(out)


def state(pid: int) -> str:
    return subprocess.run(["ps", "-o", "state=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()[:1]


def until(condition: Any) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("name", ["INT", "TERM", "HUP", "QUIT"])
def test_the_program_gets_the_signal_itself_and_its_last_words_are_read(name: str, tmp_path: Path) -> None:
    number = signal.Signals[f"SIG{name}"]
    script = f"""trap 'echo "{{\\"status\\": \\"done\\", \\"summary\\": \\"told {name}\\"}}"; exit 0' {name}
        echo $$ > "$0"; while :; do sleep 0.01; done"""
    running = Running(tmp_path, script, "--grace", str(FOREVER))
    running.send(number)
    status, line = running.end()
    assert status == 128 + number
    assert line["error"] == f"ended by SIG{name}"
    assert line["completion"] == {"status": "done", "summary": f"told {name}"}
    assert (line["ok"], line["returncode"]) == (False, 0)


def test_a_program_that_does_not_listen_has_its_grace(tmp_path: Path) -> None:
    script = f"""trap '' INT TERM; echo $$ > "$0"; while :; do sleep {FOREVER}; done"""
    running = Running(tmp_path, script, "--grace", "0.3")
    running.send(signal.SIGINT)
    status, line = running.end()
    assert (status, line["returncode"]) == (130, -9)


def test_what_dies_of_the_signal_without_a_word_was_interrupted_too(tmp_path: Path) -> None:
    running = Running(tmp_path, f"""echo $$ > "$0"; exec sleep {FOREVER}""")
    running.send(signal.SIGINT)
    status, line = running.end()
    assert (status, line["returncode"], line["error"]) == (130, -2, "ended by SIGINT")


def test_signals_that_mean_something_else_are_passed_on_and_nothing_ends(tmp_path: Path) -> None:
    script = f"""trap 'echo "{{\\"n\\": 1}}"' USR1; trap 'echo "{DONE.replace('"', chr(92) + '"')}"; exit 0' USR2
        echo $$ > "$0"; while :; do sleep 0.01; done"""
    running = Running(tmp_path, script)
    running.send(signal.SIGUSR1)
    running.send(signal.SIGUSR2)
    status, line = running.end()
    assert (status, line["completion"]) == (0, {"status": "done"})


def test_stopped_with_us_and_going_on_with_us(tmp_path: Path) -> None:
    running = Running(tmp_path, f"""echo $$ > "$0"; read line < "$0"; echo '{DONE}'""", "--timeout", "60")
    running.send(signal.SIGTSTP)
    until(lambda: state(running.pid) == "T")
    until(lambda: state(running.child) == "T")
    running.send(signal.SIGCONT)
    until(lambda: state(running.child) != "T")
    (tmp_path / "fifo").write_text("go on\n")
    assert running.end()[0] == 0


def test_under_nohup_a_hang_up_is_no_end(tmp_path: Path) -> None:
    go, fifo = tmp_path / "go", tmp_path / "fifo"
    os.mkfifo(fifo)
    script = f"""echo $$ > "$0"; while ! test -e '{go}'; do sleep 0.01; done; echo '{DONE}'"""
    arguments = ["nohup", *COMMAND, "run", "--", "/bin/sh", "-c", script, str(fifo)]
    with subprocess.Popen(
        arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        fifo.read_text()
        program.send_signal(signal.SIGHUP)
        go.touch()
        out, _ = program.communicate(timeout=60)
    assert (program.returncode, json.loads(out)["ok"]) == (0, True)


def test_stop_and_until_say_the_same() -> None:
    script = f"echo '{DONE}'; sleep {FOREVER}"
    for options in (["--stop", "final"], ["--until", "done"], ["--until", "exit", "--stop", "final"]):
        status, out, _ = command("run", *options, "--", "/bin/sh", "-c", script)
        assert (status, json.loads(out)["returncode"]) == (0, -15)
    for options in (["--stop", "exit"], ["--stop", "final", "--until", "exit"]):
        status, out, _ = command("run", *options, "--", "/bin/sh", "-c", f"echo '{DONE}'; exit 7")
        assert (status, json.loads(out)["returncode"]) == (1, 7)


def test_stderr_where_it_is_wanted() -> None:
    script = f"echo '{DONE}' >&2; echo words >&2"
    for where, state, seen in (("keep", "none", False), ("inherit", "none", True), ("merge", "ok", False)):
        _, out, error = command("run", "--stderr", where, "--", "/bin/sh", "-c", script)
        assert json.loads(out)["state"] == state
        assert error.startswith(DONE) is seen


def test_a_terminal_and_an_encoding() -> None:
    status, out, _ = command("run", "--pty", "--", "/bin/sh", "-c", f"test -t 1 && echo '{DONE}'")
    assert (status, json.loads(out)["ok"]) == (0, True)
    script = r"""printf '{"status": "done", "summary": "caf\351"}'"""
    _, out, _ = command("run", "--encoding", "cp1252", "--", "/bin/sh", "-c", script)
    assert json.loads(out)["completion"]["summary"] == "café"
    status, out, error = inside("run", "--encoding", "nope", "--", "true")
    assert (status, out) == (2, b"")
    assert "encoding must be the name of a text encoding" in error


def test_the_live_line_has_objects_bytes_time_last_text_and_completion() -> None:
    script = f"""echo 'one line'; printf 'reading \\033[1mthe\\033[0m plan\\n'; echo '{DONE}'; sleep 0.8"""
    status, _, shown = on_a_terminal("run", "--", "/bin/sh", "-c", script)
    assert status == 0
    for part in (b"1 object ", b" bytes", b" s", b"reading the plan", b"done"):
        assert part in shown
