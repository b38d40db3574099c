"""The programs and commands in a page of documentation: found, and run as its reader would run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent

_program = re.compile(r"^```python\n(.*?)^```$(?:\s*^```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
_console = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_command = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


class Program(NamedTuple):
    """A whole Python program, and what the page says that it prints ("" where it does not say)."""

    text: str
    output: str


class Command(NamedTuple):
    """A line for the shell, and what it prints on stdout."""

    line: str
    output: str


def programs(page: str) -> list[Program]:
    return [Program(*found) for found in _program.findall(page)]


def commands(page: str) -> list[list[Command]]:
    """Return the commands of each block: those of one block share a folder."""
    return [[Command(*found) for found in _command.findall(block)] for block in _console.findall(page)]


def environment() -> dict[str, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return os.environ | {"PATH": path, "PYTHONWARNINGS": "error", "COLUMNS": "88"}


def run(argv: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, cwd=folder, env=environment(), capture_output=True, encoding="utf-8", timeout=60)


def check_program(program: Program, folder: Path) -> None:
    result = run([sys.executable, "-c", program.text], folder)
    assert result.returncode == 0, result.stderr
    assert "Error" not in result.stderr
    if program.output:
        assert result.stdout == program.output


def check_commands(block: list[Command], folder: Path) -> None:
    for line, output in block:
        result = run(["sh", "-c", line], folder)
        assert result.stdout == output, result.stderr


def rewritten(page: str, folder: Path) -> str:
    """Return the page with the outputs that its programs and commands have now."""

    def program(found: re.Match[str]) -> str:
        if found[2] is None:
            return found[0]
        output = run([sys.executable, "-c", found[1]], folder).stdout
        return f"```python\n{found[1]}```\n\n```text\n{output}```"

    def console(found: re.Match[str]) -> str:
        lines = [line for line, _ in _command.findall(found[1])]
        shown = "".join(f"$ {line}\n{run(['sh', '-c', line], folder).stdout}" for line in lines)
        return f"```console\n{shown}```"

    return _console.sub(console, _program.sub(program, page))


def main() -> None:
    """Rewrite pages: `python -m tests.documents docs/command-line.md`; look at what changed before you commit it."""
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(name)
            page.write_text(rewritten(page.read_text(encoding="utf-8"), Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
