"""Every program and command of the README runs, and prints what the README says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .documents import ROOT, Command, Program, check_commands, check_program, commands, programs

if TYPE_CHECKING:
    from pathlib import Path

README = (ROOT / "README.md").read_text(encoding="utf-8")
PROGRAMS = programs(README)
COMMANDS = [command for block in commands(README) for command in block]


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_program_runs_and_prints_what_it_says(program: Program, tmp_path: Path) -> None:
    check_program(program, tmp_path)


@pytest.mark.parametrize("command", COMMANDS, ids=range(len(COMMANDS)))
def test_command_prints_what_it_says(command: Command, tmp_path: Path) -> None:
    check_commands([command], tmp_path)


def test_readme_has_its_programs_and_commands() -> None:
    assert len(PROGRAMS) >= 5
    assert len(COMMANDS) >= 2


def test_programs_are_short() -> None:
    assert all(len(program.text.splitlines()) <= 9 for program in PROGRAMS)
