"""OpenCode: steps, their sums, and an end that has no event of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import lastbrace
from lastbrace.agents.opencode import OpenCode
from lastbrace.agents.reply import Usage

from .driving import (
    SAMPLES,
    captures_of,
    check_capture,
    check_prefixes,
    check_sample,
    completion_in,
    drive_events,
    lines,
    run_adapter,
    samples_of,
)
from .odd_members import check_each_member, check_odd_members

if TYPE_CHECKING:
    from pathlib import Path

    from lastbrace.agents.reply import Reply

OURS = [path for path in captures_of("opencode") if not path.name.endswith(".text")]
DONE = '{"status":"done","summary":"s"}'


def event(kind: str, session: str = "ses_1", **part: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": 1, "sessionID": session, "part": {"sessionID": session, **part}}


def text(content: str, **members: Any) -> dict[str, Any]:
    return event("text", type="text", text=content, **members)


def finish(reason: str, **members: Any) -> dict[str, Any]:
    return event("step_finish", type="step-finish", reason=reason, **members)


def failure(**error: Any) -> dict[str, Any]:
    return {"type": "error", "timestamp": 1, "sessionID": "ses_1", "error": error}


START = event("step_start", type="step-start")
TOOL = event("tool_use", type="tool", tool="bash", state={"status": "completed", "input": {"c": DONE}, "output": DONE})


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
def test_capture(path: Path) -> None:
    check_capture(OpenCode, path)


@pytest.mark.parametrize("name", samples_of("opencode"))
def test_sample(name: str) -> None:
    check_sample(OpenCode, name)
    check_prefixes(OpenCode, (SAMPLES / name).read_bytes())
    check_each_member(OpenCode, name)
    check_odd_members(OpenCode, name)


def test_a_last_step_that_stops_is_the_end_until_another_begins() -> None:
    assert drive_events(OpenCode, START, text("fine"), finish("stop"), returncode=0).final
    reply = drive_events(OpenCode, START, text("fine"), finish("stop"), START, returncode=0)
    assert (reply.is_error, reply.final, reply.text) == (True, False, "")


def test_stop_after_a_tool_call_is_not_the_end() -> None:
    reply = drive_events(OpenCode, START, text("I look."), TOOL, finish("stop"), returncode=0)
    assert (reply.final, reply.text) == (False, "")
    assert not reply.is_error  # all that can be known is the exit
    assert drive_events(OpenCode, START, TOOL, finish("stop"), returncode=1).is_error


def test_a_step_that_never_finished_was_cut_although_the_exit_is_0() -> None:
    reply = drive_events(OpenCode, START, text(f"half {DONE}"), returncode=0)
    assert (reply.is_error, reply.final, reply.text) == (True, False, f"half {DONE}")
    assert drive_events(OpenCode, returncode=0).is_error


def test_newer_versions_say_that_they_are_done() -> None:
    idle = {"type": "done", "timestamp": 1, "sessionID": "ses_1", "reason": "idle", "rejected": []}
    reply = drive_events(OpenCode, START, text("fine"), finish("stop"), idle, returncode=0)
    assert (reply.final, reply.is_error, reply.subtype) == (True, False, "stop")
    assert reply.raw == idle


def test_text_before_a_tool_and_reasoning_are_not_the_answer() -> None:
    thought = event("reasoning", type="reasoning", text=DONE)
    events = lines(START, thought, text(DONE), TOOL, finish("tool-calls"), START, text("fine"), finish("stop"))
    adapter = run_adapter(OpenCode, events, 0)
    assert adapter.reply.text == "fine"
    assert completion_in(adapter) is None


def test_abandoned_attempts_are_not_the_answer() -> None:
    adapter = run_adapter(OpenCode, lines(START, text(DONE), START, START, text("fine"), finish("stop")), 0)
    assert adapter.reply.text == "fine"
    assert completion_in(adapter) is None


def test_parts_of_a_step_are_lines_and_synthetic_ones_are_left_out() -> None:
    adapter = run_adapter(OpenCode, lines(START, text("one"), text(DONE, synthetic=True), text("two"), finish("stop")))
    assert adapter.reply.text == "one\ntwo"


@pytest.mark.parametrize("reason", ["length", "content-filter", "other"])
def test_a_reason_that_is_not_stop_is_an_error_and_the_subtype(reason: str) -> None:
    adapter = run_adapter(OpenCode, lines(START, text('{"status":"done","summary":"cut'), finish(reason)), 0)
    assert (adapter.reply.subtype, adapter.reply.is_error, adapter.reply.final) == (reason, True, True)
    assert completion_in(adapter) is None
    assert drive_events(OpenCode, START, TOOL, finish(reason), returncode=0).is_error


def test_a_step_after_a_cut_one_takes_the_error_back() -> None:
    reply = drive_events(
        OpenCode, START, text("cu"), finish("length"), START, text("fine"), finish("stop"), returncode=0
    )
    assert (reply.is_error, reply.error, reply.text) == (False, None, "fine")
    assert drive_events(OpenCode, START, text("cu"), finish("length"), START, returncode=0).is_error


def test_the_reply_is_news_only_where_something_but_its_text_has_changed() -> None:
    replies: list[Reply] = []
    watcher = lastbrace.Watcher(agent="opencode", on_reply=replies.append)
    for number in range(100):
        watcher.feed(lines(text(f"line {number}")))
    watcher.feed(lines(finish("stop")))
    assert watcher.close(0).reply == replies[-1]
    assert len(replies) <= 5


def test_costs_and_tokens_are_summed_over_the_steps() -> None:
    tokens = {"input": 5, "output": 1, "cache": {"read": 2, "write": 0}}
    first, second = finish("tool-calls", cost=0.5, tokens=tokens), finish("stop", cost=0.25, tokens=tokens)
    reply = drive_events(OpenCode, START, TOOL, first, START, text("fine"), second)
    assert (reply.cost_usd, reply.turns) == (0.75, 2)
    assert reply.usage == Usage(input=10, output=2, cache_read=4, cache_write=0)


def test_an_error_stays_one_whatever_follows() -> None:
    error = failure(name="ContextOverflowError", data={"message": "prompt is too long"})
    reply = drive_events(OpenCode, START, error, START, text("summary"), finish("stop"), returncode=0)
    assert (reply.is_error, reply.error) == (True, "prompt is too long")
    assert drive_events(OpenCode, failure(name="UnknownError", data={})).error == "UnknownError"
    assert drive_events(OpenCode, START, finish("error"), returncode=0).is_error


def test_an_unknown_session_shows_only_on_stderr() -> None:
    log = "\x1b[91m\x1b[1mError: \x1b[0mSession not found\n"
    reply = drive_events(OpenCode, returncode=0, stderr=log)
    assert (reply.is_error, reply.final) == (True, False)
    assert reply.error == "the output ended before its final event: Error: Session not found"


def test_another_sessions_events_are_a_sub_agents() -> None:
    other = event("text", "ses_2", type="text", text=DONE)
    adapter = run_adapter(OpenCode, lines(START, text("fine"), other, event("step_start", "ses_2"), finish("stop")), 0)
    assert (adapter.reply.text, adapter.reply.session_id) == ("fine", "ses_1")
    assert completion_in(adapter) is None


@pytest.mark.parametrize(
    "other",
    [
        {"type": "text", "sessionID": "ses_1", "text": "t"},
        {"type": "text", "part": {"text": "t"}},
        {"type": "error", "sessionID": "ses_1", "message": "m"},
        {"type": "message", "sessionId": "s", "part": {}},
    ],
)
def test_others_events_are_not_claimed(other: dict[str, Any]) -> None:
    assert not OpenCode.recognises(other)
