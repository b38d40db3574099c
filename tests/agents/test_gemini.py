"""Gemini CLI: its one object, its stream, and what it says on stderr."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lastbrace.agents.gemini import Gemini

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

OURS = [path for path in captures_of("gemini") if "text" not in path.name]
STREAMS = samples_of("gemini-stream")
OBJECTS = [*samples_of("gemini-json"), "noise-gemini-prefix-suffix.txt"]
INIT = {"type": "init", "timestamp": "t", "session_id": "s", "model": "m"}
DONE = '{"status":"done","summary":"s"}'


def said(text: str) -> dict[str, Any]:
    return {"type": "message", "timestamp": "t", "role": "assistant", "content": text, "delta": True}


def result(status: str = "success", **members: Any) -> dict[str, Any]:
    return {"type": "result", "timestamp": "t", "status": status, "stats": {"total_tokens": 3}, **members}


def whole(response: Any = "text", **members: Any) -> dict[str, Any]:
    return {"session_id": "s", "response": response, "stats": {"models": {}, "tools": {}, "files": {}}, **members}


def pretty(value: Any) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode()


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
def test_capture(path: Path) -> None:
    check_capture(Gemini, path)


@pytest.mark.parametrize("name", [*STREAMS, *OBJECTS])
def test_sample(name: str) -> None:
    data = (SAMPLES / name).read_bytes()
    check_sample(Gemini, name)
    check_prefixes(Gemini, data, data.rindex(b"}") + 1)
    check_odd_members(Gemini, name)


@pytest.mark.parametrize("name", STREAMS)
def test_each_member_may_be_anything(name: str) -> None:
    check_each_member(Gemini, name)


def test_an_error_key_beside_a_response_and_exit_0_is_an_error() -> None:
    half = 'I begin {"status":"par'
    event = whole(half * 3, error={"type": "INVALID_STREAM", "message": "Model stream ended without a finish reason."})
    adapter = run_adapter(Gemini, pretty(event), 0)
    assert (adapter.reply.is_error, adapter.reply.final, adapter.reply.subtype) == (True, True, "INVALID_STREAM")
    assert adapter.reply.error == "Model stream ended without a finish reason."
    assert adapter.reply.text == half * 3
    assert completion_in(adapter) is None


def test_attempts_glued_together_give_the_newest_object() -> None:
    adapter = run_adapter(Gemini, lines(INIT, said('I begin {"status":"par'), said(f"I see.\n{DONE}"), result()), 0)
    completion = completion_in(adapter)
    assert completion is not None
    assert completion.summary == "s"
    assert not adapter.reply.is_error


def test_deltas_before_a_tool_are_not_the_answer() -> None:
    use = {"type": "tool_use", "timestamp": "t", "tool_name": "sh", "tool_id": "1", "parameters": {"command": DONE}}
    output = {"type": "tool_result", "timestamp": "t", "tool_id": "1", "status": "success", "output": DONE}
    adapter = run_adapter(Gemini, lines(INIT, said(DONE), use, output, said("fine"), result()), 0)
    assert adapter.reply.text == "fine"
    assert completion_in(adapter) is None


def test_the_users_message_is_not_the_answer() -> None:
    user = {"type": "message", "timestamp": "t", "role": "user", "content": DONE}
    adapter = run_adapter(Gemini, lines(INIT, user, said("fine"), result()), 0)
    assert completion_in(adapter) is None


def test_a_result_without_an_error_takes_it_from_the_error_event() -> None:
    warning = {"type": "error", "severity": "warning", "message": "Loop detected, stopping execution"}
    error = {"type": "error", "severity": "error", "message": "Invalid stream"}
    assert drive_events(Gemini, INIT, error, warning, result("error")).error == "Invalid stream"
    assert drive_events(Gemini, INIT, warning, result("error")).error == "Loop detected, stopping execution"


def test_a_warning_does_not_fail_a_run() -> None:
    warning = {"type": "error", "severity": "warning", "message": "Agent execution blocked: hook"}
    reply = drive_events(Gemini, INIT, warning, said("fine"), result(), returncode=0)
    assert (reply.is_error, reply.error) == (False, None)


def test_the_turn_limit_is_no_success_whatever_the_result_says() -> None:
    limit = "Maximum session turns exceeded"
    event = {"type": "error", "severity": "error", "message": limit}
    reply = drive_events(Gemini, INIT, said(DONE), event, result(), returncode=0)
    assert (reply.is_error, reply.final, reply.error) == (True, True, limit)
    assert drive(Gemini, pretty(whole("text", warnings=[limit])), 0).error == limit


def test_a_fatal_error_is_an_object_on_stderr() -> None:
    fatal = {"session_id": "s", "error": {"type": "FatalTurnLimitedError", "message": "Reached max turns", "code": 53}}
    log = "YOLO mode is enabled.\n" + pretty(fatal).decode() + "\n[ERROR] " + pretty(fatal).decode() + "\n"
    reply = drive(Gemini, b"", 53, log)
    assert (reply.is_error, reply.final, reply.session_id) == (True, True, "s")
    assert (reply.error, reply.subtype) == ("Reached max turns", "FatalTurnLimitedError")


def test_a_providers_error_in_a_stack_trace_is_not_fatal() -> None:
    log = 'Attempt 1 failed with status 529. Retrying... _ApiError: {"error":{"code":529,"message":"Overloaded"}}\n'
    assert not drive(Gemini, pretty(whole()), 0, log).is_error


def test_an_errors_json_is_read() -> None:
    message = '[API Error: {"error":{"code":401,"message":"invalid key","status":"UNAUTHENTICATED"}}]'
    reply = drive_events(Gemini, INIT, result("error", error={"type": "unknown", "message": message}))
    assert reply.error == "[API Error: invalid key]"


def test_cut_inside_the_object_is_known_from_its_head() -> None:
    data = (CAPTURES / "gemini" / "z_slow.json.stdout").read_bytes()
    assert len(data) == 65_536
    assert Gemini.recognises_text(data[:200].decode())
    reply = drive(Gemini, data, 0)
    assert (reply.is_error, reply.final) == (True, False)


def test_cut_at_a_line_end_shows_only_in_the_missing_result() -> None:
    reply = drive_events(Gemini, INIT, said("The answer"), said(f" is {DONE}"), returncode=0)
    assert (reply.is_error, reply.final, reply.text) == (True, False, f"The answer is {DONE}")
    assert reply.error == "the output ended before its final event"


def test_the_token_limit_leaves_no_sign_and_no_completion() -> None:
    adapter = run_adapter(Gemini, lines(INIT, said('The answer: {"status":"done","summary":"cut'), result()), 0)
    assert completion_in(adapter) is None
    assert adapter.reply.subtype == "success"


def test_notices_on_stderr_are_no_reason() -> None:
    log = "YOLO mode is enabled. All tool calls will be automatically approved.\nRipgrep is not available.\n"
    reply = drive_events(Gemini, INIT, returncode=-9, stderr=log)
    assert reply.error == "the output ended before its final event (ended by SIGKILL)"


def test_noise_before_and_after_and_a_missing_last_newline() -> None:
    data = (
        b"Loaded cached credentials.\n" + pretty(whole(f"x\n{DONE}")) + b"\nOpenTelemetry SDK shut down successfully."
    )
    adapter = run_adapter(Gemini, data, 0)
    assert (adapter.reply.is_error, adapter.reply.final) == (False, True)
    assert completion_in(adapter) is not None


def test_tokens_of_several_models_are_added() -> None:
    models = {"a": {"tokens": {"prompt": 1, "candidates": 2}}, "b": {"tokens": {"prompt": 3, "cached": 0}}, "c": None}
    usage = drive(Gemini, pretty(whole(stats={"models": models, "tools": {}}))).usage
    assert usage is not None
    assert (usage.input, usage.output, usage.cache_read, usage.total) == (4, 2, 0, None)


def test_an_object_without_a_response_is_no_success() -> None:
    assert drive(Gemini, pretty(whole(5)), 0).is_error
    assert drive(Gemini, pretty(whole("")), 0).is_error is False


@pytest.mark.parametrize(
    "event",
    [
        {"type": "result", "subtype": "success", "is_error": False, "result": "r", "stats": {}},
        {"error": {"type": "FatalCancellationError", "message": "Operation cancelled.", "code": 130}},
        {"type": "message", "role": "assistant", "id": "m", "text": "t"},
        {"response": "r", "status": "success"},
        {"type": "init"},
    ],
)
def test_others_events_are_not_claimed(event: dict[str, Any]) -> None:
    assert not Gemini.recognises(event)


def test_another_run_in_the_same_stream_takes_the_end_back() -> None:
    first, init = (INIT, said("fine"), result()), {**INIT, "session_id": "s2"}
    cut = drive_events(Gemini, *first, init, said("Ha"), returncode=0)
    assert (cut.is_error, cut.final, cut.text, cut.session_id) == (True, False, "Ha", "s2")
    whole = drive_events(Gemini, INIT, result("error"), init, said("well"), result(), returncode=0)
    assert (whole.is_error, whole.text) == (False, "well")


def test_an_unknown_status_is_told() -> None:
    assert "paused" in (drive_events(Gemini, INIT, result("paused"), returncode=0).error or "")
