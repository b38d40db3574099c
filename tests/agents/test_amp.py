"""Amp: what its events make of a reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lastbrace.agents.amp import Amp

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
from .odd_members import check_odd_members

if TYPE_CHECKING:
    from pathlib import Path

DONE = '{"status": "done", "summary": "of another"}'
INIT = {"type": "system", "subtype": "init", "cwd": "/", "session_id": "T-1", "tools": ["Bash"], "mcp_servers": []}


def said(*blocks: dict[str, Any] | str, stop: str = "end_turn", **members: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    body = {"type": "message", "role": "assistant", "content": content, "stop_reason": stop}
    return {"type": "assistant", "message": body, "parent_tool_use_id": None, "session_id": "T-1", **members}


def result(text: str, **members: Any) -> dict[str, Any]:
    event = {"type": "result", "subtype": "success", "is_error": False, "duration_ms": 4, "num_turns": 2}
    return {**event, "result": text, "session_id": "T-1", **members}


def completion_after(*events: dict[str, Any]) -> str | None:
    completion = completion_in(run_adapter(Amp, lines(*events), 0))
    return completion and completion.summary


@pytest.mark.parametrize("path", captures_of("amp"), ids=lambda path: path.name)
def test_captures_give_what_a_person_reads_in_them(path: Path) -> None:
    check_capture(Amp, path)


@pytest.mark.parametrize("sample", samples_of("amp"))
def test_samples_give_what_is_expected(sample: str) -> None:
    check_sample(Amp, sample)


@pytest.mark.parametrize("sample", samples_of("amp"))
def test_no_beginning_of_a_sample_is_a_success(sample: str) -> None:
    check_prefixes(Amp, (SAMPLES / sample).read_bytes())


@pytest.mark.parametrize("sample", samples_of("amp"))
def test_members_of_any_type_raise_nothing(sample: str) -> None:
    check_odd_members(Amp, sample)


def test_a_run_is_read() -> None:
    reply = drive_events(Amp, INIT, said("2 + 2 equals 4."), result("2 + 2 equals 4."), returncode=0)
    assert (reply.text, reply.is_error, reply.session_id) == ("2 + 2 equals 4.", False, "T-1")
    assert (reply.turns, reply.duration_ms, reply.cost_usd, reply.usage) == (2, 4, None, None)


def test_each_event_is_a_message_though_none_has_an_id() -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"cmd": DONE}}
    assert drive_events(Amp, INIT, said("First."), said("Second.")).text == "Second."
    assert completion_after(INIT, said(DONE, call, stop="tool_use")) is None
    assert drive_events(Amp, INIT, said("Look.", call, stop="tool_use"), said("Seen.")).text == "Seen."


def test_lines_of_a_sub_agent_are_not_the_answer() -> None:
    assert completion_after(INIT, said(DONE, parent_tool_use_id="t1")) is None


def test_an_answer_cut_by_the_token_limit_is_an_error_whose_subtype_is_the_sign() -> None:
    cut = '{"status": "done", "summary": "cut'
    reply = drive_events(Amp, INIT, said(cut, stop="max_tokens"), result(cut), returncode=0)
    assert (reply.is_error, reply.subtype) == (True, "max_tokens")
    assert completion_after(INIT, said(cut, stop="max_tokens"), result(cut)) is None


def test_a_missing_key_is_told_in_pieces_of_any_size() -> None:
    data = (CAPTURES / "amp" / "e_nokey.stream.stdout").read_bytes()
    adapter = Amp()
    for byte in data.decode():
        adapter.feed_text(byte)
    adapter.close(-15, "")
    assert Amp.recognises_text(data.decode())
    assert (adapter.reply.error or "").endswith(": No API key found. Starting login flow...")


def test_what_an_answer_says_of_keys_is_no_error() -> None:
    reply = drive(Amp, b"No API key found. Starting login flow...\n" + lines(INIT, said("Fine."), result("Fine.")), 0)
    assert (reply.text, reply.is_error, reply.error) == ("Fine.", False, None)
