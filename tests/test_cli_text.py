"""`lastbrace last`, `first` and `all` as a shell sees them, and what all commands share."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import lastbrace

from .commands import COMMAND, command, inside

if TYPE_CHECKING:
    from pathlib import Path

TEXT = b"""%{name} {"n": 1}
```json
{"n": 2,
 "x": [1, 2]}
```
{"n": 3} {"n": NaN, "s": "\\ud83d", "big": 123456789012345678901234567890} {}
"""


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (["last"], ['{"n":null,"s":"\\ud83d","big":123456789012345678901234567890}']),
        (["last", "--strict"], ['{"n":3}']),
        (["first"], ['{"n":1}']),
        (["first", "--prefer-fenced"], ['{"n":2,"x":[1,2]}']),
        (["first", "--prefer-fenced", "--framing", "lines"], ['{"n":1}']),
        (["all", "--strict"], ['{"n":1}', '{"n":2,"x":[1,2]}', '{"n":3}', "{}"]),
        (["all", "--roots", "array", "--fragments"], ["[1,2]"]),
        (["last", "--spans", "--strict"], ['{"start":52,"end":60,"fragment":false,"value":{"n":3}}']),
    ],
)
def test_objects_of_a_text(arguments: list[str], lines: list[str], tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_bytes(TEXT)
    expected = "".join(line + "\n" for line in lines)
    for more, stdin in ((["-"], TEXT), ([], TEXT), ([str(file)], b"")):
        status, out, error = inside(*arguments, *more, stdin=stdin)
        assert (status, out.decode(), error) == (0, expected, "")


@pytest.mark.parametrize("size", ["1", "7", "65536"])
def test_all_whatever_the_chunks(size: str) -> None:
    status, out, _ = inside("all", "--spans", "--fragments", "--chunk-size", size, stdin=TEXT + b'{"a": {"b": 1}, "c')
    found = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert [(line["start"], line["end"], line["fragment"]) for line in found] == [
        (each.start, each.end, each.fragment)
        for each in lastbrace.find_objects(TEXT + b'{"a": {"b": 1}, "c', fragments=True)
    ]
    assert found[-1]["value"] == {"b": 1}


def test_nothing_found() -> None:
    for name in ("last", "first", "all"):
        status, out, error = inside(name, stdin=b"prose {with} braces")
        assert (status, out) == (4, b"")
        assert error == "lastbrace: no JSON object in 19 bytes; 1 bracket began none (not a key followed)\n"


def test_an_empty_object_answers_only_where_there_is_no_other() -> None:
    for name in ("last", "first"):
        assert inside(name, stdin=b"{}")[:2] == (0, b"{}\n")
        assert inside(name, stdin=b'{} {"a": 1} {}')[:2] == (0, b'{"a":1}\n')


def test_a_schema_chooses(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}')
    text = b'{"n": "x"} {"n": 1} {"n": 2} {"m": 3} {}'
    for name, out in (("first", b'{"n":1}\n'), ("last", b'{"n":2}\n'), ("all", b'{"n":1}\n{"n":2}\n')):
        assert inside(name, "--schema", schema, stdin=text)[:2] == (0, out)
    status, _, error = inside("last", "--schema", schema, stdin=b'{"m": 1}')
    assert status == 4
    assert "1 object, none that satisfies the schema" in error


def test_bytes_that_are_no_text_come_out_as_valid_json() -> None:
    status, out, _ = inside("all", stdin=b'{"a": "\xff\xfe", "b": -Infinity, "c": "NaN \\"NaN", "d" : "x\\\\"}')
    assert status == 0
    assert json.loads(out) == {"a": "\ufffd\ufffd", "b": None, "c": 'NaN "NaN', "d": "x\\"}


def test_all_prints_each_object_when_it_closes() -> None:
    with subprocess.Popen([*COMMAND, "all"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        for number in range(3):
            program.stdin.write(b'text {"n": %d} {"n' % number)
            program.stdin.flush()
            assert json.loads(program.stdout.readline()) == {"n": number}
        program.stdin.close()
        program.stdout.read()


def test_a_reader_that_leaves_ends_it_quietly(tmp_path: Path) -> None:
    file = tmp_path / "big"
    file.write_bytes(b'{"n": "%s"}\n' % (b"x" * 1000) * 20_000)
    with subprocess.Popen([*COMMAND, "all", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        assert program.stdout.readline()
        program.stdout.close()
        assert program.stderr.read() == b""
    assert program.returncode == 0


def test_used_wrongly(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"type": 3}')
    (tmp_path / "text").write_text("no json")
    for arguments in (
        ["run"],
        ["no-such-command"],
        ["last", "/no/such/file"],
        ["last", "--roots", "string"],
        ["last", "--schema", "/no/such/file"],
        ["last", "--schema", str(tmp_path / "bad.json")],
        ["last", "--schema", str(tmp_path / "text")],
        ["run", "--timeout", "-1", "--", "true"],
        ["run", "--until", "done", "--contract", "marker", "--", "true"],
        ["run", "--input", "/no/such/file", "--", "true"],
        ["all", "--chunk-size", "0"],
    ):
        status, out, error = inside(*arguments)
        assert (arguments, status, out) == (arguments, 2, b"")
        assert "Usage:" in error


def test_every_help_has_examples_and_statuses() -> None:
    for arguments in ([], ["run"], ["last"], ["first"], ["all"], ["demo"]):
        status, out, _ = inside(*arguments, "--help")
        assert status == 0
        for word in (b"Examples:\n  ", b"Exit status:\n", b" 124  the time ran out"):
            assert word in out


def test_version_says_which_scanner() -> None:
    status, out, _ = inside("--version")
    assert status == 0
    assert out.decode() == f"lastbrace {lastbrace.__version__} ({lastbrace.scanner_kind} scanner)\n"


def test_without_its_extra_it_says_what_to_install() -> None:
    code = "import sys\nsys.modules['typer'] = None\nfrom lastbrace.__main__ import main\nmain()\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == 'lastbrace: the command line needs: pip install "lastbrace[cli]"\n'


@pytest.mark.parametrize("options", [[], ["--prefer-fenced"]])
def test_first_ends_at_the_first_object_and_waits_for_no_more(options: list[str]) -> None:
    with subprocess.Popen([*COMMAND, "first", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{}\n```json\n{"n": 1}')
        process.stdin.flush()  # and it stays open
        assert process.stdout.read() == b'{"n":1}\n'
        assert process.wait(60) == 0


@pytest.mark.parametrize("words", [["last"], ["first"], ["all", "--chunk-size", "1"], ["last", "--agent", "auto"]])
def test_a_recording_is_read_as_it_is_and_told_of(words: list[str], tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    assert command("run", "--save", path, "--", "echo", '{"n": 1}', "{}")[0] == 4
    for more, stdin in (([path], b""), ([], path.read_bytes())):
        out, error = inside(*words, *more, stdin=stdin)[1:]
        hint = "lastbrace: this is a recording; what was printed: lastbrace replay --speed max FILE | lastbrace ...\n"
        assert error.count(hint) == 1
        assert b'{"n":1}' not in out
    played = subprocess.run([*COMMAND, "replay", "--speed", "max", path], capture_output=True, timeout=60)
    assert inside("last", stdin=played.stdout) == (0, b'{"n":1}\n', "")


def test_the_list_of_commands_says_whole_sentences() -> None:
    status, out, _ = inside("--help")
    listed = out.decode().partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert (status, len(listed)) == (0, 8)
    assert [line for line in listed if not line.endswith(".") or line.endswith("...")] == []
