"""What the adapters share: messages in messages, sums, and when the reply is news."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

import lastbrace
from lastbrace.agents import adapter_for
from lastbrace.agents.claude_fields import MAX_MESSAGES, UsageSum
from lastbrace.agents.fields import plain
from lastbrace.agents.reply import Reply, Usage

from .driving import lines

DELTAS: dict[str, Any] = {
    "opencode": {"type": "text", "sessionID": "s", "part": {"type": "text", "text": "word "}},
    "cursor": {
        "type": "assistant",
        "session_id": "s",
        "timestamp_ms": 1,
        "message": {"role": "assistant", "content": [{"type": "text", "text": "word "}]},
    },
    "antigravity": {
        "event": "step_update",
        "step_update": {
            "conversation_id": "s", "step_index": 1, "step_type": "agent_response", "text_delta": "word "
        },
    },
    "gemini": {"type": "message", "role": "assistant", "content": "word ", "delta": True},
    "copilot": {"type": "assistant.message_delta", "id": "i", "parentId": None, "data": {"deltaContent": "word "}},
    "pi": {"type": "message_update", "assistantMessageEvent": {"type": "text_delta", "delta": "word "}},
    "cline": {
        "type": "agent_event", "ts": "t", "event": {"type": "content_start", "contentType": "text", "text": "word "}
    },
    "openai": {"id": "s", "choices": [{"index": 0, "delta": {"content": "word "}, "finish_reason": None}]},
    "goose": {
        "type": "message",
        "message": {"id": "s", "role": "assistant", "created": 1, "content": [{"type": "text", "text": "word "}]},
    },
    "claude": {
        "type": "stream_event",
        "session_id": "s",
        "event": {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "word "}},
    },
}  # fmt: skip


@pytest.mark.parametrize("agent", DELTAS)
def test_growing_text_is_no_news(agent: str) -> None:
    replies: list[Reply] = []
    watcher = lastbrace.Watcher(agent=agent, on_reply=replies.append)
    for _ in range(100):
        watcher.feed(lines(DELTAS[agent]))
    assert watcher.reply is not None
    assert watcher.reply.text.count("word") == 100
    assert len(replies) <= 3


def test_what_is_so_already_changes_nothing() -> None:
    adapter = adapter_for("claude")
    adapter.update(session_id="s", usage=Usage(input=1))
    revision = adapter.revision
    adapter.update(session_id="s", usage=Usage(input=1), final=False)
    assert adapter.revision == revision
    adapter.update(session_id="t")
    assert adapter.revision == revision + 1


def test_values_of_any_depth_are_not_compared() -> None:
    adapter = adapter_for("claude")
    for _ in range(2):
        value: dict[str, Any] = {}
        for _ in range(100_000):
            value = {"a": value}
        adapter.structure(value)
        adapter.finish(value)
    assert adapter.reply.structured is value


def nested(levels: int) -> str:
    message = "the reason"
    for level in range(levels):
        message = f"{level}: " + json.dumps({"error": {"message": message}})
    return message


def test_messages_in_messages_are_taken_out_four_levels_deep() -> None:
    assert plain(nested(1)) == "0: the reason"
    assert plain(nested(4)) == "3: 2: 1: 0: the reason"
    deeper = plain(nested(6))
    assert deeper is not None
    assert deeper.startswith('5: 4: 3: 2: 1: {"error"')


def test_a_message_nested_without_end_is_neither_an_error_nor_slow() -> None:
    flat = "x"
    for _ in range(14):
        flat = json.dumps({"message": flat})
    assert plain(flat) is not None

    def seconds(begin: str, end: str, depth: int) -> float:
        began = time.process_time()
        assert plain(begin * depth + end * depth) is not None
        return time.process_time() - began

    # It gives up at the depth that Python allows; work that grew with the square would take minutes.
    for brackets in (('{"a":', "}"), ('{"message":"', '"}')):
        assert seconds(*brackets, 400_000) < 10 * seconds(*brackets, 100_000) + 1


def test_four_levels_of_decoding_are_the_most(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[str] = []
    decode = lastbrace.agents.fields.msgspec.json.decode

    def counted(text: str) -> Any:
        decoded.append(text)
        return decode(text)

    monkeypatch.setattr("lastbrace.agents.fields.msgspec.json.decode", counted)
    plain(nested(9))
    assert len(decoded) == 4


def test_a_usage_told_again_replaces_what_was_told() -> None:
    total = UsageSum()
    total.put("a", Usage(input=5, output=1))
    total.put("b", Usage(input=1))
    assert total.put("a", Usage(input=7)) == Usage(input=8)
    assert total.put(None, Usage(input=1, reasoning=0)) == Usage(input=9, reasoning=0)


def test_only_the_last_messages_are_remembered_and_all_are_counted() -> None:
    total = UsageSum()
    for number in range(10 * MAX_MESSAGES):
        total.put(f"m{number}", Usage(output=1))
        total.put(f"m{number}", Usage(output=2))
    assert total.put("m", Usage(output=0)) == Usage(output=20 * MAX_MESSAGES)
    assert len(total._known) == MAX_MESSAGES
