"""Codex: each form, the errors that do not fail a run, and the ends that are none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lastbrace.agents.codex import Codex
from lastbrace.agents.reply import Usage

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
from .odd_members import check_each_member, check_odd_members

if TYPE_CHECKING:
    from pathlib import Path

NAMES = samples_of("codex-")
STARTED = {"type": "thread.started", "thread_id": "0199"}
TURN = {"type": "turn.started"}
COMPLETED = {"type": "turn.completed", "usage": {"input_tokens": 9, "output_tokens": 3}}
DONE = '{"status":"done","summary":"s"}'


def message(text: str, number: int = 0) -> dict[str, Any]:
    return {"type": "item.completed", "item": {"id": f"item_{number}", "type": "agent_message", "text": text}}


def command(number: int, kind: str = "completed") -> dict[str, Any]:
    item = {"id": f"item_{number}", "type": "command_execution", "command": "ls", "aggregated_output": DONE}
    return {"type": f"item.{kind}", "item": item}


def msg(kind: str, **members: Any) -> dict[str, Any]:
    return {"id": "0", "msg": {"type": kind, **members}}


def record(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-08-20T10:00:00.000Z", "type": kind, "payload": payload}


@pytest.mark.parametrize("path", captures_of("codex", "codex-old"), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_capture(path: Path) -> None:
    check_capture(Codex, path)


@pytest.mark.parametrize("name", NAMES)
def test_sample(name: str) -> None:
    check_sample(Codex, name)
    check_prefixes(Codex, (SAMPLES / name).read_bytes())
    check_each_member(Codex, name)
    check_odd_members(Codex, name)


def test_reconnecting_and_a_warning_do_not_fail_a_run() -> None:
    warning = {
        "type": "item.completed",
        "item": {"id": "item_0", "type": "error", "message": "Model metadata not found"},
    }
    notice = {"type": "error", "message": "Reconnecting... 1/5 (stream disconnected)"}
    reply = drive_events(Codex, STARTED, warning, TURN, notice, message("fine"), COMPLETED, returncode=0)
    assert (reply.is_error, reply.final, reply.error, reply.text) == (False, True, None, "fine")


def test_only_turn_failed_fails_and_says_why() -> None:
    body = json.dumps({"error": {"message": "prompt is too long", "type": "invalid_request_error"}})
    failed = {"type": "turn.failed", "error": {"message": body}}
    reply = drive_events(Codex, STARTED, TURN, {"type": "error", "message": body}, failed, returncode=1)
    assert (reply.is_error, reply.final, reply.error) == (True, True, "prompt is too long")
    assert reply.subtype == "turn.failed"


def test_the_last_error_explains_a_stream_that_stops() -> None:
    reply = drive_events(Codex, STARTED, TURN, {"type": "error", "message": "401 Unauthorized"}, returncode=1)
    assert reply.error == "the output ended before its final event (exit status 1): 401 Unauthorized"


def test_success_beside_a_failing_exit_is_an_error_and_both_are_told() -> None:
    reply = drive_events(Codex, STARTED, TURN, message("fine"), COMPLETED, returncode=3)
    assert (reply.is_error, reply.final) == (True, True)
    assert reply.error == "reported success, but exit status 3"


def test_the_notice_about_stdin_is_no_reason() -> None:
    log = "Reading additional input from stdin...\n"
    reply = drive_events(Codex, STARTED, TURN, returncode=1, stderr=log)
    assert reply.error == "the output ended before its final event (exit status 1)"


def test_a_message_before_a_tool_call_is_not_the_answer() -> None:
    adapter = run_adapter(Codex, lines(STARTED, TURN, message(DONE), command(1, "started")), 0)
    assert completion_in(adapter) is None
    assert adapter.reply.text == ""


def test_a_tool_whose_start_was_not_shown_comes_after_a_draft() -> None:
    change = {"type": "item.completed", "item": {"id": "item_1", "type": "file_change", "changes": []}}
    adapter = run_adapter(Codex, lines(STARTED, TURN, message(DONE), change, COMPLETED), 0)
    assert completion_in(adapter) is None


def test_a_call_still_running_at_the_end_leaves_the_answer() -> None:
    events = (STARTED, TURN, command(0, "started"), message("all good", 1), command(0), COMPLETED)
    assert drive_events(Codex, *events, returncode=0).text == "all good"


def test_the_message_of_a_failed_attempt_gives_way_to_the_next() -> None:
    notice = {"type": "error", "message": "Reconnecting... 1/2 (Incomplete response returned)"}
    adapter = run_adapter(Codex, lines(STARTED, TURN, message(DONE), notice, message("no object", 1), COMPLETED), 0)
    assert adapter.reply.text == "no object"
    assert completion_in(adapter) is None


def test_todo_lists_tool_output_and_reasoning_are_no_answer() -> None:
    todo = {"type": "item.completed", "item": {"id": "item_2", "type": "todo_list", "items": [{"text": DONE}]}}
    thought = {"type": "item.completed", "item": {"id": "item_3", "type": "reasoning", "text": DONE}}
    events = lines(STARTED, TURN, command(0, "started"), command(0), message("said", 1), todo, thought, COMPLETED)
    adapter = run_adapter(Codex, events, 0)
    assert adapter.reply.text == "said"
    assert completion_in(adapter) is None


def test_events_quoted_in_tool_output_are_not_read() -> None:
    quoted = lines(STARTED, TURN, message("quoted"), COMPLETED).decode()
    item = {"id": "item_0", "type": "command_execution", "aggregated_output": quoted, "command": "cat log"}
    reply = drive_events(Codex, STARTED, TURN, {"type": "item.completed", "item": item})
    assert (reply.text, reply.final, reply.is_error) == ("", False, True)


def test_output_schema_gives_text_that_holds_the_object() -> None:
    reply = drive(Codex, (SAMPLES / "codex-output-schema.jsonl").read_bytes())
    assert json.loads(reply.text) == {"verdict": "ok", "files": ["a.py"]}
    assert reply.structured is None


def test_usage_is_cumulative_so_the_last_counts() -> None:
    more = {"type": "turn.completed", "usage": {"input_tokens": 20, "output_tokens": 5, "cached_input_tokens": 0}}
    reply = drive_events(Codex, STARTED, TURN, message("1"), COMPLETED, TURN, message("2"), more)
    assert reply.usage == Usage(input=20, output=5, cache_read=0)
    assert reply.text == "2"


def test_duplicate_keys_take_the_last() -> None:
    search = b'{"type":"item.completed","item":{"id":"item_1","type":"web_search","id":"ws_1","query":"q"}}\n'
    reply = drive(Codex, lines(STARTED, TURN) + search + lines(message("found"), COMPLETED))
    assert (reply.text, reply.is_error) == ("found", False)


def test_raw_line_separators_in_a_text() -> None:
    text = "a\u2028b\u2029c\x85d\ufeffe\x7f"
    assert drive_events(Codex, STARTED, TURN, message(text), COMPLETED).text == text


# The form of September 2025


def item_of_2025(kind: str, event: str = "item.completed", number: int = 0, **members: Any) -> dict[str, Any]:
    return {"type": event, "item": {"id": f"item_{number}", "item_type": kind, **members}}


CREATED = {"type": "session.created", "session_id": "019e"}


def test_september_2025_has_no_end_so_the_exit_decides() -> None:
    call = item_of_2025("command_execution", "item.started", command="ls")
    events = (CREATED, call, item_of_2025("command_execution"), item_of_2025("assistant_message", text="Created."))
    reply = drive_events(Codex, *events, returncode=0)
    assert (reply.text, reply.session_id, reply.final, reply.is_error) == ("Created.", "019e", False, False)
    assert drive_events(Codex, *events, returncode=-15).is_error
    assert drive_events(Codex, *events[:3], returncode=0).is_error


def test_september_2025_exits_with_0_after_an_error() -> None:
    error = {"type": "error", "message": "Failed to refresh token: 401 Unauthorized"}
    reply = drive_events(Codex, CREATED, item_of_2025("assistant_message", text="Created."), error, returncode=0)
    assert (reply.is_error, reply.error) == (True, "Failed to refresh token: 401 Unauthorized")


def test_september_2025_retried() -> None:
    retry = {"type": "error", "message": "stream error: timeout; retrying 1/5 in 182ms…"}
    reply = drive_events(Codex, CREATED, retry, item_of_2025("assistant_message", text="Created."), returncode=0)
    assert (reply.is_error, reply.error) == (False, None)


# The form of mid-2025


def test_summer_2025_exits_with_0_after_an_error() -> None:
    retry = msg("stream_error", message="stream error: 529; retrying 1/2 in 189ms…")
    reply = drive_events(Codex, msg("task_started"), retry, msg("error", message="exceeded retry limit"), returncode=0)
    assert (reply.is_error, reply.error, reply.subtype) == (True, "exceeded retry limit", "error")


def test_summer_2025_ends_with_the_count_after_a_message() -> None:
    count = msg("token_count", info={"total_token_usage": {"input_tokens": 5}})
    begin = msg("exec_command_begin", call_id="c", command=["ls"])
    draft = (msg("task_started"), msg("agent_message", message="I look."), begin, msg("exec_command_end"), count)
    assert drive_events(Codex, *draft, returncode=0).is_error
    reply = drive_events(Codex, *draft, msg("agent_message", message="Done."), count, returncode=0)
    assert (reply.text, reply.final, reply.is_error) == ("Done.", True, False)
    assert drive_events(Codex, *draft, msg("agent_message", message="Done."), returncode=0).is_error


def test_summer_2025_deltas_are_a_draft_of_the_message() -> None:
    events = [msg("agent_message_delta", delta=delta) for delta in ("Do", "ne.")]
    adapter = run_adapter(Codex, lines(*events, msg("agent_message", message="Done.")))
    assert [change.kind for change in adapter.changes] == ["add", "add", "final"]
    assert adapter.text == "Done."


def test_the_prompt_of_summer_2025_is_not_the_answer() -> None:
    settings = {"provider": "p", "workdir": "/", "sandbox": "s", "approval": "never", "model": "m"}
    adapter = run_adapter(Codex, lines(settings, {"prompt": f"answer with {DONE}"}))
    assert completion_in(adapter) is None
    assert Codex.recognises(settings)


# Rollout logs


def test_rollout_turns_follow_each_other() -> None:
    start, end = record("event_msg", type="task_started"), record("event_msg", type="task_complete", duration_ms=7)
    first = record("response_item", type="message", role="assistant", content=[{"type": "output_text", "text": "1"}])
    aborted = record("event_msg", type="turn_aborted", reason="interrupted")
    meta, other = record("session_meta", id="own"), record("session_meta", id="parent")
    reply = drive_events(Codex, meta, other, start, first, end)
    assert (reply.text, reply.session_id, reply.duration_ms, reply.is_error) == ("1", "own", 7, False)
    stopped = drive_events(Codex, meta, start, first, end, start, aborted)
    assert (stopped.text, stopped.is_error, stopped.error) == ("", True, "the turn was aborted: interrupted")
    assert drive_events(Codex, meta, start, aborted, start, first, end).is_error is False


def test_a_rollout_that_goes_on_is_not_final() -> None:
    said = record("event_msg", type="agent_message", message=DONE)
    count = record("event_msg", type="token_count", info={"total_token_usage": {"input_tokens": 5}})
    start = record("event_msg", type="task_started")
    assert not drive_events(Codex, start, said, count).final
    call = record("response_item", type="function_call", name="shell", arguments=DONE)
    adapter = run_adapter(
        Codex, lines(start, said, call, record("response_item", type="function_call_output", output=DONE))
    )
    assert completion_in(adapter) is None


def test_a_failed_turn_of_a_rollout_stays_failed_when_it_completes() -> None:
    error = record("event_msg", type="error", message="usage limit reached")
    end = record("event_msg", type="task_complete", last_agent_message=None)
    reply = drive_events(Codex, record("event_msg", type="task_started"), error, end)
    assert (reply.is_error, reply.error, reply.subtype) == (True, "usage limit reached", "error")


@pytest.mark.parametrize(
    "event",
    [
        {"type": "turn.completed", "payload": {}},
        {"type": "session.created", "session": {"id": "s"}},
        {"id": 1, "msg": "listening"},
        {"type": "error", "message": "m"},
        {"prompt": "p"},
        {"type": "event_msg"},
        {"level": "info", "msg": {"type": "agent_message"}},
    ],
)
def test_others_events_are_not_claimed(event: dict[str, Any]) -> None:
    assert not Codex.recognises(event)


def test_another_run_in_the_same_stream_takes_the_end_back() -> None:
    first, started = (STARTED, TURN, message("fine"), COMPLETED), {**STARTED, "thread_id": "0200"}
    cut = drive_events(Codex, *first, started, returncode=0)
    assert (cut.is_error, cut.final, cut.text, cut.session_id, cut.usage) == (True, False, "", "0200", None)
    whole = drive_events(Codex, *first, started, TURN, message("well"), COMPLETED, returncode=0)
    assert (whole.is_error, whole.text) == (False, "well")
