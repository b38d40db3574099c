"""The hostile outputs of `python -m tests.hostile`, small: each is read right; the documents state its bounds."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .hostile.cases import CASES
from .hostile.table import markdown

ROOT = Path(__file__).parent.parent
WORK = """
import json
from tests.hostile.measure import measure

held = []
print(json.dumps(measure(lambda size: held.append(bytearray(b"x") * size), 64 << 20)))
"""
SMALL = {"MB": 100_000, "files": 40, "links": 40, "levels": 100, "run": 1}


@pytest.mark.parametrize("name", [case.name for case in CASES])
def test_what_is_hostile_is_read_right(name: str) -> None:
    case = next(case for case in CASES if case.name == name)
    case.work(SMALL.get(case.unit, 1000))


def test_seconds_and_memory_are_seen() -> None:
    argv = [sys.executable, "-c", WORK]  # this process may have had more before
    cost = json.loads(subprocess.run(argv, cwd=ROOT, capture_output=True, check=True, timeout=60).stdout)
    assert cost["memory"] > 60
    assert cost["seconds"] > 0


def test_the_documents_state_the_bounds() -> None:
    assert markdown(CASES) in (ROOT / "docs" / "security.md").read_text()


def test_no_time_limit_goes_by_the_clock_on_the_wall() -> None:
    uses = {
        path.relative_to(ROOT / "src" / "lastbrace").as_posix()
        for path in (ROOT / "src" / "lastbrace").glob("**/*.py")
        if re.search(r"\btime\.time\(", path.read_text())
    }
    # When a record was read, for people; and whether a file was written to just now, by the clock that stamped it.
    assert uses == {"following/reading.py", "following/looking.py", "following/copies.py"} | {"following/source.py"}
