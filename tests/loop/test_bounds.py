"""That the bounds hold whatever the agent does: it lies, repeats itself, crashes, never ends, or costs."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING, Any

import anyio
import pytest

import lastbrace
from lastbrace import BackendError, LoopEnd
from lastbrace.looping import NextTurn, templates
from lastbrace.looping.pauses import Pauses

from ..processes import FOREVER, nothing_left
from .scripts import Script, claude, says

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.anyio
NEVER = {"say": 'so far: {"status": "done"} {"status": "continue"}', "sleep": FOREVER}


@pytest.fixture(autouse=True)
def soon() -> Iterator[None]:
    """Nothing here may take as long as the programs would."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < FOREVER / 10


async def verdicts(argv: Any, **options: Any) -> tuple[list[str], Any]:
    with nothing_left():
        async with lastbrace.loop(argv, "T", **{"pause": 0, **options}) as turns:
            return [str(turn.verdict) async for turn in turns], turns


async def test_turns(tmp_path: Path) -> None:
    agent = Script(tmp_path, [says("continue", next="step <turn>")])
    seen, turns = await verdicts(agent.argv, max_turns=4)
    assert (seen, turns.reason, turns.explanation) == (["continue"] * 4, LoopEnd.MAX_TURNS, "4 turns taken")
    assert agent.prompts == ["T", "step 1", "step 2", "step 3"]


async def test_a_turn_that_the_time_of_the_loop_cut_is_no_error_of_the_agent(tmp_path: Path) -> None:
    agent = Script(tmp_path, [NEVER])
    seen, turns = await verdicts(agent.argv, max_seconds=0.5, max_errors=1)
    assert (seen, turns.reason) == (["timeout"], LoopEnd.MAX_SECONDS)


async def test_a_hundred_turns_are_the_most_unless_told() -> None:
    assert lastbrace.loop(["agent"], "T")._bounds.max_turns == 100


async def test_the_same_completion_again_and_again_is_no_progress(tmp_path: Path) -> None:
    steps = [says("continue", next="a"), says("continue", next="a"), says("continue", next="b")]
    agent = Script(tmp_path, [*steps, says("continue", next="c", summary="s")])
    seen, turns = await verdicts(agent.argv)
    assert (len(seen), turns.reason) == (6, LoopEnd.NO_PROGRESS)
    assert turns.explanation == "no progress: the same completion 3 times"
    seen, turns = await verdicts(agent.argv, max_repeats=1)
    assert (len(seen), turns.reason) == (1, LoopEnd.NO_PROGRESS)


@pytest.mark.parametrize(
    ("step", "verdict", "why"),
    [
        (says("error", summary="cannot"), "error", "its answer is an error: cannot"),
        ({"say": says("done")["say"], "exit": 9}, "error", "exited with status 9"),
        ({"say": says("continue")["say"], "signal": int(signal.SIGKILL)}, "error", "SIGKILL"),
        ({"complain": "no such model", "exit": 1}, "error", "no such model"),
        (claude("Overloaded", is_error=True), "error", "Overloaded"),
        (claude('{"status": "done"}', is_error=True), "error", "claude"),
    ],
    ids=["says so", "lies", "killed", "cannot begin", "reply", "reply lies"],
)
async def test_errors_are_tried_again_a_few_times(step: Any, verdict: str, why: str, tmp_path: Path) -> None:
    agent = Script(tmp_path, [step])
    seen, turns = await verdicts(agent.argv)
    assert (seen, turns.reason) == ([verdict] * 3, LoopEnd.MAX_ERRORS)
    assert why in turns.explanation
    assert agent.prompts == ["T"] * 3
    seen, turns = await verdicts(agent.argv, max_errors=1)
    assert (seen, turns.reason) == ([verdict], LoopEnd.ERROR)
    assert why in turns.explanation


async def test_only_errors_in_a_row_count(tmp_path: Path) -> None:
    crash, step = {"exit": 3, "complain": "no"}, says("continue", next="step <turn>")
    agent = Script(tmp_path, [crash, crash, step, crash, crash, says("done")])
    seen, turns = await verdicts(agent.argv)
    assert (seen.count("error"), turns.reason) == (4, LoopEnd.DONE)
    assert agent.prompts == ["T", "T", "T", "step 3", "step 3", "step 3"]


async def test_silence_is_asked_about_once_and_then_an_error(tmp_path: Path) -> None:
    agent = Script(tmp_path, [{"say": "Hm.", "exit": 0}])
    seen, turns = await verdicts(agent.argv, max_errors=2)
    assert (seen, turns.reason) == (["no-answer"] * 3, LoopEnd.MAX_ERRORS)
    assert agent.prompts[1] == agent.prompts[2] != "T"


async def test_the_pause_grows_up_to_its_longest() -> None:
    pauses = Pauses(first=1, longest=60)
    for errors, least, most in ((1, 1, 1.5), (2, 2, 2.5), (5, 16, 16.5), (7, 60, 60), (10_000, 60, 60)):
        assert all(least <= pauses.after(errors) <= most for _ in range(50))
    assert len({pauses.after(1) for _ in range(20)}) > 1


async def test_a_pause_is_made(tmp_path: Path) -> None:
    agent = Script(tmp_path, [{"exit": 3, "complain": "no"}, says("done")])
    _, turns = await verdicts(agent.argv, pause=0.2)
    assert turns.seconds >= 0.2


async def test_a_turn_that_takes_too_long_is_ended_and_counts_as_an_error(tmp_path: Path) -> None:
    agent = Script(tmp_path, [NEVER, says("done")])
    seen, turns = await verdicts(agent.argv, timeout=1)
    assert (seen, turns.reason) == (["timeout", "done"], LoopEnd.DONE)
    agent = Script(tmp_path / "silent", [NEVER])
    seen, turns = await verdicts(agent.argv, idle_timeout=0.5, max_errors=1)
    assert (seen, turns.reason) == (["timeout"], LoopEnd.ERROR)
    assert "printed nothing for 0.5 s" in turns.explanation


