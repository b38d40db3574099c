"""What went wrong for people, from `tests/data/cases`: a new case is a new file there."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import lastbrace
from lastbrace import Found, Scanner, Watcher

from .cases import ALL, Case
from .feeding import events_of, outcome_of

BY_NAME = {case.name: case for case in ALL}

# Fields that say what a test must do. Every other field is for people to read.
TESTED = {
    "objects", "objects_py", "last", "last_py", "last_any", "schema", "state", "strict_last", "emit_after_chunk",
    "emit", "max_seconds", "naive", "options", "scenario", "needs", "inner", "ops",
}  # fmt: skip
FOR_PEOPLE = {"note", "debatable", "error", "clean"}
# What `needs` names and recovery does, or another option, tested below; without any the answer is the strict one.
RECOVERED = {
    "unescaped_quote", "raw_control", "bad_escape", "smart_quote", "trailing_comma", "python_literal", "single_quote",
    "unquoted_key", "mismatched_close",
}  # fmt: skip
NEEDS_ANOTHER = {
    "echo_filter": "test_an_echoed_example_is_ignored_when_the_prompt_is_told",
    "nonce": "test_an_injected_verdict_does_not_have_the_nonce",
    "extra_brace": "no option: an object that is whole was told, and is not taken back",
    "unwrap": "no option: only the width of the terminal could tell a wrapped line from one that was meant",
}
# How to look into a member, by its path in the case.
INNER: dict[str, dict[str, Any]] = {
    "item.text where item.type == 'agent_message'": {"agent": "codex"},
    "result": {"answer": "result"},
    "choices[0].message.content": {"answer": "choices[0].message.content"},
    "payload": {"answer": "payload"},
    "log (concatenated)": {"answer": "log"},
}
SCENARIOS = {
    "transport/no-newline-at-the-end": "test_each_object_comes_with_the_chunk_that_closes_it",
    "transport/stderr-not-drained": "test_a_program_that_fills_stderr_first",
    "transport/line-over-64-kib": "test_a_program_that_prints_a_line_over_64_kib",
    "callback/raises-once": "test_a_callback_that_raises_once",
    "lifecycle/prose-then-object": "test_nothing_yet_is_no_verdict",
    "tail/change-notices-lost": "follow/test_cases.py",  # with all other operations on files
}


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, NaN being equal to itself and 1 not to 1.0."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def watcher_options(case: Case) -> dict[str, Any]:
    schema = case.expect.get("schema")
    asked = {"contract": None} if schema is None else {"schema": schema}
    return asked | case.expect.get("options", {})


def scan_options(case: Case) -> dict[str, Any]:
    options: dict[str, Any] = case.expect.get("options", {})
    return options


def case_ids(cases: list[Case]) -> list[str]:
    return [case.name for case in cases]


each_case = pytest.mark.parametrize("case", ALL, ids=case_ids(ALL))


@each_case
def test_objects(case: Case) -> None:
    found = [event for event in events_of(case.text, **scan_options(case)) if isinstance(event, Found)]
    values = [event.value for event in found if not event.fragment]
    assert same(values, case.objects)
    if "naive" in case.expect:
        assert all(
            event.fragment for event in found if event.value in case.expect["naive"] and event.value not in values
        )


@each_case
def test_outcome(case: Case) -> None:
    outcome = outcome_of(case.text, **watcher_options(case))
    answer = outcome.last if "schema" not in case.expect else outcome.match
    assert same(answer and answer.value, case.last)
    newest = [value for value in case.objects if value]
    assert same(outcome.last and outcome.last.value, newest[-1] if newest else None)
    assert same(case.last_any, case.objects[-1] if case.objects else None)
    if case.expect.get("needs") == ["echo_filter"]:
        assert outcome.state == "ok"  # the state of the case is the one with the filter
    else:
        assert outcome.state == case.expect["state"]


NEEDING = [case for case in ALL if set(case.expect.get("needs", ())) & RECOVERED]


@pytest.mark.parametrize("case", NEEDING, ids=case_ids(NEEDING))
def test_an_answer_that_needs_repair_is_recovered(case: Case) -> None:
    assert set(case.expect["needs"]) <= RECOVERED
    expected = case.expect["last"]
    keys = list(expected[0] if isinstance(expected, list) else expected)
    schema = case.expect.get("schema") or (
        {"type": "array"} if isinstance(expected, list) else {"type": "object", "required": keys}
    )
    recovered = lastbrace.recover(case.text, schema)
    assert recovered is not None
    assert same(recovered.value, expected)
    assert recovered.repairs
    outcome = outcome_of(case.text, schema=schema, recover=True)
    assert outcome.recovered == recovered
    assert (outcome.match, outcome.completion, outcome.ok) == (None, None, False)


def test_an_injected_verdict_does_not_have_the_nonce() -> None:
    case = BY_NAME["extract/verdict-quoted-after"]
    assert case.expect["needs"] == ["nonce"]
    answered = case.text.replace(b'"high"', b'"high","nonce":"7f3a"')
    outcome = outcome_of(answered, schema={"required": ["risk"]}, nonce="7f3a")
    assert outcome.value == case.expect["last"]
    assert outcome_of(case.text, schema={"required": ["risk"]}, nonce="7f3a").match is None


WITH_INNER = [case for case in ALL if "inner" in case.expect]


@pytest.mark.parametrize("case", WITH_INNER, ids=case_ids(WITH_INNER))
def test_the_answer_inside_a_member(case: Case) -> None:
    inner = case.expect["inner"]
    schema = {"type": "object", "minProperties": 1} if case.expect.get("schema") is None else case.expect["schema"]
    outcome = outcome_of(case.text, schema=schema, **INNER[inner["path"]])
    if inner["path"] == "log (concatenated)":  # joining records takes knowledge of what cut them
        assert outcome.match is None
        joined = "".join(json.loads(line)["log"] for line in case.text.decode().splitlines())
        outcome = outcome_of(joined.encode(), schema=schema)
    assert same(outcome.value, inner["last"])
    if "error" in inner:
        assert outcome.state == ("incomplete" if "incomplete" in inner["error"] else "malformed")


TIMED = [case for case in ALL if "emit_after_chunk" in case.expect]


@pytest.mark.parametrize("case", TIMED, ids=case_ids(TIMED))
def test_each_object_comes_with_the_chunk_that_closes_it(case: Case) -> None:
    scanner = Scanner(**scan_options(case))
    came = []
    for number, chunk in enumerate(case.chunks):
        found = [event for event in scanner.feed(chunk) if isinstance(event, Found) and not event.fragment]
        came += [number] * len(found)
    assert came == case.expect["emit_after_chunk"]
    assert not [event for event in scanner.close() if isinstance(event, Found)]


LIMITED = [case for case in ALL if "max_seconds" in case.expect]


@pytest.mark.parametrize("case", LIMITED, ids=case_ids(LIMITED))
def test_takes_no_longer_than(case: Case) -> None:
    started = time.process_time()
    scanner = Scanner(**scan_options(case))
    for chunk in case.chunks:
        scanner.feed(chunk)
    scanner.close()
    assert time.process_time() - started < case.expect["max_seconds"]


def test_an_object_behind_a_deep_candidate_comes_before_the_end() -> None:
    case = BY_NAME["robust/depth-100000"]
    assert case.expect["emit"] == "eof"  # as late as that is allowed, but the limit on depth makes it early
    scanner = Scanner()
    came = [[event.value for event in scanner.feed(chunk)] for chunk in case.chunks]
    assert came == [[], [], [{"status": "done"}]]


def test_an_echoed_example_is_ignored_when_the_prompt_is_told() -> None:
    case = BY_NAME["extract/example-echoed-then-crash"]
    prompt = 'finish with e.g. {"status":"done","summary":"Example: all tests pass"}'
    for ignored in (prompt, {"status": "done", "summary": "Example: all tests pass"}):
        outcome = outcome_of(case.text, ignore=[ignored], **watcher_options(case))
        assert outcome.match is None
        assert outcome.state == case.expect["state"]
    answered = case.text + b'{"status":"error","summary":"crashed"}\n'
    outcome = outcome_of(answered, ignore=[prompt], **watcher_options(case))
    assert outcome.match is not None
    assert outcome.match.value == {"status": "error", "summary": "crashed"}


def test_an_echoed_example_is_passed_over_when_reading_starts_after_it() -> None:
    case = BY_NAME["extract/example-echoed-then-crash"]
    outcome = outcome_of(case.text, after="starting agent", **watcher_options(case))
    # The case says no_match; but here the example is not looked at, so that no object is left at all.
    assert (outcome.match, outcome.last, outcome.state) == (None, None, "none")
    answered = case.text + b'{"status":"error","summary":"crashed"}\n'
    outcome = outcome_of(answered, after="starting agent", **watcher_options(case))
    assert outcome.match is not None
    assert outcome.match.value == {"status": "error", "summary": "crashed"}
    assert answered[outcome.match.start : outcome.match.end] == outcome.match.raw


def test_a_callback_that_raises_once() -> None:
    case = BY_NAME["callback/raises-once"]
    seen = []

    def on_object(found: Found) -> None:
        seen.append(found.value)
        if found.value == {"n": 1}:
            raise ValueError("not this one")

    watcher = Watcher(contract=None, on_object=on_object)
    with pytest.raises(ValueError, match="not this one"):
        watcher.feed(case.text)
    assert seen == case.objects
    assert watcher.close().last is not None
    seen.clear()
    watcher = Watcher(contract=None, on_object=on_object)
    with pytest.raises(ValueError, match="not this one"):
        watcher.feed(case.chunks[0])
    for chunk in case.chunks[1:]:
        watcher.feed(chunk)
    assert seen == case.objects
    assert watcher.close().state == "ok"


def test_nothing_yet_is_no_verdict() -> None:
    case = BY_NAME["lifecycle/prose-then-object"]
    watcher = Watcher(contract=None)
    watcher.feed(case.chunks[0])
    assert (watcher.state, watcher.last, watcher.completion) == ("none", None, None)
    watcher.feed(case.chunks[1])
    assert watcher.state == "ok"


def run_python(program: str) -> lastbrace.Outcome:
    return lastbrace.run_sync([sys.executable, "-c", program], contract=None, timeout=60)


def test_a_program_that_fills_stderr_first() -> None:
    case = BY_NAME["transport/stderr-not-drained"]
    outcome = run_python(f"import sys; sys.stderr.write('e' * 200000); sys.stdout.write({case.text.decode()!r})")
    assert outcome.last is not None
    assert outcome.last.value == case.last
    assert outcome.state == case.expect["state"]
    assert outcome.stderr_tail.endswith("e" * 100)


def test_a_program_that_prints_a_line_over_64_kib() -> None:
    case = BY_NAME["transport/line-over-64-kib"]
    outcome = run_python(f"import sys; sys.stdout.write({case.text.decode()!r})")
    assert outcome.last is not None
    assert outcome.last.value == case.last
    assert outcome.stats.objects == len(case.objects)


def test_every_field_of_every_case_is_tested_or_left_out_for_a_reason() -> None:
    fields = {field for case in ALL for field in case.expect}
    assert fields - TESTED - FOR_PEOPLE == set()
    needed = {need for case in ALL for need in case.expect.get("needs", ())}
    assert needed == RECOVERED | set(NEEDS_ANOTHER)
    assert {case.name for case in ALL if "scenario" in case.expect} == set(SCENARIOS)
    for where in SCENARIOS.values():
        assert where in globals() or (Path(__file__).parent / where).exists()
