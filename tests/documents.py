"""The programs and commands in a page of documentation: found, and run as its reader would run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
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
    return os.environ | {"PATH": path, "PYTHONWARNINGS": "error", "COLUMNS": "100"}


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
