from __future__ import annotations

import json
from typing import Any

import pytest

from lastbrace.agents.openai import OpenAI

from .driving import (
    SAMPLES,
    check_odd_events,
    check_prefixes,
    check_sample,
    completion_in,
    drive,
    odd_events,
    run_adapter,
    samples_of,
)


def sse(*events: Any, newline: str = "\n") -> bytes:
    """Return events as they come from the Responses API."""
    blocks = [f"event: {event['type']}{newline}data: {json.dumps(event)}{newline}{newline}" for event in events]
    return "".join(blocks).encode()


def chat(*chunks: Any, done: bytes = b"data: [DONE]\n\n") -> bytes:
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks) + done


def chunk(finish: str | None = None, identity: str = "chatcmpl-1", index: int = 0, **delta: Any) -> dict[str, Any]:
    choices = [{"index": index, "delta": delta, "finish_reason": finish}]
    return {"id": identity, "object": "chat.completion.chunk", "choices": choices}


def response(kind: str, **members: Any) -> list[dict[str, Any]]:
    created = {"type": "response.created", "sequence_number": 0, "response": {"id": "r", "object": "response"}}
    return [
        created,
        {"type": f"response.{kind}", "sequence_number": 9, "response": {"id": "r", "status": kind, **members}},
    ]


@pytest.mark.parametrize("name", samples_of("sse-openai"))
def test_samples(name: str) -> None:
    check_sample(OpenAI, name)


@pytest.mark.parametrize("name", samples_of("sse-openai"))
def test_no_beginning_of_a_sample_is_a_success(name: str) -> None:
    check_prefixes(OpenAI, (SAMPLES / name).read_bytes())


def test_done_is_found_however_it_is_cut() -> None:
    adapter = OpenAI()
    adapter.feed(chunk("stop", content="Hi"))
    for character in "\n\ndata: [DONE]\n\n":
        adapter.feed_text(character)
    adapter.close(None, "")
    assert (adapter.reply.final, adapter.reply.is_error, adapter.reply.text) == (True, False, "Hi")


def test_without_done_was_cut() -> None:
    reply = drive(OpenAI, chat(chunk(content="Hi"), chunk("stop"), done=b""))
    assert (reply.final, reply.is_error, reply.text) == (False, True, "Hi")


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_says_why_an_answer_is_none(finish: str) -> None:
    reply = drive(OpenAI, chat(chunk(content='{"status":"done","summary":"cut'), chunk(finish)))
    assert (reply.is_error, reply.subtype, reply.final) == (True, finish, True)
    incomplete = response("incomplete", incomplete_details={"reason": "max_output_tokens"})
    reply = drive(OpenAI, sse(*incomplete))
    assert (reply.is_error, reply.subtype, reply.final) == (True, "max_output_tokens", True)


def test_error_in_the_middle_of_a_stream() -> None:
    error = {"error": {"message": "The server had an error", "type": "server_error", "code": None}}
    reply = drive(OpenAI, chat(chunk(content="Hi"), error))
    assert (reply.is_error, reply.error, reply.subtype) == (True, "The server had an error", "server_error")
    event = {
        "type": "error",
        "code": "rate_limit_exceeded",
        "message": "Slow down",
        "param": None,
        "sequence_number": 1,
    }
    reply = drive(OpenAI, sse(*response("completed")[:1], event))
    assert (reply.is_error, reply.error, reply.subtype) == (True, "Slow down", "rate_limit_exceeded")


def test_refusals_are_errors() -> None:
    reply = drive(OpenAI, chat(chunk(refusal="I can't "), chunk(refusal="help."), chunk("stop")))
    assert (reply.is_error, reply.error, reply.subtype) == (True, "I can't help.", "refusal")


def test_tool_calls_other_choices_and_words_before_a_call_are_no_answer() -> None:
    call = chunk(tool_calls=[{"index": 0, "function": {"arguments": '{"status":"done"}'}}])
    look_alike = '{"status":"done"}'
    adapter = run_adapter(
        OpenAI, chat(chunk(content=look_alike), chunk(index=1, content=look_alike), call, chunk("tool_calls"))
    )
    assert (adapter.reply.text, adapter.reply.is_error) == ("", False)
    assert completion_in(adapter) is None


def test_response_ends_with_the_words_after_the_last_call() -> None:
    def words(text: str) -> dict[str, Any]:
        return {"type": "message", "content": [{"type": "output_text", "text": text}]}

    searched = response("completed", output=[words("I look."), {"type": "web_search_call"}, words("Fine.")])
    assert drive(OpenAI, sse(*searched)).text == "Fine."
    called = response(
        "completed", output=[words("I look."), {"type": "function_call", "arguments": '{"status":"done"}'}]
    )
    assert drive(OpenAI, sse(*called)).text == ""


def test_details_of_usage() -> None:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }
    reply = drive(OpenAI, chat({**chunk("stop", content="x"), "usage": usage}))
    assert reply.usage is not None
    assert (reply.usage.cache_read, reply.usage.reasoning, reply.usage.total) == (4, 0, None)


