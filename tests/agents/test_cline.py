from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lastbrace.agents.cline import Cline

from .driving import (
    SAMPLES,
    capture_id,
    captures_of,
    check_capture,
    check_odd_events,
    check_prefixes,
    check_sample,
    completion_in,
    drive,
    drive_events,
    lines,
    odd_events,
    run_adapter,
    samples_of,
)

if TYPE_CHECKING:
    from pathlib import Path


def event(kind: str, **members: Any) -> dict[str, Any]:
    return {"ts": "2026-01-01T00:00:00.000Z", "type": "agent_event", "event": {"type": kind, **members}}


def said(text: str) -> dict[str, Any]:
    return event("content_start", contentType="text", text=text)


def result(reason: str, text: str) -> dict[str, Any]:
    return {"ts": "2026-01-01T00:00:00.000Z", "type": "run_result", "finishReason": reason, "text": text}


@pytest.mark.parametrize("path", captures_of("cline"), ids=capture_id)
def test_captures(path: Path) -> None:
    check_capture(Cline, path)


@pytest.mark.parametrize("name", samples_of("cline"))
def test_samples(name: str) -> None:
    check_sample(Cline, name)


@pytest.mark.parametrize("name", samples_of("cline"))
def test_no_beginning_of_a_sample_is_a_success(name: str) -> None:
    check_prefixes(Cline, (SAMPLES / name).read_bytes())


def test_the_text_of_a_failed_result_is_the_error_and_no_answer() -> None:
    error = '400 {"status":"done","summary":"quoted by the provider"}'
    adapter = run_adapter(Cline, lines(result("error", error)), 0)
    assert (adapter.reply.is_error, adapter.reply.error) == (True, error)
    assert completion_in(adapter) is None


def test_a_failed_result_leaves_the_draft() -> None:
    adapter = run_adapter(Cline, lines(said('{"status":"done"}'), result("error", "Overloaded")), 1)
    assert (adapter.reply.text, adapter.reply.error) == ('{"status":"done"}', "Overloaded")


@pytest.mark.parametrize("reason", ["max_iterations", "aborted", "mistake_limit", "error", "new in 2027", None])
def test_only_completed_is_a_success(reason: str | None) -> None:
    reply = drive_events(Cline, {**result("", "words"), "finishReason": reason}, returncode=0)
    assert reply.is_error
    assert reply.final


def test_an_abandoned_attempt_takes_its_object_away() -> None:
    draft = lines(event("iteration_start"), said('{"status":"done"}'), event("iteration_start"), said("Sorry."))
    assert completion_in(run_adapter(Cline, draft)) is None


def test_tool_output_and_reasoning_are_no_answer() -> None:
    adapter = run_adapter(
        Cline,
        lines(
            said("I look."),
            event("content_start", contentType="tool", input={"status": "done"}),
            event("content_update", contentType="tool", update={"chunk": '{"status":"done"}'}),
            event("content_end", contentType="tool", output=[{"result": '{"status":"done"}'}]),
            event("content_start", contentType="reasoning", reasoning='{"status":"done"}'),
            {**event("content_start", contentType="text", text='{"status":"done"}'), "parentAgentId": "a1"},
            {"ts": "x", "type": "team_event", "event": {"type": "content_start", "contentType": "text", "text": "no"}},
        ),
    )
    assert adapter.text == ""
    assert completion_in(adapter) is None


def test_an_error_on_stderr_says_why_nothing_was_printed() -> None:
    stderr = '{"ts":"x","type":"error","message":"hook dispatch failed"}\n{"type":"error","message":"no such model"}\n'
    reply = drive(Cline, b"", 1, stderr)
    assert (reply.is_error, reply.error, reply.final) == (True, "no such model", False)


def test_an_error_on_stderr_beside_a_result_is_no_failure() -> None:
    stderr = '{"ts":"x","type":"error","message":"hook dispatch failed"}\n'
    assert not drive(Cline, lines(result("completed", "Fine.")), 0, stderr).is_error


def test_an_interrupt_stops_the_output_with_exit_0() -> None:
    requested = {"ts": "x", "type": "run_abort_requested", "reason": "sigint"}
    reply = drive_events(Cline, said("Half an ans"), requested, returncode=0)
    assert (reply.is_error, reply.final, reply.text) == (True, False, "Half an ans")
    assert "sigint" in (reply.error or "")
    assert drive_events(Cline, said("Half an ans"), returncode=0).is_error


def test_the_older_form_updates_messages_and_calls_tools() -> None:
    def say(kind: str, text: str, at: int, **more: Any) -> dict[str, Any]:
        return {"type": "say", "say": kind, "text": text, "ts": at, **more}

    reply = drive_events(
        Cline,
        say("text", "Look", 1, partial=True),
        say("text", "Looking.", 1),
        say("tool", '{"status":"done"}', 2),
        say("completion_result", "All ", 3, partial=True),
    )
    assert (reply.text, reply.final, reply.is_error) == ("All ", False, True)
    failed = {"type": "ask", "ask": "api_req_failed", "text": "401 no key", "ts": 4}
    assert drive_events(Cline, failed).error == "401 no key"
    again = drive_events(Cline, failed, say("api_req_retried", "", 5), say("completion_result", "Fine.", 6))
    assert (again.is_error, again.text) == (False, "Fine.")


def test_a_message_without_deltas_is_a_draft_too() -> None:
    assert drive_events(Cline, event("content_end", contentType="text", text="Half")).text == "Half"


def test_what_sub_agents_used_is_counted() -> None:
    totals = {"usage": {"inputTokens": 1, "totalCost": 0.1}, "aggregateUsage": {"inputTokens": 5, "totalCost": 0.5}}
    reply = drive_events(Cline, {**result("completed", "Fine."), **totals})
    assert reply.usage is not None
    assert (reply.usage.input, reply.usage.output, reply.cost_usd) == (5, None, 0.5)


def test_words_before_a_tool_call_of_the_older_form_are_no_answer() -> None:
    words = {"type": "say", "say": "text", "text": '{"status":"done"}', "ts": 1}
    for call in ({"type": "say", "say": "tool", "text": "{}", "ts": 2}, {"type": "ask", "ask": "command", "ts": 2}):
        adapter = run_adapter(Cline, lines(words, call))
        assert adapter.text == ""
        assert completion_in(adapter) is None


def test_members_of_any_type_raise_nothing() -> None:
    kinds = ("run_start", "agent_event", "run_result", "run_aborted", "run_abort_requested", "say", "ask", "error", [])
    keys = ("event", "usage", "text", "say", "ask", "reason", "ts")
    events = odd_events(kinds, keys, ts=1) + odd_events(kinds, keys, ts="x")
    check_odd_events(Cline, events, 0, lines(*events).decode())


def test_another_run_in_the_same_stream_takes_the_end_back() -> None:
    start = {"ts": "2026-01-01T00:00:00.000Z", "type": "run_start", "providerId": "p", "sessionId": "s2"}
    cut = drive_events(Cline, result("completed", "fine"), start, returncode=0)
    assert (cut.is_error, cut.final, cut.text, cut.session_id) == (True, False, "", "s2")
