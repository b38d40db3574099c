"""The rows of the live view, on a clock of the test's own: states, words, times, and what fits on a terminal."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import lastbrace
from lastbrace.cli.board import Board
from lastbrace.cli.names import name_of, project_of
from lastbrace.cli.row import Row
from lastbrace.completion import Completion, Status

from .agents.driving import SAMPLES

EVIL = "\x1b[2J\x1b]0;title\x07\u202e\x9b31m\u200b\u2066\x00\r\n\t"


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Agent:
    """What a row is about, as the test says."""

    def __init__(self, completion: Completion | None = None, **reply: Any) -> None:
        self.completion = completion
        self.reply = lastbrace.Reply(**{"agent": "claude", **reply})


def found(value: Any) -> lastbrace.Found:
    return lastbrace.find_objects(json.dumps(value))[0]


def drawn(board: Board, columns: int = 120, lines: int = 20) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, width=columns, height=lines, force_terminal=True, color_system=None)
    console.print(board)
    return out.getvalue().rstrip("\n").split("\n")


CALL = {"type": "tool_use", "tool_name": "shell", "parameters": {"command": "pytest -q"}}


@pytest.mark.parametrize(
    ("agent", "state", "words"),
    [
        (Agent(), "working", ""),
        (Agent(text="Let me see.\n\nFirst  the\ttests. \n"), "working", "First the tests."),
        (Agent(text="All is well.", final=True), "answered", "All is well."),
        (Agent(text='{"status"...', completion=Completion(Status.DONE, "fixed"), final=True), "done", "fixed"),
        (Agent(text="x", completion=Completion(Status.CONTINUE, next="lint"), final=True), "continue", "lint"),
        (Agent(text="The end", completion=Completion(Status.DONE)), "done", "The end"),
        (Agent(text='so: {"status": "done"}', completion=Completion(Status.DONE)), "done", ""),
        (Agent(text="hm", is_error=True, error="API Error: 429", final=True), "error", "API Error: 429"),
        (Agent(completion=Completion(Status.DONE, "fixed"), is_error=True), "error", "fixed"),
        (Agent(text="y" * 10_000), "working", "y" * 200 + "..."),
    ],
)
def test_state_and_last_words(agent: Agent, state: str, words: str) -> None:
    row = Row("a", agent, Clock())
    assert (row.state, row.words) == (state, words)


def test_of_no_known_agent_the_newest_record_is_shown() -> None:
    row = Row("a", Agent(agent=None), Clock())
    row.touch(found({"level": "info", "text": "hi"}))
    assert row.words == '{"level": "info", "text": "hi"}'


def test_words_stay_while_there_are_no_others() -> None:
    agent = Agent(text="Let me see.")
    row = Row("a", agent, Clock())
    assert row.words == "Let me see."
    agent.reply = lastbrace.Reply(agent="claude")
    row.touch()
    assert row.words == "Let me see."


def test_who_says_nothing_is_quiet_and_its_time_stands_still() -> None:
    clock = Clock()
    row = Row("a", Agent(), clock)
    clock.now += 30
    row.touch()
    assert (row.state, row.seconds) == ("working", 30)
    clock.now += 59
    assert (row.state, row.seconds) == ("working", 89)
    clock.now += 2
    assert (row.state, row.seconds) == ("quiet", 30)
    row.touch()
    assert (row.state, row.seconds) == ("working", 91)


def test_a_program_is_at_work_until_it_ends_whatever_it_says() -> None:
    clock = Clock()
    row = Row("turn 1", Agent(completion=Completion(Status.CONTINUE, next="lint"), final=True), clock, ends=True)
    clock.now += 20
    assert (row.state, row.words, row.seconds) == ("working", "lint", 20)
    row.end("timeout")
    clock.now += 20
    assert (row.state, row.seconds, row.style) == ("timeout", 20, "red")


def test_tool_and_what_the_agent_is_doing() -> None:
    agent = Agent(text="Let me see.")
    row = Row("a", agent, Clock())
    assert (row.tool, row.doing) == ("", "Let me see.")
    row.touch(found(CALL))
    row.touch(found({"type": "tool_result", "tool_use_id": "t", "output": "command not found"}))
    row.touch(found({"call": {"command": 1}}))
    assert (row.tool, row.doing) == ("shell: pytest -q", "shell: pytest -q")
    agent.reply = lastbrace.Reply(agent="claude", text="It passes.")
    row.touch()
    assert (row.tool, row.doing) == ("shell: pytest -q", "It passes.")
    agent.reply = lastbrace.Reply(agent="claude", text="Now the linter.")
    row.touch(found(CALL))
    assert row.doing == "shell: pytest -q"
    agent.reply = lastbrace.Reply(agent="claude", text="All is well.", final=True)
    row.touch()
    assert (row.tool, row.doing) == ("shell: pytest -q", "All is well.")


def test_an_object_too_deep_or_too_long_to_look_into_calls_no_tool() -> None:
    row = Row("a", Agent(), Clock())
    deep = '{"tool_name": "x", "a": ' + "[" * 50_000 + "]" * 50_000 + "}"
    long = json.dumps(CALL | {"pad": "x" * (1 << 20)})
    for text in (deep, long):
        for each in lastbrace.find_objects(text):
            row.touch(each)
    assert row.tool == ""


@pytest.mark.parametrize(
    ("name", "tool", "words"),
    [
        ("claude-transcript.jsonl", "Bash: pytest -q", "All 12 tests pass."),
        ("codex-rollout.jsonl", "", "Two entries."),
        ("codex-success.jsonl", "shell: bash -lc ls", "Two entries: README.md and src."),
    ],
)
def test_real_sessions(name: str, tool: str, words: str) -> None:
    watcher: lastbrace.Watcher[Any] = lastbrace.Watcher(agent="auto")
    board = Board(clock=Clock())
    row = board.row(name, name, watcher)
    watcher.feed((SAMPLES / name).read_bytes())
    for each in lastbrace.iter_objects([(SAMPLES / name).read_bytes()]):
        board.touch(name, each)
    assert (row.state, row.tool, row.words) == ("answered", tool, words)
    assert words in drawn(board, 160)[1]


def crowd(count: int, clock: Clock) -> Board:
    board = Board(clock=clock)
    for number in range(count):
        clock.now += 1
        board.row(number, f"project/s-{number}", Agent(cost_usd=0.25, text=f"words of {number}", turns=number))
        board.touch(number)
    return board


def test_all_columns_of_a_wide_terminal() -> None:
    clock = Clock()
    board = Board(clock=clock)
    usage = lastbrace.Usage(input=1200, output=300)
    board.row(1, "demo/1", Agent(turns=3, usage=usage, cost_usd=0.5, text="Looking."))
    board.touch(1, found(CALL))
    clock.now += 75
    board.touch(1)
    clock.now += 7
    header, row = drawn(board, 120)
    assert header.split() == ["agent", "state", "time", "turns", "tokens", "cost", "last", "tool", "last", "words"]
    assert row.split() == ["demo/1", "working", "1:22", "3", "1.5k", "$0.50", "shell:", "pytest", "-q", "Looking."]


def test_of_a_narrow_terminal_no_line_is_longer_than_it() -> None:
    board = crowd(12, Clock())
    for number in range(12):
        board.touch(number, found(CALL))
    for columns in (200, 100, 80, 40, 20, 10):
        for lines in (24, 10, 5, 3, 2, 1):
            shown = drawn(board, columns, lines)
            assert len(shown) <= max(lines, 2)
            assert max(map(len, shown)) <= columns
    assert "project/s-3   working   8 s  shell: pytest -q" in map(str.rstrip, drawn(board, 80, 24))


def test_more_rows_than_lines_shows_those_that_were_active_last() -> None:
    board = crowd(50, Clock())
    board.touch(7)
    shown = drawn(board, 80, 8)
    assert [line.split()[0] for line in shown[1:7]] == [f"project/s-{n}" for n in (7, 45, 46, 47, 48, 49)]
    assert shown[7] == "and 44 more; 50 agents: 50 working; $12.50"
    assert len(shown) == 8


def test_it_is_drawn_anew_only_when_something_changed() -> None:
    clock = Clock()
    board = crowd(2, clock)
    assert board.moment is None
    drawn(board)
    before = board.moment
    assert before is not None
    clock.now += 0.4
    assert board.moment == before
    clock.now += 0.7
    assert board.moment != before
    drawn(board)
    clock.now += 100
    drawn(board)
    before = board.moment
    clock.now += 100
    assert board.moment == before
    board.touch(1)
    assert board.moment is None


def test_nothing_from_outside_acts_on_the_terminal() -> None:
    board = Board(clock=Clock())
    board.note = EVIL + "[red]"
    evil = found(CALL | {"tool_name": EVIL, "parameters": {"command": EVIL}})
    for number, agent in enumerate([
        Agent(text=EVIL + "[/red] [bold]"), Agent(is_error=True, error=EVIL), Agent(agent=None),
        Agent(completion=Completion(Status.DONE, EVIL)), Agent(completion=Completion(Status.ERROR, error=EVIL)),
    ]):  # fmt: skip
        board.row(number, EVIL, agent)
        board.touch(number, evil)
    for columns in (60, 300):
        text = "".join(drawn(board, columns))
        assert not [character for character in text if not character.isprintable() and character != "\x1b"]
        assert "\x1b" not in text.replace("\x1b[0m", "").replace("\x1b[1m", "").replace("\x1b[2m", "")
    assert "[red]" in text


def test_numbers_that_cannot_be_are_left_out() -> None:
    board = Board(clock=Clock())
    usage = lastbrace.Usage(input=10**5000, output=-5)
    board.row(1, "a", Agent(turns=10**5000, usage=usage, cost_usd=1e299, text="x"))
    board.row(2, "b", Agent(turns=-1, cost_usd=float("nan"), text="x"))
    assert drawn(board)[1].split() == ["a", "working", "0", "s", "x"]
    assert board.summary() == "2 agents: 2 working"


def test_summary() -> None:
    board = crowd(3, Clock())
    board.row(9, "x", Agent(final=True, cost_usd=float("nan")))
    assert board.summary() == "4 agents: 3 working, 1 answered; $0.75"
    assert Board().summary() == "nothing was written"


@pytest.mark.parametrize(
    ("path", "project", "name"),
    [
        ("/h/projects/-home-dev-demo/3d1f0a52-9c4b-4e5e-8f0a-1b2c3d4e5f60.jsonl", None, "-home-dev-demo/3d1f0a52"),
        ("/h/2026/08/20/rollout-2026-08-20T10-00-00-0199aaaa-bbbb-7ccc-8ddd-00000000abcd.jsonl", "api", "api/0000abcd"),
        ("/var/log/agents/nightly.log", None, "agents/nightly"),
        ("/run.jsonl", None, "run"),
        ("/a/b/.jsonl", None, "b/"),
    ],
)  # fmt: skip
def test_names(path: str, project: str | None, name: str) -> None:
    assert name_of(Path(path), project) == name


def test_project_of_real_sessions() -> None:
    for name in ("claude-transcript.jsonl", "codex-rollout.jsonl"):
        events = [json.loads(line) for line in (SAMPLES / name).read_text().splitlines()]
        assert {project_of(event) for event in events} - {None} == {"demo"}
    odd = ({"cwd": 1}, {"cwd": "/"}, {"payload": []}, [], None, {"cwd": "C:\\a\\b\\"})
    assert [project_of(event) for event in odd] == [None, None, None, None, None, "b"]
