"""Run an agent until it says that it is done, within bounds, with a journal that a later run goes on from."""

import asyncio
import sys
from pathlib import Path

import lastbrace

DEMO = [sys.executable, "-m", "lastbrace.demo", "--fast", "--turns", "3"]  # or "claude", "codex", "gemini", "opencode"
JOURNAL = Path("fix-the-tests.jsonl")


def look(turn: lastbrace.Turn) -> str | None:
    """Ask once more what was called done, unless there is a summary."""
    said = turn.completion
    return "What did you do?" if said is not None and said.status == "done" and not said.summary else None


async def main() -> None:
    async with lastbrace.loop(
        DEMO, "Fix the tests.", max_turns=20, max_seconds=3600, timeout=600, journal=JOURNAL, after_turn=look
    ) as turns:
        async for turn in turns:
            print(f"turn {turn.number}: {turn.prompt} -> {turn.verdict} in {turn.seconds:.0f} s")
    cost = "nobody tells what it cost" if turns.cost_usd is None else f"{turns.cost_usd:.2f} USD"
    print(f"{turns.reason} after {turns.number} turns, {cost}")


try:
    asyncio.run(main())
except KeyboardInterrupt:
    print(f"interrupted; run it again to go on from {JOURNAL}")
