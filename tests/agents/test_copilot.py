"""GitHub Copilot CLI: drafts, retries, and an exit code that is not trusted."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from lastbrace.agents.copilot import Copilot
from lastbrace.agents.reply import Usage

from .driving import (
    CAPTURES,
    SAMPLES,
    captures_of,
    check_capture,
    check_prefixes,
    check_sample,
    completion_in,
    drive,
    drive_events,
    lines,
    run_adapter,
    samples_of,
)
from .odd_members import check_each_member, check_odd_members

if TYPE_CHECKING:
    from pathlib import Path

OURS = [path for path in captures_of("copilot") if not path.name.endswith(".text")]
DONE = '{"status":"done","summary":"s"}'


def event(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "id": "i", "timestamp": "t", "parentId": None}


def delta(text: str) -> dict[str, Any]:
    return event("assistant.message_delta", messageId="m", deltaContent=text)


def message(text: str, *tools: str, **members: Any) -> dict[str, Any]:
    requests = [{"toolCallId": name, "name": name, "arguments": {"x": DONE}} for name in tools]
    return event("assistant.message", messageId="m", content=text, toolRequests=requests, **members)


def result(code: Any = 0) -> dict[str, Any]:
    return {"type": "result", "timestamp": "t", "sessionId": "s", "exitCode": code, "usage": {"sessionDurationMs": 5}}


BEGIN = event("assistant.message_start", messageId="m")
RETRY = event("assistant.turn_retry", turnId="0", reason="api_error")
FAILURE = event("model.call_failure", errorMessage='{"message":"Overloaded","type":"x"}', source="top_level")


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
def test_capture(path: Path) -> None:
    check_capture(Copilot, path)


@pytest.mark.parametrize("name", samples_of("copilot"))
def test_sample(name: str) -> None:
    check_sample(Copilot, name)
    check_prefixes(Copilot, (SAMPLES / name).read_bytes())
    check_each_member(Copilot, name)
    check_odd_members(Copilot, name)


def test_drafts_of_failed_attempts_are_not_the_answer() -> None:
    events = lines(BEGIN, delta(DONE), FAILURE, RETRY, BEGIN, delta("fi"), delta("ne"), message("fine"), result())
    adapter = run_adapter(Copilot, events, 0)
    assert (adapter.reply.text, adapter.reply.is_error, adapter.reply.error) == ("fine", False, None)
    assert completion_in(adapter) is None


def test_a_message_that_calls_a_tool_is_not_the_answer() -> None:
    output = event("tool.execution_complete", toolCallId="bash", success=True, result={"content": DONE})
    adapter = run_adapter(
        Copilot, lines(BEGIN, delta(DONE), message(DONE, "bash"), output, message("fine"), result()), 0
    )
    assert adapter.reply.text == "fine"
    assert completion_in(adapter) is None


def test_a_message_that_only_says_that_the_task_is_complete_is_the_answer() -> None:
    assert drive_events(Copilot, message("fine", "task_complete"), message(""), result()).text == "fine"


def test_sub_agents_and_the_user_are_not_the_answer() -> None:
    sub = {**message(DONE), "agentId": "a"}
    nested = message(DONE, parentToolCallId="t")
    user = event("user.message", content=DONE)
    adapter = run_adapter(Copilot, lines(user, message("fine"), sub, nested, result()), 0)
    assert adapter.reply.text == "fine"
    assert completion_in(adapter) is None


def test_exit_code_0_after_a_failure_that_no_answer_followed_is_no_success() -> None:
    reply = drive_events(Copilot, BEGIN, delta("half"), FAILURE, RETRY, result(0))
    assert (reply.is_error, reply.final, reply.error) == (True, True, "Overloaded")
    assert drive_events(Copilot, message("fine"), event("abort", reason="user"), result(0)).error == "aborted: user"


def test_a_call_beside_the_conversation_may_fail() -> None:
    title = event("model.call_failure", errorMessage="e", source="background")
    assert not drive_events(Copilot, message("fine"), title, result(0), returncode=0).is_error


def test_a_success_of_a_process_that_a_signal_ended_tells_both() -> None:
    reply = drive_events(Copilot, message("fine"), result(0), returncode=-15)
    assert (reply.is_error, reply.error) == (True, "reported success, but ended by SIGTERM")


@pytest.mark.parametrize("code", [1, -1, None, "0", True])
def test_any_other_exit_code_is_an_error(code: Any) -> None:
    reply = drive_events(Copilot, message("fine"), result(code))
    assert (reply.is_error, reply.final, reply.text) == (True, True, "fine")


def test_the_sessions_error_is_the_message() -> None:
    error = event("session.error", errorType="rate_limit", message="Rate limit reached", statusCode=429)
    reply = drive_events(Copilot, FAILURE, error, result(1))
    assert (reply.error, reply.subtype) == ("Rate limit reached", "rate_limit")


def test_cut_at_a_line_end_shows_only_in_the_missing_result() -> None:
    data = (CAPTURES / "copilot" / "z_slow.json.stdout").read_bytes()
    assert data.endswith(b"}\n")
    reply = drive(Copilot, data, 0)
    assert (reply.is_error, reply.final) == (True, False)
    assert reply.text.startswith("Line 0001")


def test_tokens_of_a_message_that_is_told_twice_count_once() -> None:
    reply = drive_events(Copilot, message("a", outputTokens=5), message("a", outputTokens=5), result())
    assert reply.usage == Usage(output=5)
    assert drive_events(Copilot, message("a"), result()).usage is None


def test_events_after_the_result_change_nothing() -> None:
    assert drive_events(Copilot, message("fine"), result(), message(DONE), FAILURE, returncode=0).text == "fine"


@pytest.mark.parametrize(
    "other",
    [
        {"type": "result", "sessionId": "s", "is_error": False},
        {"type": "session", "id": "s", "timestamp": "t"},
        {"type": "assistant.message", "data": {}},
        {"type": "message_start", "data": {}, "id": "i", "parentId": None},
    ],
)
def test_others_events_are_not_claimed(other: dict[str, Any]) -> None:
    assert not Copilot.recognises(other)


def test_an_error_of_the_session_after_the_result_fails_the_run() -> None:
    error = event("session.error", errorType="quota", message="no quota left")
    reply = drive_events(Copilot, BEGIN, message("fine"), result(), error, returncode=0)
    assert (reply.is_error, reply.error, reply.subtype, reply.text) == (True, "no quota left", "quota", "fine")
    other = {**error, "agentId": "a"}
    assert not drive_events(Copilot, BEGIN, message("fine"), result(), other, returncode=0).is_error


def test_the_usage_of_a_long_session_is_summed_as_it_grows() -> None:
    def seconds(count: int) -> float:
        events = [message("x", outputTokens=1) for _ in range(count)]
        for number, each in enumerate(events):
            each["data"]["messageId"] = f"m{number // 2}"
        adapter = Copilot()
        began = time.process_time()
        for each in events:
            adapter.feed(each)
        took = time.process_time() - began
        assert adapter.reply.usage == Usage(output=count // 2)
        return took

    # Four times as long takes four times the time; summed anew each time it would be sixteen.
    assert min(seconds(32000) for _ in range(3)) < 10 * min(seconds(8000) for _ in range(3))
