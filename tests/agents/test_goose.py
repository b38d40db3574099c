from __future__ import annotations

from typing import Any

import pytest

from lastbrace.agents.goose import Goose

from .driving import (
    SAMPLES,
    check_odd_events,
    check_prefixes,
    check_sample,
    drive,
    drive_events,
    odd_events,
    samples_of,
)

COMPLETE = {"type": "complete", "total_tokens": 12, "input_tokens": 10, "output_tokens": 2}


def message(*content: dict[str, Any], role: str = "assistant", identity: str | None = "m1", **metadata: bool) -> Any:
    body = {"id": identity, "role": role, "created": 1, "content": list(content), "metadata": metadata}
    return {"type": "message", "message": body}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


@pytest.mark.parametrize("name", samples_of("goose"))
def test_samples(name: str) -> None:
    check_sample(Goose, name)


@pytest.mark.parametrize("name", samples_of("goose"))
def test_no_beginning_of_a_sample_is_a_success(name: str) -> None:
    check_prefixes(Goose, (SAMPLES / name).read_bytes())


def test_an_older_build_prints_complete_after_the_error() -> None:
    reply = drive_events(Goose, {"type": "error", "error": "Authentication failed"}, COMPLETE)
    assert (reply.is_error, reply.error, reply.final) == (True, "Authentication failed", True)


def test_a_provider_error_is_assistant_text_beside_complete_and_exit_0() -> None:
    words = "Ran into this error: 429 Too Many Requests.\n\nPlease retry if you think this is transient."
    reply = drive_events(Goose, message(text("half an ")), message(text(words)), COMPLETE, returncode=0)
    assert reply.is_error
    assert reply.final
    assert "429" in (reply.error or "")
    assert reply.text == words


def test_an_answer_after_a_provider_error_is_a_success() -> None:
    failed, answered = message(text("Ran into this error: 529.")), message(text("All good."), identity="m2")
    reply = drive_events(Goose, failed, answered, COMPLETE)
    assert (reply.is_error, reply.text) == (False, "All good.")


def test_chunks_without_an_id_are_one_message() -> None:
    chunks = [message(text(words), identity=None) for words in ("One ", "file", ".")]
    assert drive_events(Goose, *chunks, COMPLETE).text == "One file."


def test_words_before_a_tool_call_and_what_the_user_does_not_see_are_no_answer() -> None:
    call, result = {"type": "toolRequest", "id": "c"}, {"type": "toolResponse", "id": "c", "toolResult": {"value": {}}}
    reply = drive_events(
        Goose,
        message(text("Let me look.")),
        message(call),
        message(result, text('{"status":"done"}'), role="user"),
        message(text('{"status":"done"}'), identity="m2", userVisible=False),
        {"type": "notification", "extension_id": "x", "log": {"message": '{"status":"done"}'}},
        COMPLETE,
    )
    assert (reply.text, reply.is_error) == ("", False)


def test_a_message_without_words_does_not_take_the_answer_away() -> None:
    thinking = message({"type": "thinking", "thinking": "hm"}, identity="m2")
    assert drive_events(Goose, message(text("Done.")), thinking, COMPLETE).text == "Done."


def test_a_document_of_a_failed_run_takes_the_reason_from_stderr() -> None:
    reply = drive(Goose, (SAMPLES / "goose-json-error.json").read_bytes(), 1, "noise\nError: no credits left\n")
    assert reply.is_error
    assert "no credits left" in (reply.error or "")


def test_complete_beside_a_failed_exit_is_an_error_and_both_are_told() -> None:
    reply = drive_events(Goose, message(text("Done.")), COMPLETE, returncode=3)
    assert reply.is_error
    assert "reported success" in (reply.error or "")
    assert "exit status 3" in (reply.error or "")


def test_words_after_a_message_of_the_user_are_another_message() -> None:
    first, second = message(text("One."), identity=None), message(text("Two."), identity=None)
    assert drive_events(Goose, first, message(text("go on"), role="user"), second, COMPLETE).text == "Two."


def test_members_of_any_type_raise_nothing() -> None:
    kinds = ("message", "complete", "error", None, [])
    events = odd_events(kinds, ("message", "error", "messages", "metadata", "total_tokens"))
    events.append({"messages": [1, {"role": 3, "content": 4}], "metadata": 5})
    check_odd_events(Goose, events)


@pytest.mark.parametrize("status", ["cancelled", None, "error", "completed"])
def test_only_a_completed_document_is_a_success(status: str | None) -> None:
    said = message(text("half"))["message"]
    document = {"messages": [said], "metadata": {"total_tokens": 2, **({"status": status} if status else {})}}
    reply = drive_events(Goose, document, returncode=0, stderr="Error: stopped by hand\n")
    assert reply.is_error is (status != "completed")
    if status != "completed":
        assert (status or "no status") in (reply.error or "")
        assert "stopped by hand" in (reply.error or "")
