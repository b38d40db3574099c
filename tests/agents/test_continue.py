from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import lastbrace
from lastbrace.agents.continue_ import Continue

from .driving import (
    CAPTURES,
    capture_id,
    captures_of,
    check_capture,
    check_prefixes,
    completion_in,
    drive,
    lines,
    run_adapter,
)

if TYPE_CHECKING:
    from pathlib import Path

WRAPPED = {
    "response": "Fine.",
    "status": "success",
    "note": "Response was not valid JSON, so it was wrapped in a JSON object",
}


@pytest.mark.parametrize("path", captures_of("continue"), ids=capture_id)
def test_captures(path: Path) -> None:
    check_capture(Continue, path)


def test_no_beginning_of_a_capture_is_a_success() -> None:
    check_prefixes(Continue, (CAPTURES / "continue/a_plain.json.stdout").read_bytes())


def test_an_output_cut_at_65536_bytes_with_exit_0_is_an_error() -> None:
    data = (CAPTURES / "continue/d_long.json.stdout").read_bytes()
    assert len(data) == 65536
    reply = drive(Continue, data, 0)
    assert (reply.is_error, reply.final) == (True, False)


def test_the_wrapping_is_no_completion_and_no_object_of_the_answer() -> None:
    adapter = run_adapter(Continue, lines({**WRAPPED, "response": "no object here"}), 0)
    assert completion_in(adapter) is None


def test_an_error_on_stderr_is_told() -> None:
    reply = drive(Continue, b"", 1, '{"status":"error","message":"401 no key"}\n')
    assert (reply.is_error, reply.error, reply.subtype) == (True, "401 no key", "error")


def test_logs_on_stderr_beside_an_answer_are_no_failure() -> None:
    assert not drive(Continue, lines(WRAPPED), 0, '{"level":"error","error":"telemetry"}\n').is_error


def test_logs_on_stderr_are_not_why_nothing_was_printed() -> None:
    reply = drive(Continue, b"", 0, '{"level":"error","message":"telemetry"}\n')
    assert "telemetry" not in (reply.error or "").partition(":")[0]
    assert reply.subtype is None


def test_only_the_wrapping_is_recognised() -> None:
    assert Continue.recognises(WRAPPED)
    assert not Continue.recognises({"response": "x", "status": "success"})
    assert not Continue.recognises({**WRAPPED, "note": 1})
    assert not Continue.recognises({**WRAPPED, "response": None})
    assert not Continue.recognises({"status": "done", "summary": "an answer"})


def test_a_wrapped_answer_with_another_status_is_an_error() -> None:
    reply = drive(Continue, lines({**WRAPPED, "status": "partial"}), 0)
    assert (reply.is_error, reply.final, reply.text, reply.subtype) == (True, True, "Fine.", "partial")
    assert "partial" in (reply.error or "")


def test_an_answer_of_any_depth_raises_nothing() -> None:
    answer: dict[str, Any] = {}
    for _ in range(100_000):
        answer = {"a": answer}
    adapter = Continue()
    adapter.feed(answer)
    adapter.close(0, "")
    assert (adapter.reply.is_error, adapter.reply.final) == (True, True)
    assert "too deep" in (adapter.reply.error or "")


def test_a_watcher_reads_an_answer_of_any_depth() -> None:
    for depth in (500, *range(900, 1000), 50_000):
        watcher = lastbrace.Watcher(agent="continue", max_depth=10**6)
        watcher.feed(b'{"a":' * depth + b"1" + b"}" * depth + b"\n")
        reply = watcher.close(0).reply
        assert reply is not None
        assert reply.text or reply.is_error
