"""Members told while their object is open: each once, in document order, as early as can be, and taken back."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any, NamedTuple

import pytest

from lastbrace import Found, Watcher
from lastbrace.paths import parse

from .cases import DATA
from .feeding import in_bytes, in_chunks, random_chunks
from .partial_oracle import grows, same

DOCUMENTS = 500
KEYS = ["a", "b", "c", "status", "a.b", "*", "é", "0"]
SCALARS = ["1", "-2.5", "1e400", "NaN", "true", "null", '""', '"x"', r'"\ud83d"', r'"caf\u00e9 \ud83d\ude00"', '"é{"']


class Closed(NamedTuple):
    """A member: its path and value, and how many bytes of the document must be read until it is known."""

    path: tuple[str | int, ...]
    value: Any
    known: int


class Document:
    """A random nested object: its text, and its members in the order in which they close."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.text = b""
        self.members: list[Closed] = []
        self._object((), depth=0)

    def _write(self, text: str) -> None:
        self.text += text.encode()

    def _space(self) -> None:
        self._write(self._rng.choice(["", "", "", " ", "\n  "]))

    def _object(self, path: tuple[str | int, ...], depth: int) -> dict[str, Any]:
        value = {}
        self._write("{")
        for number in range(self._rng.randint(0 if depth else 1, 4)):
            self._write("," if number else "")
            self._space()
            key = self._rng.choice(KEYS)
            self._write(json.dumps(key, ensure_ascii=self._rng.random() < 0.5))
            self._space()
            self._write(":")
            value[key] = self._member((*path, key), depth)
        self._space()
        self._write("}")
        return value

    def _member(self, path: tuple[str | int, ...], depth: int) -> Any:
        self._space()
        kind = self._rng.random()
        if kind < 0.25 and depth < 4:
            value: Any = self._object(path, depth + 1)
        elif kind < 0.5 and depth < 4:
            value = []
            self._write("[")
            for number in range(self._rng.randint(0, 4)):
                self._write("," if number else "")
                value.append(self._member((*path, number), depth + 1))
            self._space()
            self._write("]")
        else:
            text = self._rng.choice(SCALARS)
            self._write(text)
            value = json.loads(text)
        only_the_next_byte_shows = self.text[-1:].isdigit()
        self.members.append(Closed(path, value, len(self.text) + only_the_next_byte_shows))
        self._space()
        return value


def random_paths(rng: random.Random, document: Document) -> list[tuple[str, ...]]:
    """Return a few paths: of members, with a `*` here and there, and of none."""
    paths = [tuple(map(str, rng.choice(document.members).path)) for _ in range(rng.randint(1, 4))]
    paths = [tuple("*" if rng.random() < 0.3 else key for key in path) for path in paths]
    return list(dict.fromkeys([*paths, ("a", "b"), ("nowhere",)]))


def matches(pattern: tuple[str, ...], path: tuple[str | int, ...]) -> bool:
    return len(pattern) == len(path) and all(part in ("*", str(key)) for part, key in zip(pattern, path, strict=True))


class Log:
    """What a watcher told, and after how many bytes."""

    def __init__(self, paths: list[Any], **options: Any) -> None:
        self.told: list[tuple[Any, ...]] = []
        self.fed = 0
        fields = {path: self._callback(number) for number, path in enumerate(paths)}
        self.watcher = Watcher(
            on_field=fields,
            on_field_void=lambda start: self.told.append(("void", start)),
            on_object=lambda found: self.told.append(("object", found.start)),
            **{"contract": None} | options,
        )

    def _callback(self, number: int) -> Any:
        return lambda path, value: self.told.append((number, path, value, self.fed))

    def feed(self, chunks: list[bytes]) -> list[tuple[Any, ...]]:
        for chunk in chunks:
            self.fed += len(chunk)
            self.watcher.feed(chunk)
        return self.told


def expected_fields(document: Document, paths: list[tuple[str, ...]]) -> list[tuple[Any, ...]]:
    return [
        (number, member.path, member.value, member.known)
        for member in document.members
        for number, pattern in enumerate(paths)
        if matches(pattern, member.path)
    ]


def documents() -> list[tuple[Document, list[tuple[str, ...]], random.Random]]:
    made = []
    for seed in range(DOCUMENTS):
        rng = random.Random(seed)
        document = Document(rng)
        made.append((document, random_paths(rng, document), rng))
    return made


