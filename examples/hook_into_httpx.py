"""Objects out of an answer over HTTP, as its bytes arrive: ``pip install httpx``.

The transport stands in for a server; leave it out, and the same lines read from a real one.
"""

import asyncio
from collections.abc import AsyncIterator

import httpx

import lastbrace


async def body() -> AsyncIterator[bytes]:
    """Yield an answer in pieces cut anywhere."""
    for piece in (b'log: {started}\n{"step": ', b'1}{"st', b'ep": 2}\n{"status": "done", "sum', b'mary": "served"}\n'):
        yield piece


TRANSPORT = httpx.MockTransport(lambda request: httpx.Response(200, content=body()))


async def main() -> None:
    async with (
        httpx.AsyncClient(transport=TRANSPORT) as client,
        client.stream("POST", "http://agent.local/run", json={"task": "Fix the tests."}) as response,
    ):
        response.raise_for_status()
        async for found in lastbrace.aiter_objects(response.aiter_bytes()):
            print(found.value)


asyncio.run(main())
