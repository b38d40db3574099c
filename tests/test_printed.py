"""What lastbrace prints, and says in errors: safe for a terminal, bounded, without secrets, never a traceback."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

import lastbrace
from lastbrace import BackendError, BackendTimeout, DecodeError, NoObjectError

from .commands import COMMAND, FULL, command, inside, needs_full, with_and_without_buffer
from .processes import DONE, FOREVER, sh
from .test_cli import on_a_terminal

SECRET = "hunter2"
NASTY = "\x1b]0;owned\x07 \x9b2J \u202e \\[/] \\[red]x[/red] [bold] [/]"
ANSWER = {"status": "continue", "summary": NASTY, "next": NASTY}
# What a live view of ours is made of: colours, the cursor hidden, shown, up and home, a line erased, another screen.
OURS = re.compile(rb"\x1b\[(?:[0-9;]*m|\?(?:25|1049)[lh]|[0-9]*[AH]|2K)")


@pytest.fixture
def nasty(tmp_path: Path) -> Path:
    """A program that prints all that a terminal acts on, in its text, objects and stderr, and lives for a while."""
    raw = json.dumps(ANSWER, ensure_ascii=False).replace("\x1b", "\\u001b").replace("\x07", "\\u0007")
    said = f"text {NASTY} {{}} {raw}\n"
    script = tmp_path / "nasty.py"
    script.write_text(
        f"import sys, time\nsaid = {said!r}.encode()\nsys.stdout.buffer.write(said)\nsys.stdout.buffer.flush()\n"
        "time.sleep(0.6)\nsys.stderr.buffer.write(said)\nsys.exit(int(sys.argv[1]))\n"
    )
    (tmp_path / "said").write_text(said)
    (tmp_path / "schema").write_text(json.dumps({"type": "object", "required": ["nothing"]}))
    return tmp_path


def is_safe(text: str) -> bool:
    return all(character.isprintable() or character in "\r\n\t" for character in text)


def shown_for(*words: str) -> tuple[int, bytes]:
    """Run a command with all it prints on a terminal; return its status, and what the terminal got."""
    status, out, shown = on_a_terminal(*words, stdout_too=True)
    assert out == b""
    return status, shown


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["run", "--", sys.executable, "nasty.py", "7"], 1),
        (["run", "--contract", "none", "--stderr", "merge", "--pty", "--", sys.executable, "nasty.py", "0"], 0),
        (["run", "--schema", "schema", "--", sys.executable, "nasty.py", "0"], 4),
        (["loop", "--prompt", NASTY, "--max-turns", "1", "--", sys.executable, "nasty.py", "0"], 3),
        (["loop", "--prompt", NASTY, "--max-errors", "1", "--", sys.executable, "nasty.py", "7"], 1),
        (["last", "said"], 0),
        (["last", "--agent", "auto", "said"], 3),
        (["all", "--spans", "said"], 0),
        (["follow", "--from", "start", "--lines", "--idle-timeout", "0.5", "said"], 0),
        (["follow", "--from", "start", "--view", "--idle-timeout", "0.5", "said"], 0),
    ],
)
def test_a_terminal_gets_nothing_that_it_would_act_on(
    words: list[str], status: int, nasty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(nasty)
    got, shown = shown_for(*words)
    assert got == status
    assert b"Traceback" not in shown
    assert b"\x1b[31m" not in shown  # its markup is no colour
    assert is_safe(OURS.sub(b"", shown).decode())


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["run", "--", NASTY], 127),
        (["run", "--cwd", NASTY, "--", "true"], 127),
        (["run", "--agent", NASTY, "--", "true"], 2),
        (["run", "--input", NASTY, "--", "true"], 2),
        (["run", "--save", f"{NASTY}/x", "--", "true"], 2),
        (["run", "--schema", NASTY, "--", "true"], 2),
        (["loop", "--prompt", "x", "--journal", f"{NASTY}/x", "--", "true"], 1),
        (["loop", "--prompt", "x", "--template", NASTY], 2),
        (["loop", "--prompt-file", NASTY, "--", "true"], 2),
        (["follow", "--state", f"{NASTY}/x", "--idle-timeout", "0", "said"], 2),
        (["last", "--schema", "schema", "said"], 4),
        (["last", NASTY], 2),
        (["replay", "said"], 2),
        (["replay", NASTY], 2),
        (["replay", "said", "--speed", NASTY], 2),
        ([NASTY], 2),
    ],
)
def test_what_is_told_of_wrong_words_and_odd_names_is_safe(
    words: list[str], status: int, nasty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(nasty)
    got, _, error = inside(*words)
    assert got == status
    assert error
    assert is_safe(error)


@pytest.mark.parametrize("script", ["exit 3", "echo why >&2; exit 3", f"sleep {FOREVER}"])
def test_errors_and_reprs_name_the_program_alone(script: str) -> None:
    argv = [*sh(script), "--token", SECRET]
    with pytest.raises((BackendError, BackendTimeout), match=r"^/bin/sh ") as caught:
        lastbrace.run_sync(argv, timeout=0.3 if "sleep" in script else 60, env={**os.environ, "TOKEN": SECRET})
    told = str(caught.value) + repr(caught.value) + repr(caught.value.outcome) + repr(lastbrace.run(argv))
    assert caught.value.outcome.reason
    assert SECRET not in told + caught.value.outcome.reason
    assert script not in told


def test_a_program_that_cannot_be_started_is_named_alone() -> None:
    for options in ({}, {"cwd": "/nowhere"}):
        with pytest.raises(BackendError, match=r"^cannot start no-such-agent: ") as caught:
            lastbrace.run_sync(["no-such-agent", "--token", SECRET], **options)  # type: ignore[arg-type]
        assert SECRET not in str(caught.value)
    with pytest.raises(BackendError) as caught:
        lastbrace.run_sync(["x" * 100_000, SECRET])
    assert len(str(caught.value)) < 300


def test_a_command_in_a_wrong_form_is_not_echoed() -> None:
    wrong: Any
    for wrong in (f"agent --token {SECRET}", f"agent --token {SECRET}".encode()):
        with pytest.raises(TypeError, match="argv is a list") as caught:
            lastbrace.run_sync(wrong)
        assert SECRET not in str(caught.value)
    for wrong in (f"agent --token {SECRET}", ["agent", SECRET, 5]):
        with pytest.raises((TypeError, ValueError)) as other:
            lastbrace.loop(wrong, "task")
        assert SECRET not in str(other.value)


def test_the_command_line_echoes_no_secret(tmp_path: Path) -> None:
    for words in (["exit 3"], [f"sleep {FOREVER}"], ["echo no"]):
        _, out, error = command(
            "run", "--timeout", "0.4", "--save", tmp_path / "saved", "--", *sh(words[0]), "--token", SECRET,
            env={**os.environ, "TOKEN": SECRET},
        )  # fmt: skip
        assert SECRET not in out.decode() + error + (tmp_path / "saved").read_text()


class Strict(msgspec.Struct, forbid_unknown_fields=True):
    n: int = 0


def _refuse(value: Any) -> Any:
    raise ValueError(NASTY + "x" * 100_000)


def test_what_a_program_says_is_safe_and_short_in_errors_and_reasons() -> None:
    long = NASTY + "x" * 1_000_000
    told: list[str] = []
    for script in (f"printf '%s' '{NASTY}' >&2; exit 1", "head -c 100000 /dev/zero | tr '\\0' '\\033' >&2; exit 1"):
        with pytest.raises(BackendError) as caught:
            lastbrace.run_sync(sh(script))
        told.append(str(caught.value))
    for text, schema in (({long: 1}, Strict), ({"a": 1}, _refuse)):
        with pytest.raises(NoObjectError) as nothing:
            lastbrace.last_object(json.dumps(text), schema=schema)
        told.append(str(nothing.value))
    with pytest.raises(DecodeError) as wrong:
        lastbrace.find_objects(json.dumps({long: 1}))[0].decode(Strict)
    told.append(str(wrong.value))
    claude = {"type": "result", "subtype": "success", "is_error": True, "result": long, "total_cost_usd": 0}
    for agent, said in (("claude", claude), (None, {"status": "error", "summary": long}), (None, {long: 1})):
        watcher = lastbrace.Watcher(agent=agent, schema=Strict if long in said else None)
        watcher.feed(json.dumps(said) + "\n")
        outcome = watcher.close()
        told += [outcome.reason, repr(outcome), repr(outcome.last), repr(outcome.completion), repr(outcome.reply)]
    for text in told:
        assert len(text) < 10_000
        assert is_safe(text)


def test_line_ends_in_the_last_words_of_a_program_stay() -> None:
    with pytest.raises(BackendError, match=r"before it printed anything: one\n\ttwo$"):
        lastbrace.run_sync(sh(r"printf 'one\n\ttwo\n' >&2; exit 1"))


DEMO = [sys.executable, "-W", "error", "-m", "lastbrace.demo", "--fast"]


@needs_full
@with_and_without_buffer
@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["--version"],
        ["run", "--help"],
        ["run", "--", "echo", DONE],
        ["loop", "--prompt", "x", "--", "echo", DONE],
        ["demo", "--fast"],
        ["last", "said"],
        ["last", "--agent", "auto", "said"],
        ["last", "--recover", "said"],
        ["first", "said"],
        ["all", "said"],
        ["follow", "--from", "start", "--idle-timeout", "0.1", "said"],
    ],
)
def test_a_full_disk_behind_stdout_is_told_in_one_line(
    words: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "said").write_text(DONE)
    with FULL.open("wb") as full:
        done = subprocess.run(
            [*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, env=environment, timeout=60
        )
    assert done.returncode == 1
    assert done.stderr.count(b"lastbrace: ") == 1
    assert done.stderr.splitlines()[-1] == b"lastbrace: [Errno 28] No space left on device"
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "0<&- 1>&- 2>&-"])
@pytest.mark.parametrize(
    "words",
    [
        ["run", "--", "echo", DONE],
        ["loop", "--prompt", "x", "--", "echo", DONE],
        ["demo", "--fast"],
        ["last", "/dev/null"],
    ],
)
def test_closed_streams_are_no_traceback(words: list[str], closed: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *COMMAND, *words], capture_output=True, timeout=60, check=False
    )
    wanted = 4 if words[0] == "last" else 0
    assert done.returncode == (1 if "1>&-" in closed and wanted == 0 else wanted)
    assert b"Traceback" not in done.stderr


@needs_full
@with_and_without_buffer
@pytest.mark.parametrize("redirection", ["1>/dev/full", "1>&-", "0<&- 2>&-", "2>/dev/full"])
def test_the_demo_ends_without_a_traceback(redirection: str, environment: dict[str, str]) -> None:
    script = f'exec "$@" {redirection}'
    done = subprocess.run(
        ["/bin/sh", "-c", script, "sh", *DEMO, "--turns", "1"],
        stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False, env=environment,
    )  # fmt: skip
    assert done.returncode == (1 if "1>" in redirection else 0)
    assert b"Traceback" not in done.stderr
    assert b"this goes to stderr" not in done.stdout


# A file that opens, and cannot be read: nothing is mapped at its beginning.
UNREADABLE = Path("/proc/self/mem")


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["loop", "--prompt-file", UNREADABLE, "--", "true"], 1),
        (["loop", "--prompt", "x", "--journal", UNREADABLE, "--", "true"], 1),
        (["last", UNREADABLE], 1),
        (["last", "--agent", "auto", UNREADABLE], 1),
        (["last", "--schema", UNREADABLE], 2),
        (["first", UNREADABLE], 1),
        (["all", UNREADABLE], 1),
        (["replay", UNREADABLE], 2),
    ],
)
def test_a_file_that_cannot_be_read_is_told(words: list[Any], status: int) -> None:
    got, _, error = inside(*words)
    assert got == status
    assert "Input/output error" in error.splitlines()[-1]


def test_an_input_that_cannot_be_read_leaves_a_line_of_json() -> None:
    status, out, error = command("run", "--input", UNREADABLE, "--", *sh(f"cat; echo '{DONE}'"))
    line = json.loads(out)
    assert (status, line["ok"], line["completion"]) == (1, False, {"status": "done"})
    assert line["error"] == "cannot read the input: Input/output error"
    assert error == "lastbrace: cannot read the input: Input/output error\n"


def test_files_are_made_for_us_alone(tmp_path: Path) -> None:
    journal, saved = tmp_path / "journal", tmp_path / "saved"
    before = os.umask(0)
    try:
        command("run", "--save", saved, "--", "echo", DONE)
        command("loop", "--prompt", "x", "--journal", journal, "--", "echo", DONE)
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (journal, saved)] == [0o600, 0o600]


@pytest.mark.parametrize("words", [["last"], ["first"], ["all"], ["last", "--agent", "none"]])
def test_what_has_no_word_in_json_or_is_no_text_is_printed_as_valid_json(words: list[str]) -> None:
    _, out, _ = inside(*words, stdin=b'{"status": "done", "a": [NaN, -Infinity], "b": "\xff\xfe", "c": "\\ud83d"}')
    value = json.loads(out.decode(), parse_constant=pytest.fail)
    value = value.get("value", value)
    assert (value["a"], value["b"]) == ([None, None], "\ufffd\ufffd")
