"""``stop="final"`` with an agent that takes its answer back, on asyncio and trio."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

import lastbrace
from lastbrace import Completion, Status

from .processes import DONE, FOREVER, nothing_left, py

pytestmark = pytest.mark.anyio

INIT = {"type": "system", "subtype": "init", "claude_code_version": "2", "session_id": "s"}
TOOL = {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}
RESULT = {"type": "result", "subtype": "success", "is_error": False, "result": DONE, "total_cost_usd": 0.5}


def says(message: str, content: dict[str, Any]) -> dict[str, Any]:
    return {"type": "assistant", "message": {"id": message, "content": [content]}}


def draft(message: str) -> dict[str, Any]:
    return says(message, {"type": "text", "text": f"I will end with {DONE}"})


def agent(*script: dict[str, Any] | float) -> list[str]:
    """Return a program that prints these events, and sleeps for these seconds."""
    return py(
        f"import json, time\nfor step in json.loads({json.dumps(script)!r}):\n"
        "    print(json.dumps(step), flush=True) if isinstance(step, dict) else time.sleep(step)\n"
    )


async def test_an_answer_that_was_taken_back_does_not_end_the_agent() -> None:
    argv = agent(INIT, draft("m1"), 0.2, says("m1", TOOL), 0.8, RESULT, FOREVER)
    with nothing_left():
        async with lastbrace.run(argv, stop="final", grace=0.5) as backend:
            outcome = await backend.wait()
    assert (outcome.ok, outcome.completion) == (True, Completion(Status.DONE))
    assert outcome.reply is not None
    assert (outcome.reply.final, outcome.reply.cost_usd) == (True, 0.5)


async def test_each_answer_has_its_own_grace() -> None:
    argv = agent(INIT, draft("m1"), 0.2, says("m1", TOOL), 0.7, draft("m2"), 0.6, says("m2", TOOL), 0.6, RESULT)
    async with lastbrace.run(argv, stop="final", grace=1) as backend:
        outcome = await backend.wait()
    assert outcome.ok
    assert outcome.reply is not None
    assert outcome.reply.final


async def test_an_answer_after_one_that_was_taken_back_ends_an_agent_that_says_no_more() -> None:
    for pause in (0.1, 0.5):  # before the first one's grace is over, and after
        argv = agent(INIT, draft("m1"), 0.1, says("m1", TOOL), pause, draft("m2"), FOREVER)
        began = time.monotonic()
        with nothing_left():
            async with lastbrace.run(argv, stop="final", grace=0.4) as backend:
                outcome = await backend.wait()
        assert (outcome.ok, outcome.completion) == (True, Completion(Status.DONE))
        assert time.monotonic() - began < FOREVER / 10


async def test_where_any_object_will_do_an_agent_is_ended_at_its_final_event_and_not_at_its_first() -> None:
    argv = agent(INIT, 0.6, draft("m1"), RESULT, FOREVER)
    with nothing_left():
        async with lastbrace.run(argv, stop="final", contract=None, grace=0.2) as backend:
            outcome = await backend.wait()
    assert outcome.ok
    assert outcome.reply is not None
    assert outcome.reply.final
