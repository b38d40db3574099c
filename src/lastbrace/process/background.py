"""A task that belongs to the event loop, not to the task that began it.

A task group may only be left by the task that entered it. A block that is left by another one (a generator that was
never exhausted is closed by the event loop, in a task of the loop's own) must not be one, nor hold a cancel scope.
"""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

import anyio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

_running: set[asyncio.Task[None]] = set()  # the loop itself holds its tasks but weakly


def start_background(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Start ``work``, which must raise nothing. It is cancelled when the event loop ends."""
    if anyio.get_cancelled_exc_class() is asyncio.CancelledError:
        task = asyncio.get_running_loop().create_task(work())
        _running.add(task)
        task.add_done_callback(_running.discard)
    else:
        import trio  # noqa: PLC0415 - only where it runs already

        trio.lowlevel.spawn_system_task(work, context=copy_context())


async def first_of(*waits: Callable[[], Awaitable[object]]) -> None:
    """Return as soon as one of these has returned, and cancel the others."""
    async with anyio.create_task_group() as tasks:

        async def one(wait: Callable[[], Awaitable[object]]) -> None:
            await wait()
            tasks.cancel_scope.cancel()

        for wait in waits:
            tasks.start_soon(one, wait)
