"""What a loop asks, turn by turn, and how it ends when all goes well, on asyncio and trio."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import anyio.lowlevel
import pytest

import lastbrace
from lastbrace import LoopEnd
from lastbrace.looping import NextTurn, Turn, Verdict

from ..processes import FAMILY, FOREVER, nothing_left, runs, sh
from .scripts import Script, claude, says

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio


async def test_the_demo_is_done_in_its_third_turn() -> None:
    agent = [sys.executable, "-m", "lastbrace.demo", "--fast", "--turns", "3"]
    with nothing_left():
        async with lastbrace.loop(agent, "Fix the tests.") as turns:
            assert turns.reason is None
            seen = [turn async for turn in turns]
    assert [(turn.number, turn.prompt, turn.verdict) for turn in seen] == [
        (1, "Fix the tests.", "continue"),
        (2, "Go on with turn 2 of 3.", "continue"),
        (3, "Go on with turn 3 of 3.", "done"),
    ]
    assert turns.reason is LoopEnd.DONE
    assert turns.explanation == "done"
    assert turns.number == 3
    assert turns.outcome is seen[-1].outcome
    assert turns.outcome.ok
    assert turns.completion == turns.outcome.completion
    assert turns.seconds + 0.01 > sum(turn.seconds for turn in seen) > 0  # each is rounded


async def test_next_is_the_prompt_and_without_it_the_task_is_told_again(tmp_path: Path) -> None:
    agent = Script(tmp_path, [says("continue", next="-rf step 2"), says("continue"), says("done")])
    async with lastbrace.loop(agent.argv, "The task {is} this.") as turns:
        async for _ in turns:
            pass
    assert agent.prompts[:2] == ["The task {is} this.", "-rf step 2"]
    assert agent.prompts[2].startswith("The task {is} this.\n\n")
    assert [arguments for _, arguments in agent.asked] == [[], [], []]


async def test_a_template_makes_the_next_prompt(tmp_path: Path) -> None:
    agent = Script(tmp_path, [says("continue", next="b $task", summary="a"), says("done")])
    async with lastbrace.loop(agent.argv, "T", go_on="$task: $summary, now $next $5") as turns:
        async for _ in turns:
            pass
    assert agent.prompts == ["T", "T: a, now b $task $5"]


async def test_a_session_is_resumed_and_its_cost_counted(tmp_path: Path) -> None:
    agent = Script(tmp_path, [claude('{"status": "continue"}'), claude('{"status": "done"}', cost=0.5)])
    async with lastbrace.loop(agent.resuming, "Do it.") as turns:
        seen = [turn async for turn in turns]
        assert turns.session_id == "s-1"
    assert agent.asked == [("Do it.", []), ("Go on with the task.", ["--resume", "s-1"])]
    assert [(turn.session_id, turn.cost_usd) for turn in seen] == [("s-1", 0.25), ("s-1", 0.5)]
    assert turns.cost_usd == 0.75
    assert seen[0].as_dict()["reply"] == {"agent": "claude", "subtype": "success", "turns": 1, "duration_ms": 5}


async def test_a_session_to_begin_with(tmp_path: Path) -> None:
    agent = Script(tmp_path, [says("done")])
    async with lastbrace.loop(agent.resuming, "Do it.", resume="s-9") as turns:
        await anext(turns)
    assert agent.asked == [("Do it.", ["--resume", "s-9"])]


@pytest.mark.parametrize("session", ["--dangerous", "", "a b", "x\n", "a" * 201, "é", "../x"])
async def test_a_session_that_would_be_an_option_is_not_resumed(session: str, tmp_path: Path) -> None:
    agent = Script(tmp_path, [claude('{"status": "continue"}', session=session), claude('{"status": "done"}')])
    async with lastbrace.loop(agent.resuming, "Do it.") as turns:
        async for _ in turns:
            pass
    assert agent.asked[1][1] == []


async def test_a_next_that_no_program_could_take_is_made_one_it_can(tmp_path: Path) -> None:
    agent = Script(tmp_path, [{"say": r'{"status": "continue", "next": "a\u0000b\ud83d"}'}, says("done")])
    async with lastbrace.loop(lambda prompt, _: [*agent.argv, prompt], "T") as turns:
        async for _ in turns:
            pass
    assert [arguments for _, arguments in agent.asked] == [["T"], ["ab\ufffd"]]
    assert agent.prompts == ["", ""]


async def test_who_says_nothing_of_the_task_is_asked_once_with_the_words_of_the_contract(tmp_path: Path) -> None:
    agent = Script(tmp_path, [{"say": "I did {things}."}, says("done")])
    async with lastbrace.loop(agent.argv, "Do it.") as turns:
        seen = [turn async for turn in turns]
    assert [turn.verdict for turn in seen] == [Verdict.NO_ANSWER, Verdict.DONE]
    assert seen[0].completion is None
    assert "no JSON object" in str(seen[0].error)
    assert agent.prompts[1].startswith("Do it.\n\nYour last message")
    assert not lastbrace.find_objects(agent.prompts[1])


async def test_in_a_session_it_is_asked_with_nothing_but_these_words(tmp_path: Path) -> None:
    agent = Script(tmp_path, [claude("I did things."), claude('{"status": "done"}')])
    async with lastbrace.loop(agent.resuming, "Do it.") as turns:
        async for _ in turns:
            pass
    assert agent.prompts[1].startswith("Your last message")
    assert agent.asked[1][1] == ["--resume", "s-1"]


async def test_a_marker(tmp_path: Path) -> None:
    agent = Script(tmp_path, [{"say": "a\n"}] * 4 + [{"say": "b\nREADY\n"}])
    async with lastbrace.loop(agent.argv, "Do it.", contract="marker", marker="READY") as turns:
        seen = [turn.verdict async for turn in turns]
    assert seen == ["continue"] * 4 + ["done"]


async def test_the_marker_is_named_to_who_may_not_know_it_and_silence_is_no_word(tmp_path: Path) -> None:
    agent = Script(tmp_path, [{"say": "a\n"}, {}])
    async with lastbrace.loop(agent.argv, "Do it.", contract="marker", marker="$5", pause=0) as turns:
        seen = [turn.verdict async for turn in turns]
    assert seen == ["continue"] + ["no-answer"] * 4
    assert turns.reason is LoopEnd.MAX_ERRORS
    assert all(prompt.endswith("with this line:\n$5") for prompt in agent.prompts[1:])
    assert agent.prompts[1].startswith("Do it.\n\n")


async def test_with_a_schema_a_match_is_done(tmp_path: Path) -> None:
    agent = Script(tmp_path, [{"say": '{"n": "x"}'}, {"say": '{"n": 1}'}])
    async with lastbrace.loop(agent.argv, "Count.", schema=dict[str, int]) as turns:
        seen = [turn async for turn in turns]
    assert [turn.verdict for turn in seen] == ["no-answer", "done"]
    assert seen[-1].outcome.value == {"n": 1}
    assert "in that form" in agent.prompts[1]


async def test_callbacks_see_each_turn_and_what_they_raise_passes_on(tmp_path: Path) -> None:
    agent = Script(tmp_path, [says("continue", next="b"), says("done")])
    values: list[Any] = []
    async with lastbrace.loop(agent.argv, "T", on_object=lambda found: values.append(found.value)) as turns:
        async for _ in turns:
            pass
    assert values == [{"status": "continue", "next": "b"}, {"status": "done"}]

    async with lastbrace.loop(agent.argv, "T", on_completion=lambda _: 1 / 0) as turns:
        with pytest.raises(ZeroDivisionError):
            await anext(turns)
        assert turns.reason is LoopEnd.ERROR
        with pytest.raises(StopAsyncIteration):
            await anext(turns)


@pytest.mark.parametrize(
    ("step", "options"), [({"exit": 1}, {}), ({"sleep": FOREVER}, {"timeout": 0.5, "grace": 0.5}), ({"exit": 0}, {})]
)
async def test_what_a_callback_raises_in_a_turn_that_fails_passes_on_too(
    tmp_path: Path, step: dict[str, Any], options: dict[str, Any]
) -> None:
    agent = Script(tmp_path, [{"complain": "so far\n", **step}])

    def raises(text: str) -> None:
        raise ZeroDivisionError(text)

    async with lastbrace.loop(agent.argv, "T", stderr=raises, pause=0, **options) as turns:
        with pytest.raises(ZeroDivisionError):
            await anext(turns)
        assert (turns.reason, turns.number) == (LoopEnd.ERROR, 1)


async def test_a_loop_that_has_not_begun_says_so() -> None:
    turns = lastbrace.loop(["agent"], "T")
    for name in ("seconds", "number", "cost_usd", "session_id", "completion"):
        with pytest.raises(RuntimeError, match="async with"):
            getattr(turns, name)


async def test_a_command_that_no_system_takes_raises(tmp_path: Path) -> None:
    async with lastbrace.loop(lambda prompt, _: ["/bin/echo", prompt], "a\0b") as turns:
        with pytest.raises(ValueError, match="null byte"):
            await anext(turns)
    assert turns.reason is LoopEnd.ERROR


async def test_what_runs_now_can_be_looked_at(tmp_path: Path) -> None:
    agent = Script(tmp_path, [says("done")])
    running: list[Any] = []
    loop = lastbrace.loop(agent.argv, "T", on_completion=lambda _: running.append(loop.backend))
    async with loop as turns:
        assert turns.backend is None
        await anext(turns)
        assert turns.backend is None
    assert running[0].outcome.ok


async def test_left_between_two_turns_nothing_is_left(tmp_path: Path) -> None:
    agent = Script(tmp_path, [says("continue", next="x")])
    with nothing_left():
        async with lastbrace.loop(agent.argv, "T", journal=tmp_path / "journal") as turns:
            async for turn in turns:
                assert turn.number == 1
                break
        assert turns.reason is None
        with pytest.raises(RuntimeError, match="left"):
            await anext(turns)
    assert len(agent.asked) == 1


async def test_cancelled_during_a_turn_its_program_and_its_children_are_ended() -> None:
    children: list[int] = []

    def begun(found: lastbrace.Found) -> None:
        children.append(found.value.get("child", 0))
        scope.cancel()

    with nothing_left():
        with anyio.CancelScope() as scope:
            async with lastbrace.loop(sh(FAMILY), "T", on_object=begun) as turns:
                await anext(turns)
        assert scope.cancelled_caught
        assert turns.reason is LoopEnd.INTERRUPTED
        assert not runs(children[0])


async def test_hooks_plain_and_async_change_prompts_and_see_turns(tmp_path: Path) -> None:
    agent = Script(tmp_path, [says("continue", next="two"), says("done", summary="really?"), says("done")])
    seen: list[Any] = []

    async def before(plan: NextTurn) -> str | None:
        await anyio.lowlevel.checkpoint()
        seen.append((plan.number, plan.prompt, plan.session_id))
        return plan.prompt.upper() if plan.number == 2 else None

    def after(turn: Turn[Any]) -> str | None:
        assert turn.completion is not None
        return "Check it again." if turn.completion.summary == "really?" else None

    async with lastbrace.loop(agent.argv, "one", before_turn=before, after_turn=after) as turns:
        async for _ in turns:
            pass
    assert seen == [(1, "one", None), (2, "two", None), (3, "Check it again.", None)]
    assert agent.prompts == ["one", "TWO", "Check it again."]
    assert turns.reason is LoopEnd.DONE


async def test_hooks_stop_the_loop(tmp_path: Path) -> None:
    agent = Script(tmp_path, [says("continue", next="x")])
    async with lastbrace.loop(agent.argv, "T", before_turn=lambda plan: plan.number < 3) as turns:
        assert len([turn async for turn in turns]) == 2
    assert turns.reason is LoopEnd.STOPPED
    assert "before" in turns.explanation

    async with lastbrace.loop(agent.argv, "T", after_turn=lambda _: False) as turns:
        assert len([turn async for turn in turns]) == 1
    assert turns.reason is LoopEnd.STOPPED


async def test_a_hook_that_raises_ends_the_loop_with_what_it_raised(tmp_path: Path) -> None:
    agent = Script(tmp_path, [says("continue", next="x")])

    def after(turn: Turn[Any]) -> None:
        raise KeyError("mine")

    async with lastbrace.loop(agent.argv, "T", after_turn=after) as turns:
        with pytest.raises(KeyError, match="mine"):
            await anext(turns)
        assert [turn async for turn in turns] == []
    assert turns.reason is LoopEnd.ERROR

    def stop(_: NextTurn) -> None:
        raise StopAsyncIteration

    async with lastbrace.loop(agent.argv, "T", before_turn=stop) as turns:
        with pytest.raises(RuntimeError, match="a hook raised"):
            await anext(turns)
    assert turns.reason is LoopEnd.ERROR


async def test_misuse_is_told(tmp_path: Path) -> None:
    loop = lastbrace.loop(["agent"], "T")
    with pytest.raises(RuntimeError, match="async with"):
        await anext(loop)
    assert repr(loop) == "<Loop: not begun>"
    async with loop as turns:
        assert repr(loop) == "<Loop: 0 turns taken, not ended>"
        with pytest.raises(RuntimeError, match="no turn"):
            _ = turns.outcome
    with pytest.raises(RuntimeError, match="call loop"):
        async with loop:
            pass
    for options, message in (
        ({"input": "x"}, "no input"),
        ({"contract": None}, "contract or a schema"),
        ({"max_turns": 0}, "max_turns"),
        ({"max_errors": 1.5}, "max_errors"),
        ({"max_seconds": 0}, "max_seconds"),
        ({"max_cost_usd": float("nan")}, "max_cost_usd"),
        ({"pause": -1}, "pause"),
        ({"resume": "--yolo"}, "resume"),
        ({"resume": ""}, "resume"),
        ({"timeout": 0}, "timeout"),
        ({"grace": -1}, "grace"),
        ({"stop": "never"}, "stop"),
        ({"marker": "", "contract": "marker"}, "marker"),
        ({"no_such": 1}, "no_such"),
        ({"max_seconds": "5"}, "max_seconds"),
        ({"max_cost_usd": "5"}, "max_cost_usd"),
        ({"resume": 5}, "resume"),
        ({"go_on": 5}, "go_on"),
        ({"before_turn": "x"}, "a hook is a function"),
        ({"after_turn": 5}, "a hook is a function"),
        ({"on_completion": 5}, "callbacks are functions"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            lastbrace.loop(["agent"], "T", **options)  # type: ignore[call-overload] # that is what is tested
    for argv, message in (
        ("cat", "no template 'cat'"),
        ([], "list of words"),
        (b"cat", "list of words"),
        (7, "list of words"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            lastbrace.loop(argv, "T")  # type: ignore[call-overload] # likewise
    for prompt in (None, "", " \n", b"T", 5):
        with pytest.raises((TypeError, ValueError), match="prompt"):
            lastbrace.loop(["agent"], prompt)  # type: ignore[call-overload] # likewise


async def test_a_command_that_is_none_is_told(tmp_path: Path) -> None:
    async def argv_for(prompt: str, session_id: str | None) -> list[str]:
        return []

    with pytest.raises(TypeError, match="argv_for is async"):
        lastbrace.loop(argv_for, "T")  # type: ignore[call-overload] # that is what is tested
    async with lastbrace.loop(lambda *_: None, "T") as turns:  # type: ignore[call-overload] # likewise
        with pytest.raises(TypeError, match="argv is a list"):
            await anext(turns)


async def test_what_is_ignored_is_ignored_in_every_turn_also_when_given_as_an_iterator(tmp_path: Path) -> None:
    script = Script(tmp_path, [says("continue", next="go"), says("done", summary="echo"), says("done")])
    async with lastbrace.loop(script.argv, "T", ignore=iter(['{"status": "done", "summary": "echo"}'])) as turns:
        assert [turn.verdict async for turn in turns] == ["continue", "no-answer", "done"]


@pytest.mark.parametrize(("word", "error"), [("", ValueError), (" \n", ValueError), (5, TypeError), (["x"], TypeError)])
async def test_a_hook_that_says_nothing_runs_no_turn(word: Any, error: type[Exception], tmp_path: Path) -> None:
    before, after = Script(tmp_path / "before", [says("done")]), Script(tmp_path / "after", [says("done")])
    async with lastbrace.loop(before.argv, "T", before_turn=lambda _: word) as turns:
        with pytest.raises(error, match="a hook return"):
            await anext(turns)
    assert turns.number == 0
    async with lastbrace.loop(after.argv, "T", after_turn=lambda _: word, max_turns=2) as turns:
        with pytest.raises(error, match="a hook return"):
            await anext(turns)
    assert (turns.number, len(after.asked)) == (1, 1)
