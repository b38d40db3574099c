"""What the watcher says of a stream: the contract by example, what does not count, the state and the one verdict."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

import lastbrace
from lastbrace import ClosedError, Completion, Found, Status, Unfinished, Watcher, parse_completion

from .feeding import in_bytes, outcome_of, two_way_cuts, watch

if TYPE_CHECKING:
    from collections.abc import Callable

DONE, CONTINUE, ERROR = (Completion(Status(word)) for word in ("done", "continue", "error"))
INVALID = Completion(Status.ERROR, error="invalid-json")
TACHE = '{"status":"done","summary":"Tâche terminée ✓ \\"hello\\" {x}"}'

BY_EXAMPLE: list[tuple[str, Completion, str]] = [
    ('{"status":"done"}', DONE, "ok"),
    ('logs\n{"status":"continue","next":"step2"}', Completion(Status.CONTINUE, next="step2"), "ok"),
    ('{"status":"continue"}\ntext\n{"status":"done"}', DONE, "ok"),
    ('{"status":"done"}\nMore output', DONE, "ok"),
    ('Here:\n```json\n{"status":"done"}\n```\nBye.', DONE, "ok"),
    ('All is well: {"status":"done"}. Good night.', DONE, "ok"),
    ('{"status":"done","extra":1,"summary":"ok"}', Completion(Status.DONE, "ok"), "ok"),
    ('{"data":{"status":"continue"}}\n{"status":"done"}', DONE, "ok"),
    ('{"data":{"status":"done"}}', INVALID, "no_match"),
    ('{"status":"done"} {"status":"maybe"}', DONE, "ok"),
    ('{"status":"done","summary":1}', INVALID, "no_match"),
    ('{"status":123}', INVALID, "no_match"),
    ('{"summary":"x"}', INVALID, "no_match"),
    ("{status: done}", INVALID, "none"),
    ("prose", INVALID, "none"),
    ("", INVALID, "none"),
    (" \n\t ", INVALID, "none"),
    (TACHE, Completion(Status.DONE, 'Tâche terminée ✓ "hello" {x}'), "ok"),
    ('{"status":"done","summary":null}', INVALID, "no_match"),
    ('{"type":"result","verdict":{"status":"done"},"summary":"all te', INVALID, "incomplete"),
    ('%{name} and {other} then {"status":"done"}', DONE, "ok"),
    ("{}", INVALID, "none"),
    ('{"status":"continue"}\n{"status":"done","summary":"al', CONTINUE, "ok"),
    ('{"status": done}', INVALID, "malformed"),
    ('[{"status":"done"}]', DONE, "ok"),
    ('{"status":"error","summary":"no disk"}', Completion(Status.ERROR, "no disk"), "ok"),
    ('"usage": {"status":"done"}', INVALID, "none"),
]
MARKERS = [
    ("work\nDONE\n\n", DONE),
    ("work\n  DONE  ", DONE),
    ("DONE\nmore", CONTINUE),
    ("NOT DONE", CONTINUE),
    ("", CONTINUE),
    ('work {"a": 1}\nDONE', DONE),
    ('{"a": 1}DONE', CONTINUE),
    ('DONE {"a": 1}', CONTINUE),
    ('DONE\n{"a": 1}', CONTINUE),
    ("DONE\n{}", CONTINUE),
    ('{"a": x}\nDONE', DONE),
    ('DONE {"a": x}', CONTINUE),
    ('DONE\n{"a": 1,\n', CONTINUE),
    ("DONE{", CONTINUE),
    ('"usage": {"a": 1}DONE', CONTINUE),
    ('"usage": {"a": 1}\nDONE', DONE),
    ("\x1b[32mDONE\x1b[0m\r\n", DONE),
    ("99%\rDONE", DONE),
]
example = pytest.mark.parametrize(("text", "completion", "state"), BY_EXAMPLE)
marker_example = pytest.mark.parametrize(("text", "completion"), MARKERS)


@example
def test_the_contract_by_example(text: str, completion: Completion, state: str) -> None:
    outcome = outcome_of(text.encode())
    assert (outcome.completion, outcome.state) == (completion, state)
    assert outcome.ok == (state == "ok" and completion.status != "error")
    assert outcome.value == (completion if state == "ok" else None)
    assert (outcome.unfinished is not None) == text.endswith(("te", "al"))


@example
def test_the_contract_on_whole_text(text: str, completion: Completion, state: str) -> None:
    data = text.encode()
    assert parse_completion(text) == parse_completion(data) == parse_completion(memoryview(data)) == completion


@marker_example
def test_the_marker_by_example(text: str, completion: Completion) -> None:
    outcome = outcome_of(text.encode(), contract="marker")
    assert (outcome.completion, outcome.state, outcome.match, outcome.value) == (completion, "ok", None, completion)
    assert parse_completion(text, contract="marker") == completion
    _, seen = watch([text], contract="marker")
    assert seen.completions == [completion]
    assert seen.matches == []


@pytest.mark.parametrize(
    ("text", "completion"),
    [
        ('DONE {"long": "answer"}', CONTINUE),
        ('{"long": "answer"}DONE', CONTINUE),
        ('DONE\n{"long": "answer"}\n', CONTINUE),
        ('{"long": "answer"}\nDONE', DONE),
    ],
)
def test_a_dropped_object_is_no_marker_line(text: str, completion: Completion) -> None:
    assert outcome_of(text.encode(), contract="marker", max_object_bytes=8).completion == completion


def test_another_marker() -> None:
    assert outcome_of("DONE\n<fini ✓>\n".encode(), contract="marker", marker="<fini ✓>").completion == DONE
    assert parse_completion("DONE\n", contract="marker", marker="READY") == CONTINUE
    for bad in ("", " ", "a\nb"):
        with pytest.raises(ValueError, match="marker"):
            Watcher(contract="marker", marker=bad)


def test_a_marker_says_nothing_before_the_end() -> None:
    watcher = Watcher(contract="marker")
    watcher.feed("DONE\n")
    assert (watcher.completion, watcher.state) == (None, "none")
    assert watcher.close().completion == DONE
    assert watcher.completion == DONE


def test_a_completion_is_told_on_its_closing_brace_and_again_for_newer_ones() -> None:
    text = b'a {"status":"continue"} b {"x":1} {"status":"maybe"} {"status":"done"} c'
    fed = bytearray()
    told: list[tuple[bytes, Completion]] = []
    watcher = Watcher(on_completion=lambda completion: told.append((bytes(fed), completion)))
    for byte in in_bytes(text):
        fed += byte
        watcher.feed(byte)
    watcher.close()
    assert told == [(text[:23], CONTINUE), (text[:-2], DONE)]


def test_the_same_completion_twice_is_told_twice() -> None:
    _, seen = watch(['{"status":"continue"}\n' * 3])
    assert seen.completions == [CONTINUE] * 3


def test_what_is_known_while_the_stream_runs() -> None:
    watcher = Watcher()
    assert (watcher.state, watcher.last, watcher.match, watcher.completion, watcher.reply) == ("none", *[None] * 4)
    watcher.feed('{"x": bad} {"status": "do')
    assert watcher.state == "malformed"
    assert watcher.open == Unfinished(11, 14)
    watcher.feed('ne"} {"n": 1}')
    assert (watcher.state, watcher.completion, watcher.open) == ("ok", DONE, None)
    assert watcher.last is not None
    assert watcher.match is not None
    assert (watcher.last.value, watcher.match.value) == ({"n": 1}, {"status": "done"})
    assert watcher.stats.objects == 2


@pytest.mark.parametrize(
    ("text", "options", "state"),
    [
        ('{"a":1}', {"contract": None}, "ok"),
        ('{"a":1} {"b":', {"contract": None}, "ok"),
        ("{}", {"contract": None}, "none"),
        ('x, "a": {"b": 1}', {"contract": None}, "none"),
        ('{"a":1}', {"schema": dict[str, int]}, "ok"),
        ('{"a":"x"}', {"schema": dict[str, int]}, "no_match"),
        ('{"a":"x"} {"a":', {"schema": dict[str, int]}, "incomplete"),
        ("{}", {"schema": dict[str, int]}, "none"),
        ('{"a":"x"} {"a": b}', {}, "no_match"),
        ('{"a": b}', {}, "malformed"),
        ("{b}", {}, "none"),
        ("{", {}, "incomplete"),
        ('{"a":\n{"b": c}\n', {"framing": "lines"}, "malformed"),
        ('x\n{"status":', {"framing": "lines"}, "incomplete"),
        ('{"status":\n', {"framing": "lines"}, "none"),
        ('[{"status":"done"}]', {"roots": "any"}, "no_match"),
    ],
)
def test_state(text: str, options: dict[str, Any], state: str) -> None:
    assert outcome_of(text.encode(), **options).state == state


@pytest.mark.parametrize(
    ("text", "returncode", "options", "ok"),
    [
        ('{"status":"done"}', None, {}, True),
        ('{"status":"done"}', 0, {}, True),
        ('{"status":"done"}', 1, {}, False),
        ('{"status":"done"}', -15, {}, False),
        ('{"status":"continue"}', 0, {}, True),
        ('{"status":"error"}', 0, {}, False),
        ('{"status":"error"} {"status":"done"}', 0, {}, True),
        ('{"status":"done"} {"status":"error"}', 0, {}, False),
        ('{"status":"done"} {"a":', 0, {}, True),
        ('{"a":1}', 0, {}, False),
        ("", 0, {}, False),
        ("DONE", 0, {"contract": "marker"}, True),
        ("more", 0, {"contract": "marker"}, True),
        ("DONE", 2, {"contract": "marker"}, False),
        ('{"a":1}', 0, {"contract": None}, True),
        ('{"status":"error"}', 0, {"contract": None}, True),
        ('{"a":1}', 3, {"contract": None}, False),
        ("{}", 0, {"contract": None}, False),
        ('{"status":"error"}', 0, {"schema": dict[str, str]}, True),
        ('{"a":1}', 0, {"schema": dict[str, str]}, False),
    ],
)
def test_the_one_verdict(text: str, returncode: int | None, options: dict[str, Any], ok: bool) -> None:
    outcome = outcome_of(text.encode(), returncode=returncode, **options)
    assert (outcome.ok, outcome.returncode) == (ok, returncode)


@pytest.mark.parametrize(("text", "ok"), [('{"status":"done"}', True), ('{"status":"error"}', False), ("", False)])
def test_an_end_that_we_caused_is_not_held_against_it(text: str, ok: bool) -> None:
    watcher = Watcher()
    watcher.feed(text)
    outcome = watcher.close(-15, stopped=True)
    assert (outcome.ok, outcome.returncode) == (ok, -15)


@pytest.mark.parametrize(
    ("text", "end", "reason"),
    [
        ("hi", {"returncode": 3}, "no JSON object in 2 bytes; the program exited with status 3"),
        (
            "hi",
            {"returncode": 3, "stderr": "begins\n\x1b[31mE: no \x07key\x1b[0m\n\n"},
            "no JSON object in 2 bytes; the program exited with status 3: E: no \\x07key",
        ),
        (
            "hi",
            {"returncode": -9, "stderr": b"bad"},
            "no JSON object in 2 bytes; the program was ended by SIGKILL: bad",
        ),
        ("hi", {"returncode": 0, "stderr": "bad"}, "no JSON object in 2 bytes"),
        ("", {"returncode": 0}, "the program printed nothing"),
        ("", {"returncode": 3}, "the program printed nothing, and exited with status 3"),
        ("", {}, "no JSON object in 0 bytes"),
        ('{"status":"done"}', {"returncode": 3, "stderr": "bad"}, "the program exited with status 3: bad"),
        ("hi", {"returncode": -15, "stopped": True}, "it was ended before it had answered: no JSON object in 2 bytes"),
        ("", {"returncode": -9, "stopped": True}, "it was ended before it had answered: the program printed nothing"),
        ('{"status":"done"}', {"returncode": -15, "stopped": True}, ""),
    ],
)
def test_why_there_is_no_success_tells_how_the_program_ended(text: str, end: dict[str, Any], reason: str) -> None:
    watcher = Watcher()
    watcher.feed(text)
    assert watcher.close(**end).reason == reason


def test_what_a_program_said_last_is_cut_in_the_reason() -> None:
    watcher = Watcher()
    watcher.feed("hi")
    assert len(watcher.close(1, "x" * 100_000).reason) < 400


def test_unfinished_is_told_beside_a_match() -> None:
    outcome = outcome_of(b'{"status":"continue"}\n{"status":"done","summary":"al')
    assert (outcome.ok, outcome.unfinished) == (True, Unfinished(22, 30))


def test_without_a_contract_the_newest_object_is_the_match() -> None:
    outcome = outcome_of(b'{"a":1} {"b":2} {}, "x": {"c":3}', contract=None)
    assert outcome.completion is None
    assert outcome.match is outcome.last
    assert outcome.value == {"b": 2}
    _, seen = watch([b'{"a":1}'], contract=None)
    assert (seen.matches, seen.completions, len(seen.objects)) == ([], [], 1)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"contract": "xml"}, ValueError),
        ({"schema": 5}, TypeError),
        ({"schema": int}, TypeError),
        ({"ignore": "one text"}, TypeError),
        ({"ignore": {"one": "value"}}, TypeError),
        ({"roots": "string"}, ValueError),
        ({"framing": "pages"}, ValueError),
        ({"max_depth": 0}, ValueError),
        ({"max_object_bytes": 0}, ValueError),
        ({"agent": "clod"}, ValueError),
        ({"answer": "a..b"}, ValueError),
        ({"max_depth": None}, ValueError),
        ({"max_depth": 1.5}, TypeError),
        ({"max_object_bytes": "64"}, TypeError),
        ({"buffer_limit": 1.5}, TypeError),
        ({"fields": "status"}, TypeError),
        ({"on_object": 5}, TypeError),
        ({"on_partial": "print"}, TypeError),
        ({"on_field": print}, TypeError),
        ({"on_field": {"a": 5}}, TypeError),
    ],
)
def test_arguments_that_make_no_sense(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        Watcher(**options)


def test_closed_is_closed() -> None:
    watcher = Watcher()
    watcher.feed('{"status":"done"}')
    outcome = watcher.close(0, b"a warning\xff")
    assert outcome.stderr_tail == "a warning\ufffd"
    assert watcher.close(1, "other") is outcome
    with pytest.raises(ClosedError):
        watcher.feed("x")
    with pytest.raises(lastbrace.LastbraceError):
        watcher.feed(b"")
    assert watcher.close() is outcome


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"contract": "marker"},
        {"after": "go"},
        {"skip_think": True},
        {"agent": "auto"},
        {"agent": "claude"},
        {"answer": "text"},
    ],
)
def test_reset_forgets_everything(options: dict[str, Any]) -> None:
    used = Watcher(**options)
    used.feed('\ufeffgo <think> DONE {"status":"error"} {"type":"result","text":"x","result":"y"} {"open": "')
    used.reset()
    for _ in range(2):
        fresh = Watcher(**options)
        for watcher in (used, fresh):
            watcher.feed('go {"status":"done"}\n')
            assert watcher.stats.objects == 1
        assert used.close(0) == fresh.close(0)
        assert (used.reply, used.state, used.last, used.match) == (fresh.reply, fresh.state, fresh.last, fresh.match)
        used.reset()


def test_an_outcome_is_not_changed_by_what_comes_later() -> None:
    watcher = Watcher()
    watcher.feed("{x} {")
    outcome = watcher.close()
    before = repr(outcome.stats)
    watcher.reset()
    watcher.feed('{y} {"status":"done"}')
    assert repr(outcome.stats) == before
    with pytest.raises(dataclasses.FrozenInstanceError):
        outcome.ok = True  # type: ignore[misc]


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview, lambda data: memoryview(data)[::-1][::-1]])
def test_any_kind_of_chunk(make: Callable[[bytes], Any]) -> None:
    outcome, _ = watch([make(TACHE.encode()[:30]), make(TACHE.encode()[30:])])
    assert outcome.completion == BY_EXAMPLE[17][1]


def test_a_buffer_that_is_used_again() -> None:
    watcher, buffer = Watcher(), bytearray(1)
    for byte in TACHE.encode():
        buffer[0] = byte
        watcher.feed(memoryview(buffer))
    assert watcher.close().completion == BY_EXAMPLE[17][1]


@pytest.mark.parametrize("chunk", [None, 5, ["x"], object()])
def test_what_is_no_chunk(chunk: Any) -> None:
    watcher = Watcher()
    watcher.feed('{"status":')
    with pytest.raises(TypeError, match="a chunk is"):
        watcher.feed(chunk)
    watcher.feed('"done"}')
    assert watcher.close().completion == DONE


def test_cut_between_any_two_bytes_the_object_is_the_same() -> None:
    import random

    data = ("é" + TACHE).encode()
    for cut in two_way_cuts(data, random.Random(0)):
        outcome, seen = watch([data[:cut], data[cut:]])
        assert outcome.last == Found(2, len(data), TACHE.encode())
        assert "".join(seen.texts) == "é"
