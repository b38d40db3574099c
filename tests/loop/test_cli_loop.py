"""`lastbrace loop` as a shell sees it: stdout, stderr, exit status, signals, a terminal."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import threading
from typing import TYPE_CHECKING, Any

import pytest

from ..commands import COMMAND, command
from ..processes import FAMILY, FOREVER, runs
from .scripts import Script, claude, says

if TYPE_CHECKING:
    from pathlib import Path


def loop(*options: str | Path, stdin: bytes = b"", argv: list[str]) -> tuple[int, list[dict[str, Any]], str]:
    status, out, error = command("loop", *options, "--", *argv, stdin=stdin)
    return status, [json.loads(line) for line in out.splitlines()], error


def test_done(tmp_path: Path) -> None:
    agent = Script(tmp_path, [says("continue", next="two"), says("done", summary="ok")])
    status, (first, second, end), error = loop("--prompt", "--one", argv=agent.argv)
    assert (status, error) == (0, "")
    assert (first["turn"], first["prompt"], first["verdict"]) == (1, "--one", "continue")
    assert (second["turn"], second["completion"]) == (2, {"status": "done", "summary": "ok"})
    assert (end["end"], end["ok"], end["turns"], end["completion"]["summary"]) == ("done", True, 2, "ok")
    assert "cost_usd" not in end  # nobody told
    assert agent.prompts == ["--one", "two"]


def test_what_it_cost_is_told_where_the_agent_tells(tmp_path: Path) -> None:
    agent = Script(tmp_path, [claude('{"status": "done"}', cost=0.0)])
    assert loop("--prompt", "T", argv=agent.argv)[1][-1]["cost_usd"] == 0.0


@pytest.mark.parametrize(
    ("step", "options", "status", "end", "told"),
    [
        (says("continue", next="<turn>"), ["--max-turns", "2"], 3, "max_turns", "ended: 2 turns taken"),
        (says("continue"), [], 3, "no_progress", "ended: no progress: the same completion 3 times"),
        (claude('{"status": "continue"}'), ["--max-cost", "0.2"], 3, "max_cost_usd", "0.25 USD"),
        (says("error", summary="no"), ["--max-errors", "1"], 1, "error", "its answer is an error: no"),
        ({"complain": "why\n", "exit": 2}, ["--max-errors", "1"], 1, "error", "why"),
        ({**says("done"), "complain": "why\n", "exit": 2}, ["--max-errors", "1"], 1, "error", "status 2: why"),
        ({"say": "Hm."}, ["--max-errors", "1"], 4, "error", "no JSON object"),
        ({"sleep": FOREVER}, ["--timeout", "0.1", "--max-errors", "1"], 124, "error", "ran longer than 0.1 s"),
        ({"sleep": FOREVER}, ["--max-seconds", "0.1"], 124, "max_seconds", "seconds are over"),
    ],
)
def test_how_it_ends(*, step: Any, options: list[str], status: int, end: str, told: str, tmp_path: Path) -> None:
    agent = Script(tmp_path, [step])
    got, lines, error = loop("--prompt", "T", *options, argv=agent.argv)
    assert (got, lines[-1]["end"], lines[-1]["ok"]) == (status, end, False)
    assert told in error


@pytest.mark.parametrize(
    ("step", "bound"),
    [
        (says("continue", next="<turn>"), ["--max-turns", "2"]),
        (claude('{"status": "continue"}'), ["--max-cost", "0.2"]),
        ({"sleep": FOREVER}, ["--max-seconds", "0.1"]),
    ],
)
def test_the_way_to_go_on_after_a_bound_is_a_greater_one_and_shows_no_secret(
    *, step: Any, bound: list[str], tmp_path: Path
) -> None:
    agent = Script(tmp_path / "agent", [step])
    words = ["--prompt", "sk-prompt", "--journal", tmp_path / "sk-journal", *bound]
    _, _, error = loop(*words, argv=[*agent.argv, "--key", "sk-word"])
    assert f"to go on, give the same command again, with a greater {bound[0]}\n" in error
    assert "sk-" not in error
    assert bound[1] not in error.partition("to go on")[2]


def test_a_journal_of_another_task_is_refused_with_what_to_do(tmp_path: Path) -> None:
    agent = Script(tmp_path / "agent", [says("done")])
    assert loop("--prompt", "one", "--journal", tmp_path / "j", argv=agent.argv)[0] == 0
    status, lines, error = loop("--prompt", "two", "--journal", tmp_path / "j", argv=agent.argv)
    assert (status, lines, agent.prompts) == (1, [], ["one"])
    assert "is of another task: name another journal, or delete this one to begin anew" in error


def test_a_bound_on_costs_that_nobody_tells_is_told_of(tmp_path: Path) -> None:
    agent = Script(tmp_path, [says("continue", next="2"), says("done")])
    status, _, error = loop("--prompt", "T", "--max-cost", "1", argv=agent.argv)
    assert (status, error.count("bounds nothing")) == (0, 1)


def test_where_the_prompt_stands(tmp_path: Path) -> None:
    agent = Script(tmp_path / "a", [says("done")])
    (tmp_path / "task").write_text("from a file: é")
    assert loop("--prompt-file", tmp_path / "task", argv=agent.argv)[0] == 0
    assert loop("--prompt", "-", stdin=b"from stdin\n", argv=agent.argv)[0] == 0
    assert loop("--prompt-file", "-", stdin=b"from stdin \xff", argv=agent.argv)[0] == 0
    assert agent.prompts == ["from a file: é", "from stdin\n", "from stdin \ufffd"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["loop"], "a program is needed"),
        (["loop", "--", "true"], "a prompt is needed"),
        (["loop", "--prompt", "a", "--prompt-file", "b", "--", "true"], "two prompts"),
        (["loop", "--prompt", " ", "--", "true"], "blank"),
        (["loop", "--prompt", "a", "--template", "none"], "no template 'none'"),
        (["loop", "--prompt", "a", "--template", "codex", "--max-cost", "1"], "does not tell what it costs"),
        (["loop", "--prompt", "a", "--contract", "none", "--", "true"], "contract or a schema"),
        (["loop", "--prompt", "a", "--max-seconds", "0", "--", "true"], "max_seconds"),
        (["loop", "--journal", "new", "--", "true"], "has none yet"),
        (["loop", "--prompt-file", "nowhere.md", "--", "true"], "--prompt-file: nowhere.md: No such file or directory"),
        (["loop", "--prompt-file", ".", "--", "true"], "--prompt-file: .: Is a directory"),
    ],
)
def test_wrong_use(words: list[str], told: str, tmp_path: Path) -> None:
    status, out, error = command(*words, cwd=tmp_path)
    assert (status, out) == (2, b"")
    assert told in " ".join(error.replace("│", " ").split())


def test_what_cannot_be_started_and_what_is_no_journal(tmp_path: Path) -> None:
    status, lines, error = loop("--prompt", "T", argv=[str(tmp_path / "none")])
    assert (status, lines[-1]["end"]) == (127, "error")
    assert "cannot start" in error
    status, lines, error = loop("--prompt", "T", "--journal", tmp_path, argv=["true"])
    assert (status, lines) == (1, [])
    assert "cannot open the journal" in error


def test_a_template_with_arguments_of_ones_own(tmp_path: Path) -> None:
    stand_in = tmp_path / "claude"
    answer = claude('{"status": "done"}')["say"]
    stand_in.write_text(f"#!/bin/sh\ncat > /dev/null; echo \"$@\" > {tmp_path}/args; cat <<'E'\n{answer}E\n")
    stand_in.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    words = ["--prompt", "T", "--template", "claude", "--", "--model", "m"]
    status, out, _ = command("loop", *words, env=environment)
    assert (status, json.loads(out.splitlines()[0])["reply"]["agent"]) == (0, "claude")
    assert (tmp_path / "args").read_text() == "-p --output-format stream-json --verbose --model m\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_program_and_says_how_to_go_on(number: signal.Signals, tmp_path: Path) -> None:
    journal = tmp_path / "the journal"
    words = [*COMMAND, "loop", "--prompt", "The task.", "--journal", str(journal), "--", "/bin/sh", "-c"]
    script = f"""
