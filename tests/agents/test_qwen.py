"""Qwen Code: what its events make of a reply."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lastbrace import find_objects
from lastbrace.agents.qwen import Qwen

from .driving import (
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
from .odd_members import check_odd_members

if TYPE_CHECKING:
    from pathlib import Path

OURS = [path for path in captures_of("qwen", "qwen-old") if not path.name.endswith(".text")]
DONE = '{"status": "done", "summary": "of another"}'
ANSWER = 'All is well. {"status": "done", "summary": "well"}'


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def init() -> dict[str, Any]:
    return {"type": "system", "subtype": "init", "session_id": "q1", "qwen_code_version": "0.24.4"}


def said(text: str, identity: str = "m1", **members: Any) -> dict[str, Any]:
    body = {"id": identity, "role": "assistant", "content": [{"type": "text", "text": text}], "stop_reason": None}
    return {"type": "assistant", "message": body, "parent_tool_use_id": None, "session_id": "q1", **members}


def called(identity: str) -> dict[str, Any]:
    call = {"type": "tool_use", "id": "c1", "name": "run_shell_command", "input": {"command": DONE}}
    body = {"id": identity, "role": "assistant", "content": [call], "stop_reason": "tool_use"}
    return {"type": "assistant", "message": body, "session_id": "q1", "parent_tool_use_id": None}


def delta(text: str) -> dict[str, Any]:
    event = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
    return {"type": "stream_event", "event": event, "parent_tool_use_id": None, "session_id": "q1"}


def started(identity: str) -> dict[str, Any]:
    return {"type": "stream_event", "event": {"type": "message_start", "message": {"id": identity}}}


def retried(*, preserve: bool) -> dict[str, Any]:
    return {"type": "system", "subtype": "retry", "data": {"reason": "retry", "preserveText": preserve}}


def result(text: str = ANSWER, **members: Any) -> dict[str, Any]:
    event = {"type": "result", "subtype": "success", "uuid": "u", "session_id": "q1", "is_error": False}
    return {**event, "result": text, "usage": {"input_tokens": 3}, "permission_denials": [], **members}


def failed(error: str) -> dict[str, Any]:
    event = result(subtype="error_during_execution", is_error=True, error={"message": error})
    del event["result"]
    return event


def completion_after(*events: dict[str, Any]) -> str | None:
    completion = completion_in(run_adapter(Qwen, lines(*events), 0))
    return completion and completion.summary


@pytest.mark.parametrize("path", OURS, ids=name)
def test_captures_give_what_a_person_reads_in_them(path: Path) -> None:
    check_capture(Qwen, path)


@pytest.mark.parametrize("sample", samples_of("qwen"))
def test_samples_give_what_is_expected(sample: str) -> None:
    check_sample(Qwen, sample)


@pytest.mark.parametrize("sample", samples_of("qwen"))
def test_no_beginning_of_a_sample_is_a_success(sample: str) -> None:
    data = (SAMPLES / sample).read_bytes()
    check_prefixes(Qwen, data, next(found.end for found in find_objects(data) if found.value["type"] == "result"))


@pytest.mark.parametrize("sample", samples_of("qwen"))
def test_members_of_any_type_raise_nothing(sample: str) -> None:
    check_odd_members(Qwen, sample)


@pytest.mark.parametrize(
    "text",
    [
        "[API Error: 401 status code (no body)]",
        'Half an answer {"status":"par[API Error: Overloaded]\n',
        "[API Error: 429 too many requests]\nPlease wait and try again later.",
    ],
)
def test_a_success_whose_text_is_an_api_error_is_an_error(text: str) -> None:
    reply = drive_events(Qwen, init(), result(text), returncode=0)
    assert (reply.is_error, reply.final, reply.text) == (True, True, text)
    assert (reply.error or "").startswith("[API Error: ")


def test_an_answer_that_speaks_of_api_errors_is_a_success() -> None:
    text = "The log says [API Error: 401] twice; the key was wrong."
    assert drive_events(Qwen, init(), result(text), returncode=0).is_error is False


def test_a_fatal_error_on_stderr_beside_an_empty_stdout_is_told() -> None:
    error = {"error": {"type": "FatalTurnLimitedError", "message": "Reached max session turns.", "code": 53}}
    reply = drive(Qwen, b"", 53, "Warning: {yolo}\n" + json.dumps(error, indent=2) + "\n")
    assert (reply.is_error, reply.final) == (True, False)
    assert (reply.error, reply.subtype) == ("Reached max session turns.", "FatalTurnLimitedError")


def test_an_error_that_stdout_told_already_is_not_replaced_by_that_on_stderr() -> None:
    again = {"error": {"type": "AlreadyReportedError", "message": "said before", "code": 1}}
    reply = drive_events(Qwen, init(), failed("[API Error: 400]"), returncode=1, stderr=json.dumps(again))
    assert (reply.error, reply.subtype) == ("[API Error: 400]", "error_during_execution")


def test_the_draft_of_an_attempt_before_a_retry_is_not_the_answer() -> None:
    events = (init(), started("m1"), delta(f"Half {DONE}"), retried(preserve=False), delta("Again."))
    assert drive_events(Qwen, *events).text == "Again."
    assert completion_after(*events) is None
    assert completion_after(*events, result()) == "well"


def test_a_retry_that_carries_on_keeps_the_draft() -> None:
    events = (init(), started("m1"), delta('{"status": "do'), retried(preserve=True), delta('ne", "summary": "x"}'))
    assert completion_after(*events) == "x"


def test_blocks_of_a_message_bear_different_ids() -> None:
    events = (init(), started("m1"), delta("Look"), said("Look", "m1"), called("m2"), started("m3"), delta("Seen"))
    assert drive_events(Qwen, *events).text == "Seen"
    assert drive_events(Qwen, *events, said("Seen", "m4")).text == "Seen"


def test_words_before_a_tool_call_are_not_the_answer() -> None:
    assert completion_after(init(), said(DONE, "m1"), called("m2")) is None


def test_the_tail_that_an_exit_left_out_is_told() -> None:
    data = json.dumps([init(), said(ANSWER), result()]).encode()
    adapter = run_adapter(Qwen, data[:-40], 0)
    assert (adapter.reply.final, adapter.reply.is_error, adapter.reply.text) == (False, True, ANSWER)
    assert completion_in(adapter) is not None


def test_a_tail_cut_inside_a_character_is_told() -> None:
    data = lines(init(), said("draft"), result("… 🚀 ✓"))
    reply = drive(Qwen, data[: data.index("🚀".encode()) + 2], 0)
    assert (reply.final, reply.is_error, reply.text) == (False, True, "draft")


def test_the_failed_result_of_a_sub_agent_does_not_fail_a_run_that_goes_on() -> None:
    events = (init(), called("m1"), failed("Max turns reached"))
    assert drive_events(Qwen, *events).is_error
    reply = drive_events(Qwen, *events, said(ANSWER, "m2"), result())
    assert (reply.is_error, reply.error, reply.text) == (False, None, ANSWER)
    assert completion_after(*events, said(ANSWER, "m2")) == "well"
    assert drive_events(Qwen, *events, said(ANSWER, "m2")).is_error


def test_structured_output_is_the_answer() -> None:
    value = {"status": "done", "summary": "structured"}
    events = (init(), called("m1"), result(json.dumps(value), structured_result=value))
    assert drive_events(Qwen, *events).structured == value
    assert completion_after(*events) == "structured"


def test_lines_of_a_sub_agent_are_not_the_answer() -> None:
    assert completion_after(init(), said(DONE, parent_tool_use_id="c1")) is None


def test_there_is_no_cost() -> None:
    assert drive_events(Qwen, result()).cost_usd is None


@pytest.mark.parametrize(
    "text", ["[API Error: 429 slow down] and more", "\n[API Error:500]\n\nmore", "[API Error: cut"]
)
def test_a_text_that_begins_with_an_api_error_is_one(text: str) -> None:
    reply = drive_events(Qwen, init(), result(text), returncode=0)
    assert (reply.is_error, reply.final, reply.error) == (True, True, text.strip())
    assert not drive_events(Qwen, init(), result(f"It said {text} again"), returncode=0).is_error


def test_another_run_in_the_same_stream_takes_the_end_back() -> None:
    second = {**init(), "session_id": "another"}
    cut = drive_events(Qwen, init(), result(), second, returncode=0)
    assert (cut.is_error, cut.final, cut.text) == (True, False, "")
