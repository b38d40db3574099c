"""What counts as an answer: schemas of every kind, and what is ignored, comes too early, is thought, or a fragment."""

from __future__ import annotations

import dataclasses
from typing import Any, TypedDict

import msgspec
import pydantic
import pytest

from lastbrace import Completion, Status, Watcher

from .feeding import outcome_of, watch

DONE, CONTINUE = Completion(Status.DONE), Completion(Status.CONTINUE)
INVALID = Completion(Status.ERROR, error="invalid-json")


class Verdict(msgspec.Struct):
    verdict: str


@dataclasses.dataclass
class VerdictData:
    verdict: str


class VerdictDict(TypedDict):
    verdict: str


class VerdictModel(pydantic.BaseModel):
    verdict: str


def verdict_of(value: Any) -> str:
    if value["verdict"] == "refused":
        raise ValueError("not this one")
    return str(value["verdict"])


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (Verdict, Verdict("good")),
        (VerdictData, VerdictData("good")),
        (VerdictDict, {"verdict": "good"}),
        (VerdictModel, VerdictModel(verdict="good")),
        ({"type": "object", "required": ["verdict"]}, {"verdict": "good"}),
        (verdict_of, "good"),
    ],
    ids=["struct", "dataclass", "typeddict", "pydantic", "json schema", "function"],
)
def test_a_schema_replaces_the_contract(schema: Any, value: Any) -> None:
    text = b'{"verdict":"bad"} {"verdict":"good"} {"status":"done"} {} {"x":{"verdict":"inner"}} {"verdict":"cu'
    outcome = outcome_of(text, schema=schema)
    assert (outcome.ok, outcome.state, outcome.completion, outcome.value) == (True, "ok", None, value)
    assert type(outcome.value) is type(value)
    assert outcome.last is not None
    assert outcome.last.value == {"x": {"verdict": "inner"}}
    _, seen = watch([text], schema=schema)
    assert [found.value["verdict"] for found, _ in seen.matches] == ["bad", "good"]
    assert seen.completions == []


def test_a_schema_whose_value_is_none_matches() -> None:
    outcome = outcome_of(b'{"a": 1}', schema=lambda value: None)
    assert (outcome.ok, outcome.value) == (True, None)
    assert outcome.match is not None


@pytest.mark.parametrize("error", [ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError, RecursionError])
def test_a_schema_function_refuses_by_what_it_meets(error: type[Exception]) -> None:
    def check(value: Any) -> Any:
        if "bad" in value:
            raise error("odd")
        return value

    assert outcome_of(b'{"good": 1} {"bad": 1}', schema=check).value == {"good": 1}


class OddError(Exception):
    pass


def test_what_a_schema_function_raises_else_passes_on_and_reading_goes_on() -> None:
    def check(value: Any) -> Any:
        if "bad" in value:
            raise OddError(value["bad"])
        return value["n"]

    numbers: list[int] = []
    watcher = Watcher(schema=check, on_match=lambda _, value: numbers.append(value))
    with pytest.raises(OddError, match="one"):
        watcher.feed('{"n": 1} {"bad": "one"} {"n": 2}')
    with pytest.raises(ExceptionGroup) as raised:
        watcher.feed('{"bad": "two"} {"bad": "three"} {"n": 3}')
    assert [str(error) for error in raised.value.exceptions] == ["two", "three"]
    assert numbers == [1, 2, 3]
    assert watcher.close().value == 3


PROMPT = 'End with\n```json\n{"status": "done", "summary": "what you did"}\n```\nor {"status": "error"}.'


@pytest.mark.parametrize(
    ("text", "ignore", "completion"),
    [
        (PROMPT + '\n{"status":"continue"}', [PROMPT], CONTINUE),
        ('{"status":"continue"}' + PROMPT, [PROMPT], CONTINUE),
        ('{"status":"continue"}' + PROMPT, [PROMPT.encode()], CONTINUE),
        (PROMPT, [PROMPT], INVALID),
        ('{"summary":"what you did","status":"done"}', [PROMPT], INVALID),
        ('{"status":"done","summary":"it"}', [PROMPT], Completion(Status.DONE, "it")),
        ('{"status":"done"} {"status":"error"}', [{"status": "error"}], DONE),
        ('{"status":"done"}', ["no object in it", {"status": "error"}], DONE),
    ],
)
def test_ignore(text: str, ignore: list[Any], completion: Completion) -> None:
    assert outcome_of(text.encode(), ignore=ignore).completion == completion


def test_what_is_ignored_is_neither_told_nor_newest() -> None:
    outcome, seen = watch(['{"a":1} {"b":2}'], contract=None, ignore=[{"b": 2}])
    assert outcome.last is not None
    assert outcome.last.value == {"a": 1}
    assert [found.value for found in seen.objects] == [{"a": 1}]


