"""Objects out of an asyncio stream: no limit on the length of a line, nothing to strip or to join."""

import asyncio
import sys

import lastbrace

DEMO = [sys.executable, "-m", "lastbrace.demo", "--fast"]


async def main() -> None:
    process = await asyncio.create_subprocess_exec(
        *DEMO, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    async for found in lastbrace.aiter_objects(process.stdout):
        print(sorted(found.value))
    await process.wait()


asyncio.run(main())
