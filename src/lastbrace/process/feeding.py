"""What a program reads on stdin: sent to it as fast as it reads, and given back whatever happens."""

from __future__ import annotations

import codecs
import math
from collections.abc import AsyncIterable
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from collections.abc import Callable

    from .pipes import Sink

Input = bytes | str | AsyncIterable[bytes] | AsyncIterable[str]


async def feed(
    data: Input, stdin: Sink, *, encoding: str | None, grace: float, on_error: Callable[[Exception], None]
) -> None:
    """Send ``data`` to the end, or for as long as it is read; then close ``stdin``, and the iterable.

    ``on_error`` is called with what the iterable raises, its clean-up included, which has ``grace`` seconds, and for
    text that ``encoding`` cannot express.
    """
    encoder = codecs.getincrementalencoder(encoding)() if encoding else None

    def encoded(item: bytes | str) -> bytes:
        if not isinstance(item, str):
            return item
        return item.encode("utf-8", "surrogatepass") if encoder is None else encoder.encode(item)

    try:
        if isinstance(data, bytes | bytearray | memoryview | str):
            await stdin.send(encoded(data))
            return
        async for item in data:
            if not await stdin.send(encoded(item)):
                break
    except Exception as error:
        on_error(error)
    except anyio.get_cancelled_exc_class() as error:
        if anyio.current_effective_deadline() == -math.inf:
            raise
        cancelled = RuntimeError("the input was cancelled")  # not we: what it waits for was
        cancelled.__cause__ = error
        on_error(cancelled)
    finally:
        with anyio.move_on_after(grace, shield=True):
            await stdin.close()
            if hasattr(data, "aclose"):
                try:
                    await data.aclose()
                except Exception as error:  # no reason to stop reading
                    on_error(error)
