from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lastbrace.agents.kimi import Kimi

from .driving import (
    CAPTURES,
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

ANSWER = {"role": "assistant", "content": "All fine."}
CALL = {
    "role": "assistant",
    "content": 'I will print {"status":"done"}.',
    "tool_calls": [{"type": "function", "id": "c", "function": {"name": "Shell", "arguments": "{}"}}],
}
RESULT = {"role": "tool", "tool_call_id": "c", "content": '{"status":"done"}'}
RETRYING = {"role": "meta", "type": "turn.step.retrying", "failed_attempt": 1, "error_message": "Connection error."}
HINT = {"role": "meta", "type": "session.resume_hint", "session_id": "s1", "command": "kimi -r s1", "content": "…"}


@pytest.mark.parametrize("path", captures_of("kimi"), ids=capture_id)
def test_captures(path: Path) -> None:
    check_capture(Kimi, path)


@pytest.mark.parametrize("name", samples_of("kimi"))
def test_samples(name: str) -> None:
    check_sample(Kimi, name)


@pytest.mark.parametrize("name", samples_of("kimi"))
def test_no_beginning_of_a_sample_is_a_success(name: str) -> None:
    check_prefixes(Kimi, (SAMPLES / name).read_bytes())


def test_no_beginning_of_a_kimi_code_run_is_a_success() -> None:
    check_prefixes(Kimi, lines({"role": "meta", "type": "system.version", "version": "1"}, CALL, RESULT, ANSWER, HINT))


def test_errors_wrapped_at_80_columns_are_one_message() -> None:
    data = (CAPTURES / "kimi/e_400.stream.stdout").read_bytes()
    assert drive(Kimi, data, 1).error == (
        "Error code: 400 - {'error': {'message': 'prompt is too long: 210000 tokens > 200000 maximum (mock)', "
        "'type': 'invalid_request_error', 'param': None, 'code': None}}"
    )


def test_text_after_the_answer_is_an_error_unless_the_exit_says_otherwise() -> None:
    data = lines(ANSWER) + b"Error: Overloaded mid-stream\n"
    for returncode in (None, 1, 75):
        reply = drive(Kimi, data, returncode)
        assert (reply.is_error, reply.error, reply.text) == (True, "Error: Overloaded mid-stream", "All fine.")
    assert not drive(Kimi, data, 0).is_error


def test_text_before_the_messages_is_noise() -> None:
    assert not drive(Kimi, b"Warning: {config} is old\n" + lines(ANSWER)).is_error


def test_much_text_in_small_pieces_costs_linear_time_and_bounded_memory() -> None:
    adapter = Kimi()
    for _ in range(200_000):
        adapter.feed_text("wrapped ")
    adapter.close(1, "")
    assert len(adapter.reply.error or "") < 100_000


@pytest.mark.parametrize("events", [[], [CALL], [CALL, RESULT]])
def test_a_stream_that_ends_in_a_tool_call_was_cut_whatever_the_exit_says(events: list[Any]) -> None:
    reply = drive_events(Kimi, *events, returncode=0)
    assert reply.is_error
    assert "ended before" in (reply.error or "")
    assert reply.text == ""


def test_words_before_a_tool_call_and_its_result_are_no_answer() -> None:
    assert completion_in(run_adapter(Kimi, lines(CALL, RESULT, ANSWER))) is None


def test_a_retry_is_no_failure_and_takes_its_draft_away() -> None:
    draft = {"role": "assistant", "content": '{"status":"done","summary":"draft"}'}
    adapter = run_adapter(Kimi, lines(draft, RETRYING, ANSWER, HINT), 0)
    reply = adapter.reply
    assert (reply.is_error, reply.final, reply.session_id, reply.text) == (False, True, "s1", "All fine.")
    assert completion_in(adapter) is None


def test_the_last_retry_says_why_it_failed() -> None:
    assert drive_events(Kimi, RETRYING, returncode=1).error == "Connection error."


def test_kimi_code_without_its_hint_was_cut_even_at_a_line_end() -> None:
    reply = drive_events(Kimi, RETRYING, ANSWER, returncode=0)
    assert (reply.is_error, reply.final, reply.text) == (True, False, "All fine.")


def test_kimi_cli_has_no_sign_of_its_end_but_its_exit() -> None:
    assert drive_events(Kimi, ANSWER, returncode=0).is_error is False
    assert drive_events(Kimi, ANSWER, returncode=0).final is False
    assert drive_events(Kimi, ANSWER, returncode=-15).is_error is True


def test_thinking_and_hook_output_are_no_answer() -> None:
    think = {"type": "think", "think": '{"status":"done"}'}
    parts = {"role": "assistant", "content": [think, {"type": "text", "text": "Fine."}]}
    hook = {"role": "assistant", "content": 'Stop hook blocked\n\n{"status":"done"}'}
    adapter = run_adapter(Kimi, lines(parts, hook), 0)
    assert adapter.reply.text == "Fine."
    assert completion_in(adapter) is None


def test_an_answer_that_goes_on_to_call_a_tool_or_is_tried_again_is_none() -> None:
    assert drive_events(Kimi, ANSWER, CALL, RESULT, returncode=1).text == ""
    assert drive_events(Kimi, ANSWER, RETRYING, returncode=1).text == ""


def test_a_retry_that_went_on_is_not_why_it_failed() -> None:
    reply = drive_events(Kimi, RETRYING, CALL, RESULT, returncode=1, stderr="no credits left\n")
    assert "no credits left" in (reply.error or "")


def test_the_resume_hint_among_the_output_is_no_error() -> None:
    reply = drive(Kimi, lines(ANSWER) + b"\r\nTo resume this session: kimi -r s2\r\n")
    assert (reply.is_error, reply.session_id) == (False, "s2")


def test_members_of_any_type_raise_nothing() -> None:
    events = odd_events((None, "turn.step.retrying"), ("role", "content", "tool_calls", "session_id"))
    roles = ("assistant", "tool", "meta", 1, [])
    for event in odd_events((None,), ("content", "tool_calls")):
        del event["type"]
        events += [{"role": role, **event} for role in roles]
    events += [{"role": "assistant", "content": value} for value in (1, [1], [{"type": "text", "text": 1}], {}, None)]
    check_odd_events(Kimi, events)


def test_messages_of_other_shapes_are_not_recognised() -> None:
    assert Kimi.recognises(ANSWER)
    assert not Kimi.recognises({**ANSWER, "type": "message"})
    assert not Kimi.recognises({**ANSWER, "id": "m1"})
    assert not Kimi.recognises({"role": "assistant"})
