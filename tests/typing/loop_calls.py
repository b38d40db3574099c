"""The calls of `loop` as a user would write them: mypy reads this file, nothing runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_type

import msgspec

import lastbrace
from lastbrace import Completion, JournalError, Loop, LoopEnd, Outcome, Turn
from lastbrace.looping import Command, NextTurn, Template, Verdict, templates


class Review(msgspec.Struct):
    verdict: str


def argv_for(prompt: str, session_id: str | None) -> Command:
    return Command(["agent", *(["--resume", session_id] if session_id else []), "-"], input=prompt)


async def before(plan: NextTurn) -> str | None:
    assert_type((plan.number, plan.prompt, plan.session_id), tuple[int, str, str | None])
    return None


def after(turn: Turn[Any]) -> bool:
    return turn.verdict is not Verdict.ERROR


async def loop() -> None:
    try:
        async with lastbrace.loop(
            "claude",
            "Fix the tests.",
            max_turns=20,
            max_seconds=3600,
            max_cost_usd=5,
            max_errors=3,
            max_repeats=3,
            journal=Path("journal"),
            go_on="$task\nNow: $next",
            before_turn=before,
            after_turn=after,
            pause=1,
            max_pause=60,
            timeout=600,
            stop="final",
            on_completion=print,
        ) as turns:
            async for turn in turns:
                assert_type(turn.number, int)
                assert_type(turn.prompt, str)
                assert_type(turn.verdict, Verdict)
                assert_type(turn.completion, Completion | None)
                assert_type(turn.session_id, str | None)
                assert_type(turn.cost_usd, float | None)
                assert_type(turn.seconds, float)
                assert_type(turn.error, str | None)
                assert_type(turn.as_dict(), dict[str, Any])
                print(turns.backend and turns.backend.stats.bytes)
    except JournalError as error:
        print(error)
    assert_type(turns.reason, LoopEnd | None)
    assert_type(turns.explanation, str)
    assert_type((turns.number, turns.cost_usd, turns.seconds), tuple[int, float | None, float])
    assert_type((turns.session_id, turns.completion), tuple[str | None, Completion | None])


async def typed() -> None:
    async with lastbrace.loop(["agent"], "Review it.", schema=Review) as turns:
        assert_type(turns, Loop[Review])
        async for turn in turns:
            assert_type(turn, Turn[Review])
            assert_type(turn.outcome, Outcome[Review])
            assert_type(turn.outcome.value, Review | None)


def commands() -> None:
    lastbrace.loop(argv_for, "T", resume="s-1")
    lastbrace.loop(lambda prompt, session_id: ["agent", "--", prompt], "T")
    lastbrace.loop(templates.CODEX.with_args("--sandbox", "workspace-write"), "T")
    mine = Template("claude", start=("my-claude", templates.ARGS), resume=("my-claude", "-r", templates.SESSION))
    assert_type(mine.words("s-1"), list[str])
    assert_type(templates.TEMPLATES, dict[str, Template])
    lastbrace.loop(mine, journal="journal")