def test_each_once_in_order_and_as_early_as_can_be() -> None:
    told = 0
    for document, paths, rng in documents():
        expected = expected_fields(document, paths)
        assert all(known <= len(document.text) for *_, known in expected)  # its brace can be what ends a number
        log = Log(paths).feed(in_bytes(document.text))
        assert same(log[:-1], expected), (document.text, paths)
        assert log[-1] == ("object", 0)
        for chunks in ([document.text], random_chunks(document.text, rng), [b"so: ", document.text, b" {}"]):
            log = [entry[:3] for entry in Log(paths).feed(chunks) if entry[0] != "object"]
            assert same(log, [entry[:3] for entry in expected]), (document.text, paths)
        told += len(expected)
    assert told > DOCUMENTS


@pytest.mark.parametrize("how", ["dies", "is cut", "is too large"])
def test_taken_back_when_the_object_does_not_close(how: str) -> None:
    taken_back = 0
    for document, paths, rng in documents():
        cut = rng.randint(1, len(document.text) - 1)
        text = document.text[:cut]
        expected = [entry for entry in expected_fields(document, paths) if entry[3] <= cut]
        log = Log(paths, max_object_bytes=max(1, cut - 1) if how == "is too large" else None)
        log.feed(in_bytes(b"so: " + text))
        told = list(log.told)
        if how == "is too large":
            log.feed(in_bytes(document.text[cut:]))
            told = [entry for entry in log.told if entry[0] not in ("void", "object")]
            expected = [entry for entry in expected_fields(document, paths) if entry[3] < cut]
            told = [entry for entry in told if entry[3] < cut + 4]
        elif how == "dies":
            log.feed([b"\x01"])
        log.watcher.close()
        assert same([entry[:3] for entry in told], [entry[:3] for entry in expected]), (text, paths)
        assert (("void", 4) in log.told) == bool(expected), (text, paths)
        assert ("object", 4) not in log.told
        taken_back += bool(expected)
    assert taken_back > 50


def test_the_object_after_one_that_died() -> None:
    log = Log(["status"]).feed([b'{"status": "a", "x', b'": %} {"status": "b"} {"status": "c"', b"}"])
    assert [entry[:3] for entry in log] == [
        (0, ("status",), "a"), ("void", 0),
        (0, ("status",), "b"), ("object", 24),
        (0, ("status",), "c"), ("object", 40),
    ]  # fmt: skip


def test_pieces_of_a_broken_record_are_not_told_or_taken_back() -> None:
    torn = b'{"type":"result","usage":{"status":"x","n":1},"text":"cut}\n{"status":"done"}'
    for chunks in ([torn], in_bytes(torn), in_chunks(torn, 7)):
        log = Log(["status", "usage.status"]).feed(chunks)
        held = [entry for entry in log if entry[0] == 0]
        assert held[-1][:3] == (0, ("status",), "done")
        objects = [start for kind, start, *_ in log if kind == "object"]
        voids = [start for kind, start, *_ in log if kind == "void"]
        assert objects == [torn.rindex(b"{")]
        assert len(held) - 1 + len([entry for entry in log if entry[0] == 1]) == len(voids)


def test_objects_that_do_not_count() -> None:
    text = b'{"status": "done"} <think>{"status": "done", "n": 1}</think> {"status": "done", "n": 2}'
    for chunks in ([text], in_bytes(text)):
        log = Log(["status"], skip_think=True, ignore=[{"status": "done"}]).feed(chunks)
        kinds = [entry[0] for entry in log]
        assert kinds == [0, "void", "object", 0, "object"]  # the object in the thinking is told as an object only


def test_framing_in_lines() -> None:
    text = b'{"status": "a", "cut\n{"status": "b"}\n'
    assert [entry[0] for entry in Log(["status"], framing="lines").feed(in_bytes(text))] == [0, "void", 0, "object"]


PATHS: list[tuple[Any, tuple[str | None, ...]]] = [
    ("a", ("a",)), ("a.b.c", ("a", "b", "c")), ("*", (None,)), ("items.*.name", ("items", None, "name")),
    (r"a\.b", ("a.b",)), (r"\*", ("*",)), (r"a\\.b", ("a\\", "b")), (("a.b", "*", 3), ("a.b", None, "3")),
    ("0.x", ("0", "x")), ((r"a\.b",), (r"a\.b",)),
]  # fmt: skip


@pytest.mark.parametrize(("path", "keys"), PATHS)
def test_paths(path: Any, keys: tuple[str | None, ...]) -> None:
    assert parse(path) == keys


@pytest.mark.parametrize("path", ["", ".", "a.", ".a", "a..b", "a\\"])
def test_texts_that_are_no_path(path: str) -> None:
    with pytest.raises(ValueError, match="not a path"):
        Watcher(on_field={path: print})


