"""Factory droid: what its events make of a reply."""

from __future__ import annotations

from typing import Any

import pytest

from lastbrace.agents.droid import Droid

from .driving import (
    SAMPLES,
    check_prefixes,
    check_sample,
    completion_in,
    drive_events,
    lines,
    run_adapter,
    samples_of,
)
from .odd_members import check_odd_members

DONE = '{"status": "done", "summary": "of another"}'
INIT = {"type": "system", "subtype": "init", "session_id": "d1", "tools": [], "model": "m", "cwd": "/"}
CALL = {"type": "tool_call", "id": "t1", "toolId": "Read", "toolName": "Read", "parameters": {"path": DONE}}


def said(text: str, role: str = "assistant") -> dict[str, Any]:
    return {"type": "message", "role": role, "id": "m1", "text": text, "session_id": "d1"}


def completed(text: str) -> dict[str, Any]:
    return {"type": "completion", "finalText": text, "numTurns": 1, "durationMs": 3, "session_id": "d1"}


def failed(message: str, source: str = "agent_loop") -> dict[str, Any]:
    return {"type": "error", "source": source, "message": message, "session_id": "d1"}


def result(text: str, **members: Any) -> dict[str, Any]:
    event = {"type": "result", "subtype": "success", "is_error": False, "duration_ms": 4, "num_turns": 2}
    return {**event, "result": text, "session_id": "d1", **members}


def completion_after(*events: dict[str, Any]) -> str | None:
    completion = completion_in(run_adapter(Droid, lines(*events), 0))
    return completion and completion.summary


@pytest.mark.parametrize("sample", samples_of("droid"))
def test_samples_give_what_is_expected(sample: str) -> None:
    check_sample(Droid, sample)


@pytest.mark.parametrize("sample", samples_of("droid"))
def test_no_beginning_of_a_sample_is_a_success(sample: str) -> None:
    check_prefixes(Droid, (SAMPLES / sample).read_bytes())


@pytest.mark.parametrize("sample", samples_of("droid"))
def test_members_of_any_type_raise_nothing(sample: str) -> None:
    check_odd_members(Droid, sample)


def test_of_two_error_lines_the_cause_is_told() -> None:
    reply = drive_events(Droid, INIT, failed("Connection error."), failed("Exec failed", "cli"), returncode=1)
    assert (reply.error, reply.is_error, reply.final) == ("Connection error.", True, True)
    assert drive_events(Droid, INIT, failed("Bad model", "cli"), returncode=1).error == "Bad model"


def test_an_error_that_the_agent_got_over_is_none() -> None:
    reply = drive_events(Droid, INIT, failed("Overloaded"), said("Well."), completed("Well."), returncode=0)
    assert (reply.is_error, reply.error, reply.text) == (False, None, "Well.")


def test_a_stream_cut_after_an_error_tells_it() -> None:
    reply = drive_events(Droid, INIT, said("Half"), failed("Connection error."), returncode=0)
    assert (reply.final, reply.is_error, reply.text) == (False, True, "Half")
    assert reply.error == "the output ended before its final event: Connection error."


def test_a_failure_in_json_is_told() -> None:
    reply = drive_events(Droid, result("Exec failed", subtype="failure", is_error=True), returncode=1)
    assert (reply.is_error, reply.subtype, reply.error) == (True, "failure", "Exec failed")


@pytest.mark.parametrize("odd", [{"is_error": True}, {"subtype": "failure"}, {"result": None}, {"is_error": None}])
def test_a_result_that_does_not_say_that_it_succeeded_is_an_error(odd: dict[str, Any]) -> None:
    assert drive_events(Droid, {**result("It is."), **odd}, returncode=0).is_error


def test_words_before_a_tool_call_are_not_the_answer() -> None:
    assert completion_after(INIT, said(DONE), CALL) is None
    assert drive_events(Droid, INIT, said("Look."), CALL, said("Seen.")).text == "Seen."
    assert drive_events(Droid, INIT, said("First."), said("Second.")).text == "Second."


def test_look_alikes_that_the_agent_did_not_say_are_not_the_answer() -> None:
    others: list[dict[str, Any]] = [
        CALL,
        {"type": "tool_result", "id": "t1", "toolId": "Read", "isError": False, "value": DONE, "session_id": "d1"},
        {"type": "reasoning", "id": "r1", "text": DONE, "session_id": "d1"},
        said(DONE, "user"),
    ]
    for other in others:
        assert completion_after(INIT, other) is None, other


def test_thinking_tokens_are_told_apart() -> None:
    reply = drive_events(Droid, {**completed("x"), "usage": {"output_tokens": 9, "thinking_tokens": 0}})
    assert reply.usage is not None
    assert (reply.usage.input, reply.usage.output, reply.usage.reasoning) == (None, 9, 0)


def test_a_completion_without_text_is_an_error() -> None:
    assert drive_events(Droid, INIT, {**completed("x"), "finalText": None}, returncode=0).is_error


def test_a_failure_after_the_end_fails_the_run() -> None:
    wrong = result("no credits", subtype="error", is_error=True)
    reply = drive_events(Droid, INIT, result("It is."), wrong, returncode=0)
    assert (reply.is_error, reply.error, reply.text) == (True, "no credits", "It is.")
    reply = drive_events(
        Droid, INIT, completed("It is."), failed("no network"), failed("Exec failed", "cli"), returncode=0
    )
    assert (reply.is_error, reply.error) == (True, "no network")
    assert not drive_events(Droid, INIT, completed("It is."), failed("no network"), returncode=0).is_error


def test_another_run_in_the_same_stream_takes_the_end_back() -> None:
    cut = drive_events(Droid, INIT, completed("It is."), INIT, said("Ha"), returncode=0)
    assert (cut.is_error, cut.final, cut.text) == (True, False, "Ha")
