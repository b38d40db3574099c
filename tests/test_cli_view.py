"""The live view as a person sees it, in a terminal in memory: of files that are followed, of a run, of a loop."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .commands import command
from .loop.scripts import Script, claude, says
from .processes import DONE, FOREVER
from .terminals import Terminal

EVIL = "\x1b[2J\x1b]0;title\x07\u202e\x9b31m"
_numbers = itertools.count()
BAD = (b"\x1b]0", "\u202e".encode(), "\x9b".encode(), b"title\x07")
SESSION = "3d1f0a52-9c4b-4e5e-8f0a-1b2c3d4e5f60"


def entry(block: dict[str, Any], *, stop: str | None = None, cwd: str = "/home/dev/demo") -> str:
    """Return a line of a transcript of Claude Code."""
    message = {"role": "assistant", "content": [block], "stop_reason": stop, "usage": {"input_tokens": 1200}}
    base = {"parentUuid": None, "isSidechain": False, "cwd": cwd, "sessionId": SESSION, "type": "assistant"}
    number = next(_numbers)
    return json.dumps(base | {"message": message | {"id": f"m{number}"}, "uuid": f"u{number}"}) + "\n"


def result() -> str:
    """Return the line that says what a tool gave."""
    line = json.loads(entry({"type": "tool_result", "tool_use_id": "t", "content": "12 passed"}))
    line["message"] = {"role": "user", "content": line["message"]["content"]}
    return json.dumps(line | {"type": "user"}) + "\n"


def tool(name: str = "Bash", command: str = "pytest -q") -> dict[str, Any]:
    return {"type": "tool_use", "id": "t", "name": name, "input": {"command": command}}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "projects" / "-home-dev-demo" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(entry(tool()) + result())
    return path


def append(path: Path, line: str) -> None:
    with path.open("a") as file:
        file.write(line)


def following(session: Path, *options: str, **more: Any) -> Terminal:
    return Terminal("follow", "--from", "start", *options, session.parent.parent, **more)


def test_followed_files_are_rows_instead_of_lines(session: Path) -> None:
    with following(session) as terminal:
        terminal.wait_for("demo/3d1f0a52  working", "Bash: pytest -q")
        assert terminal.is_away
        append(session, entry(text("All 12 tests pass."), stop="end_turn"))
        terminal.wait_for("demo/3d1f0a52  answered", "All 12 tests pass.")
        (session.parent / "other.jsonl").write_text(entry(tool("Read", "x"), cwd="/home/dev/web"))
        terminal.wait_for("web/other", "2 agents: ", "1 working", "1 answered")
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.wait() == 130
        assert not terminal.is_away
        assert [line.split()[0] for line in terminal.shown] == ["agent", "demo/3d1f0a52", "web/other", "2"]
        assert b"\x1b[?25h" in terminal.raw  # the cursor is there again
        assert b'"path"' not in terminal.raw


def test_it_ends_by_itself_with_the_files(session: Path) -> None:
    append(session, entry(text('{"status": "done", "summary": "fixed"}'), stop="end_turn"))
    with following(session, "--until", "done", columns=160) as terminal:
        assert terminal.wait() == 0
        header, row, summary = terminal.shown
        assert header.split() == ["agent", "state", "time", "tokens", "last", "tool", "last", "words"]
        assert row.split() == ["demo/3d1f0a52", "done", "0", "s", "2.4k", "Bash:", "pytest", "-q", "fixed"]
        assert summary == "1 agent: 1 done"


@pytest.mark.parametrize(
    ("options", "environment"), [(["--lines"], {}), ([], {"TERM": "dumb"}), (["--view"], {"TERM": "dumb"})]
)
def test_lines_where_they_are_asked_for_or_nothing_can_be_drawn(
    session: Path, options: list[str], environment: dict[str, str]
) -> None:
    with following(session, "--idle-timeout", "0.1", *options, columns=1000, **environment) as terminal:
        assert terminal.wait() == 0
        assert [json.loads(line)["path"] for line in terminal.shown] == [str(session)] * 2
        assert b"\x1b" not in terminal.raw


def test_without_a_terminal_it_is_quiet(session: Path) -> None:
    for option in ("--view", "--lines"):
        status, out, error = command("follow", "--from", "start", "--idle-timeout", "0.1", option, session)
        assert (status, len(out.splitlines()), error) == (0, 2, "")


def test_a_pipe_gets_lines_and_a_file_lines_and_a_view(session: Path, tmp_path: Path) -> None:
    with following(session, "--idle-timeout", "0.1", stdout=subprocess.PIPE) as terminal:
        assert terminal.process.stdout is not None
        assert len(terminal.process.stdout.read().splitlines()) == 2
        assert terminal.wait() == 0
        assert not terminal.raw
    with (tmp_path / "out").open("wb") as out, following(session, "--idle-timeout", "0.1", stdout=out) as terminal:
        assert terminal.wait() == 0
        assert "demo/3d1f0a52" in terminal.shown[1]
    assert len((tmp_path / "out").read_text().splitlines()) == 2


def test_nothing_in_a_followed_file_acts_on_the_terminal(session: Path) -> None:
    evil = session.with_name("\x1b[2J\u202e.jsonl")
    evil.write_text(entry(tool(EVIL, EVIL), cwd=f"/home/{EVIL}") + result() + entry(text(EVIL), stop="end_turn"))
    (session.parent / "\x1b]0;unreadable.jsonl").symlink_to("\x1b]0;unreadable.jsonl")  # there is a note about it
    with following(session, columns=200) as terminal:
        terminal.wait_for("2 agents", "\\x1b[2J")
        terminal.process.send_signal(signal.SIGINT)
        terminal.wait()
        assert not [bad for bad in (*BAD, b"\x1b[2J") if bad in terminal.raw]


def test_before_anything_is_written_it_says_so(tmp_path: Path) -> None:
    with Terminal("follow", tmp_path) as terminal:
        terminal.wait_for("nothing was written since; rows come as files are written to")
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.wait() == 130
        assert terminal.shown == ["nothing was written"]


def test_it_says_what_it_waits_for_until_that_is_there(tmp_path: Path) -> None:
    log = tmp_path / "agent.log"
    with Terminal("follow", "--from", "start", log, columns=200) as terminal:
        terminal.wait_for(f"waiting for {log}")
        log.write_text('{"n": 1}\n')
        terminal.wait_for("agent  working")
        assert "waiting" not in "\n".join(terminal.shown)
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.wait() == 130
        assert "waiting" not in "\n".join(terminal.shown)


def test_more_files_than_lines_on_a_small_terminal_and_another_size(session: Path) -> None:
    for number in range(30):
        (session.parent / f"s-{number}.jsonl").write_text(entry(tool()))
    with following(session, columns=40, lines=10) as terminal:
        terminal.wait_for("and 23 more; 31 agents: 31 working")
        assert len(terminal.shown) == 10
        append(session.parent / "s-3.jsonl", entry(tool("Read", "late.py")))
        terminal.wait_for("demo/s-3", "Read: l")
        terminal.resize(120, 40)
        terminal.wait_for("last tool", "demo/s-29", "Read: late.py")
        assert "more" not in "\n".join(terminal.shown)
        terminal.resize(30, 5)
        terminal.wait_for("and 28 more; 31")
        assert len(terminal.shown) <= 5


def test_without_colours(session: Path) -> None:
    append(session, entry(text("Done."), stop="end_turn"))
    with following(session, "--until", "done", NO_COLOR="1") as terminal:
        assert terminal.wait() == 4
        assert "answered" in terminal.shown[1]
        assert not re.search(rb"\x1b\[[\d;]*3\dm", terminal.raw)
    with following(session, "--until", "done") as terminal:
        terminal.wait()
        assert re.search(rb"\x1b\[[\d;]*32m", terminal.raw)


def test_a_terminal_that_goes_away_ends_nothing(session: Path, tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as out, following(session, stdout=out) as terminal:
        terminal.wait_for("demo/3d1f0a52")
        os.close(terminal._master)
        for number in range(3):
            append(session, entry(text(f"words {number}")))
            terminal.wait_until(lambda seen=number: f"words {seen}" in (tmp_path / "out").read_text())
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.wait() == 130


def test_stopped_it_gives_the_terminal_back(session: Path) -> None:
    with following(session) as terminal:
        terminal.wait_for("demo/3d1f0a52")
        terminal.process.send_signal(signal.SIGTSTP)
        stat = Path(f"/proc/{terminal.process.pid}/stat")
        terminal.wait_until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T")
        terminal.wait_until(lambda: not terminal.is_away)
        terminal.process.send_signal(signal.SIGCONT)
        terminal.wait_until(lambda: terminal.is_away)
        append(session, entry(text("Back again.")))
        terminal.wait_for("demo/3d1f0a52  working", "Back again.")
        assert terminal.process.poll() is None


def test_a_run_shows_what_its_agent_is_doing(tmp_path: Path) -> None:
    stream = [
        {"type": "system", "subtype": "init", "session_id": "s", "claude_code_version": "2.1.0", "tools": []},
        {"type": "assistant", "message": {"id": "m", "role": "assistant", "content": [tool(command=f"ls {EVIL}")]}},
    ]
    agent = Script(tmp_path, [{"say": "".join(json.dumps(event) + "\n" for event in stream), "sleep": FOREVER}])
    with Terminal("run", "--", *agent.argv, columns=120) as terminal:
        terminal.wait_for("2 objects", "Bash: ls \\x1b[2J")
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.wait() == 130
        assert terminal.shown[0].startswith('{"ok":false,')
        assert not [bad for bad in (*BAD, b"\x1b[2J") if bad in terminal.raw]


def test_what_a_run_said_before_is_not_shown_as_its_answer(tmp_path: Path) -> None:
    go = tmp_path / "go"
    script = f"echo hello; while [ ! -e '{go}' ]; do sleep 0.05; done; echo '{DONE}'; sleep {FOREVER}"
    with Terminal("run", "--", "/bin/sh", "-c", script, columns=120) as terminal:
        terminal.wait_for("0 objects", "hello")
        go.touch()
        terminal.wait_for("1 object", "hello  done")
        assert "done: hello" not in terminal.raw.decode()
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.wait() == 130


def test_a_loop_shows_its_turns_where_its_lines_go_elsewhere(tmp_path: Path) -> None:
    agent = Script(tmp_path / "agent", [claude('{"status": "continue", "next": "two"}'), {"sleep": FOREVER}])
    out = tmp_path / "out"
    with out.open("wb") as file, Terminal("loop", "--prompt", "T", "--", *agent.argv, stdout=file) as terminal:
        terminal.wait_for("turn 2  working", "1 turn taken in", "$0.25")
        assert re.search("turn 1 +continue +0 s +two", terminal.shown[1])
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.wait() == 130
        assert terminal.shown == ["lastbrace: interrupted after 1 turn", "lastbrace: without --journal it begins anew"]
    assert len(out.read_text().splitlines()) == 2


def test_the_lines_of_a_loop_stay_whole_on_its_terminal(tmp_path: Path) -> None:
    long = "x" * 500
    agent = Script(tmp_path, [says("continue", next=f"{long}<turn>") | {"sleep": 0.3}] * 3 + [says("done")])
    with Terminal("loop", "--prompt", "T", "--", *agent.argv, columns=100, lines=50) as terminal:
        assert terminal.wait() == 0
        text, lines = "".join(line.ljust(100) for line in terminal.shown).strip(), []
        while text:
            line, end = json.JSONDecoder().raw_decode(text)
            text = text[end:].strip()
            lines.append(line)
    assert [line.get("turn", "end") for line in lines] == [1, 2, 3, 4, "end"]
    assert lines[0]["completion"]["next"] == f"{long}1"
