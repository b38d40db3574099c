"""A loop killed at any moment goes on from its journal, and takes no turn again that it had finished."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

TURNS = 12
# Its answer depends on its prompt alone, so that it does not matter what a killed loop has left running.
AGENT = f"""read -r _ n; printf '{{"status": "%s", "next": "turn %d"}}' \
"$([ "$n" -ge {TURNS} ] && echo done || echo continue)" "$((n + 1))" """
LOOP = """
import sys, anyio, lastbrace

async def main():
    agent = ["/bin/sh", "-c", sys.argv[1]]
    begin = lambda plan: print(plan.number, plan.prompt, flush=True)
    async with lastbrace.loop(agent, "turn 1", journal=sys.argv[2], before_turn=begin) as turns:
        async for turn in turns:
            pass
        print(turns.reason, turns.number, flush=True)

anyio.run(main, backend=sys.argv[3])
"""


def finished(journal: Path) -> list[int]:
    text = journal.read_bytes() if journal.exists() else b""
    lines = text[: text.rfind(b"\n") + 1].splitlines()
    return [json.loads(line)["turn"] for line in lines[1:]]


def test_it_goes_on_after_the_last_turn_that_it_finished(tmp_path: Path) -> None:
    chance = random.Random(7)
    journal = tmp_path / "journal"
    said: list[bytes] = []
    for run in range(200):
        before = finished(journal)
        assert before == list(range(1, len(before) + 1))
        command = [sys.executable, "-W", "error", "-c", LOOP, AGENT, str(journal), ("asyncio", "trio")[run % 2]]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as loop:
            assert loop.stdout is not None
            for _ in range(chance.randint(1, 3)):
                said = [*said, loop.stdout.readline()]
                if said[-1].startswith(b"done"):
                    break
                number, prompt = said[-1].decode().split(maxsplit=1)
                assert int(number) > len(before)
                assert prompt.strip() == f"turn {number}"
            time.sleep(chance.random() * 0.03)  # at any moment of a turn, of writing it down, or between two
            loop.kill()
        if said[-1].startswith(b"done"):
            break
    assert said[-1].split() == [b"done", b"%d" % TURNS]
    assert finished(journal) == list(range(1, TURNS + 1))