async def test_the_time_of_the_whole_loop_bounds_the_turn_that_runs(tmp_path: Path) -> None:
    agent = Script(tmp_path, [says("continue"), NEVER])
    seen, turns = await verdicts(agent.argv, max_seconds=2, timeout=FOREVER)
    assert (seen, turns.reason) == (["continue", "timeout"], LoopEnd.MAX_SECONDS)
    assert turns.outcome.completion is not None
    assert not turns.outcome.ok


async def test_a_hook_that_takes_the_rest_of_the_time_leaves_none_for_a_turn(tmp_path: Path) -> None:
    agent = Script(tmp_path, [says("done")])

    async def before(_: NextTurn) -> None:
        await anyio.sleep(0.2)

    seen, turns = await verdicts(agent.argv, max_seconds=0.1, before_turn=before)
    assert (seen, turns.reason, agent.asked) == ([], LoopEnd.MAX_SECONDS, [])


async def test_no_pause_is_longer_than_the_loop(tmp_path: Path) -> None:
    agent = Script(tmp_path, [{"exit": 3, "complain": "no"}])
    seen, turns = await verdicts(agent.argv, pause=FOREVER, max_pause=FOREVER, max_seconds=FOREVER / 2)
    assert (seen, turns.reason) == (["error"], LoopEnd.MAX_SECONDS)


async def test_costs(tmp_path: Path) -> None:
    agent = Script(tmp_path, [claude('{"status": "continue", "next": "<turn>"}', cost=0.4)])
    seen, turns = await verdicts(agent.resuming, max_cost_usd=1)
    assert (len(seen), turns.reason, turns.explanation) == (3, LoopEnd.MAX_COST_USD, "1.20 USD spent, of 1")


@pytest.mark.parametrize("cost", [-5, "NaN", float("nan"), float("inf"), "1", True, None, [1]])
async def test_a_cost_that_is_none_lowers_no_sum(cost: Any, tmp_path: Path) -> None:
    texts = ['{"status": "continue", "next": "<turn>"}', '{"status": "done"}']
    agent = Script(tmp_path, [claude(texts[0], cost=0.5), claude(texts[0], cost=cost), claude(texts[1], cost=0.5)])
    _, turns = await verdicts(agent.argv, max_cost_usd=100)
    assert (turns.cost_usd, turns.reason) == (1.0, LoopEnd.DONE)


async def test_a_session_that_tells_its_whole_cost_is_not_paid_twice(tmp_path: Path) -> None:
    def step(cost: float, version: str, **more: Any) -> dict[str, Any]:
        return claude('{"status": "continue", "next": "<turn>"}', cost=cost, version=version, **more)

    carried = [step(cost, "2.1.277") for cost in (0.5, 1.0, 1.25)]
    agent = Script(tmp_path / "new", [*carried, step(0.25, "2.2.0", session="s-2")])
    _, turns = await verdicts(agent.resuming, max_turns=4)
    assert turns.cost_usd == 1.5
    agent = Script(tmp_path / "old", [step(cost, "2.1.276") for cost in (0.5, 1.0, 1.25)])
    _, turns = await verdicts(agent.resuming, max_turns=3)
    assert turns.cost_usd == 2.75
    # One that crashed has saved nothing, so that the next begins where the one before had ended.
    steps = [step(0.5, "2.1.300"), step(1.0, "2.1.300") | {"exit": 1}, step(0.75, "2.1.300")]
    agent = Script(tmp_path / "crashed", steps)
    _, turns = await verdicts(agent.resuming, max_turns=3)
    assert turns.cost_usd == 1.25


async def test_what_tells_no_cost_is_not_bounded_by_it() -> None:
    for name in ("codex", "gemini"):
        with pytest.raises(ValueError, match=f"{name} does not tell"):
            lastbrace.loop(name, "T", max_cost_usd=1)
    lastbrace.loop(templates.CLAUDE, "T", max_cost_usd=1)
    lastbrace.loop("opencode", "T", max_cost_usd=1)


async def test_what_cannot_be_started_is_no_turn(tmp_path: Path) -> None:
    async with lastbrace.loop([str(tmp_path / "none")], "T", journal=tmp_path / "journal") as turns:
        with pytest.raises(BackendError, match="cannot start"):
            await anext(turns)
        assert [turn async for turn in turns] == []
    assert (turns.number, turns.reason) == (0, LoopEnd.ERROR)


async def test_a_program_ended_at_its_final_event_went_well(tmp_path: Path) -> None:
    steps = [claude("I did."), claude('{"status": "continue"}'), claude('{"status": "done"}')]
    agent = Script(tmp_path, [{**step, "sleep": FOREVER} for step in steps])
    seen, turns = await verdicts(agent.argv, stop="final")
    assert (seen, turns.reason) == (["no-answer", "continue", "done"], LoopEnd.DONE)


async def test_a_flood_is_bounded_by_time() -> None:
    flood = ["/bin/sh", "-c", """while :; do echo '{"status": "continue"} {"a": {'; done"""]
    seen, turns = await verdicts(flood, max_seconds=1)
    assert (seen, turns.reason) == (["timeout"], LoopEnd.MAX_SECONDS)


async def test_a_version_of_many_digits_is_none(tmp_path: Path) -> None:
    agent = Script(tmp_path / "a", [claude('{"status": "done"}', version=f"{'9' * 5000}.1.300")])
    _, turns = await verdicts(agent.argv)
    assert (turns.reason, turns.cost_usd) == (LoopEnd.DONE, 0.25)
