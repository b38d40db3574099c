"""Callbacks inside an asyncio loop that reads a program already, and the verdict at its end."""

import asyncio
import sys

import lastbrace

DEMO = [sys.executable, "-m", "lastbrace.demo", "--fast"]


async def main() -> None:
    watcher = lastbrace.Watcher(on_completion=lambda said: print(f">>> {said.status}: {said.summary or said.next}"))
    pipe = asyncio.subprocess.PIPE
    agent = await asyncio.create_subprocess_exec(*DEMO, stdout=pipe, stderr=asyncio.subprocess.DEVNULL)
    while chunk := await agent.stdout.read(65536):
        watcher.feed(chunk)
    outcome = watcher.close(await agent.wait())
    print(f"ended: {outcome.state}, {outcome.stats.objects} objects, {outcome.stats.bytes} bytes")


asyncio.run(main())
