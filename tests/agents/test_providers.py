from __future__ import annotations

import json
from typing import Any

import pytest

from lastbrace.agents.anthropic import Anthropic
from lastbrace.agents.openai import OpenAI

from .driving import SAMPLES, check_prefixes, check_sample, completion_in, drive, lines, run_adapter, samples_of


def sse(*events: Any, newline: str = "\n") -> bytes:
    """Return events as they come from Anthropic and from the Responses API."""
    blocks = [f"event: {event['type']}{newline}data: {json.dumps(event)}{newline}{newline}" for event in events]
    return "".join(blocks).encode()


def chat(*chunks: Any, done: bytes = b"data: [DONE]\n\n") -> bytes:
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks) + done


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


def chunk(finish: str | None = None, identity: str = "chatcmpl-1", index: int = 0, **delta: Any) -> dict[str, Any]:
    choices = [{"index": index, "delta": delta, "finish_reason": finish}]
    return {"id": identity, "object": "chat.completion.chunk", "choices": choices}


def response(kind: str, **members: Any) -> list[dict[str, Any]]:
    created = {"type": "response.created", "sequence_number": 0, "response": {"id": "r", "object": "response"}}
    return [
        created,
        {"type": f"response.{kind}", "sequence_number": 9, "response": {"id": "r", "status": kind, **members}},
    ]


def test_anthropic_text_usage_and_reason() -> None:
    adapter = run_adapter(Anthropic, sse(*message('{"status":', '"done"}')))
    reply = adapter.reply
    assert (reply.text, reply.session_id, reply.subtype) == ('{"status":"done"}', "msg_1", "end_turn")
    assert (reply.is_error, reply.final) == (False, True)
    assert reply.usage is not None
    assert (reply.usage.input, reply.usage.output, reply.usage.cache_read, reply.usage.cache_write) == (25, 15, 5, 0)
    assert completion_in(adapter) is not None


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_anthropic_lines_may_end_in_any_way(newline: str) -> None:
    assert drive(Anthropic, b": comment\n" + sse(*message("Hel", "lo"), newline=newline)).text == "Hello"


def test_no_beginning_of_an_anthropic_stream_is_a_success() -> None:
    data = sse(*message("Hel", "lo"))
    check_prefixes(Anthropic, data)
    cut = drive(Anthropic, data[: data.index(b"event: message_stop")])
    assert (cut.is_error, cut.final, cut.text) == (True, False, "Hello")


@pytest.mark.parametrize("stop", ["max_tokens", "model_context_window_exceeded", "refusal"])
def test_anthropic_says_why_an_answer_is_none(stop: str) -> None:
    reply = drive(Anthropic, sse(*message('{"status":"done","summary":"cut', stop=stop)))
    assert (reply.is_error, reply.subtype, reply.final) == (True, stop, True)


def test_anthropic_error_after_200_ok() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    reply = drive(Anthropic, sse(*message("Hel")[:4], error))
    assert (reply.is_error, reply.error, reply.subtype, reply.text) == (True, "Overloaded", "overloaded_error", "Hel")


def test_anthropic_tool_input_thinking_and_words_before_a_call_are_no_answer() -> None:
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


def test_anthropic_message_after_a_failed_one_counts() -> None:
    adapter = run_adapter(Anthropic, sse(*message('{"status":"done"}')[:5], *message("Fine.")))
    assert (adapter.reply.text, adapter.reply.is_error) == ("Fine.", False)
    assert completion_in(adapter) is None


@pytest.mark.parametrize("name", samples_of("sse-openai"))
def test_samples_of_openai(name: str) -> None:
    check_sample(OpenAI, name)


@pytest.mark.parametrize("name", samples_of("sse-openai"))
def test_no_beginning_of_an_openai_stream_is_a_success(name: str) -> None:
    check_prefixes(OpenAI, (SAMPLES / name).read_bytes())


def test_openai_done_is_found_however_it_is_cut() -> None:
    adapter = OpenAI()
    adapter.feed(chunk("stop", content="Hi"))
    for character in "\n\ndata: [DONE]\n\n":
        adapter.feed_text(character)
    adapter.close(None, "")
    assert (adapter.reply.final, adapter.reply.is_error, adapter.reply.text) == (True, False, "Hi")


