"""The watcher with an agent: the contract inside the answer, live from drafts, and once more from the final text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from lastbrace import Completion, Outcome, Reply, Status, Watcher
from lastbrace.agents import adapter_for

from .agents.driving import lines
from .feeding import in_bytes, in_chunks

if TYPE_CHECKING:
    from collections.abc import Callable

DONE, CONTINUE, ERROR = (Completion(Status(word)) for word in ("done", "continue", "error"))
INVALID = Completion(Status.ERROR, error="invalid-json")
INIT = {"type": "system", "subtype": "init", "session_id": "s", "claude_code_version": "2.0.0"}
RETRY = {"type": "system", "subtype": "api_retry", "session_id": "s", "error": "overloaded"}
CODEX = lines(
    {"type": "thread.started", "thread_id": "t"},
    {"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": '{"status":"error"}'}},
    {"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}},
)


def stream(event: dict[str, Any]) -> dict[str, Any]:
    return {"type": "stream_event", "session_id": "s", "event": event}


def begin(message: str) -> dict[str, Any]:
    return stream({"type": "message_start", "message": {"id": message}})


def delta(text: str) -> dict[str, Any]:
    return stream({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})


def message(text: str, identity: str = "m1") -> dict[str, Any]:
    said = {"id": identity, "role": "assistant", "content": [{"type": "text", "text": text}]}
    return {"type": "assistant", "session_id": "s", "message": said}


def tool_result(text: str) -> dict[str, Any]:
    content = [{"type": "tool_result", "tool_use_id": "x", "content": text}]
    return {"type": "user", "session_id": "s", "message": {"role": "user", "content": content}}


def result(text: str, **members: Any) -> dict[str, Any]:
    fields = {"type": "result", "subtype": "success", "is_error": False, "result": text}
    return {**fields, "session_id": "s", "total_cost_usd": 0.1, **members}


class Told:
    """What a watcher told, in order, and its outcome."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.outcome: Outcome = None  # type: ignore[assignment]

    def of(self, name: str) -> list[Any]:
        return [value for what, value in self.calls if what == name]

    @property
    def text(self) -> str:
        return "".join(self.of("text"))

    @property
    def reply(self) -> Reply:
        assert self.outcome.reply is not None
        return self.outcome.reply


def watch(data: bytes, returncode: int | None = 0, stderr: str = "", **options: Any) -> Told:
    """Watch an output whole, in chunks of seven bytes and byte by byte; what is told must be the same."""
    first = None
    for chunks in ([data], in_chunks(data, 7), in_bytes(data)):
        told = Told()
        watcher = Watcher(
            on_text=lambda text, told=told: told.calls.append(("text", text)),
            on_completion=lambda completion, told=told: told.calls.append(("completion", completion)),
            on_match=lambda _, value, told=told: told.calls.append(("match", value)),
            on_reply=lambda reply, told=told: told.calls.append(("reply", reply)),
            **{"agent": "claude", **options},
        )
        for chunk in chunks:
            watcher.feed(chunk)
        told.outcome = watcher.close(returncode, stderr)
        facts = (told.outcome, told.text, told.of("completion"), told.of("match"))
        first = first or facts
        assert facts == first
    return told


def test_deltas_are_read_live_and_the_final_text_repeats_nothing() -> None:
    told: list[Completion] = []
    watcher = Watcher(agent="claude", on_completion=told.append)
    watcher.feed(lines(INIT, begin("m1"), delta('so: {"status":"do')))
    assert (told, watcher.state) == ([], "none")
    watcher.feed(lines(delta('ne"} by')))
    assert (told, watcher.state, watcher.completion) == ([DONE], "ok", DONE)
    assert watcher.reply is not None
    assert (watcher.reply.text, watcher.reply.final) == ('so: {"status":"done"} by', False)
    watcher.feed(lines(message('so: {"status":"done"} by'), result('so: {"status":"done"} by')))
    assert told == [DONE]
    assert watcher.close(0).ok


def test_the_final_text_goes_on_where_the_draft_stopped() -> None:
    told = watch(
        lines(INIT, begin("m1"), delta('a {"status":"con'), result('a {"status":"continue"} {"status":"done"}'))
    )
    assert told.of("completion") == [CONTINUE, DONE]
    assert told.text == "a  "


def test_an_answer_without_deltas() -> None:
    told = watch(lines(INIT, message('a {"status":"done"}'), result('a {"status":"done"}')))
    assert (told.of("completion"), told.text, told.outcome.ok) == ([DONE], "a ", True)


def test_the_completion_of_an_abandoned_draft_is_forgotten() -> None:
    draft = lines(INIT, begin("m1"), delta('{"status":"done"}'))
    told = watch(draft + lines(RETRY, begin("m2"), delta("no"), result("no")))
    assert told.of("completion") == [DONE]  # it was told, and then taken back
    assert (told.outcome.completion, told.outcome.state, told.outcome.match) == (INVALID, "none", None)
    told = watch(draft + lines(RETRY, begin("m2"), delta('{"status":"continue"}'), result('{"status":"continue"}')))
    assert (told.of("completion"), told.outcome.completion) == ([DONE, CONTINUE], CONTINUE)


