"""The command line with standard streams that are closed, full or a terminal."""

from __future__ import annotations

import io
import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from lastbrace.cli.lines import Output

from .commands import COMMAND, FULL, inside, needs_full, with_and_without_buffer
from .processes import DONE, FOREVER

if TYPE_CHECKING:
    from pathlib import Path


def in_a_shell(line: str, environment: dict[str, str] | None = None) -> tuple[int, bytes, bytes]:
    """Run a command line in which ``lastbrace`` stands for the command."""
    script = f'lastbrace() {{ "$@"; }}\n{line}'.replace('"$@"', " ".join(f"'{word}'" for word in COMMAND) + ' "$@"')
    done = subprocess.run(
        ["/bin/sh", "-c", script], input=b"no object", capture_output=True, timeout=60, env=environment
    )
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def test_a_closed_output_is_told_before_the_program_is_started(tmp_path: Path) -> None:
    status, _, error = in_a_shell(f"lastbrace run -- touch '{tmp_path}/started' >&-")
    assert (status, error) == (1, b"lastbrace: standard output is closed\n")
    assert not (tmp_path / "started").exists()


def test_a_closed_input_is_told_where_it_would_be_read() -> None:
    for line in ("lastbrace first <&-", "lastbrace run --input - -- cat <&-"):
        status, out, error = in_a_shell(line)
        assert (status, out) == (2, b"")
        assert b"standard input is closed" in error
    status, out, _ = in_a_shell(f"lastbrace run -- echo '{DONE}' <&-")
    assert (status, json.loads(out)["ok"]) == (0, True)


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("lastbrace first", 4),
        ("lastbrace run", 2),
        ("lastbrace last --no-such-option", 2),
        ("lastbrace no-such-command", 2),
        ("lastbrace --no-such-option", 2),
        ("lastbrace last /no/such/file", 2),
    ],
)
def test_with_stderr_closed_nothing_for_people_goes_to_stdout(line: str, status: int) -> None:
    assert in_a_shell(f"{line} 2>&-") == (status, b"", b"")


@needs_full
@with_and_without_buffer
@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full"])
def test_stderr_that_takes_nothing_changes_neither_line_nor_status(where: str, environment: dict[str, str]) -> None:
    for line, status, state in (
        ("run -- /bin/sh -c 'echo why >&2; exit 3'", 1, "none"),
        (f"run --timeout 0.2 -- sleep {FOREVER}", 124, "none"),
        ("last --agent auto", 4, "none"),
        ("demo --fast", 0, "ok"),
    ):
        found, out, _ = in_a_shell(f"lastbrace {line} {where}", environment)
        assert (found, out.count(b"\n"), json.loads(out)["state"]) == (status, 1, state)


@needs_full
@with_and_without_buffer
def test_a_full_output_is_told(environment: dict[str, str]) -> None:
    for line in ("run -- true", "demo --fast"):
        status, _, error = in_a_shell(f"lastbrace {line} >/dev/full", environment)
        assert status == 1
        assert b"lastbrace: [Errno 28] No space left on device" in error
    assert in_a_shell(f"echo '{DONE}' | lastbrace last >/dev/full 2>&1", environment)[0] == 1


@with_and_without_buffer
def test_a_line_that_fits_only_in_part_is_told(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "said").write_text(json.dumps({"a": "x" * 5000}))
    limited = {**environment, "PYTHONDONTWRITEBYTECODE": "1"}
    for name in ("last", "all"):
        line = f"ulimit -f 1; lastbrace {name} '{tmp_path}/said' >'{tmp_path}/out'"
        status, _, error = in_a_shell(line, limited)
        assert (status, error) == (1, b"lastbrace: [Errno 27] File too large\n")


@with_and_without_buffer
@pytest.mark.parametrize("name", ["last", "first", "all"])
def test_a_reader_that_has_gone_is_no_trouble(name: str, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "said").write_text(DONE)
    unread, end = os.pipe()
    os.close(unread)
    with os.fdopen(end, "wb") as pipe:
        done = subprocess.run(
            [*COMMAND, name, tmp_path / "said"], stdout=pipe, stderr=subprocess.PIPE, timeout=60, env=environment
        )
    assert (done.returncode, done.stderr) == (0, b"")


@needs_full
@with_and_without_buffer
def test_a_replay_to_a_full_disk_ends_as_the_program_did(environment: dict[str, str], tmp_path: Path) -> None:
    events = [{"lastbrace_recording": 1}, {"t": 0, "out": "x"}, {"t": 0, "err": "y"}, {"t": 0, "exit": 7}]
    (tmp_path / "saved").write_text("".join(json.dumps(event) + "\n" for event in events))
    with FULL.open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "replay", tmp_path / "saved"], stdout=full, stderr=subprocess.PIPE, timeout=60, env=environment
        )
    assert (done.returncode, done.stderr) == (7, b"y")


def test_half_a_character_in_structured_output_is_valid_json() -> None:
    event = b'{"type":"result","subtype":"success","is_error":false,"total_cost_usd":0,"result":"",'
    event += b'"structured_output":{"a b":"\\udc00 NaN","c":[Infinity,-Infinity, NaN]}}'
    _, out, _ = inside("last", "--agent", "claude", stdin=event)
    reply = json.loads(out.decode("utf-8"), parse_constant=pytest.fail)["reply"]
    assert reply["structured"] == {"a b": "\udc00 NaN", "c": [None, None, None]}


def test_nothing_in_a_file_name_acts_on_a_terminal(tmp_path: Path) -> None:
    bad = "no\x1b[2J\u061c\U000e0041"
    (tmp_path / bad).write_text("no json")
    for arguments in (["last", bad], ["last", "--schema", tmp_path / bad], ["run", "--input", bad, "--", "true"]):
        status, _, error = inside(*arguments)
        assert status == 2
        assert "no\\x1b[2J\\u061c\\U000e0041" in error
        assert "\x1b" not in error


class Terminal(io.TextIOWrapper):
    """A stdout on a terminal."""

    def isatty(self) -> bool:
        return True


def test_what_acts_on_a_terminal_is_escaped_in_results(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.BytesIO()
    monkeypatch.setattr("sys.stdout", Terminal(shown))
    value = {"a": "\u061c \u202e \x9b \U000e0001 \U000e0041 \U000e007f", "fine": "é😀"}
    Output().line(json.dumps(value, ensure_ascii=False).encode())
    text = shown.getvalue().decode()
    assert json.loads(text) == value
    assert {character for character in text if ord(character) > 126} == {"é", "😀"}