def test_openai_without_done_was_cut() -> None:
    reply = drive(OpenAI, chat(chunk(content="Hi"), chunk("stop"), done=b""))
    assert (reply.final, reply.is_error, reply.text) == (False, True, "Hi")


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_openai_says_why_an_answer_is_none(finish: str) -> None:
    reply = drive(OpenAI, chat(chunk(content='{"status":"done","summary":"cut'), chunk(finish)))
    assert (reply.is_error, reply.subtype, reply.final) == (True, finish, True)
    incomplete = response("incomplete", incomplete_details={"reason": "max_output_tokens"})
    reply = drive(OpenAI, sse(*incomplete))
    assert (reply.is_error, reply.subtype, reply.final) == (True, "max_output_tokens", True)


def test_openai_error_in_the_middle_of_a_stream() -> None:
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


def test_openai_refusals_are_errors() -> None:
    reply = drive(OpenAI, chat(chunk(refusal="I can't "), chunk(refusal="help."), chunk("stop")))
    assert (reply.is_error, reply.error, reply.subtype) == (True, "I can't help.", "refusal")


def test_openai_tool_calls_other_choices_and_words_before_a_call_are_no_answer() -> None:
    call = chunk(tool_calls=[{"index": 0, "function": {"arguments": '{"status":"done"}'}}])
    look_alike = '{"status":"done"}'
    adapter = run_adapter(
        OpenAI, chat(chunk(content=look_alike), chunk(index=1, content=look_alike), call, chunk("tool_calls"))
    )
    assert (adapter.reply.text, adapter.reply.is_error) == ("", False)
    assert completion_in(adapter) is None


def test_openai_response_ends_with_the_words_after_the_last_call() -> None:
    def words(text: str) -> dict[str, Any]:
        return {"type": "message", "content": [{"type": "output_text", "text": text}]}

    searched = response("completed", output=[words("I look."), {"type": "web_search_call"}, words("Fine.")])
    assert drive(OpenAI, sse(*searched)).text == "Fine."
    called = response(
        "completed", output=[words("I look."), {"type": "function_call", "arguments": '{"status":"done"}'}]
    )
    assert drive(OpenAI, sse(*called)).text == ""


def test_openai_details_of_usage() -> None:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }
    reply = drive(OpenAI, chat({**chunk("stop", content="x"), "usage": usage}))
    assert reply.usage is not None
    assert (reply.usage.cache_read, reply.usage.reasoning, reply.usage.total) == (4, 0, None)


def test_anthropic_message_after_an_error_counts_and_its_tokens_alone() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    again = message("Fine.")
    again[0]["message"]["usage"] = {"input_tokens": 7}
    reply = drive(Anthropic, sse(*message("Hel")[:4], error, *again))
    assert (reply.is_error, reply.final, reply.text) == (False, True, "Fine.")
    assert reply.usage is not None
    assert (reply.usage.input, reply.usage.cache_read) == (7, None)


def test_openai_first_choice_counts() -> None:
    reply = drive(OpenAI, chat(chunk(content="Fine."), chunk(index=1, content="Else."), chunk("stop")))
    assert reply.text == "Fine."


def test_openai_completion_after_another_counts() -> None:
    first = chat(chunk(refusal="No."), chunk("stop"))
    reply = drive(
        OpenAI, first + chat(chunk(identity="chatcmpl-2", content="Fine."), chunk("stop", identity="chatcmpl-2"))
    )
    assert (reply.text, reply.is_error, reply.session_id) == ("Fine.", False, "chatcmpl-2")
    cut = drive(OpenAI, first + chat(chunk(identity="chatcmpl-2", content="Fi"), done=b""))
    assert (cut.final, cut.is_error) == (False, True)


def test_openai_words_before_a_call_of_a_response_are_no_answer() -> None:
    delta = {"type": "response.output_text.delta", "sequence_number": 1, "delta": '{"status":"done"}'}
    call = {"type": "response.output_item.added", "sequence_number": 2, "item": {"type": "function_call"}}
    adapter = run_adapter(OpenAI, sse(*response("completed")[:1], delta, call))
    assert adapter.text == ""
    assert completion_in(adapter) is None


@pytest.mark.parametrize("agent", [Anthropic, OpenAI])
def test_members_of_any_type_raise_nothing(agent: type[Anthropic | OpenAI]) -> None:
    kinds = [event["type"] for event in message("x")] + ["error", "response.created", "response.completed", None, [], 1]
    keys = ("message", "content_block", "delta", "usage", "error", "choices", "response", "item", "id", "index")
    events = [
        {"type": kind, key: value}
        for kind in kinds
        for key in keys
        for value in (1, "x", [1], [{"delta": 1}], {}, None)
    ]
    events += [
        {"type": "response.completed", "response": {"output": value, "usage": value}} for value in (1, [1], [{}], {})
    ]
    drive(agent, lines(*events))
    for event in events:
        agent.recognises(event)
