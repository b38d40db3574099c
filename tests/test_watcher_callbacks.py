"""The watcher's callbacks: their order, what they see, what they raise; text outside objects; nothing else raises."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import lastbrace
from lastbrace import ClosedError, Completion, Found, Status, Watcher, find_objects, parse_completion
from lastbrace.pipeline import Pipeline

from .feeding import Seen, in_bytes, outcome_of, random_chunks, ways

if TYPE_CHECKING:
    from collections.abc import Callable

    from lastbrace.chunks import Chunk
    from lastbrace.events import Inner

DONE, CONTINUE = Completion(Status.DONE), Completion(Status.CONTINUE)
MEGA = "x" * 10_000_000
BOUND = 1500  # characters: a few lines on a terminal


def text_of(data: bytes, **options: Any) -> str:
    """Return what `on_text` gives, checked under every cut."""
    results = set()
    for _, chunks in ways(data):
        texts: list[str] = []
        watcher = Watcher(on_text=texts.append, **options)
        for chunk in chunks:
            watcher.feed(chunk)
        watcher.close()
        assert "" not in texts
        results.add("".join(texts))
    (text,) = results
    return text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"plain \n text", "plain \n text"),
        (b'a {"x": 1} b', "a  b"),
        (b'{"x": 1}', ""),
        ("caf\u00e9 {x} \u2713 \U0001f600".encode(), "caf\u00e9 {x} \u2713 \U0001f600"),
        (b"cut \xf0\x9f", "cut \ufffd"),
        (b'cut \xf0\x9f{"x": 1}\x98\x80', "cut \ufffd\ufffd\ufffd"),
        (b"\xff\xfe\xff", "\ufffd"),
        (b"\x1b[1mbold\x1b[0m \x1b]0;title\x07x\x00y", "bold xy"),
        (b"\xef\xbb\xbfmarked", "marked"),
        ("\ufeffm\u00e4rked {}".encode("utf-16-le"), "m\u00e4rked "),
        (b'{"dead": x} {"x": 1}', '{"dead": x} '),
        (b'{"dead": {"in": 1}, x} end', '{"dead": , x} end'),
        (b'{"open": "until the end', '{"open": "until the end'),
        (b'"usage": {"x": 1} end', '"usage": {"x": 1} end'),
        (b'%{name} and {"a": 1}{"b": 2}\r\n', "%{name} and \r\n"),
    ],
)
def test_on_text_is_the_text_outside_objects(data: bytes, text: str) -> None:
    if b'"in"' in data:  # a piece of a broken record is text like the rest of it
        text = data.decode()
    assert text_of(data) == text


def test_on_text_without_terminal_filter() -> None:
    assert text_of(b"\x1b[1mbold\x00", strip_ansi=False) == "\x1b[1mbold\x00"


def test_on_text_gives_nothing_of_a_dropped_object() -> None:
    assert text_of(b'a {"long": "answer"} b', max_object_bytes=8) == "a  b"


PIECES = (
    b'{"a": ', b"1}", b"{", b"}", b'"', b"\\", b"\n", b", ", b'{"x": "y"}', b"[1,", b"prose ", "\u00e9\u2713".encode(),
    b"\xf0\x9f", b"\xff", b"```json\n", b'{"status":"done"}', b"<think>", b"{}", b":",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(150))
def test_texts_and_objects_together_are_the_input(seed: int) -> None:
    rng = random.Random(seed)
    data = b"".join(rng.choices(PIECES, k=rng.randint(1, 30)))
    expected: list[str] = []
    at = 0
    for found in find_objects(data):
        expected += [data[at : found.start].decode("utf-8", "replace"), found.raw.decode("utf-8", "replace")]
        at = found.end
    expected.append(data[at:].decode("utf-8", "replace"))
    seen: list[Any] = []
    watcher = Watcher(contract=None, on_text=seen.append, on_object=seen.append)
    for chunk in random_chunks(data, rng):
        watcher.feed(chunk)
    watcher.close()
    assert "".join(part for part in seen if isinstance(part, str)) == "".join(expected[::2])
    told = (part if isinstance(part, str) else part.raw.decode("utf-8", "replace") for part in seen)
    assert "".join(told) == "".join(expected)  # in the order of the input, too


def test_callbacks_come_in_the_order_of_the_text() -> None:
    calls: list[Any] = []
    watcher = Watcher(
        on_object=lambda found: calls.append(("object", found.value)),
        on_text=lambda text: calls.append(("text", text)),
        on_match=lambda found, value: calls.append(("match", found.start, value)),
        on_completion=lambda completion: calls.append(("completion", completion)),
    )
    watcher.feed('a {"n":1} b {"status":"done"} c')
    assert calls == [
        ("text", "a "), ("object", {"n": 1}), ("text", " b "), ("object", {"status": "done"}),
        ("completion", DONE), ("match", 12, DONE), ("text", " c"),
    ]  # fmt: skip


def test_state_is_in_place_when_a_callback_runs() -> None:
    states: list[Any] = []
    watcher: Watcher = Watcher(on_completion=lambda _: states.append((watcher.state, watcher.completion)))
    watcher.feed('{"status":"continue"} {"status":"done"} {"status":"continue","next":"x"')
    # All of the chunk has been read by then.
    assert states == [("ok", DONE), ("ok", DONE)]


def test_one_callback_that_raises() -> None:
    seen = Seen()

    def on_completion(completion: Completion) -> None:
        seen.completions.append(completion)
        if completion == CONTINUE:
            raise KeyError("mine")

    watcher = Watcher(**{**seen.callbacks(), "on_completion": on_completion})
    with pytest.raises(KeyError, match="mine"):
        watcher.feed('a {"status":"continue"} b {"status":"done"} c {"status":"con')
    assert seen.completions == [CONTINUE, DONE]
    assert [value for _, value in seen.matches] == [CONTINUE, DONE]
    assert "".join(seen.texts) == "a  b  c "
    assert (watcher.completion, watcher.state) == (DONE, "ok")
    with pytest.raises(KeyError):
        watcher.feed('tinue"}')
    assert watcher.close().completion == CONTINUE


def test_several_callbacks_that_raise() -> None:
    def fail(*_: Any) -> None:
        raise ValueError("a callback")

    watcher = Watcher(on_object=fail, on_completion=fail, on_text=fail)
    with pytest.raises(ExceptionGroup) as raised:
        watcher.feed('x{"status":"done"}')
    assert [type(error) for error in raised.value.exceptions] == [ValueError] * 3
    assert watcher.close().completion == DONE


def test_a_callback_that_raises_in_close() -> None:
    def fail(*_: Any) -> None:
        raise ValueError("at the end")

    watcher = Watcher(contract="marker", on_completion=fail)
    watcher.feed("DONE")
    with pytest.raises(ValueError, match="at the end"):
        watcher.close(0)
    outcome = watcher.close(1)
    assert (outcome.ok, outcome.completion, outcome.returncode) == (True, DONE, 0)
    with pytest.raises(ClosedError):
        watcher.feed("more")


def test_an_interrupt_is_not_held_back() -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    watcher = Watcher(on_object=interrupt)
    with pytest.raises(KeyboardInterrupt):
        watcher.feed('{"status":"done"}')
    assert watcher.close().completion == DONE


REENTRY: list[tuple[str, Callable[[Watcher], Any]]] = [
    ("feed", lambda watcher: watcher.feed("x")),
    ("close", lambda watcher: watcher.close()),
    ("reset", lambda watcher: watcher.reset()),
]


@pytest.mark.parametrize(("name", "call"), REENTRY, ids=[name for name, _ in REENTRY])
@pytest.mark.parametrize("callback", ["on_object", "on_text", "on_match", "on_completion"])
def test_no_way_back_in_from_a_callback(callback: str, name: str, call: Callable[[Watcher], Any]) -> None:
    watcher: Watcher = Watcher(**{callback: lambda *_: call(watcher)})
    with pytest.raises(RuntimeError, match="inside a callback"):
        watcher.feed('x{"status":"done"}')
    assert (watcher.completion, watcher.stats.bytes) == (DONE, 18)
    watcher.reset()
    watcher.feed("")
    assert watcher.close().state == "none"


@pytest.mark.parametrize(("name", "call"), REENTRY, ids=[name for name, _ in REENTRY])
def test_no_way_in_while_a_chunk_is_read(
    name: str, call: Callable[[Watcher], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher: Watcher = Watcher()
    read = Pipeline.feed

    def interrupted(pipeline: Pipeline, chunk: Chunk) -> list[Inner]:
        monkeypatch.undo()
        with pytest.raises(RuntimeError, match="by two threads"):  # or by who handles a signal
            call(watcher)
        return read(pipeline, chunk)

    monkeypatch.setattr(Pipeline, "feed", interrupted)
    watcher.feed('{"status":"done"}')
    assert watcher.close().ok


@pytest.mark.parametrize(("name", "call"), REENTRY, ids=[name for name, _ in REENTRY])
def test_no_way_back_in_from_a_schema_function_nor_in_close(name: str, call: Callable[[Watcher], Any]) -> None:
    def check(value: Any) -> Any:
        call(watcher)
        return value

    watcher: Watcher = Watcher(schema=check)
    with pytest.raises(RuntimeError, match="inside a callback"):
        watcher.feed('{"a": 1}')
    watcher = Watcher(contract="marker", on_completion=lambda _: call(watcher))
    watcher.feed("DONE")
    with pytest.raises(RuntimeError, match="inside a callback"):
        watcher.close()
    assert watcher.close().completion == DONE


ALL_OPTIONS: list[dict[str, Any]] = [
    {},
    {"contract": "marker"},
    {"contract": None, "roots": "any", "framing": "lines"},
    {"skip_think": True, "after": "a", "ignore": ["{}", {"a": 1}]},
    {"agent": "auto"},
    {"agent": "claude", "skip_think": True},
    {"answer": "a[0].b"},
    {"schema": dict[str, int], "max_object_bytes": 4, "max_depth": 2, "strict": True, "strip_ansi": False},
]
hostile = st.lists(
    st.one_of(
        st.sampled_from(PIECES),
        st.sampled_from([b"\x1b[", b"\x1b]", b"\x00", b"\xff\xfe", b"\xed\xa0\xbd", b'{"type":"result","result":']),
        st.binary(max_size=12),
        st.text(max_size=6),
        st.text(st.characters(min_codepoint=0xD7FE, max_codepoint=0xE001, categories=None), max_size=3),
    ),
    max_size=12,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(hostile, st.sampled_from(ALL_OPTIONS), st.sampled_from([None, 0, 1, -9]), st.binary(max_size=20))
@example(["\ud83d", "\ude00", '{"status":"\ud83d"}'], {}, None, b"")
@example(["\udfff{\ud800", b"\xff\xfe", "{"], {"agent": "auto"}, 0, b"\xff{")
def test_no_content_raises(chunks: list[Any], options: dict[str, Any], returncode: int | None, stderr: bytes) -> None:
    seen = Seen()
    watcher = Watcher(**seen.callbacks(), **options)
    for chunk in chunks:
        watcher.feed(chunk)
        assert watcher.state in ("ok", "incomplete", "no_match", "malformed", "none")
        repr((watcher.last, watcher.match, watcher.completion, watcher.reply, watcher.open, watcher.stats))
    outcome = watcher.close(returncode, stderr)
    assert outcome.stats.bytes == watcher.stats.bytes
    for found in seen.objects:
        json.dumps(found.value)


@settings(max_examples=100, deadline=None)
@given(
    st.one_of(
        st.binary(), st.text(), st.none(), st.integers(), st.lists(st.binary()), st.dictionaries(st.text(), st.text())
    )
)
def test_parse_completion_never_raises(data: Any) -> None:
    for contract in ("json", "marker"):
        assert isinstance(parse_completion(data, contract=contract), Completion)  # type: ignore[arg-type]
    if not isinstance(data, bytes | str):
        assert parse_completion(data).error == "invalid-json"


def test_a_lone_surrogate_in_a_summary() -> None:
    for text in (r'{"status":"done","summary":"cut \ud83d"}', '{"status":"done","summary":"cut \\ud83d"}'):
        assert outcome_of(text.encode()).completion == Completion(Status.DONE, "cut \ud83d")
    assert parse_completion('{"status":"done","summary":"\ud83d"}').status == "done"


def bounded(value: Any) -> bool:
    return len(repr(value)) < BOUND


def test_no_repr_prints_megabytes() -> None:
    (found,) = find_objects(f'{{"status":"done","summary":"{MEGA}"}}')
    assert bounded(found)
    watcher = Watcher(contract="json")
    watcher.feed(f'```{MEGA}\n{{"status":"done","summary":"{MEGA}","{MEGA}":1}}')
    for value in (watcher, watcher.last, watcher.match, watcher.completion, watcher.stats, watcher.close(1, MEGA)):
        assert bounded(value)
    for broken in (f'{{"{MEGA}": bad', f'{{"a": "{MEGA}\n', f'{{"{MEGA}', "{" * 10_000):
        watcher = Watcher()
        watcher.feed(broken)
        for value in (watcher.open, watcher.stats, watcher.close()):
            assert bounded(value)
        with pytest.raises(lastbrace.NoObjectError) as raised:
            lastbrace.last_object(broken)
        assert len(str(raised.value)) < BOUND


def test_no_repr_of_a_reply_prints_megabytes() -> None:
    result = {
        "type": "result", "subtype": "success", "is_error": True, "result": MEGA, "session_id": MEGA, "errors": [MEGA],
        "structured_output": {"status": "done", "summary": MEGA, MEGA: [MEGA] * 3},
    }  # fmt: skip
    watcher = Watcher(agent="claude")
    watcher.feed(json.dumps(result))
    outcome = watcher.close(0, MEGA)
    for value in (outcome, outcome.reply, outcome.match, outcome.value, watcher):
        assert bounded(value)


def test_no_error_quotes_megabytes() -> None:
    found: Found
    (found,) = find_objects(f'{{"{MEGA}": "{MEGA}"}}')
    with pytest.raises(lastbrace.DecodeError) as raised:
        found.decode(dict[str, int])
    assert len(str(raised.value)) < BOUND

    import msgspec

    class OnlyA(msgspec.Struct, forbid_unknown_fields=True):
        a: int = 0

    with pytest.raises(lastbrace.DecodeError, match="unknown field") as raised:
        found.decode(OnlyA)
    assert len(str(raised.value)) < BOUND


def test_bytes_one_at_a_time_do_not_wait_for_a_character() -> None:
    texts: list[str] = []
    watcher = Watcher(on_text=texts.append)
    for byte in in_bytes("a\u00e9b\U0001f600c".encode()):
        watcher.feed(byte)
    assert texts == ["a", "\u00e9", "b", "\U0001f600", "c"]
