"""Options of a Watcher that meet one another: each keeps its word, or the two are refused together."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import msgspec
import pytest

import lastbrace
from lastbrace import Completion, Watcher, prompts

from .feeding import in_bytes, in_chunks

EXAMPLE = 'Fix it. End with {"status": "done", "summary": "what you did", "files": ["a.py", "b.py"]}'


def jsonl(*events: Any) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


def codex(*texts: str) -> str:
    items = ({"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": text}} for text in texts)
    return jsonl({"type": "thread.started", "thread_id": "t"}, *items, {"type": "turn.completed", "usage": {}})


class Verdict(msgspec.Struct):
    verdict: str
    findings: list[str] = []


class Bill(msgspec.Struct):
    total: Decimal


# ---- What is ignored ----


@pytest.mark.parametrize("agent", [None, "codex"])
@pytest.mark.parametrize("limit", [None, 1000, 32])
def test_an_example_that_is_ignored_is_so_above_the_buffer_limit(agent: str | None, limit: int | None) -> None:
    watcher: Watcher[Any] = Watcher(agent=agent, ignore=[EXAMPLE], buffer_limit=limit)
    said = f"> {EXAMPLE}\nI could not."
    watcher.feed(said if agent is None else codex(said))
    assert not watcher.close(0).ok


@pytest.mark.parametrize("limit", [None, 32])
def test_a_large_answer_is_not_ignored_for_what_is_wanted_of_it(limit: int | None) -> None:
    watcher: Watcher[Any] = Watcher(ignore=['End with {"status": "done"}'], buffer_limit=limit)
    watcher.feed(json.dumps({"status": "done", "log": "x" * 100}))
    assert watcher.close(0).ok


@pytest.mark.parametrize(
    ("task", "schema"),
    [
        ('Review. End with {"verdict": "approve", "findings": [...]}', Verdict),
        ("Fix. End with {'status': 'done', 'summary': 'what you did'}", None),
        (b"First {'status': 'continue'}, at the end {'status': 'done',}", None),
    ],
)
def test_an_example_that_is_almost_json_is_not_recovered_from_its_echo(task: str | bytes, schema: Any) -> None:
    text = task if isinstance(task, str) else task.decode()
    for ignore in ([task], iter([task])):
        watcher: Watcher[Any] = Watcher(schema=schema, recover="accept", ignore=ignore)
        watcher.feed(f"> {text}\nSorry, I cannot.\n")
        outcome = watcher.close(0)
        assert (outcome.ok, outcome.recovered) == (False, None)


def test_another_answer_is_recovered_beside_an_example() -> None:
    watcher: Watcher[Any] = Watcher(recover="accept", ignore=["End with {'status': 'done'}"])
    watcher.feed("> End with {'status': 'done'}\nSo: {'status': 'error', 'summary': 'no'}\n")
    assert watcher.close(0).completion == Completion(lastbrace.Status.ERROR, "no")


@pytest.mark.parametrize("ignore", [[object()], [{"a": {1, 2}}], "text", {"status": "done"}])
def test_what_cannot_be_ignored(ignore: Any) -> None:
    with pytest.raises(TypeError, match="ignore is a list of texts and values"):
        Watcher(ignore=ignore)


# ---- The newest answer of an agent ----


def claude_run(session: str, **result: Any) -> str:
    return jsonl(
        {"type": "system", "subtype": "init", "session_id": session, "claude_code_version": "2"},
        {"type": "result", "subtype": "success", "is_error": False, "session_id": session, **result},
    )


def test_a_second_run_wins_over_structured_output_of_the_first() -> None:
    watcher: Watcher[Any] = Watcher(agent="claude")
    watcher.feed(claude_run("a", result="", structured_output={"status": "done"}))
    assert watcher.completion == Completion(lastbrace.Status.DONE)
    watcher.feed(claude_run("b", result='{"status": "error", "summary": "broke"}'))
    outcome = watcher.close(0)
    assert (outcome.ok, outcome.completion) == (False, Completion(lastbrace.Status.ERROR, "broke"))


def test_the_newest_event_wins_whether_it_is_text_or_structured() -> None:
    told: list[Completion] = []
    watcher: Watcher[Any] = Watcher(answer="item", on_completion=told.append)
    watcher.feed(jsonl({"item": {"status": "continue"}}, {"item": '{"status": "done"}'}))
    outcome = watcher.close(0)
    assert [completion.status for completion in told] == ["continue", "done"]
    assert outcome.completion == Completion(lastbrace.Status.DONE)
    assert outcome.reply is not None
    assert (outcome.reply.text, outcome.reply.structured) == ('{"status": "done"}', None)


@pytest.mark.parametrize("agent", [None, "codex"])
def test_a_marker_is_told_once_at_the_end(agent: str | None) -> None:
    told: list[Completion] = []
    watcher: Watcher[Any] = Watcher(agent=agent, contract="marker", on_completion=told.append)
    watcher.feed("step one\nstep two\nDONE\n" if agent is None else codex("step one", "step two", "DONE"))
    assert told == []
    watcher.close(0)
    assert told == [Completion(lastbrace.Status.DONE)]


# ---- Roots ----


@pytest.mark.parametrize("roots", ["array", "any"])
def test_an_agents_answer_may_be_an_array(roots: Any) -> None:
    outcome = lastbrace.Watcher[Any](agent="codex", schema=list[int], roots=roots)
    outcome.feed(codex("so: [1, 2]"))
    assert outcome.close(0).value == [1, 2]


def test_arrays_are_found_in_plain_text_where_an_agent_might_be_recognised() -> None:
    watcher: Watcher[Any] = Watcher(agent="auto", schema=list[int], roots="array")
    watcher.feed('a plain {"n": 1} log: [1, 2]')
    assert watcher.close(0).value == [1, 2]


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_an_agent_has_one_place_for_its_answer(agent: str) -> None:
    with pytest.raises(ValueError, match="give agent or answer, not both"):
        Watcher(agent=agent, answer="item.text")


def test_members_of_an_array_are_told_by_their_index_whatever_the_cuts() -> None:
    text = b'[{"name": "a"}, 2]'
    for chunks in ([text], in_chunks(text, 9), in_bytes(text)):
        told: list[Any] = []

        def tell(path: Any, value: Any, told: list[Any] = told) -> None:
            told.append((path, value))

        watcher: Watcher[Any] = Watcher(roots="any", contract=None, on_field={"0.name": tell, "1": tell})
        for chunk in chunks:
            watcher.feed(chunk)
        watcher.close()
        assert told == [((0, "name"), "a"), ((1,), 2)]


# ---- Where it begins ----


def test_the_text_that_it_begins_after_is_cleaned_as_the_stream_is() -> None:
    watcher: Watcher[Any] = Watcher(after="\x1b[1mPROMPT\x1b[0m {}")
    watcher.feed('\x1b[1mPROMPT\x1b[0m {} {"status": "done"}')
    assert watcher.close(0).ok


@pytest.mark.parametrize(("agent", "said"), [(None, '{"status": "done"}'), ("codex", codex('{"status": "done"}'))])
def test_a_text_that_never_came_is_the_reason(agent: str | None, said: str) -> None:
    watcher: Watcher[Any] = Watcher(agent=agent, after="PROMPT")
    watcher.feed(said)
    reason = watcher.close(0).reason
    assert reason.endswith(f"the text that the answer comes after is not in {len(said)} bytes")


@pytest.mark.parametrize(
    ("options", "text"), [({"ignore": [{"a": 1}]}, '{"a": 1}'), ({"skip_think": True}, '<think>{"a": 1}</think>')]
)
def test_an_object_that_does_not_count_is_not_denied(options: dict[str, Any], text: str) -> None:
    watcher: Watcher[Any] = Watcher(contract=None, **options)
    watcher.feed(text)
    assert watcher.close(0).reason == "1 object, none that counts: empty, to be ignored, or only thought of"


@pytest.mark.parametrize(
    ("rest", "why"),
    [
        ("", "1 object, none that counts: empty"),
        ("{'a': 1} {\"a\": x}", "1 object, none that counts: what began at byte 12 broke off"),
        ('{"a": "too long to be stored"}', "1 object dropped, larger than max_object_bytes"),
    ],
)
def test_an_empty_object_hides_no_better_reason(rest: str, why: str) -> None:
    watcher: Watcher[Any] = Watcher(contract=None, max_object_bytes=20)
    watcher.feed("{} " + rest)
    assert watcher.close(0).reason.startswith(why)


# ---- Nonce, and arguments that are none ----


def test_a_nonce_changes_no_number() -> None:
    text = '{"total": 12345678901234567.10, "nonce": "z9"}'
    watcher: Watcher[Any] = Watcher(schema=Bill, nonce="z9")
    watcher.feed(text)
    assert watcher.close().value == Bill(Decimal("12345678901234567.10"))


@pytest.mark.parametrize("given", [r'"non\u0063e": "z9"', '"nonce": "no", "nonce": "z9"', '"nonce": "z9", "x": NaN'])
def test_a_nonce_may_be_written_in_any_way(given: str) -> None:
    watcher: Watcher[Any] = Watcher(schema=dict[str, Any], nonce="z9")
    watcher.feed(f'{{"n": 1, {given}}}')
    assert watcher.close().value["n"] == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fields": ["a..b"]}, "not a path"),
        ({"fields": [5]}, "a path is a text"),
        ({"contract": "marker", "marker": 5}, "a marker is a text"),
        ({"recover": True, "max_recover_bytes": None}, "must be a whole number of bytes"),
    ],
)
def test_arguments_that_are_none(options: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        Watcher(**options)


@pytest.mark.parametrize("agent", [None, "claude"])
def test_an_exit_that_is_none(agent: str | None) -> None:
    watcher: Watcher[Any] = Watcher(agent=agent)
    with pytest.raises(TypeError, match="returncode is a whole number or None, not '1'"):
        watcher.close("1")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="stderr is bytes or text, not int"):
        watcher.close(1, 5)  # type: ignore[arg-type]
    assert "boom" in watcher.close(1, bytearray(b"error: boom")).reason  # type: ignore[arg-type]  # a kind of bytes


@pytest.mark.parametrize("option", ["newest", "text", "key", "members"])
def test_what_is_no_option_of_scanners_is_told_so(option: str) -> None:
    for use in (lastbrace.Scanner, lambda **scan: lastbrace.find_objects("{}", **scan)):
        with pytest.raises(TypeError, match=f"unknown option '{option}'"):
            use(**{option: True})
    with pytest.raises(TypeError, match=f"unknown option '{option}'"):
        [*lastbrace.iter_objects("{}", **{option: True})]  # type: ignore[misc]


# ---- The shape in a prompt ----


class Lists(msgspec.Struct):
    findings: list[str]
    by_name: dict[str, list[int]]


@pytest.mark.parametrize("general", [None, "json_repair"])
@pytest.mark.parametrize("fold", [str, lambda text: " ".join(text.split()), lambda text: text.replace("\n", "\n> ")])
@pytest.mark.parametrize("schema", [Lists, Verdict, list[Lists]])
def test_no_shape_is_recovered(schema: Any, fold: Any, general: Any) -> None:
    text = fold(prompts.instruction("Review.", schema))
    for truncated in ("refuse", "accept"):
        assert lastbrace.recover(text, schema, general=general, truncated=truncated) is None  # type: ignore[arg-type]
