"""A loop with a journal whose agent is killed in the middle of turns, and which is itself cut off and begun again."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path

import anyio

import lastbrace

from .checking import expect

_TURNS = 6
# What it answers depends on its prompt alone; the first time that it is asked some things it is killed.
_AGENT = f"""read -r _ n
[ $((n % $1)) -ne 0 ] || [ -e "$0/$n" ] || {{ : >"$0/$n"; kill -9 $$; }}
printf '{{"status": "%s", "next": "turn %d"}}' "$([ "$n" -ge {_TURNS} ] && echo done || echo continue)" "$((n + 1))" """


async def looped(rng: random.Random) -> None:
    with tempfile.TemporaryDirectory() as folder:
        await _looped(rng, Path(folder))


async def _looped(rng: random.Random, folder: Path) -> None:
    journal = folder / "journal.jsonl"
    agent = ["/bin/sh", "-c", _AGENT, str(folder), str(rng.choice((2, 3, 100)))]
    given: list[int] = []
    reason = None
    for _ in range(100):
        with anyio.move_on_after(rng.choice((0.02, 0.1, 60))):
            async with lastbrace.loop(agent, "turn 1", journal=journal, pause=0.01, max_pause=0.02) as turns:
                async for turn in turns:
                    given.append(turn.number)
                reason = turns.reason
        if reason is not None:
            break
    expect(reason == "done", f"a loop ended as {reason}")
    expect(given == sorted(set(given)), f"a turn was given twice: {given}")
    header, *lines = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    expect("turn" not in header, f"{header}")
    ended = [line["turn"] for line in lines if line["verdict"] != "interrupted"]
    expect(ended == list(range(1, len(ended) + 1)), f"the journal has lost or doubled a turn: {ended}")
    expect(set(given) <= set(ended), "a turn was given and not written down")
    went_well = [line["prompt"] for line in lines if line["verdict"] in ("continue", "done")]
    expect(went_well == [f"turn {number}" for number in range(1, _TURNS + 1)], f"turns were run again: {went_well}")
