from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lastbrace.agents.vibe import Vibe

from .driving import (
    CAPTURES,
    capture_id,
    captures_of,
    check_capture,
    check_odd_events,
    check_prefixes,
    completion_in,
    drive,
    drive_events,
    lines,
    odd_events,
    run_adapter,
)

if TYPE_CHECKING:
    from pathlib import Path

SMALL = [path for path in captures_of("vibe") if path.with_name(path.name + ".stdout").stat().st_size < 5000]


def entry(kind: str, **members: Any) -> dict[str, Any]:
    ids = {"id": "e", "sessionId": "s", "turnId": "t", "createdAt": 1, "generationStatus": "completed"}
    return {**ids, "type": kind, **members}


def said(text: str, role: str = "assistant", outcome: str = "committed") -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return entry("message", role=role, content=content, outcome={"type": outcome, "cause": "interrupt"})


@pytest.mark.parametrize("path", captures_of("vibe"), ids=capture_id)
def test_captures(path: Path) -> None:
    check_capture(Vibe, path)


@pytest.mark.parametrize("path", SMALL, ids=capture_id)
def test_no_beginning_of_a_capture_is_a_success(path: Path) -> None:
    check_prefixes(Vibe, path.with_name(path.name + ".stdout").read_bytes())


@pytest.mark.parametrize("events", [[], [said("hi", "user")], [said("I look."), entry("effect", state={})]])
def test_a_session_that_does_not_end_with_an_answer_was_cut(events: list[Any]) -> None:
    reply = drive_events(Vibe, *events, returncode=0)
    assert (reply.is_error, reply.final, reply.text) == (True, False, "")


def test_a_discarded_answer_is_an_error_that_keeps_its_text() -> None:
    reply = drive_events(Vibe, said("Half an ans", outcome="discarded"), returncode=0)
    assert (reply.is_error, reply.text, reply.subtype) == (True, "Half an ans", "interrupt")


def test_an_answer_after_a_discarded_one_counts() -> None:
    adapter = run_adapter(Vibe, lines(said('{"status":"done"}', outcome="discarded"), said("Fine.")), 0)
    assert (adapter.reply.is_error, adapter.reply.text) == (False, "Fine.")
    assert completion_in(adapter) is None


def test_a_document_that_was_not_printed_leaves_the_reason_on_stderr() -> None:
    reply = drive(Vibe, b"", 1, "Reading API keys from the system keyring\nError: Invalid API key\n")
    assert (reply.is_error, reply.error) == (True, "Invalid API key")


def test_only_the_exit_tells_a_stopped_run_from_a_finished_one() -> None:
    assert drive_events(Vibe, said("Fine."), returncode=0).is_error is False
    stopped = drive_events(Vibe, said("Fine."), returncode=3, stderr="Stopped: turn_limit\n")
    assert (stopped.is_error, stopped.subtype, stopped.text) == (True, "turn_limit", "Fine.")


def test_the_prompt_reasoning_and_tools_are_no_answer() -> None:
    look_alike = '{"status":"done"}'
    events = [
        said(look_alike, "user"),
        entry("reasoning", text=look_alike),
        said(look_alike),
        entry("effect", state=look_alike),
    ]
    assert completion_in(run_adapter(Vibe, lines(*events))) is None


def test_an_array_is_read_like_lines() -> None:
    streamed = drive(Vibe, (CAPTURES / "vibe/e_midretry.streaming.stdout").read_bytes(), 0)
    document = drive(Vibe, (CAPTURES / "vibe/e_midretry.json.stdout").read_bytes(), 0)
    assert streamed.text == document.text


def test_words_like_an_error_on_stderr_beside_exit_0_are_no_failure() -> None:
    assert not drive_events(Vibe, said("Fine."), returncode=0, stderr="Error: telemetry is off\n").is_error
    assert drive_events(Vibe, said("Fine."), stderr="Error: no key\n").error == "no key"


def test_members_of_any_type_raise_nothing() -> None:
    keys = ("type", "role", "content", "outcome", "sessionId")
    events = odd_events(("message", "effect", []), keys, turnId="t", role="assistant")
    check_odd_events(Vibe, events, 0)
