"""The documents run, show what the commands really say, and leave out no public name and no agent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import typer

import lastbrace
from lastbrace import demo
from lastbrace.agents import ADAPTERS
from lastbrace.cli import app

from .agents.driving import CAPTURES, SAMPLES
from .documents import ROOT, Command, Program, check_commands, check_program, commands, programs

if TYPE_CHECKING:
    from pathlib import Path

DOCS = ROOT / "docs"
PAGES = {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in sorted(DOCS.rglob("*.md"))}
PROGRAMS = [
    pytest.param(program, id=f"{name}-{number}")
    for name, page in PAGES.items()
    for number, program in enumerate(programs(page), 1)
]
COMMANDS = [
    pytest.param(block, id=f"{name}-{number}")
    for name, page in PAGES.items()
    for number, block in enumerate(commands(page), 1)
]
COLUMNS = ("session_id", "cost_usd", "duration_ms", "turns", "usage", "structured", "final")


@pytest.mark.parametrize("program", PROGRAMS)
def test_program_runs_and_prints_what_it_says(program: Program, tmp_path: Path) -> None:
    check_program(program, tmp_path)


@pytest.mark.parametrize("block", COMMANDS)
def test_commands_print_what_they_say(block: list[Command], tmp_path: Path) -> None:
    check_commands(block, tmp_path)


def test_no_block_escapes() -> None:
    fences = sum(len(re.findall(r"^ *```(?:python|console)", page, re.MULTILINE)) for page in PAGES.values())
    assert fences == len(PROGRAMS) + len(COMMANDS) > 30
    assert all(block.values[0] for block in COMMANDS)


def test_the_help_of_every_command_is_shown() -> None:
    group: Any = typer.main.get_command(app)
    lines = [command.line for block in commands(PAGES["command-line.md"]) for command in block]
    wanted = ["lastbrace --help", *(f"lastbrace {name} --help" for name in group.commands)]
    assert sorted(line for line in lines if line.endswith("--help")) == sorted(wanted)


def test_every_public_name_is_in_the_reference() -> None:
    reference = "\n".join(page for name, page in PAGES.items() if name.startswith("api/"))
    named = re.findall(r"^::: lastbrace\.(\w+)$", reference, re.MULTILINE)
    assert sorted(named) == sorted(lastbrace.__all__)


def test_the_table_of_agents_is_what_recorded_output_shows() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|(.*)\|$", PAGES["agents.md"], re.MULTILINE)
    table = {name: [mark.strip() for mark in marks.split("|")] for name, _, marks in rows if marks.count("|") == 6}
    assert list(table) == [adapter.name for adapter in ADAPTERS]
    seen = {name: ["" for _ in COLUMNS] for name in table}
    for path in [*SAMPLES.iterdir(), *CAPTURES.glob("*/*.stdout")]:
        reply = lastbrace.parse_reply(path.read_bytes())
        if reply.agent is not None:
            values = [getattr(reply, column) for column in COLUMNS]
            marks = zip(seen[reply.agent], values, strict=True)
            seen[reply.agent] = ["✓" if value not in (None, False) else mark for mark, value in marks]
    assert {name: ["✓" if mark == "✓" else "" for mark in marks] for name, marks in table.items()} == seen
    assert {mark for marks in table.values() for mark in marks} == {"", "✓", "○"}


def test_the_pictures_show_what_the_scanner_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS / "site")
    import pictures

    for name, picture in pictures.pictures().items():
        assert (DOCS / "pictures" / name).read_text(encoding="utf-8") == picture, "run python docs/site/pictures.py"
        assert any(f"pictures/{name}" in page for page in PAGES.values())


def test_the_picture_of_the_demo_shows_the_demo() -> None:
    picture = re.sub(r"<[^>]*>", "", (DOCS / "demo.svg").read_text(encoding="utf-8"))
    text = b"".join(data for _, data in demo.script("done"))
    for found in lastbrace.find_objects(text):
        assert f"bytes {found.start}-{found.end}" in picture, "run python docs/site/record.py"
    assert "3 tests fixed, naïve café handled ✓ {really}" in picture


def test_the_files_that_the_pages_name_are_there() -> None:
    named = {name for page in PAGES.values() for name in re.findall(r"`((?:tests|src|docs|benchmarks)/[\w./]+)`", page)}
    missing = {name for name in named if not (ROOT / name).exists()}
    assert all("acme" in name for name in missing), missing  # the agent that does not exist
    modules = {name for page in PAGES.values() for name in re.findall(r"python3? -m (tests(?:\.\w+)+)", page)}
    places = {ROOT / name.replace(".", "/") for name in modules}
    assert all(place.with_suffix(".py").exists() or (place / "__main__.py").exists() for place in places)
