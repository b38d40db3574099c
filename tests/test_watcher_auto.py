"""The watcher when it is not told the agent: recognised from its events, or read at a path that is given."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lastbrace import Found, Watcher

from .test_watcher_agents import (
    CODEX,
    CONTINUE,
    DONE,
    ERROR,
    INIT,
    INVALID,
    begin,
    delta,
    lines,
    message,
    result,
    tool_result,
    watch,
)  # fmt: skip


def test_events_that_came_early_are_not_lost() -> None:
    told = watch(lines(message('hello {"status":"continue"}'), begin("m2"), delta("x"), INIT), agent="auto")
    assert told.reply.agent == "claude"
    assert told.reply.text == "x"
    told = watch(lines(message('hello {"status":"continue"}'), INIT), agent="auto")
    assert (told.reply.text, told.outcome.completion) == ('hello {"status":"continue"}', CONTINUE)


def test_matches_on_plain_text_are_forgotten_when_an_agent_is_recognised() -> None:
    told = watch(b'starting {"status":"done"}\n' + lines(INIT, result("nothing")), agent="auto")
    assert told.of("completion") == [DONE]
    assert (told.outcome.completion, told.outcome.match, told.outcome.state) == (INVALID, None, "none")
    told = watch(b'starting {"status":"done"}\n' + lines(INIT, result('{"status":"error"}')), agent="auto")
    assert told.outcome.completion == ERROR


def test_the_event_that_shows_the_agent_is_no_answer() -> None:
    error = {"type": "FatalError", "message": "bad"}
    event = {"type": "result", "status": "error", "stats": {"total_tokens": 1}, "error": error}
    told = watch(lines(event), agent="auto")
    assert (told.of("completion"), told.of("match"), told.reply.agent) == ([], [], "gemini")
    assert told.outcome.completion == INVALID


@pytest.mark.parametrize("make", [lines, lambda *events: json.dumps(events, indent=1).encode()])
def test_lines_and_a_pretty_array_of_events(make: Any) -> None:
    told = watch(make(INIT, message("x"), tool_result("y"), result('{"status":"done"}')), agent="auto")
    assert (told.reply.agent, told.outcome.ok, told.outcome.completion) == ("claude", True, DONE)


@pytest.mark.parametrize("agent", ["auto", "claude"])
def test_one_agents_log_in_anothers_tool_result(agent: str) -> None:
    told = watch(lines(INIT, tool_result(CODEX.decode()), result('read it {"status":"done"}')), agent=agent)
    assert (told.reply.agent, told.reply.text) == ("claude", 'read it {"status":"done"}')
    assert told.of("completion") == [DONE]
    told = watch(lines(INIT, tool_result(lines(INIT, result('{"status":"done"}')).decode())), agent=agent)
    assert (told.of("completion"), told.reply.final, told.reply.is_error) == ([], False, True)


@pytest.mark.parametrize("noise", [b"", b"npm warn x\n", b"\x1b]0;title\x07", b"%{name} {x} ", b'{"level":"info"}\n'])
def test_noise_before_the_events(noise: bytes) -> None:
    told = watch(noise + CODEX + noise, agent="auto")
    assert (told.reply.agent, told.outcome.completion, told.reply.final) == ("codex", ERROR, True)


def test_plain_text_stays_plain() -> None:
    told = watch(b'working {x}\n{"level": "info"}\ndone: {"status":"done"} bye', agent="auto")
    assert (told.outcome.ok, told.outcome.completion, told.reply.agent) == (True, DONE, None)
    assert told.reply.text == 'working {x}\n{"level": "info"}\ndone: {"status":"done"} bye'
    assert told.text == "working {x}\n\ndone:  bye"
    assert isinstance(told.outcome.match, Found)
    told = watch(b'{"status":"done"}', returncode=2, stderr="Error: it broke", agent="auto")
    assert (told.outcome.ok, told.reply.is_error) == (False, True)
    assert "it broke" in (told.reply.error or "")
    assert not watch(b"nothing", agent="auto").outcome.ok


def test_plain_text_by_the_marker_and_without_contract() -> None:
    assert watch(b"work\nDONE\n", agent="auto", contract="marker").outcome.completion == DONE
    told = watch(b'{"a": 1} <think>{"b": 2}</think>', agent="auto", contract=None, skip_think=True)
    assert told.outcome.value == {"a": 1}


FATAL = json.dumps({"session_id": "s", "error": {"type": "Error", "message": "no quota", "code": 1}}, indent=2)


@pytest.mark.parametrize("agent", ["auto", "gemini"])
def test_a_fatal_error_as_json_on_stderr(agent: str) -> None:
    told = watch(b"", returncode=1, stderr=f"a warning\n{FATAL}\n", agent=agent)
    assert (told.reply.agent, told.reply.error, told.reply.is_error) == ("gemini", "no quota", True)
    assert (told.outcome.ok, told.outcome.state, told.outcome.completion) == (False, "none", INVALID)
    assert told.of("reply")[-1] == told.reply
    for stderr in (FATAL.encode(), FATAL):
        watcher = Watcher(agent=agent)
        assert watcher.close(1, stderr).reply == watch(b"", returncode=1, stderr=FATAL, agent=agent).reply


def test_an_error_on_stderr_does_not_take_an_answer_back() -> None:
    overloaded = json.dumps({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    for stderr in (overloaded, FATAL):
        told = watch(b'retried; {"status":"done"}', stderr=stderr, agent="auto")
        assert (told.outcome.ok, told.outcome.completion, told.reply.agent) == (True, DONE, None)


def test_an_answer_on_stderr_is_none() -> None:
    told = watch(b"", stderr='{"status":"done"}', agent="auto")
    assert (told.outcome.completion, told.outcome.ok) == (INVALID, False)
    told = watch(lines(INIT, begin("m1"), delta("x")), stderr=lines(result('{"status":"done"}')).decode(), agent="auto")
    assert (told.outcome.completion, told.reply.is_error) == (INVALID, True)


def test_a_stream_is_recognised_anew_after_reset() -> None:
    watcher = Watcher(agent="auto")
    for data, agent in ((CODEX, "codex"), (b"plain", None), (lines(INIT), "claude")):
        watcher.feed(data)
        reply = watcher.close(0).reply
        assert reply is not None
        assert reply.agent == agent
        watcher.reset()


@pytest.mark.parametrize(
    ("path", "event"),
    [
        ("text", {"text": "{}"}),
        ("item.text", {"item": {"text": "{}"}}),
        ("choices[0].message.content", {"choices": [{"message": {"content": "{}"}}]}),
        ("rows[1][0]", {"rows": [1, ["{}"]]}),
        ("a b.c-d", {"a b": {"c-d": "{}"}}),
    ],
)
def test_the_answer_at_a_path(path: str, event: dict[str, Any]) -> None:
    def filled(text: str) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(json.dumps(event).replace('"{}"', json.dumps(text)))
        return value

    events = [
        {"status": "error"},
        filled('working {"status":"continue"}'),
        {"item": 5, "choices": [], "rows": [1], "text": None},
        filled('finished {"status":"done"}'),
        {"choices": {"0": 1}, "rows": "text", "item": ["text"]},
    ]
    told = watch(lines(*events), agent=None, answer=path)
    assert told.of("completion") == [CONTINUE, DONE]
    assert told.text == "working finished "
    assert (told.outcome.ok, told.reply.text, told.reply.agent) == (True, 'finished {"status":"done"}', None)
    assert not watch(lines(*events), returncode=1, agent=None, answer=path).outcome.ok


def test_the_newest_answer_at_a_path_wins_even_without_a_completion() -> None:
    told = watch(lines({"t": '{"status":"done"}'}, {"t": "sorry"}), agent=None, answer="t")
    assert (told.outcome.completion, told.reply.text) == (INVALID, "sorry")


def test_a_value_at_a_path_is_structured_output() -> None:
    told = watch(lines({"t": {"status": "done"}}), agent=None, answer="t")
    assert (told.outcome.completion, told.reply.structured) == (DONE, {"status": "done"})


@pytest.mark.parametrize("path", ["", ".", "a..b", ".a", "a.", "a[x]", "a[-1]", "a[0", "a]0[", "a[0]b", "a[]"])
def test_a_path_that_is_none(path: str) -> None:
    with pytest.raises(ValueError, match=r"choices\[0\]"):
        Watcher(answer=path)
