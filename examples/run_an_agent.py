"""Run an agent, look at its objects as they close, and know how it ended."""

import asyncio
import sys

import lastbrace

DEMO = [sys.executable, "-m", "lastbrace.demo", "--fast"]


async def main() -> None:
    try:
        async with lastbrace.run(DEMO, timeout=600, idle_timeout=120, stop="final") as agent:
            async for found in agent:
                print(f"object of {found.end - found.start} bytes at {found.start}")
    except lastbrace.BackendTimeout as error:
        sys.exit(f"gave up: {error}")
    outcome = agent.outcome
    print(f"{outcome.completion.status}: {outcome.completion.summary}" if outcome.ok else f"no answer: {outcome.state}")


asyncio.run(main())
