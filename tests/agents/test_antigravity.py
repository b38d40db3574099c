"""Antigravity CLI, as far as others' captures show it."""

from __future__ import annotations

from typing import Any

import pytest

from lastbrace.agents.antigravity import Antigravity

from .driving import SAMPLES, check_prefixes, check_sample, completion_in, drive_events, lines, run_adapter, samples_of
from .odd_members import check_each_member, check_odd_members

DONE = '{"status":"done","summary":"s"}'
INIT = {"event": "init", "conversation_id": "c", "init": {"model": "m"}}


def step(kind: str, index: int = 0, state: str = "ACTIVE", **members: Any) -> dict[str, Any]:
    update = {"conversation_id": "c", "step_index": index, "state": state, "step_type": kind, **members}
    return {"event": "step_update", "step_update": update}


def result(status: str = "SUCCESS", **members: Any) -> dict[str, Any]:
    return {"event": "result", "result": {"conversation_id": "c", "status": status, "num_turns": 1, **members}}


@pytest.mark.parametrize("name", samples_of("antigravity"))
def test_sample(name: str) -> None:
    check_sample(Antigravity, name)
    check_prefixes(Antigravity, (SAMPLES / name).read_bytes())
    check_each_member(Antigravity, name)
    check_odd_members(Antigravity, name)


def test_the_response_wins_over_the_deltas() -> None:
    adapter = run_adapter(Antigravity, lines(INIT, step("agent_response", text_delta=DONE), result(response="fine")), 0)
    assert adapter.reply.text == "fine"
    assert completion_in(adapter) is None


def test_text_before_a_tool_is_not_the_answer() -> None:
    draft = step("agent_response", 1, text_delta=DONE)
    tool = step("tool", 2, tool_name="run_command", tool_info={"parameters": {"x": DONE}})
    adapter = run_adapter(Antigravity, lines(INIT, draft, tool), 0)
    assert adapter.reply.text == ""
    assert completion_in(adapter) is None


def test_a_new_response_begins_the_draft_anew() -> None:
    steps = (step("agent_response", 1, text_delta=DONE), step("agent_response", 2, text_delta="no"))
    adapter = run_adapter(Antigravity, lines(INIT, *steps, step("agent_response", 2, text_delta="thing")))
    assert adapter.reply.text == "nothing"
    assert completion_in(adapter) is None


def test_a_step_that_is_done_ends_nothing() -> None:
    reply = drive_events(Antigravity, INIT, step("agent_response", 1, "DONE", text_delta="fine"), returncode=0)
    assert (reply.is_error, reply.final, reply.text) == (True, False, "fine")


@pytest.mark.parametrize("status", ["ERROR", "CANCELED", None, 1])
def test_any_other_status_is_an_error_that_keeps_the_draft(status: Any) -> None:
    draft = step("agent_response", 1, text_delta="half")
    reply = drive_events(Antigravity, INIT, draft, result(status, response=""), returncode=0)
    assert (reply.is_error, reply.final, reply.text) == (True, True, "half")


def test_success_with_an_error_is_an_error() -> None:
    reply = drive_events(Antigravity, INIT, result(response="r", error="quota exhausted"), returncode=0)
    assert (reply.is_error, reply.error) == (True, "quota exhausted")


def test_structured_output_wins() -> None:
    output = {"status": "continue", "next": "n"}
    adapter = run_adapter(Antigravity, lines(INIT, result(response=DONE, structured_output=output)), 0)
    assert adapter.reply.structured == output
    completion = completion_in(adapter)
    assert completion is not None
    assert completion.next == "n"


def test_a_result_for_each_message_the_newest_counts() -> None:
    failed = result("ERROR", response="", error="e")
    reply = drive_events(Antigravity, INIT, failed, step("user_input"), result(response="2", duration_seconds=0.5))
    assert (reply.is_error, reply.text, reply.duration_ms) == (False, "2", 500)
    assert drive_events(Antigravity, INIT, result(response="1"), step("agent_response", 3, text_delta="2")).is_error


def test_the_json_form_is_one_flat_object() -> None:
    flat = {"conversation_id": "c", "status": "SUCCESS", "response": DONE}
    assert Antigravity.recognises(flat)
    reply = drive_events(Antigravity, flat, returncode=0)
    assert (reply.text, reply.session_id, reply.is_error, reply.final) == (DONE, "c", False, True)
    failed = drive_events(Antigravity, {"conversation_id": "c", "status": "ERROR", "error": "e"}, returncode=0)
    assert (failed.is_error, failed.error) == (True, "e")


@pytest.mark.parametrize(
    "event",
    [
        {"event": "init"},
        {"event": "result", "result": "text"},
        {"event": "init", "init": {"pid": 1}},
        {"status": "SUCCESS"},
        {"event": ["init"], "conversation_id": "c"},
    ],
)
def test_others_events_are_not_claimed(event: dict[str, Any]) -> None:
    assert not Antigravity.recognises(event)


@pytest.mark.parametrize("error", [{}, {"code": 5}, {"message": "quota"}, ["quota"], 1, True, "quota"])
def test_an_error_of_any_form_is_one(error: Any) -> None:
    reply = drive_events(Antigravity, INIT, result(response="r", error=error), returncode=0)
    assert (reply.is_error, reply.final) == (True, True)
    assert reply.error
    for none in (None, "", False):
        assert not drive_events(Antigravity, INIT, result(response="r", error=none), returncode=0).is_error


def test_an_unknown_status_of_the_flat_object_is_told() -> None:
    reply = drive_events(Antigravity, {"conversation_id": "c", "status": "TIMEOUT", "response": "r"}, returncode=0)
    assert (reply.is_error, reply.final, reply.error) == (True, True, "the result's status is TIMEOUT")


def test_another_run_in_the_same_stream_takes_the_end_back() -> None:
    cut = drive_events(Antigravity, INIT, result(response="r"), INIT, returncode=0)
    assert (cut.is_error, cut.final, cut.text) == (True, False, "")
