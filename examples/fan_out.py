"""Run eight agents at once, with one live view of them all (`pip install rich`)."""

import asyncio
import sys
import time

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

import lastbrace

DEMO = [sys.executable, "-m", "lastbrace.demo"]
TASKS = {f"part {number}": [*DEMO, "--status", "error" if number == 7 else "done"] for number in range(1, 9)}
AT_ONCE = 8

agents: dict[str, lastbrace.Backend] = {}
errors: dict[str, str] = {}
began = time.monotonic()


async def run(name: str, argv: list[str], places: asyncio.Semaphore) -> None:
    async with places:
        agents[name] = lastbrace.run(argv, timeout=600)
        try:
            async with agents[name]:
                pass
        except lastbrace.BackendError as error:  # one that fails does not end the others
            errors[name] = str(error)


def row(name: str, agent: lastbrace.Backend) -> list[Text]:
    """Return what is known of an agent. Text, so that nothing which it says acts on the terminal or is markup."""
    completion = agent.completion
    words = errors.get(name) or (completion and (completion.summary or completion.next)) or ""
    state = "failed" if name in errors else "at work" if agent.returncode is None else "ended"
    shown = "".join(character if character.isprintable() else "?" for character in words[:200])
    status = completion.status.value if completion is not None else ""
    return [Text(cell) for cell in (name, state, status, f"{agent.stats.objects}", shown)]


def view() -> Table:
    """Return the table of all agents."""
    table = Table(title=f"{len(agents)} agents, {time.monotonic() - began:.0f} s", box=None)
    for title in ("", "state", "says", "objects", "last words"):
        table.add_column(title, no_wrap=True, overflow="ellipsis")
    for name, agent in agents.items():
        table.add_row(*row(name, agent))
    return table


async def keep_fresh(live: Live) -> None:
    while True:
        live.update(view(), refresh=True)
        await asyncio.sleep(0.25)


async def main() -> None:
    places = asyncio.Semaphore(AT_ONCE)
    with Live(view(), console=Console(stderr=True), auto_refresh=False) as live:
        drawing = asyncio.create_task(keep_fresh(live))
        await asyncio.gather(*(run(name, argv, places) for name, argv in TASKS.items()))
        drawing.cancel()
        live.update(view(), refresh=True)
    for name, agent in agents.items():
        print(f"{name}: {errors.get(name) or (agent.completion.status if agent.completion else 'said nothing')}")


asyncio.run(main())
