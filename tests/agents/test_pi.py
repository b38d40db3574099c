from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from lastbrace.agents.pi import Pi

from .driving import (
    SAMPLES,
    capture_id,
    captures_of,
    check_capture,
    check_odd_events,
    check_prefixes,
    check_sample,
    completion_in,
    drive_events,
    lines,
    odd_events,
    run_adapter,
    samples_of,
)

if TYPE_CHECKING:
    from pathlib import Path

START = {"type": "agent_start"}


def assistant(text: str, stop: str = "stop", **more: Any) -> dict[str, Any]:
    usage = {"input": 10, "output": 2, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 12, "cost": {"total": 0.5}}
    content = [{"type": "text", "text": text}]
    return {"role": "assistant", "content": content, "usage": usage, "stopReason": stop, **more}


def said(message: dict[str, Any]) -> list[dict[str, Any]]:
    text = message["content"][0]["text"]
    delta = {"type": "text_delta", "delta": text, "partial": message}
    return [
        {"type": "message_start", "message": {**message, "content": []}},
        {"type": "message_update", "assistantMessageEvent": delta, "message": message},
        {"type": "message_end", "message": message},
    ]


def end(message: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "agent_end", "messages": [message], **more}


@pytest.mark.parametrize("path", captures_of("pi"), ids=capture_id)
def test_captures(path: Path) -> None:
    check_capture(Pi, path)


@pytest.mark.parametrize("name", samples_of("pi-"))
def test_samples(name: str) -> None:
    check_sample(Pi, name)


@pytest.mark.parametrize("name", samples_of("pi-"))
def test_no_beginning_of_a_sample_is_a_success(name: str) -> None:
    check_prefixes(Pi, (SAMPLES / name).read_bytes())


def test_agent_end_before_a_retry_is_not_the_end() -> None:
    failed = assistant('half {"status":"done","summary":"draft"}', "error", errorMessage="529 overloaded")
    retry = {"type": "auto_retry_start", "attempt": 1, "errorMessage": "529 overloaded"}
    answered = assistant("Fine.")
    ended = {"type": "auto_retry_end", "success": True, "attempt": 1}
    events = [START, *said(failed), end(failed), retry, START, *said(answered), ended, end(answered)]
    adapter = run_adapter(Pi, lines(*events), 0)
    reply = adapter.reply
    assert (reply.is_error, reply.error, reply.final, reply.text) == (False, None, True, "Fine.")
    assert completion_in(adapter) is None
    for cut in range(len(events)):
        early = drive_events(Pi, *events[:cut], returncode=0)
        assert early.is_error, cut


def test_agent_end_that_will_be_retried_is_not_final() -> None:
    failed = assistant("", "error", errorMessage="529")
    reply = drive_events(Pi, START, *said(failed), end(failed, willRetry=True), returncode=0)
    assert (reply.is_error, reply.final) == (True, False)


def test_the_last_retry_says_why_it_failed() -> None:
    failed = assistant("", "error", errorMessage="529")
    ended = {"type": "auto_retry_end", "success": False, "attempt": 3, "finalError": "529 overloaded, three times"}
    reply = drive_events(Pi, START, *said(failed), end(failed), ended, returncode=0)
    assert (reply.is_error, reply.error, reply.final) == (True, "529 overloaded, three times", True)


@pytest.mark.parametrize("stop", ["error", "aborted", "length"])
def test_exit_0_is_no_success_where_the_message_says_otherwise(stop: str) -> None:
    message = assistant("words", stop)
    reply = drive_events(Pi, START, *said(message), end(message), returncode=0)
    assert (reply.is_error, reply.subtype, reply.final, reply.text) == (True, stop, True, "words")


def test_a_run_without_any_answer_is_an_error() -> None:
    assert drive_events(Pi, START, {"type": "agent_end", "messages": []}, returncode=0).is_error


def test_events_after_the_end_change_nothing() -> None:
    message = assistant("Fine.")
    reply = drive_events(Pi, START, *said(message), end(message), {"type": "agent_settled"}, {"type": "queue_update"})
    assert (reply.is_error, reply.final, reply.text) == (False, True, "Fine.")


