"""Every program and command of the README runs, and prints what the README says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```(?:\s*```text\n(.*?)```)?", README, re.DOTALL)
CONSOLE = "".join(re.findall(r"```console\n(.*?)```", README, re.DOTALL))
COMMANDS = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", CONSOLE, re.MULTILINE)


def environment() -> dict[str, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return os.environ | {"PATH": path, "PYTHONWARNINGS": "error"}


@pytest.mark.parametrize(("program", "output"), PROGRAMS, ids=range(len(PROGRAMS)))
def test_program_runs_and_prints_what_it_says(program: str, output: str, tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60
    )
    assert result.returncode == 0, result.stderr
    assert "Error" not in result.stderr
    assert result.stdout == output if output else result.stdout


@pytest.mark.parametrize(("command", "output"), COMMANDS, ids=range(len(COMMANDS)))
def test_command_prints_what_it_says(command: str, output: str, tmp_path: Path) -> None:
    result = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60
    )
    assert result.stdout == output, result.stderr


def test_readme_has_its_programs_and_commands() -> None:
    assert len(PROGRAMS) >= 5
    assert len(COMMANDS) >= 2


def test_programs_are_short() -> None:
    assert all(len(program.splitlines()) <= 9 for program, _ in PROGRAMS)
