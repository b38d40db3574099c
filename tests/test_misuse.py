"""What is asynchronous and used as if it were not: told in a TypeError that says how it is used."""

from __future__ import annotations

from typing import Any

import pytest

import lastbrace

ALL = [
    pytest.param(lambda: lastbrace.run(["true"]), "async with lastbrace.run(argv) as agent", id="run"),
    pytest.param(lambda: lastbrace.loop(["true"], "T"), "async with lastbrace.loop(argv, prompt) as turns", id="loop"),
    pytest.param(lambda: lastbrace.follow("a.log"), "async with lastbrace.follow(path) as log", id="follow"),
]


@pytest.mark.parametrize(("make", "usage"), ALL)
def test_with_instead_of_async_with_and_for_instead_of_async_for(make: Any, usage: str) -> None:
    with pytest.raises(TypeError) as caught, make():
        pass
    assert usage in str(caught.value)
    with pytest.raises(TypeError) as caught:
        list(make())
    assert usage in str(caught.value)


@pytest.mark.anyio
@pytest.mark.parametrize(("make", "usage"), ALL)
async def test_awaited_or_iterated_over_without_its_block(make: Any, usage: str) -> None:
    with pytest.raises(TypeError) as caught:
        await make()
    assert usage in str(caught.value)
    with pytest.raises(RuntimeError) as early:
        async for _ in make():
            pass
    assert usage in str(early.value)


def test_without_an_event_loop_there_is_run_sync() -> None:
    with pytest.raises(TypeError, match=r"without an event loop: outcome = lastbrace.run_sync\(argv\)"):
        list(lastbrace.run(["true"]))  # type: ignore[call-overload]  # what is tested


def test_a_scanner_shows_what_it_has_read() -> None:
    scanner = lastbrace.Scanner()
    assert repr(scanner) == "<Scanner: 0 objects in 0 bytes>"
    scanner.feed('so {"n": 1} ' + "x" * 100_000)
    assert repr(scanner) == "<Scanner: 1 object in 100012 bytes>"
