"""Cursor CLI: what its events make of a reply."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lastbrace.agents.cursor import Cursor

from .driving import (
    SAMPLES,
    check_prefixes,
    check_sample,
    completion_in,
    drive,
    drive_events,
    lines,
    run_adapter,
    samples_of,
)
from .odd_members import check_odd_members

STREAMS = [sample for sample in samples_of("cursor") if sample.endswith(".jsonl")]
DONE = '{"status": "done", "summary": "of another"}'
INIT = {"type": "system", "subtype": "init", "apiKeySource": "login", "session_id": "c1", "permissionMode": "default"}
TOOL = {"type": "tool_call", "subtype": "started", "call_id": "t1", "tool_call": {"readToolCall": {"args": DONE}}}


def said(text: str, **members: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"type": "assistant", "message": {"role": "assistant", "content": content}, "session_id": "c1", **members}


def result(text: str, **members: Any) -> dict[str, Any]:
    event = {"type": "result", "subtype": "success", "is_error": False, "duration_ms": 4, "duration_api_ms": 4}
    return {**event, "result": text, "session_id": "c1", "request_id": "r1", **members}


def completion_after(*events: dict[str, Any]) -> str | None:
    completion = completion_in(run_adapter(Cursor, lines(*events), 0))
    return completion and completion.summary


@pytest.mark.parametrize("sample", samples_of("cursor"))
def test_samples_give_what_is_expected(sample: str) -> None:
    check_sample(Cursor, sample)


@pytest.mark.parametrize("sample", STREAMS)
def test_no_beginning_of_a_sample_is_a_success(sample: str) -> None:
    check_prefixes(Cursor, (SAMPLES / sample).read_bytes())


@pytest.mark.parametrize("sample", STREAMS)
def test_members_of_any_type_raise_nothing(sample: str) -> None:
    check_odd_members(Cursor, sample)


def test_deltas_are_not_said_again_by_the_messages_that_repeat_them() -> None:
    events = [INIT, said("It ", timestamp_ms=1), said("is.", timestamp_ms=2)]
    assert drive_events(Cursor, *events, said("It is.")).text == "It is."
    assert drive_events(Cursor, *events, said("It is.", timestamp_ms=3, model_call_id="m1"), TOOL).text == ""
    adapter = run_adapter(Cursor, lines(*events, said("It is."), result("It is.")))
    assert [change.kind for change in adapter.changes] == ["add", "add", "final"]


def test_messages_without_deltas_are_read() -> None:
    assert drive_events(Cursor, INIT, said("First."), TOOL, said("Last.")).text == "Last."


def test_words_before_a_tool_call_are_not_the_answer_even_where_the_result_repeats_them() -> None:
    before = said(DONE, model_call_id="m1", timestamp_ms=1)
    assert completion_after(INIT, before) is None
    assert completion_after(INIT, said(DONE), TOOL) is None
    assert completion_after(INIT, said(DONE), TOOL, said("Then."), result(f"{DONE}Then.")) is None
    assert drive_events(Cursor, INIT, said(DONE), TOOL, said("Then."), result(f"{DONE}Then.")).text == f"{DONE}Then."


def test_the_answer_in_a_lone_result_is_read() -> None:
    assert completion_after(result(f"It is. {DONE}")) == "of another"


def test_look_alikes_that_the_agent_did_not_say_are_not_the_answer() -> None:
    others: list[dict[str, Any]] = [
        TOOL,
        {**TOOL, "subtype": "completed", "tool_call": {"readToolCall": {"result": {"success": {"content": DONE}}}}},
        {"type": "thinking", "subtype": "delta", "text": DONE, "session_id": "c1"},
        {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": DONE}]}},
    ]
    for other in others:
        assert completion_after(INIT, other) is None, other


def test_a_failure_ends_the_stream_and_says_why_on_stderr() -> None:
    reply = drive_events(Cursor, INIT, said("Starting"), returncode=1, stderr="ConnectError: no network\n")
    assert (reply.is_error, reply.final, reply.text) == (True, False, "Starting")
    assert reply.error == "the output ended before its final event (exit status 1): ConnectError: no network"
    assert "no network" in (drive(Cursor, b"", 1, "ConnectError: no network\n").error or "")


@pytest.mark.parametrize("odd", [{"is_error": True}, {"subtype": "error"}, {"result": None}, {"is_error": None}])
def test_a_result_that_does_not_say_that_it_succeeded_is_an_error(odd: dict[str, Any]) -> None:
    reply = drive_events(Cursor, INIT, {**result("It is."), **odd}, returncode=0)
    assert (reply.is_error, reply.final) == (True, True)
    assert reply.error


def test_usage_is_told_where_it_is_printed() -> None:
    reply = drive_events(Cursor, result("x", usage={"inputTokens": 0, "outputTokens": 2, "cacheReadTokens": 3}))
    assert reply.usage is not None
    assert (reply.usage.input, reply.usage.output, reply.usage.cache_read, reply.usage.cache_write) == (0, 2, 3, None)
    assert drive_events(Cursor, result("x")).usage is None


def test_a_pretty_result_is_read() -> None:
    assert drive(Cursor, json.dumps(result("It is."), indent=2).encode(), 0).is_error is False


def test_a_failure_after_a_success_fails_the_run() -> None:
    failed = result("", subtype="error", is_error=True, error="no credits")
    reply = drive_events(Cursor, INIT, result("It is."), failed, returncode=0)
    assert (reply.is_error, reply.error, reply.text) == (True, "no credits", "It is.")
    assert drive_events(Cursor, INIT, failed, result("It is."), returncode=0).is_error
    assert not drive_events(Cursor, INIT, result("It is."), result("Else."), returncode=0).is_error


def test_another_run_in_the_same_stream_takes_the_end_back() -> None:
    first, init = (INIT, result("It is.")), {**INIT, "session_id": "c2"}
    cut = drive_events(Cursor, *first, init, said("Ha"), returncode=0)
    assert (cut.is_error, cut.final, cut.text, cut.session_id) == (True, False, "Ha", "c1")
    whole = drive_events(Cursor, *first, init, result("It was."), returncode=0)
    assert (whole.is_error, whole.text) == (False, "It was.")
    assert completion_after(INIT, result(DONE), INIT) is None