def test_an_example_on_several_lines_is_ignored_on_one() -> None:
    outcome, _ = watch(['{"status":"done"}\n'], framing="lines", ignore=['{\n "status":\n "done"\n}'])
    assert outcome.match is None


@pytest.mark.parametrize(
    "text",
    [
        b'{"status":"error"} BEGIN {"status":"done"} BEGIN x',
        b'{"status":"error"} BE\x1b[1mGI\x1b[0mN{"status":"done"}',
        b'{"status":"error","s":"BEGIN"} {"status":"done"}',
        b'{"status":"error"} BEBEGBEGIN "x" {"status":"done"}',
        b'{"a":BEGIN {"status":"done"}',
    ],
)
def test_after(text: bytes) -> None:
    outcome = outcome_of(text, after="BEGIN")
    assert outcome.completion == DONE
    assert outcome.match is not None
    assert text[outcome.match.start : outcome.match.end] == b'{"status":"done"}'


def test_after_what_never_comes() -> None:
    outcome, seen = watch(['{"status":"done"} BEGI'], after="BEGIN")
    assert (outcome.completion, outcome.state, seen.texts, seen.objects) == (INVALID, "none", [], [])


def test_after_a_text_that_is_not_ascii() -> None:
    for after in ("début ✓", "début ✓".encode()):
        assert outcome_of('{"status":"error"} début ✓ {"status":"done"}'.encode(), after=after).completion == DONE


THOUGHTS = [
    ('<think>{"status":"error"}</think>{"status":"done"}', DONE),
    ('{"status":"done"}<think>{"status":"error"}</think>', DONE),
    ('{"status":"done"}<think>{"status":"error"} cut', DONE),
    ('<think>{"status":"error"}', INVALID),
    ('<think>a</think><think>{"status":"error"}</think>', INVALID),
    ('<think>{"x": {"a": b}</think>{"status":"done"}', DONE),
    ('{"x":"<think>"}{"status":"done"}', DONE),
    ('<thi{"x":1}nk>{"status":"done"}', DONE),
    ('<think>{"x":"</think>"}{"status":"error"}', INVALID),
    ('<thinking>{"status":"done"}', DONE),
    ('<th\x1b[2mink>{"status":"error"}</think>{"status":"done"}', DONE),
]


@pytest.mark.parametrize(("text", "completion"), THOUGHTS)
def test_skip_think(text: str, completion: Completion) -> None:
    assert outcome_of(text.encode(), skip_think=True).completion == completion


def test_thinking_counts_unless_told() -> None:
    assert outcome_of(b'<think>{"status":"done"}</think>').completion == DONE


def test_a_thought_is_no_match_without_a_contract_either() -> None:
    outcome = outcome_of(b'{"a":1} <think>{"b":2}</think>', contract=None, skip_think=True)
    assert outcome.value == {"a": 1}
    assert outcome.last is not None
    assert outcome.last.value == {"b": 2}
    outcome = outcome_of(b'<think>{"b":2}', contract=None, skip_think=True)
    assert (outcome.ok, outcome.state, outcome.match) == (False, "no_match", None)


def test_fragments_are_told_on_request_and_never_match() -> None:
    text = b'"a": {"status":"done"}'
    outcome, seen = watch([text])
    assert (outcome.completion, seen.objects) == (INVALID, [])
    outcome, seen = watch([text], fragments=True)
    assert (outcome.completion, outcome.last, outcome.state) == (INVALID, None, "none")
    assert [(found.fragment, found.value) for found in seen.objects] == [(True, {"status": "done"})]
    assert outcome_of(text, contract=None, fragments=True).match is None
    assert outcome_of(text, schema=dict[str, str], fragments=True).match is None


def test_what_is_shown_of_a_broken_record_does_not_depend_on_the_cuts() -> None:
    before, after = "and so on " * 3, "that is not a value, and more than is shown"
    text = f'{{"summary": "{before}", "status": \x1b[31m{after}'.encode()
    for options in ({}, {"framing": "lines"}, {"max_object_bytes": 5}, {"max_object_bytes": 5, "contract": "marker"}):
        outcome = outcome_of(text, **options)
        assert outcome.stats.last_dead is not None
        assert outcome.stats.last_dead.excerpt == repr(text.replace(b"\x1b[31m", b"")[17:77].decode())
    assert outcome_of(b'{"a": no').stats.last_dead.excerpt == """'{"a": no'"""  # type: ignore[union-attr]  # there is one
    assert outcome_of(b'{"a": no}').reason.endswith(""", in '{"a": no}'""")


def test_of_reasons_that_are_as_frequent_the_same_is_named_however_cut() -> None:
    reason = "no JSON object in 4 bytes; 2 brackets began none (not a key followed)"
    assert [outcome_of(text, roots="any").reason for text in (b"[h{:", b"{h[:")] == [reason] * 2
