from __future__ import annotations

import json
from typing import Any

import pytest

from lastbrace.agents.anthropic import Anthropic

from .driving import check_odd_events, check_prefixes, completion_in, drive, odd_events, run_adapter


def sse(*events: Any, newline: str = "\n") -> bytes:
    """Return events as they come from Anthropic."""
    blocks = [f"event: {event['type']}{newline}data: {json.dumps(event)}{newline}{newline}" for event in events]
    return "".join(blocks).encode()


def message(*deltas: str, stop: str | None = "end_turn", more: tuple[Any, ...] = ()) -> list[dict[str, Any]]:
    usage = {"input_tokens": 25, "output_tokens": 1, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 0}
    body = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m", "usage": usage}
    return [
        {"type": "message_start", "message": body},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
            for text in deltas
        ),
        {"type": "content_block_stop", "index": 0},
        *more,
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None},
            "usage": {"output_tokens": 15},
        },
        {"type": "message_stop"},
    ]


def test_text_usage_and_reason() -> None:
    adapter = run_adapter(Anthropic, sse(*message('{"status":', '"done"}')))
    reply = adapter.reply
    assert (reply.text, reply.session_id, reply.subtype) == ('{"status":"done"}', "msg_1", "end_turn")
    assert (reply.is_error, reply.final) == (False, True)
    assert reply.usage is not None
    assert (reply.usage.input, reply.usage.output, reply.usage.cache_read, reply.usage.cache_write) == (25, 15, 5, 0)
    assert completion_in(adapter) is not None


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_any_way(newline: str) -> None:
    assert drive(Anthropic, b": comment\n" + sse(*message("Hel", "lo"), newline=newline)).text == "Hello"


def test_no_beginning_of_a_stream_is_a_success() -> None:
    data = sse(*message("Hel", "lo"))
    check_prefixes(Anthropic, data)
    cut = drive(Anthropic, data[: data.index(b"event: message_stop")])
    assert (cut.is_error, cut.final, cut.text) == (True, False, "Hello")


@pytest.mark.parametrize("stop", ["max_tokens", "model_context_window_exceeded", "refusal"])
def test_says_why_an_answer_is_none(stop: str) -> None:
    reply = drive(Anthropic, sse(*message('{"status":"done","summary":"cut', stop=stop)))
    assert (reply.is_error, reply.subtype, reply.final) == (True, stop, True)


def test_error_after_200_ok() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    reply = drive(Anthropic, sse(*message("Hel")[:4], error))
    assert (reply.is_error, reply.error, reply.subtype, reply.text) == (True, "Overloaded", "overloaded_error", "Hel")


def test_tool_input_thinking_and_words_before_a_call_are_no_answer() -> None:
    more = (
        {
            "type": "content_block_delta",
            "index": 1,
            "delta": {"type": "thinking_delta", "thinking": '{"status":"done"}'},
        },
        {"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "name": "x", "input": {}}},
        {
            "type": "content_block_delta",
            "index": 2,
            "delta": {"type": "input_json_delta", "partial_json": '{"status":"done"}'},
        },
    )
    adapter = run_adapter(Anthropic, sse(*message('I look. {"status":"done"}', stop="tool_use", more=more)))
    assert (adapter.reply.text, adapter.reply.is_error, adapter.reply.subtype) == ("", False, "tool_use")
    assert completion_in(adapter) is None


def test_message_after_a_failed_one_counts() -> None:
    adapter = run_adapter(Anthropic, sse(*message('{"status":"done"}')[:5], *message("Fine.")))
    assert (adapter.reply.text, adapter.reply.is_error) == ("Fine.", False)
    assert completion_in(adapter) is None


def test_message_after_an_error_counts_and_its_tokens_alone() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    again = message("Fine.")
    again[0]["message"]["usage"] = {"input_tokens": 7}
    reply = drive(Anthropic, sse(*message("Hel")[:4], error, *again))
    assert (reply.is_error, reply.final, reply.text) == (False, True, "Fine.")
    assert reply.usage is not None
    assert (reply.usage.input, reply.usage.cache_read) == (7, None)


def test_members_of_any_type_raise_nothing() -> None:
    kinds = [*{event["type"] for event in message("x")}, "error", None, [], 1]
    events = odd_events(kinds, ("message", "content_block", "delta", "usage", "error", "index"))
    check_odd_events(Anthropic, events)


@pytest.mark.parametrize("stop", ["end_turn", "stop_sequence", "tool_use", "pause_turn"])
def test_reasons_to_stop_that_are_good(stop: str) -> None:
    assert not drive(Anthropic, sse(*message("Hi", stop=stop)), 0).is_error


@pytest.mark.parametrize("stop", [None, "compaction", "max_tokens"])
def test_no_reason_to_stop_and_an_unknown_one_are_errors(stop: str | None) -> None:
    reply = drive(Anthropic, sse(*message("Hi", stop=stop)), 0)
    assert (reply.is_error, reply.final, reply.text) == (True, True, "Hi")
    assert stop == "max_tokens" or (stop or "no reason") in (reply.error or "")


def test_the_reason_of_the_message_before_is_none_of_this_one() -> None:
    events = [*message("One."), *message("Two.", stop=None)]
    assert drive(Anthropic, sse(*events), 0).is_error
