"""Follow the log that an agent writes, from another program: its records as they come, and its last word."""

import asyncio
import subprocess
import sys
from pathlib import Path

import lastbrace

DEMO = [sys.executable, "-m", "lastbrace.demo"]
LOG = Path("session.log")  # or ~/.claude/projects, ~/.codex/sessions: folders and globs will do, and several of them


async def main() -> None:
    async with lastbrace.follow(LOG, start="start", until_done=True, idle_timeout=60) as session:
        async for record in session:
            print(f"{record.path}: {record.end - record.start} bytes at {record.start}")
            if record.completion is not None:
                print(f">>> {record.completion.status}: {record.completion.summary or record.completion.next}")
    for path, outcome in session.outcomes.items():
        print(f"{path}: {'all went well' if outcome.ok else outcome.reason}")


with LOG.open("wb") as file, subprocess.Popen(DEMO, stdout=file, stderr=subprocess.DEVNULL):
    asyncio.run(main())
