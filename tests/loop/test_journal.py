"""The journal: what it holds, that a later loop goes on after it, and what it does not put up with."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path
from typing import Any

import anyio
import pytest

import lastbrace
from lastbrace import JournalError, LoopEnd, Turn

from ..processes import FAMILY, FOREVER, nothing_left, runs, sh
from .scripts import Script, claude, says

pytestmark = pytest.mark.anyio


def lines(journal: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in journal.read_bytes().splitlines()]


async def run(agent: Any, journal: Path, prompt: str | None = "T", **options: Any) -> lastbrace.Loop[Any]:
    with nothing_left():
        async with lastbrace.loop(agent, prompt, journal=journal, **{"pause": 0, **options}) as turns:
            async for _ in turns:
                pass
    return turns


async def test_what_it_holds(tmp_path: Path) -> None:
    agent = Script(tmp_path / "a", [claude('{"status": "continue", "next": "é\\ud83d"}'), says("done"), {}])
    argv = [*agent.argv, "--api-key", "sk-secret"]
    turns = await run(argv, tmp_path / "journal", env={**os.environ, "TOKEN": "sk-other"})
    assert turns.reason is LoopEnd.DONE
    text = (tmp_path / "journal").read_text()
    assert "sk-" not in text
    assert stat.S_IMODE((tmp_path / "journal").stat().st_mode) == 0o600
    head, first, second = lines(tmp_path / "journal")
    assert head == {"lastbrace_loop": 1, "task": "T"}
    assert first["started"].startswith("20")
    assert first["elapsed"] >= first["seconds"] > 0
    for name in ("started", "seconds", "elapsed"):
        del first[name]
    assert first == {
        "turn": 1,
        "prompt": "T",
        "verdict": "continue",
        "ok": True,
        "state": "ok",
        "completion": {"status": "continue", "next": "é\ud83d"},
        "returncode": 0,
        "session_id": "s-1",
        "cost_usd": 0.25,
        "reply": {"agent": "claude", "subtype": "success", "turns": 1, "duration_ms": 5},
    }
    assert (second["turn"], second["prompt"], second["verdict"]) == (2, "é\ufffd", "done")


@pytest.mark.parametrize(
    ("step", "seconds", "error"),
    [
        ({"sleep": FOREVER}, 0.5, "ran longer than 0.5 s"),
        ({"exit": 3, "complain": "no\n"}, 60, "the program exited with status 3 before it printed anything: no"),
        ({"say": "Hm.", "exit": 3}, 60, "no JSON object in 3 bytes; the program exited with status 3"),
    ],
)
async def test_what_went_wrong_is_told_without_the_command(
    step: Any, seconds: float, error: str, tmp_path: Path
) -> None:
    agent = Script(tmp_path / "a", [step])
    argv = [agent.argv[0], "-S", "-X", "key=sk-secret", *agent.argv[1:]]
    turns = await run(argv, tmp_path / "journal", max_errors=1, timeout=seconds)
    assert "sk-" not in (tmp_path / "journal").read_text()
    assert lines(tmp_path / "journal")[1]["error"] == error
    assert turns.explanation == f"an error: {error}"


async def test_a_later_loop_goes_on_after_the_last_turn(tmp_path: Path) -> None:
    step = claude('{"status": "continue", "next": "step <turn>"}', cost=0.25)
    agent = Script(tmp_path / "a", [step, step, step, claude('{"status": "done"}')])
    journal = tmp_path / "journal"
    first = await run(agent.resuming, journal, max_turns=2)
    assert (first.reason, first.number) == (LoopEnd.MAX_TURNS, 2)
    stuck = await run(agent.resuming, journal, max_turns=2)
    assert (stuck.reason, len(agent.asked)) == (LoopEnd.MAX_TURNS, 2)
    assert round(stuck.seconds, 3) >= lines(journal)[2]["elapsed"] > 0
    last = await run(agent.resuming, journal, None, max_turns=10)
    assert (last.reason, last.number, last.cost_usd) == (LoopEnd.DONE, 4, 1.0)
    assert round(last.seconds, 3) >= lines(journal)[4]["elapsed"] > lines(journal)[2]["elapsed"]
    assert agent.prompts == ["T", "step 1", "step 2", "step 3"]
    assert agent.asked[2][1] == ["--resume", "s-1"]
    again = await run(agent.resuming, journal)
    assert (again.reason, again.number, len(agent.asked)) == (LoopEnd.DONE, 4, 4)
    assert again.completion == last.completion
    assert [line.get("turn") for line in lines(journal)] == [None, 1, 2, 3, 4]


async def test_costs_and_seconds_are_counted_on(tmp_path: Path) -> None:
    agent = Script(tmp_path / "a", [claude('{"status": "continue", "next": "<turn>"}', cost=0.4)])
    await run(agent.argv, tmp_path / "journal", max_turns=2)
    turns = await run(agent.argv, tmp_path / "journal", max_cost_usd=1)
    assert (turns.reason, turns.number) == (LoopEnd.MAX_COST_USD, 3)
    turns = await run(agent.argv, tmp_path / "journal", max_seconds=turns.seconds / 2)
    assert (turns.reason, turns.number) == (LoopEnd.MAX_SECONDS, 3)


async def test_the_cost_of_a_session_is_known_in_a_later_loop(tmp_path: Path) -> None:
    steps = [claude('{"status": "continue"}', cost=cost, version="2.1.300") for cost in (0.5, 1.25)]
    agent = Script(tmp_path / "a", steps)
    await run(agent.resuming, tmp_path / "journal", max_turns=1)
    turns = await run(agent.resuming, tmp_path / "journal", max_turns=2)
    assert turns.cost_usd == 1.25


async def test_a_loop_that_errors_ended_has_another_chance(tmp_path: Path) -> None:
    agent = Script(tmp_path / "a", [{"exit": 3, "complain": "no"}] * 4 + [says("done")])
    assert (await run(agent.argv, tmp_path / "journal")).reason is LoopEnd.MAX_ERRORS
    assert (await run(agent.argv, tmp_path / "journal")).reason is LoopEnd.DONE
    assert agent.prompts == ["T"] * 5


async def test_who_was_asked_once_is_not_asked_once_more_after_a_break(tmp_path: Path) -> None:
    agent = Script(tmp_path / "a", [{"say": "Hm."}])
    await run(agent.argv, tmp_path / "journal", max_turns=1)
    turns = await run(agent.argv, tmp_path / "journal", max_errors=1)
    assert (turns.reason, turns.number) == (LoopEnd.ERROR, 2)


async def test_the_prompt_of_a_hook_is_kept(tmp_path: Path) -> None:
    agent = Script(tmp_path / "a", [says("done"), says("done")])

    def after(turn: Turn[Any]) -> str | None:
        return "Once more." if turn.number == 1 else None

    await run(agent.argv, tmp_path / "journal", after_turn=after, max_turns=1)
    turns = await run(agent.argv, tmp_path / "journal")
    assert (agent.prompts, turns.reason) == (["T", "Once more."], LoopEnd.DONE)


async def test_a_torn_last_line_is_cut_off(tmp_path: Path) -> None:
    agent = Script(tmp_path / "a", [says("continue", next="step <turn>")])
    journal = tmp_path / "journal"
    await run(agent.argv, journal, max_turns=2)
    whole = journal.read_bytes()
    last = whole.rindex(b"\n", 0, -1) + 1
    for cut in {last + 1, (last + len(whole)) // 2, len(whole) - 1}:
        journal.write_bytes(whole[:cut])
        turns = await run(agent.argv, journal, max_turns=2)
        assert turns.number == 2
        assert agent.prompts[-1] == "step 1"
        assert [line.get("turn") for line in lines(journal)] == [None, 1, 2]
    journal.write_bytes(whole + b"\0\0\0\n")  # what a file system makes of a line that never came to the disk
    assert (await run(agent.argv, journal, max_turns=2)).number == 2
    head = whole[: whole.index(b"\n")]
    for cut in (0, 1, len(head) // 2, len(head)):
        journal.write_bytes(head[:cut])
        assert (await run(agent.argv, journal, max_turns=1)).number == 1


async def test_what_is_no_journal_is_not_touched(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    for text in (
        b"notes\n",
        b"notes",
        b"{}\n",
        b'{"lastbrace_loop":2,"task":"T"}\n',
        b'{"last": 1}',
        b"[1]\n\n",
        b"\n# Notes\n",
        b'{\n  "name": "a package"\n}\n',
        b'{"lastbrace_loop":1,"task":"T\n{"turn":1}\n',
    ):
        journal.write_bytes(text)
        with pytest.raises(JournalError, match="no journal"):
            await run(["agent"], journal)
        assert journal.read_bytes() == text
    for path, message in ((tmp_path, "cannot open"), (tmp_path / "no" / "journal", "No such"), (Path("/dev/null"), "")):
        with pytest.raises(JournalError, match=message or "no regular file"):
            await run(["agent"], path)
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(JournalError, match="no regular file"):
        await run(["agent"], tmp_path / "fifo")


async def test_damage_in_the_middle_is_told(tmp_path: Path) -> None:
    agent = Script(tmp_path / "a", [says("continue", next="step <turn>")])
    journal = tmp_path / "journal"
    await run(agent.argv, journal, max_turns=2)
    head, first, last = journal.read_bytes().splitlines()
    numbers = [
        json.dumps({**json.loads(first), name: value}).encode()
        for name in ("seconds", "elapsed", "cost_usd", "session_cost_usd")
        for value in (-1, float("nan"), float("inf"), 10**400)
    ]
    for damage in (b"{", b'{"turn": "x"}', b"7", *numbers):
        text = b"\n".join([head, damage, last, b""])
        journal.write_bytes(text)
        with pytest.raises(JournalError, match="damaged in line 2"):
            await run(agent.argv, journal)
        assert journal.read_bytes() == text


async def test_another_task_and_no_task_at_all(tmp_path: Path) -> None:
    agent = Script(tmp_path / "a", [says("done")])
    with pytest.raises(ValueError, match="prompt is needed"):
        await run(agent.argv, tmp_path / "journal", None)
    await run(agent.argv, tmp_path / "journal", "one")
    with pytest.raises(JournalError, match="another task"):
        await run(agent.argv, tmp_path / "journal", "two")


async def test_two_loops_on_one_journal_are_refused(tmp_path: Path) -> None:
    agent = Script(tmp_path / "a", [says("done")])
    async with lastbrace.loop(agent.argv, "T", journal=tmp_path / "journal") as turns:
        with pytest.raises(JournalError, match="another loop"):
            await run(agent.argv, tmp_path / "journal")
        await anext(turns)
    assert (await run(agent.argv, tmp_path / "journal")).number == 1


@pytest.mark.skipif(os.name == "nt", reason="no program inherits what Windows locks")
async def test_a_journal_that_was_left_is_free_while_a_program_is_being_started(tmp_path: Path) -> None:
    agent, journal = Script(tmp_path / "a", [says("done")]), tmp_path / "journal"
    async with lastbrace.loop(agent.argv, "T", journal=journal) as turns:
        await anext(turns)
        (opened,) = (fd for fd in map(int, os.listdir("/dev/fd")) if _is_open_as(fd, journal))
        copy = os.dup(opened)  # as a new process has one, until it becomes another program
    try:
        assert (await run(agent.argv, journal)).number == 1
    finally:
        os.close(copy)


def _is_open_as(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except OSError:  # that of the listing itself
        return False


async def test_interrupted_it_says_so_and_the_turn_is_taken_again_in_its_session(tmp_path: Path) -> None:
    agent = Script(tmp_path / "a", [{**claude('{"status": "continue"}'), "sleep": FOREVER}, says("done")])
    journal = tmp_path / "journal"
    with nothing_left(), anyio.CancelScope() as scope:
        seen = lambda _: scope.cancel()  # noqa: E731 - a callback of one word
        async with lastbrace.loop(agent.resuming, "T", journal=journal, on_completion=seen) as turns:
            await anext(turns)
    assert turns.reason is LoopEnd.INTERRUPTED
    _, broken = lines(journal)
    assert (broken["turn"], broken["verdict"], broken["session_id"]) == (1, "interrupted", "s-1")
    again = await run(agent.resuming, journal)
    assert agent.asked == [("T", []), ("T", ["--resume", "s-1"])]
    assert (again.reason, again.number, again.cost_usd) == (LoopEnd.DONE, 1, 0.25)


async def test_a_full_disk_ends_the_loop_and_leaves_a_journal_to_go_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = Script(tmp_path / "a", [says("continue", next="step <turn>")])
    journal = tmp_path / "journal"
    with nothing_left():
        async with lastbrace.loop(agent.argv, "T", journal=journal) as turns:
            await anext(turns)
            write = os.write

            def full(fd: int, data: memoryview) -> int:
                if os.path.samestat(os.fstat(fd), journal.stat()):
                    if len(data) < 20:
                        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                    data = data[:-10]
                return write(fd, data)

            monkeypatch.setattr("os.write", full)
            with pytest.raises(JournalError, match=r"cannot write the journal .*: No space left"):
                await anext(turns)
            monkeypatch.undo()
            assert turns.reason is LoopEnd.ERROR
            assert [turn async for turn in turns] == []
    assert [line.get("turn") for line in lines(journal)] == [None, 1]
    assert (await run(agent.argv, journal, max_turns=2)).number == 2


async def test_a_disk_that_is_full_when_it_is_interrupted_ends_the_program_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    children: list[int] = []

    def begun(found: lastbrace.Found) -> None:
        children.append(found.value.get("child", 0))
        monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(errno.EIO, "no disk")))
        scope.cancel()

    with nothing_left():
        with anyio.CancelScope() as scope, pytest.raises(JournalError, match="no disk"):
            async with lastbrace.loop(sh(FAMILY), "T", journal=tmp_path / "journal", on_object=begun) as turns:
                await anext(turns)
        assert not runs(children[0])