@pytest.mark.parametrize("path", ["items[0].name", "a.b[12]", "a[]", "a[*].b", "[0]"])
def test_an_index_in_brackets_is_no_path(path: str) -> None:
    with pytest.raises(ValueError, match="an index is written with a dot"):
        Watcher(on_field={path: print})
    assert parse((path, "x")) == (path, "x")


@pytest.mark.parametrize("path", [(), (None,), 3, ("a", 1.5)])
def test_values_that_are_no_path(path: Any) -> None:
    with pytest.raises(TypeError, match="a path is"):
        Watcher(on_field={path: print})


def test_async_callbacks_are_refused() -> None:
    async def callback(*_: object) -> None: ...

    with pytest.raises(TypeError, match="is async"):
        Watcher(on_field={"a": callback})
    with pytest.raises(TypeError, match="is async"):
        Watcher(on_partial=callback)


def test_a_callback_that_raises_stops_nothing() -> None:
    told: list[Any] = []

    def fails(path: Any, value: Any) -> None:
        raise KeyError(value)

    watcher = Watcher(on_field={"a": fails, "b": lambda path, value: told.append(value)})
    with pytest.raises(KeyError):
        watcher.feed('{"a": 1, "b": 2, ')
    watcher.feed('"b": 3}')
    assert told == [2, 3]


CAPTURE = (DATA / "captures/claude/a_plain.partial.stdout").read_bytes()


@pytest.mark.parametrize("agent", ["claude", "auto"])
def test_members_of_an_agents_answer(agent: str) -> None:
    for chunks in ([CAPTURE], CAPTURE.splitlines(keepends=True), in_chunks(CAPTURE, 100)):
        told: list[Any] = []
        shown: list[Any] = []
        watcher = Watcher(
            agent=agent,
            on_field=dict.fromkeys(["status", "summary"], lambda *member: told.append(member)),  # noqa: B023
            on_field_void=told.append,
            on_completion=told.append,
            on_partial=lambda value: shown.append(json.loads(json.dumps(value))),  # noqa: B023
        )
        for chunk in chunks:
            watcher.feed(chunk)
        outcome = watcher.close()
        assert outcome.completion is not None
        assert outcome.completion.status == "done"
        assert told == [(("status",), "done"), (("summary",), outcome.completion.summary), outcome.completion]
        shown = [value for value in shown if "type" not in value]  # of the events before the agent is recognised
        if chunks != [CAPTURE]:
            assert len(shown) > 3
            assert all(grows(*pair) for pair in itertools.pairwise(shown))
            assert outcome.match is not None
            assert grows(shown[-1], outcome.match.value)


def delta(text: str) -> dict[str, Any]:
    event = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
    return {"type": "stream_event", "event": event, "session_id": "s"}


def test_a_draft_that_is_given_up() -> None:
    told: list[Any] = []
    fields = {"status": lambda path, value: told.append(value)}
    watcher = Watcher(agent="claude", on_field=fields, on_field_void=told.append)
    final = {"type": "result", "subtype": "success", "is_error": False, "session_id": "s"}
    result = final | {"result": '{"status": "error"}'}
    for event in [delta('Well: {"status": "do'), delta('ne", "items": [{"name": "x"}'), result]:
        watcher.feed(json.dumps(event) + "\n")
    assert watcher.close().completion is not None
    assert told == ["done", 6, "error"]


def test_the_value_so_far_is_shown_once_a_feed_and_last() -> None:
    seen: list[Any] = []
    watcher = Watcher(
        on_partial=lambda value: seen.append(("partial", json.loads(json.dumps(value)))),
        on_object=lambda found: seen.append(("object", found.value)),
        on_field={"a": lambda path, value: seen.append(("a", value))},
    )
    for chunk in ["text ", '{"a": 1} {"a', '": 2, "b": "x', "", "y", '"} ', "more text"]:
        watcher.feed(chunk)
    assert seen == [
        ("a", 1), ("object", {"a": 1}), ("partial", {}), ("a", 2), ("partial", {"a": 2, "b": "x"}),
        ("partial", {"a": 2, "b": "xy"}), ("object", {"a": 2, "b": "xy"}),
    ]  # fmt: skip


def test_a_watcher_that_begins_anew() -> None:
    log = Log(["a"])
    log.feed([b'{"a": 1, '])
    log.watcher.reset()
    log.feed([b'"a": 2} {"a": 3}'])
    assert [entry[:3] for entry in log.told] == [(0, ("a",), 1), (0, ("a",), 3), ("object", 8)]


def test_the_object_as_found_is_the_same_with_and_without_fields() -> None:
    for document, paths, rng in documents()[:50]:
        chunks = random_chunks(document.text, rng)
        log = Log(paths)
        log.feed(chunks)
        assert isinstance(log.watcher.last, Found)
        assert log.watcher.last.raw == document.text