if [ ! -e {tmp_path}/one ]; then > {tmp_path}/one; echo '{{"status": "continue", "next": "two"}}'; exit; fi
echo $$ > {tmp_path}/pid; {FAMILY}"""
    with subprocess.Popen([*words, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["turn"] == 1
        while not (pid := tmp_path / "pid").exists() or not pid.read_text().endswith("\n"):
            pass
        process.send_signal(number)
        out, error = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert json.loads(out)["end"] == "interrupted"
    assert not runs(int((tmp_path / "pid").read_text()))
    told = error.decode()
    assert "interrupted after 1 turn" in told
    assert "lastbrace: to go on, give the same command again\n" in told
    assert "The task." not in told
    verdicts = [json.loads(line).get("verdict") for line in journal.read_bytes().splitlines()]
    assert verdicts == [None, "continue", "interrupted"]
    # Said without its program, which would be interrupted for ever, it goes on where it was.
    again = Script(tmp_path / "again", [says("done")])
    status, lines, _ = loop("--journal", str(journal), argv=again.argv)
    assert (status, lines[-1]["turns"], again.prompts) == (0, 2, ["two"])


def test_under_nohup_a_hang_up_is_no_end(tmp_path: Path) -> None:
    fifo, go = tmp_path / "fifo", tmp_path / "go"
    os.mkfifo(fifo)
    script = f"""echo begun > "$0"; while ! test -e '{go}'; do sleep 0.01; done; echo '{{"status": "done"}}'"""
    words = ["nohup", *COMMAND, "loop", "--prompt", "T", "--", "/bin/sh", "-c", script, str(fifo)]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        fifo.read_text()
        process.send_signal(signal.SIGHUP)
        go.touch()
        out, _ = process.communicate(timeout=60)
    assert (process.returncode, json.loads(out.splitlines()[-1])["end"]) == (0, "done")


@pytest.mark.parametrize(
    ("options", "how"), [([], "without --journal it begins anew"), (["--journal", "j"], "to go on, give the same")]
)
def test_no_turn_is_begun_when_nobody_reads_any_longer(options: list[str], how: str, tmp_path: Path) -> None:
    turns, go = tmp_path / "turns", tmp_path / "go"
    script = f"""echo turn >> '{turns}'