def test_a_final_text_that_differs_from_the_draft_wins() -> None:
    told = watch(lines(INIT, begin("m1"), delta('x {"status":"continue"} y'), result('z {"status":"done"}')))
    assert (told.of("completion"), told.outcome.completion) == ([CONTINUE, DONE], DONE)
    assert told.outcome.match is not None
    assert told.outcome.match.start == 2
    told = watch(lines(INIT, begin("m1"), delta('x {"status":"done"}'), result("nothing")))
    assert (told.outcome.completion, told.outcome.state) == (INVALID, "none")
    told = watch(lines(INIT, begin("m1"), delta('x {"status":"done"}'), result('other words {"status":"done"}')))
    assert (told.of("completion"), told.outcome.completion) == ([DONE], DONE)


@pytest.mark.parametrize("text", ['{"status":"done"}', '{"status":"continue"}', "no object"])
def test_structured_output_wins(text: str) -> None:
    told = watch(
        lines(INIT, begin("m1"), delta(text), result(text, structured_output={"status": "done", "summary": "s"}))
    )
    assert told.outcome.completion == Completion(Status.DONE, "s")
    assert told.of("completion")[-1] == Completion(Status.DONE, "s")


def test_structured_output_that_the_text_said_already_is_not_told_again() -> None:
    told = watch(lines(INIT, result('{"status":"done"}', structured_output={"status": "done"})))
    assert told.of("completion") == [DONE]
    assert told.of("match") == [DONE]


def test_structured_output_that_does_not_satisfy_leaves_the_text() -> None:
    for other in ({"x": 1}, [], "text", 5):
        told = watch(lines(INIT, result('{"status":"done"}', structured_output=other)))
        assert told.outcome.completion == DONE


class Verdict(msgspec.Struct):
    verdict: str


def test_a_schema_inside_the_answer() -> None:
    text = 'first {"verdict":"bad"}, then {"verdict":"good"} {"status":"done"}'
    told = watch(
        lines({**INIT, "verdict": "envelope"}, message(text), result(text, verdict="envelope")), schema=Verdict
    )
    assert told.outcome.value == Verdict("good")
    assert told.of("match") == [Verdict("bad"), Verdict("good")]
    assert (told.outcome.completion, told.of("completion")) == (None, [])
    told = watch(lines(INIT, result("", structured_output={"verdict": "s"})), schema=Verdict)
    assert told.outcome.value == Verdict("s")
    told = watch(lines(INIT, result("", structured_output=[{"verdict": "s"}])), schema=list[Verdict])
    assert told.outcome.value == [Verdict("s")]


@pytest.mark.parametrize(
    ("text", "completion"),
    [("work\nDONE\n", DONE), ("DONE\nwork", CONTINUE), ('DONE {"a": 1}', CONTINUE), ("", CONTINUE)],
)
def test_the_marker_inside_the_answer(text: str, completion: Completion) -> None:
    for events in (lines(INIT, result(text)), lines(INIT, begin("m1"), *map(delta, text), message(text), result(text))):
        told = watch(events + b"DONE\n", contract="marker")
        assert (told.outcome.completion, told.of("completion"), told.text) == (
            completion, [completion], text.replace('{"a": 1}', ""),
        )  # fmt: skip


def test_what_does_not_count_inside_the_answer() -> None:
    text = '<think>{"status":"error"}</think> {"status":"done"} {"status":"continue"}'
    events = lines(INIT, begin("m1"), *map(delta, text), message(text), result(text))
    assert watch(events, skip_think=True, ignore=['{"status":\n"continue"}']).outcome.completion == DONE
    assert watch(events, ignore=[{"status": "continue"}, {"status": "done"}]).outcome.completion == ERROR
    example = '{"status":\n"done"}'
    assert watch(lines(INIT, result(example)), framing="lines", ignore=[example]).outcome.match is None


def test_an_object_on_several_lines_of_the_answer() -> None:
    told = watch(lines(INIT, result('{\n "status":\n "done"\n}')), framing="lines")
    assert told.outcome.completion == DONE


def test_an_answer_cut_inside_its_object() -> None:
    told = watch(lines(INIT, begin("m1"), delta('{"verdict":{"status":"done"},"x":"all te')))
    assert (told.outcome.completion, told.outcome.state, told.outcome.ok) == (INVALID, "incomplete", False)
    assert told.outcome.unfinished is not None
    told = watch(lines(INIT) + lines(result('{"status":"done"}'))[:-3])
    assert (told.outcome.completion, told.outcome.state, told.reply.is_error) == (INVALID, "incomplete", True)