def test_usage_and_cost_are_summed_over_messages_and_counted_once() -> None:
    call = assistant("I look.", "toolUse")
    call["content"].append({"type": "toolCall", "id": "c", "name": "bash", "arguments": {"status": "done"}})
    answered = assistant("Fine.")
    turn = {"type": "turn_end", "message": call, "toolResults": []}
    reply = drive_events(
        Pi, START, *said(call), turn, *said(answered), {"type": "agent_end", "messages": [call, answered]}
    )
    assert reply.usage is not None
    assert (reply.usage.input, reply.usage.total, reply.cost_usd, reply.text) == (20, 24, 1.0, "Fine.")


def test_a_user_message_tool_results_and_thinking_are_no_answer() -> None:
    look_alike = [{"type": "text", "text": '{"status":"done"}'}]
    adapter = run_adapter(
        Pi,
        lines(
            START,
            {"type": "message_end", "message": {"role": "user", "content": look_alike}},
            {"type": "message_end", "message": {"role": "toolResult", "content": look_alike}},
            {"type": "tool_execution_end", "result": {"content": look_alike}},
            {
                "type": "message_update",
                "assistantMessageEvent": {"type": "thinking_delta", "delta": '{"status":"done"}'},
            },
            end(assistant("Fine.")),
        ),
    )
    assert adapter.text == "Fine."
    assert completion_in(adapter) is None


def test_a_message_repeated_with_each_delta_costs_linear_time() -> None:
    def seconds(count: int) -> float:
        adapter = Pi()
        message = assistant("x" * 100_000)
        update = {
            "type": "message_update",
            "message": message,
            "assistantMessageEvent": {"type": "text_delta", "delta": "x"},
        }
        began = time.process_time()
        for _ in range(count):
            adapter.feed(update)
        assert len(adapter.text) == count
        return time.process_time() - began

    assert min(seconds(40_000) for _ in range(3)) < 10 * min(seconds(10_000) for _ in range(3))


def test_words_before_a_tool_call_are_no_answer_from_its_beginning() -> None:
    words = said(assistant('{"status":"done"}'))[:2]
    call = {"type": "message_update", "assistantMessageEvent": {"type": "toolcall_start", "contentIndex": 1}}
    adapter = run_adapter(Pi, lines(START, *words, call))
    assert adapter.text == ""
    assert completion_in(adapter) is None


def test_members_of_any_type_raise_nothing() -> None:
    kinds = ("session", "message_start", "message_update", "message_end", "agent_end", "auto_retry_end", [], 1)
    events = odd_events(kinds, ("message", "messages", "assistantMessageEvent", "id"))
    for message in odd_events((1,), ("content", "usage", "stopReason"), role="assistant"):
        events += [{"type": "message_end", "message": message}, {"type": "agent_end", "messages": [message]}]
    check_odd_events(Pi, events, 0)


@pytest.mark.parametrize("stop", ["toolUse", "pause", "length", "aborted", "error"])
def test_only_stop_is_a_good_reason_to_stop(stop: str) -> None:
    message = assistant("half", stop)
    reply = drive_events(Pi, START, *said(message), end(message), returncode=0)
    assert (reply.is_error, reply.final, reply.subtype) == (True, True, stop)
    assert reply.error
    assert stop in ("length", "aborted", "error") or stop in reply.error


def test_an_error_message_beside_stop_is_an_error() -> None:
    message = assistant("half", errorMessage="overloaded")
    assert drive_events(Pi, START, *said(message), end(message), returncode=0).error == "overloaded"


def test_another_session_in_the_same_stream_takes_the_end_back() -> None:
    session = {"type": "session", "version": 3, "id": "p1", "cwd": "/"}
    message = assistant("fine")
    first = (session, START, *said(message), end(message))
    cut = drive_events(Pi, *first, {**session, "id": "p2"}, returncode=0)
    assert (cut.is_error, cut.final, cut.text, cut.session_id, cut.usage) == (True, False, "", "p2", None)
    whole = drive_events(Pi, *first, *first, returncode=0)
    assert (whole.is_error, whole.text, whole.cost_usd) == (False, "fine", 0.5)