if test "$(wc -l < '{turns}')" -gt 1; then while ! test -e '{go}'; do sleep 0.01; done; fi
echo "{{\\"status\\": \\"continue\\", \\"next\\": \\"$$\\"}}" """
    words = [*COMMAND, "loop", "--prompt", "T", "--max-turns", "6", *options, "--", "/bin/sh", "-c", script]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["turn"] == 1
        process.stdout.close()
        go.touch()
        told = process.stderr.read().decode()
    assert (process.returncode, turns.read_text()) == (3, "turn\n" * 2)
    assert told.startswith("lastbrace: ended after 2 turns: nobody reads its lines any longer\nlastbrace: " + how)


def test_an_answer_that_nobody_reads_decides_the_status_all_the_same(tmp_path: Path) -> None:
    for step, status in ((says("done"), 0), ({"say": "Hm."}, 4), (says("error"), 1)):
        agent = Script(tmp_path / str(status), [step])
        unread, end = os.pipe()
        os.close(unread)
        with os.fdopen(end, "wb") as pipe:
            words = [*COMMAND, "loop", "--prompt", "T", "--", *agent.argv]
            done = subprocess.run(words, stdout=pipe, stderr=subprocess.PIPE, timeout=60)
        assert (done.returncode, len(agent.prompts)) == (status, 1)
        assert b"Traceback" not in done.stderr


def test_a_terminal_sees_a_line_that_goes_away_and_no_escape_of_the_agents(tmp_path: Path) -> None:
    agent = Script(tmp_path, [{"say": r'{"status": "continue", "next": "\u001b[2Jtwo [red]"}'}, says("done")])
    parent, child = pty.openpty()
    seen = bytearray()

    def read() -> None:
        try:
            while data := os.read(parent, 65536):
                seen.extend(data)
        except OSError:  # the other end is closed
            pass

    words = [*COMMAND, "loop", "--prompt", "T", "--", *agent.argv]
    environment = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=child, env=environment) as process:
        os.close(child)
        reader = threading.Thread(target=read)
        reader.start()
        assert process.stdout is not None
        out = process.stdout.read()
    reader.join(60)
    os.close(parent)
    assert process.returncode == 0
    assert len(out.splitlines()) == 3
    assert b"turn 1" in seen
    assert b"\x1b[2J" not in seen