def test_only_the_answer_counts() -> None:
    done = '{"status":"done"}'
    sub = {**message(done, "m9"), "parent_tool_use_id": "t1"}
    thinking = stream(
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": done}}
    )
    call = {"type": "tool_use", "id": "x", "name": "Bash", "input": {"status": "done", "command": f"echo '{done}'"}}
    events = [INIT, sub, begin("m1"), thinking, {**message("", "m2"), "status": "done"}, tool_result(done)]
    calling = {"type": "assistant", "session_id": "s", "message": {"id": "m3", "role": "assistant", "content": [call]}}
    told = watch(lines({"status": "done"}, *events, calling, result("finished", status="done")) + done.encode())
    assert (told.of("completion"), told.outcome.completion, told.outcome.state) == ([], INVALID, "none")
    assert told.text == "finished"


def test_a_completion_printed_whole_before_the_cut_stays() -> None:
    told = watch(lines(INIT, begin("m1"), delta('{"status":"done","summary":"s"} and mo')))
    assert told.outcome.completion == Completion(Status.DONE, "s")
    assert (told.outcome.ok, told.outcome.state, told.reply.final, told.reply.is_error) == (False, "ok", False, True)
    assert told.reply.text == '{"status":"done","summary":"s"} and mo'
    assert "ended early" in (told.reply.error or "") or "before its final event" in (told.reply.error or "")


def test_success_that_is_not() -> None:
    events = lines(INIT, result('{"status":"done"}'))
    assert watch(events).outcome.ok
    assert watch(events, returncode=None).outcome.ok
    told = watch(events, returncode=1)
    assert (told.outcome.ok, told.reply.is_error, told.outcome.completion) == (False, True, DONE)
    told = watch(lines(INIT, result('{"status":"done"}', is_error=True)))
    assert (told.outcome.ok, told.reply.is_error) == (False, True)


def test_an_end_that_we_caused() -> None:
    for events, ok in ((lines(INIT, result('{"status":"done"}')), True), (lines(INIT, begin("m"), delta("x")), False)):
        watcher = Watcher(agent="claude")
        watcher.feed(events)
        outcome = watcher.close(-15, stopped=True)
        assert outcome.reply is not None
        assert (outcome.ok, outcome.reply.final, outcome.returncode) == (ok, ok, -15)
        assert not outcome.reply.is_error  # nor was the agent's work ended by a fault of its own


def test_the_order_of_text_completion_and_reply() -> None:
    watcher_calls: list[Any] = []
    watcher = Watcher(
        agent="claude",
        on_text=watcher_calls.append,
        on_completion=watcher_calls.append,
        on_reply=lambda reply: watcher_calls.append((reply.text, reply.final)),
    )
    watcher.feed(lines(INIT, begin("m1"), delta("a "), delta('{"status":"done"}'), delta(" b")))
    text = 'a {"status":"done"} b'
    assert watcher_calls == [("", False), "a ", DONE, " b"]
    watcher.feed(lines(message(text), result(text)))
    assert watcher_calls[-1] == (text, True)
    assert watcher_calls[:4] == [("", False), "a ", DONE, " b"]
    count = len(watcher_calls)
    watcher.close(0)
    assert len(watcher_calls) == count


def test_each_change_of_the_reply_is_told() -> None:
    told = watch(
        lines(INIT, begin("m1"), delta("a"), delta("b"), result("ab")), returncode=3, stderr="Error: no disk\n"
    )
    sessions = [reply.session_id for reply in told.of("reply")]
    assert sessions[0] == "s"
    last = told.of("reply")[-1]
    assert last == told.reply
    assert last.is_error
    assert "no disk" in (last.error or "")


def test_a_name_that_is_none() -> None:
    with pytest.raises(ValueError, match="claude, codex"):
        Watcher(agent="Claude")


def test_an_adapter_ready_made_serves_every_stream_anew() -> None:
    watcher = Watcher(agent=adapter_for("claude"))
    watcher.feed(lines(INIT, result('{"status":"done"}')))
    assert watcher.close(0).ok
    watcher.reset()
    assert watcher.reply == Reply(agent="claude")
    watcher.feed(lines(INIT, begin("m1")))
    assert not watcher.close(0).ok


REENTRY: list[Callable[[Watcher], Any]] = [lambda w: w.feed(b""), lambda w: w.close(), lambda w: w.reset()]


@pytest.mark.parametrize("call", REENTRY, ids=["feed", "close", "reset"])
def test_no_way_back_in_from_on_reply(call: Callable[[Watcher], Any]) -> None:
    watcher: Watcher = Watcher(agent="claude", on_reply=lambda _: call(watcher))
    with pytest.raises(RuntimeError, match="inside a callback"):
        watcher.feed(lines(INIT))
    assert watcher.reply is not None
    assert watcher.reply.session_id == "s"
