"""What a program is given on stdin: text that is none, and iterables that do not end well, on asyncio and trio."""

from __future__ import annotations

import asyncio
import time
from array import array
from typing import TYPE_CHECKING, Any

import anyio
import pytest

import lastbrace

from .processes import DONE, FOREVER, nothing_left, sh

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

pytestmark = pytest.mark.anyio


class Endless:
    """An input without end, and what its ``aclose`` does."""

    def __init__(self, error: Exception | None) -> None:
        self._error = error
        self.closed = 0

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        return b"x" * 100_000

    async def aclose(self) -> None:
        self.closed += 1
        if self._error is not None:
            raise self._error
        await anyio.sleep_forever()


STOPS_READING = f"""exec 0<&-; sleep 0.3; echo '{{"n": 1}}'; sleep 0.3; echo '{DONE}'"""


@pytest.mark.parametrize("iterate", [True, False])
async def test_an_input_whose_closing_raises_is_read_past(iterate: bool) -> None:
    data = Endless(KeyError("mine"))
    values = []
    with nothing_left(), pytest.raises(KeyError, match="mine"):
        async with lastbrace.run(sh(STOPS_READING), input=data) as backend:
            if iterate:
                async for found in backend:
                    values.append(found.value)
    assert backend.outcome.ok
    assert backend.outcome.stats.objects == 2
    assert len(values) == (2 if iterate else 0)
    assert data.closed == 1


@pytest.mark.parametrize("leave", [True, False])
async def test_an_input_whose_closing_never_returns_has_the_grace_and_no_more(leave: bool) -> None:
    data = Endless(None)
    began = time.monotonic()
    with nothing_left():
        async with lastbrace.run(sh(STOPS_READING), input=data, grace=0.2) as backend:
            if leave:
                await anext(backend)
    assert backend.outcome.ok is not leave
    assert data.closed == 1
    assert time.monotonic() - began < FOREVER / 10


async def test_half_a_character_is_sent_as_it_is() -> None:
    async def pieces() -> AsyncIterator[str]:
        yield '{"a": "'
        yield '\ud83d"}'

    whole: Any = '{"a": "\ud83d"}'
    for data in (whole, pieces()):
        async with lastbrace.run(
            sh("od -An -tx1 | tr -d ' \\n' | sed 's/.*/{\"hex\": \"&\"}/'"), input=data
        ) as backend:
            values = [found.value async for found in backend]
        assert values == [{"hex": whole.encode("utf-8", "surrogatepass").hex()}]


async def test_a_view_of_items_wider_than_a_byte_arrives_whole() -> None:
    numbers = array("q", range(200_000))  # more than a pipe holds: it is written in parts
    seen = bytearray()
    with nothing_left():
        async with lastbrace.run(
            ["cat"], input=memoryview(numbers), on_output=lambda _, data: seen.extend(data)
        ) as backend:
            pass
    assert backend.returncode == 0
    assert bytes(seen) == numbers.tobytes()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the loop's own tasks never began
@pytest.mark.parametrize("pause", [None, 0.0, 0.1])
def test_a_loop_that_ends_at_once_leaves_no_descriptor(pause: float | None) -> None:
    async def around() -> AsyncGenerator[Any, None]:
        async with lastbrace.run(sh(f"sleep {FOREVER}"), input="text", grace=0.5) as backend:
            yield backend

    async def main() -> None:
        await anext(around())
        if pause is not None:
            await asyncio.sleep(pause)

    with nothing_left():
        asyncio.run(main())
