"""The command line with standard streams that are closed, full or a terminal."""

from __future__ import annotations

import io
import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from lastbrace.cli.lines import Output

from .commands import COMMAND, inside
from .processes import DONE, FOREVER

if TYPE_CHECKING:
    from pathlib import Path


def in_a_shell(line: str) -> tuple[int, bytes, bytes]:
    """Run a command line in which ``lastbrace`` stands for the command."""
    script = f'lastbrace() {{ "$@"; }}\n{line}'.replace('"$@"', " ".join(f"'{word}'" for word in COMMAND) + ' "$@"')
    done = subprocess.run(["/bin/sh", "-c", script], input=b"no object", capture_output=True, timeout=60)
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


@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full"])
def test_stderr_that_takes_nothing_changes_neither_line_nor_status(where: str) -> None:
    for line, status, state in (
        ("run -- /bin/sh -c 'echo why >&2; exit 3'", 1, "none"),
        (f"run --timeout 0.2 -- sleep {FOREVER}", 124, "none"),
        ("last --agent auto", 4, "none"),
        ("demo --fast", 0, "ok"),
    ):
        found, out, _ = in_a_shell(f"lastbrace {line} {where}")
        assert (found, out.count(b"\n"), json.loads(out)["state"]) == (status, 1, state)


def test_a_full_output_is_told() -> None:
    for line in ("run -- true", "demo --fast"):
        status, _, error = in_a_shell(f"lastbrace {line} >/dev/full")
        assert status == 1
        assert b"lastbrace: [Errno 28] No space left on device" in error


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