def test_first_choice_counts() -> None:
    reply = drive(OpenAI, chat(chunk(content="Fine."), chunk(index=1, content="Else."), chunk("stop")))
    assert reply.text == "Fine."


def test_completion_after_another_counts() -> None:
    first = chat(chunk(refusal="No."), chunk("stop"))
    reply = drive(
        OpenAI, first + chat(chunk(identity="chatcmpl-2", content="Fine."), chunk("stop", identity="chatcmpl-2"))
    )
    assert (reply.text, reply.is_error, reply.session_id) == ("Fine.", False, "chatcmpl-2")
    cut = drive(OpenAI, first + chat(chunk(identity="chatcmpl-2", content="Fi"), done=b""))
    assert (cut.final, cut.is_error) == (False, True)


def test_words_before_a_call_of_a_response_are_no_answer() -> None:
    delta = {"type": "response.output_text.delta", "sequence_number": 1, "delta": '{"status":"done"}'}
    call = {"type": "response.output_item.added", "sequence_number": 2, "item": {"type": "function_call"}}
    adapter = run_adapter(OpenAI, sse(*response("completed")[:1], delta, call))
    assert adapter.text == ""
    assert completion_in(adapter) is None


def test_members_of_any_type_raise_nothing() -> None:
    kinds = (
        "error",
        "response.created",
        "response.output_item.added",
        "response.completed",
        "response.failed",
        None,
        [],
    )
    events = odd_events(kinds, ("choices", "usage", "error", "response", "item", "delta", "id", "object"))
    for body in odd_events(("x",), ("output", "usage", "error", "id", "incomplete_details")):
        events.append({"type": "response.incomplete", "response": body})
    for choice in odd_events(("x",), ("delta", "finish_reason", "index")):
        events.append({"choices": [choice]})
    check_odd_events(OpenAI, events)


@pytest.mark.parametrize("error", [{"message": "Provider disconnected", "code": 502}, "Provider disconnected"])
def test_a_chunk_with_an_error_in_it_fails(error: Any) -> None:
    broken = {**chunk("error", content=""), "error": error}
    reply = drive(OpenAI, chat(chunk(content="Hi"), broken), 0)
    assert (reply.is_error, reply.error, reply.final) == (True, "Provider disconnected", True)
    told = chunk("stop")
    told["choices"][0]["error"] = error
    assert drive(OpenAI, chat(chunk(content="Hi"), told), 0).error == "Provider disconnected"


def test_done_without_a_reason_to_stop_is_an_error() -> None:
    reply = drive(OpenAI, chat(chunk(content="Hi")), 0)
    assert (reply.is_error, reply.final, reply.text) == (True, True, "Hi")
    assert drive(OpenAI, b"data: [DONE]\n\n", 0).is_error


def test_a_reason_of_the_completion_before_is_none_of_this_one() -> None:
    first = chat(chunk(content="One."), chunk("stop"))
    assert drive(OpenAI, first + chat(chunk(identity="chatcmpl-2", content="Tw")), 0).is_error


@pytest.mark.parametrize(
    ("reason", "good"), [("stop", True), ("tool_calls", True), ("function_call", True), ("eos", False)]
)
def test_only_reasons_that_are_known_to_be_good_succeed(reason: str, good: bool) -> None:
    reply = drive(OpenAI, chat(chunk(content="Hi"), chunk(reason)), 0)
    assert reply.is_error is not good
    assert good or reason in (reply.error or "")


@pytest.mark.parametrize("status", ["failed", "cancelled", "incomplete", "in_progress"])
def test_a_response_completed_with_another_status_fails(status: str) -> None:
    created, completed = response("completed")
    completed["response"]["status"] = status
    reply = drive(OpenAI, sse(created, completed), 0)
    assert (reply.is_error, reply.final, reply.subtype) == (True, True, status)
    assert status in (reply.error or "")


def test_a_response_with_an_error_and_a_cancelled_one_fail() -> None:
    failed = response("completed", error={"message": "no", "code": "server_error"})
    assert drive(OpenAI, sse(*failed), 0).error == "no"
    assert drive(OpenAI, sse(*response("cancelled")), 0).subtype == "cancelled"
    assert not drive(OpenAI, sse(*response("completed", error=None)), 0).is_error


@pytest.mark.parametrize(
    "line",
    [": data: [DONE]", "event: data: [DONE]", "data: [DONE] not", "id: 1 data:[DONE]", 'data: {"a": 1} data: [DONE]'],
)
def test_done_counts_only_as_a_whole_line(line: str) -> None:
    reply = drive(OpenAI, chat(chunk("stop", content="Hi"), done=f"{line}\n\n".encode()), 0)
    assert (reply.final, reply.is_error) == (False, True)


@pytest.mark.parametrize("done", [b"data: [DONE]", b"data:[DONE]\r\n\r\n", b": ping\n\ndata: [DONE]\n\n"])
def test_done_counts_with_any_line_end_and_without(done: bytes) -> None:
    reply = drive(OpenAI, chat(chunk("stop", content="Hi"), done=done), 0)
    assert (reply.final, reply.is_error) == (True, False)
