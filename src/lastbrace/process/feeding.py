"""What a program reads on stdin: sent to it as fast as it reads, and given back whatever happens."""

from __future__ import annotations

from collections.abc import AsyncIterable
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from collections.abc import Callable

    from .pipes import Sink

Input = bytes | str | AsyncIterable[bytes] | AsyncIterable[str]


async def feed(data: Input, stdin: Sink, grace: float, on_error: Callable[[Exception], None]) -> None:
    """Send ``data`` to the end, or for as long as it is read; then close ``stdin``, and the iterable.

    ``on_error`` is called with what the iterable raises, its clean-up included, which has ``grace`` seconds.
    """
    try:
        if isinstance(data, bytes | bytearray | memoryview | str):
            await stdin.send(_encoded(data))
            return
        async for item in data:
            if not await stdin.send(_encoded(item)):
                break
    except Exception as error:
        on_error(error)
    finally:
        with anyio.move_on_after(grace, shield=True):
            await stdin.close()
            if hasattr(data, "aclose"):
                try:
                    await data.aclose()
                except Exception as error:  # no reason to stop reading
                    on_error(error)


def _encoded(data: bytes | str) -> bytes:
    return data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
