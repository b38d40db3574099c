"""Claude Code: what its events make of a reply."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from lastbrace import find_objects, iter_objects
from lastbrace.agents.amp import Amp
from lastbrace.agents.claude import Claude
from lastbrace.agents.cursor import Cursor
from lastbrace.agents.droid import Droid
from lastbrace.agents.qwen import Qwen
from lastbrace.agents.reply import Usage

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

    from lastbrace.agents.adapter import Adapter

OURS = [path for path in captures_of("claude", "claude1", "claude-old") if not path.name.endswith(".text")]
OUR_SAMPLES = [*samples_of("claude"), "noise-u2028.jsonl"]
ALIKE: list[type[Adapter]] = [Claude, Qwen, Cursor, Amp, Droid]
DONE = '{"status": "done", "summary": "of another"}'
ANSWER = 'All is well. {"status": "done", "summary": "well"}'


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def init(**members: Any) -> dict[str, Any]:
    return {"type": "system", "subtype": "init", "session_id": "s1", "claude_code_version": "2.1.332", **members}


def said(text: str, identity: str = "msg_1", **members: Any) -> dict[str, Any]:
    return message({"type": "text", "text": text}, identity=identity, **members)


def message(*blocks: dict[str, Any], identity: str = "msg_1", **members: Any) -> dict[str, Any]:
    body = {"id": identity, "role": "assistant", "content": list(blocks), "stop_reason": None}
    return {"type": "assistant", "message": body, "parent_tool_use_id": None, "session_id": "s1", **members}


def called(tool_input: str, identity: str = "msg_1") -> dict[str, Any]:
    return message(
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": tool_input}}, identity=identity
    )


def gave(content: str, **members: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": "t1", "content": content}
    return {"type": "user", "message": {"role": "user", "content": [block]}, "parent_tool_use_id": None, **members}


def delta(text: str, **members: Any) -> dict[str, Any]:
    event = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
    return {"type": "stream_event", "event": event, "parent_tool_use_id": None, "session_id": "s1", **members}


def started(identity: str = "msg_1") -> dict[str, Any]:
    return {"type": "stream_event", "event": {"type": "message_start", "message": {"id": identity}}, "session_id": "s1"}


def result(text: str | None = ANSWER, **members: Any) -> dict[str, Any]:
    event = {"type": "result", "subtype": "success", "is_error": False, "session_id": "s1", "total_cost_usd": 0.5}
    return {**event, **({} if text is None else {"result": text}), "num_turns": 1, **members}


def entry(kind: str, content: Any, **members: Any) -> dict[str, Any]:
    body = {"role": kind, "content": content, "id": "msg_1", "stop_reason": members.pop("stop_reason", None)}
    about = {"sessionId": "s1", "parentUuid": None, "isSidechain": False, "uuid": "u"}
    return {"type": kind, "message": body, **about, **members}


def text_block(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


def completion_after(*events: dict[str, Any]) -> str | None:
    completion = completion_in(run_adapter(Claude, lines(*events), 0))
    return completion and completion.summary


@pytest.mark.parametrize("path", OURS, ids=name)
def test_captures_give_what_a_person_reads_in_them(path: Path) -> None:
    check_capture(Claude, path)


@pytest.mark.parametrize("sample", OUR_SAMPLES)
def test_samples_give_what_is_expected(sample: str) -> None:
    check_sample(Claude, sample)


@pytest.mark.parametrize("sample", OUR_SAMPLES)
def test_no_beginning_of_a_sample_is_a_success(sample: str) -> None:
    data = (SAMPLES / sample).read_bytes()
    finals = [found.end for found in find_objects(data) if found.value.get("type") == "result"]
    check_prefixes(Claude, data, finals[0] if finals else None)


@pytest.mark.parametrize("sample", OUR_SAMPLES)
def test_members_of_any_type_raise_nothing(sample: str) -> None:
    check_odd_members(Claude, sample)


def test_no_event_is_claimed_by_two_of_the_clis_that_resemble_each_other() -> None:
    outputs = [path for path in (*SAMPLES.iterdir(), *CAPTURES.glob("*/*.stdout")) if path.name != "expected.json"]
    claimed: dict[str, set[str]] = {}
    for path in outputs:
        for found in iter_objects(path.read_bytes()):
            claims = [adapter.name for adapter in ALIKE if adapter.recognises(found.value)]
            assert len(claims) <= 1, (path, found)
            claimed.setdefault(f"{path.parent.name}/{path.name}", set()).update(str(claim) for claim in claims)
    for output, names in claimed.items():
        folder, file = output.split("/")
        cli = file.split("-")[0] if folder == "samples" else folder.removesuffix("-old").removesuffix("1")
        cli = "claude" if file == "noise-u2028.jsonl" else cli
        if file.endswith(".text.stdout"):
            assert names == set()
        elif cli in ("claude", "qwen", "cursor", "amp", "droid"):
            assert names == {cli}, output
        else:
            assert names == set(), output


def test_success_beside_is_error_is_an_error() -> None:
    reply = drive_events(Claude, init(), result("API Error: 401", is_error=True, api_error_status=401), returncode=1)
    assert (reply.is_error, reply.final, reply.subtype, reply.error) == (True, True, "success", "API Error: 401")


def test_an_old_error_without_is_error_is_an_error() -> None:
    reply = drive_events(Claude, result(None, subtype="error_max_turns"), returncode=0)
    assert (reply.is_error, reply.subtype, reply.text) == (True, "error_max_turns", "")
    assert "error_max_turns" in (reply.error or "")


@pytest.mark.parametrize("missing", ["subtype", "is_error", "result"])
def test_a_result_that_does_not_say_that_it_succeeded_is_an_error(missing: str) -> None:
    event = result()
    del event[missing]
    assert drive_events(Claude, init(), event, returncode=0).is_error


def test_a_success_beside_a_failed_exit_is_an_error_that_tells_both() -> None:
    reply = drive_events(Claude, init(), result(), returncode=3, stderr="out of memory\n")
    assert reply.is_error
    assert reply.error == "reported success, but exit status 3: out of memory"
    assert reply.text == ANSWER


def test_a_stream_without_its_result_is_cut_though_the_exit_is_0() -> None:
    adapter = run_adapter(Claude, lines(init(), said(ANSWER)), 0)
    reply, completion = adapter.reply, completion_in(adapter)
    assert (reply.final, reply.is_error, reply.text) == (False, True, ANSWER)
    assert "ended before its final event" in (reply.error or "")
    assert completion is not None  # its object was printed whole


def test_a_result_cut_inside_is_no_result() -> None:
    data = lines(init(), said("draft"), result("x" * 200))
    reply = drive(Claude, data[:-100], 0)
    assert (reply.final, reply.is_error, reply.text) == (False, True, "draft")


@pytest.mark.parametrize("sign", [{"stop_reason": "max_tokens"}, {"api_error": "max_output_tokens"}])
def test_an_answer_cut_by_the_token_limit_is_an_error_whose_subtype_is_the_sign(sign: dict[str, str]) -> None:
    reply = drive_events(Claude, result('{"status": "done", "summary": "cut in the mid', **sign), returncode=0)
    assert (reply.is_error, reply.subtype) == (True, next(iter(sign.values())))
    assert "token limit" in (reply.error or "")


def test_an_error_that_ended_the_stream_before_its_result_is_told() -> None:
    synthetic = message({"type": "text", "text": "API Error: Overloaded"}, error="server_error")
    synthetic["message"]["model"] = "<synthetic>"
    reply = drive_events(Claude, init(), said("partial"), synthetic, returncode=143)
    assert reply.text == "partial"
    assert reply.error == "the output ended before its final event (exit status 143): API Error: Overloaded"


def test_the_result_of_a_background_task_is_not_the_answer_but_its_cost_counts() -> None:
    later = result(DONE, origin={"kind": "task-notification"}, total_cost_usd=0.75, num_turns=9, result_index=1)
    events = (init(), said(ANSWER), result(num_turns=2), said(DONE, "msg_2"), later)
    reply = drive_events(Claude, *events)
    assert (reply.text, reply.cost_usd, reply.turns, reply.is_error) == (ANSWER, 0.75, 2, False)
    assert completion_after(*events) == "well"


def test_the_result_of_a_background_task_before_the_own_one_gives_way() -> None:
    first = result(DONE, origin={"kind": "task-notification"}, is_error=True)
    reply = drive_events(Claude, init(), first, said(ANSWER), result(total_cost_usd=0.75))
    assert (reply.text, reply.is_error, reply.error) == (ANSWER, False, None)


def test_of_two_input_messages_the_first_is_answered_and_nothing_is_summed() -> None:
    usage = {"input_tokens": 5, "output_tokens": 7}
    second = result(DONE, usage=usage, total_cost_usd=0.75, duration_ms=9, result_index=1)
    reply = drive_events(Claude, init(), result(usage=usage, duration_ms=3), init(), said(DONE, "msg_2"), second)
    assert (reply.text, reply.cost_usd, reply.duration_ms) == (ANSWER, 0.75, 3)
    assert reply.usage is not None
    assert reply.usage.input == 5


def test_a_later_result_that_fails_fails_the_run() -> None:
    reply = drive_events(Claude, result(), result("API Error: 500", is_error=True))
    assert (reply.is_error, reply.error, reply.text) == (True, "API Error: 500", ANSWER)


def test_events_after_the_result_change_nothing() -> None:
    suggestion = {"type": "prompt_suggestion", "suggestion": DONE, "session_id": "s1"}
    events = (init(), result(), suggestion, delta(DONE), said(DONE, "msg_2"), gave(DONE))
    assert drive_events(Claude, *events).text == ANSWER
    assert completion_after(*events) == "well"


def test_the_draft_of_an_attempt_before_a_retry_is_not_the_answer() -> None:
    retry = {"type": "system", "subtype": "api_retry", "attempt": 1, "error": "overloaded", "session_id": "s1"}
    events = (init(), started(), delta(f"Half {DONE}"), retry, started(), delta("Another."))
    assert drive_events(Claude, *events).text == "Another."
    assert completion_after(*events) is None
    assert completion_after(*events, result()) == "well"


def test_a_draft_is_abandoned_without_a_notice_where_another_message_follows() -> None:
    events = (init(), started("msg_1"), delta(f"Half {DONE}"), said("Whole.", "msg_2"))
    assert drive_events(Claude, *events).text == "Whole."
    assert completion_after(*events) is None


def test_a_message_that_came_as_deltas_is_not_said_twice() -> None:
    events = (init(), started(), delta("All is "), delta("well."), said("All is well."))
    adapter = run_adapter(Claude, lines(*events))
    assert adapter.reply.text == "All is well."
    assert [change.kind for change in adapter.changes] == ["add", "add"]


def test_words_before_a_tool_call_are_not_the_answer() -> None:
    assert completion_after(init(), said(DONE), called("ls")) is None
    assert completion_after(init(), started(), delta(DONE), called("ls")) is None
    assert completion_after(init(), called("ls"), said(DONE)) is None
    both = message({"type": "text", "text": DONE}, {"type": "tool_use", "name": "Bash", "input": {}})
    assert completion_after(init(), both) is None
    assert drive_events(Claude, init(), said(DONE), called("ls"), gave("x"), said("Then.", "msg_2")).text == "Then."


def test_look_alikes_that_the_agent_did_not_say_are_not_the_answer() -> None:
    thinking = {"type": "thinking_delta", "thinking": DONE}
    tool_input = {"type": "input_json_delta", "partial_json": DONE}
    others = [
        gave(DONE),
        gave(json.dumps(result(DONE))),
        gave(lines(init(), said(DONE), result(DONE)).decode(), tool_use_result={"stdout": DONE}),
        {"type": "system", "subtype": "hook_response", "stdout": DONE, "output": DONE, "session_id": "s1"},
        {"type": "user", "message": {"role": "user", "content": DONE}, "isReplay": True, "session_id": "s1"},
        {"type": "user", "message": {"role": "user", "content": text_block(DONE)}, "session_id": "s1"},
        message({"type": "thinking", "thinking": DONE}),
        {"type": "stream_event", "event": {"type": "content_block_delta", "delta": thinking}},
        {"type": "stream_event", "event": {"type": "content_block_delta", "delta": tool_input}},
        called(DONE),
    ]
    for other in others:
        assert completion_after(init(), other) is None, other
        assert drive_events(Claude, init(), other).text == "", other


def test_lines_of_a_sub_agent_are_not_the_answer() -> None:
    events = (
        init(),
        called("agent"),
        said(DONE, "msg_9", parent_tool_use_id="t1"),
        delta(DONE, parent_tool_use_id="t1"),
        result(DONE, parent_tool_use_id="t1"),
        gave("done"),
        said("The agent is done.", "msg_2"),
    )
    reply = drive_events(Claude, *events)
    assert (reply.text, reply.final) == ("The agent is done.", False)
    assert completion_after(*events) is None


def test_structured_output_is_the_answer() -> None:
    value = {"status": "done", "summary": "structured"}
    events = (init(), said(ANSWER), result(json.dumps(value), structured_output=value))
    assert drive_events(Claude, *events).structured == value
    assert completion_after(*events) == "structured"


def test_the_execution_file_of_the_action_is_read() -> None:
    events = [init(), said(ANSWER), result()]
    for text in (json.dumps(events, indent=2), json.dumps(events), json.dumps(result(), indent=2)):
        reply = drive(Claude, text.encode(), 0)
        assert (reply.text, reply.is_error, reply.session_id) == (ANSWER, False, "s1")


def test_keys_may_stand_in_any_order_and_twice() -> None:
    event = json.dumps(dict(reversed(result().items())))
    doubled = event.replace("{", '{"result": "first", "is_error": true, ', 1)
    reply = drive(Claude, doubled.encode(), 0)
    assert (reply.text, reply.is_error) == (ANSWER, False)


def test_noise_between_events_is_passed_over() -> None:
    noise = b'[SandboxDebug] {\n  headers: { accept: \'x\' }\n}\n{}\n[1, 2]\n{"level": "info"}\n\x1b[?25h'
    data = noise.join([lines(init()), lines(said(ANSWER)), lines(result()), b""])
    reply = drive(Claude, data, 0)
    assert (reply.text, reply.is_error) == (ANSWER, False)


def test_an_interrupted_run_keeps_its_partial_text() -> None:
    errors = ["[ede_diagnostic] result_type=user"]
    end = result(None, subtype="error_during_execution", is_error=True, errors=errors, terminal_reason="aborted_tools")
    reply = drive_events(Claude, init(), said("Working", aborted=True), end, returncode=0)
    assert (reply.text, reply.is_error) == ("Working", True)
    assert (reply.error or "").startswith("aborted_tools: ")


def test_what_is_absent_is_none_and_what_is_0_is_0() -> None:
    reply = drive_events(Claude, result(total_cost_usd=0, usage={"input_tokens": 0}))
    assert (reply.cost_usd, reply.duration_ms) == (0, None)
    assert reply.usage is not None
    assert (reply.usage.input, reply.usage.output, reply.usage.total) == (0, None, None)
    assert drive_events(Claude, result(usage={})).usage is None


def test_a_transcript_counts_the_usage_of_a_message_once() -> None:
    first = entry("assistant", [{"type": "thinking", "thinking": "hm"}])
    last = entry("assistant", text_block(ANSWER), stop_reason="end_turn")
    for each in (first, last):
        each["message"]["usage"] = {"input_tokens": 8, "output_tokens": 11}
    reply = drive_events(Claude, entry("user", "go"), first, last)
    assert reply.usage is not None
    assert (reply.usage.input, reply.usage.output, reply.final, reply.session_id) == (8, 11, True, "s1")


def test_a_transcript_is_open_again_at_the_next_prompt() -> None:
    first = [entry("user", "go"), entry("assistant", text_block(ANSWER), stop_reason="end_turn")]
    assert drive_events(Claude, *first).is_error is False
    reply = drive_events(Claude, *first, entry("user", "and now?"))
    assert (reply.final, reply.is_error, reply.text) == (False, True, "")


def test_side_chains_and_notes_in_a_transcript_are_not_the_answer() -> None:
    side = entry("assistant", text_block(DONE), stop_reason="end_turn", isSidechain=True)
    summary = {"type": "summary", "summary": DONE, "leafUuid": "u"}
    reply = drive_events(Claude, entry("user", "go"), side, summary, entry("user", DONE, isMeta=True))
    assert (reply.final, reply.text) == (False, "")


def test_an_api_error_in_a_transcript_is_no_answer() -> None:
    failed = entry("assistant", text_block("API Error: 500"), stop_reason="end_turn", isApiErrorMessage=True)
    reply = drive_events(Claude, entry("user", "go"), failed)
    assert (reply.is_error, reply.text) == (True, "")
    assert "API Error: 500" in (reply.error or "")


def test_another_run_in_the_same_stream_counts_alone() -> None:
    hook = {"type": "system", "subtype": "hook_started", "session_id": "s2"}
    first, second = (init(), result(num_turns=7)), (hook, init(session_id="s2"))
    cut = drive_events(Claude, *first, *second, said("Ha", "msg_2", session_id="s2"), returncode=0)
    assert (cut.is_error, cut.final, cut.text, cut.turns, cut.session_id) == (True, False, "Ha", None, "s2")
    assert completion_after(*first, *second) is None
    last = result("It was.", session_id="s2")
    whole = drive_events(Claude, *first, *second, last, returncode=0)
    assert (whole.is_error, whole.final, whole.text) == (False, True, "It was.")
    failed = result("API Error", is_error=True)
    assert not drive_events(Claude, init(), failed, *second, last, returncode=0).is_error


def test_a_further_turn_awaits_its_result() -> None:
    cut = drive_events(Claude, init(), result(), init(), said("Ha", "msg_2"), returncode=0)
    assert (cut.is_error, cut.final, cut.text) == (True, False, ANSWER)
    whole = drive_events(Claude, init(), result(), init(), said("Ha", "msg_2"), result("Ha"), returncode=0)
    assert (whole.is_error, whole.final, whole.text) == (False, True, ANSWER)
    early = drive_events(Claude, init(), init(), result(), returncode=0)
    assert (early.is_error, early.final) == (False, True)


@pytest.mark.parametrize("sign", [{"stop_reason": "refusal"}, {"errors": ["refusal"]}, {"errors": [{"a": "refusal"}]}])
def test_a_success_that_tells_of_an_error_is_one(sign: dict[str, Any]) -> None:
    reply = drive_events(Claude, init(), result(**sign), returncode=0)
    assert (reply.is_error, reply.final) == (True, True)
    assert "refusal" in (reply.error or "") or "errors" in (reply.error or "")
    assert not drive_events(Claude, init(), result(errors=[], stop_reason="end_turn"), returncode=0).is_error


def test_the_usage_of_a_long_transcript_is_summed_as_it_grows() -> None:
    def seconds(count: int) -> float:
        entries = [entry("assistant", text_block("x")) for _ in range(count)]
        for number, each in enumerate(entries):
            each["message"] |= {"id": f"msg_{number // 2}", "usage": {"input_tokens": 2, "output_tokens": number % 2}}
        adapter = Claude()
        began = time.process_time()
        for each in entries:
            adapter.feed(each)
        took = time.process_time() - began
        assert adapter.reply.usage == Usage(input=count, output=count // 2)
        return took

    # Four times as long takes four times the time; summed anew each time it would be sixteen.
    assert min(seconds(16000) for _ in range(3)) < 10 * min(seconds(4000) for _ in range(3))
