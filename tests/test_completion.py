"""The completion contract on single objects, and the marker on text."""

from __future__ import annotations

import json
import pickle
import sys
import tracemalloc
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lastbrace import parse_completion
from lastbrace.completion import INVALID, Completion, Marker, Status, match_completion, refuse_completion

DONE, CONTINUE = Completion(Status.DONE), Completion(Status.CONTINUE)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'{"status":"done"}', DONE),
        (b'{"status":"continue","next":"step2"}', Completion(Status.CONTINUE, next="step2")),
        (b'{"status":"error","summary":"no disk"}', Completion(Status.ERROR, summary="no disk")),
        (b'{"status":"done","extra":1,"summary":"ok"}', Completion(Status.DONE, summary="ok")),
        (b'{"status":"done","error":"mine"}', DONE),
        (b'{"extra":{"status":"continue","summary":1},"status":"done"}', DONE),
        (b'{ "summary" : "" , "status" : "done" }', Completion(Status.DONE, summary="")),
        (
            '{"status":"done","summary":"Tâche terminée ✓ \\"hello\\" {x}"}'.encode(),
            Completion(Status.DONE, 'Tâche terminée ✓ "hello" {x}'),
        ),
        (rb'{"st\u0061tus":"don\u0065"}', DONE),
        (rb'{"status":"done","summary":"cut \ud83d"}', Completion(Status.DONE, "cut \ud83d")),
        (b'{"status":"done","summary":"cut \xf0\x9f"}', Completion(Status.DONE, "cut \ufffd")),
        (b'{"status":"done","cost":NaN,"max":-Infinity}', DONE),
        (b'{"cost":1E400,"n":' + b"1" * 4300 + b',"status":"done"}', DONE),
        (rb'{"cut":"\ud83d","status":"done"}', DONE),
        (b'{"\xff":1,"status":"done"}', DONE),
        (b'{"data":{"status":"done"}}', None),
        (b'[{"status":"done"}]', None),
        (b'{"status":"maybe"}', None),
        (b'{"status":"DONE"}', None),
        (b'{"status":" done"}', None),
        (b'{"status":123}', None),
        (b'{"status":null}', None),
        (b'{"status":true}', None),
        (b'{"status":["done"]}', None),
        (b'{"status":{"done":1}}', None),
        (b'{"summary":"x"}', None),
        (b'{"status":"done","summary":1}', None),
        (b'{"status":"done","summary":null}', None),
        (b'{"status":"done","next":null}', None),
        (b'{"status":"done","next":["a"],"x":NaN}', None),
        (b"{}", None),
        (b"[]", None),
    ],
)
def test_the_contract(raw: bytes, expected: Completion | None) -> None:
    assert match_completion(raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'{"status":"continue","status":"done"}', DONE),
        (b'{"status":"maybe","status":"done"}', DONE),
        (b'{"status":"done","status":"maybe"}', None),
        (rb'{"status":1,"statu\u0073":"done"}', DONE),
        (b'{"status":"done","summary":null,"summary":"x"}', Completion(Status.DONE, "x")),
        (b'{"status":"done","summary":"x","summary":null}', None),
        (b'{"status":"done","next":1,"x":{"next":2}}', None),
    ],
)
def test_of_duplicate_keys_the_last_counts(raw: bytes, expected: Completion | None) -> None:
    assert match_completion(raw) == expected


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"prose", b'"status"', b"{status: done}", b'{"status":"do', b'\xff"status"', b"\\u00"]
)
def test_what_is_no_object_is_no_match(raw: bytes) -> None:
    assert match_completion(raw) is None


def test_a_value_too_deep_for_the_interpreter_is_no_match() -> None:
    assert match_completion(b'{"status":"done","x":' + b"[" * 9_999_999 + b"]" * 9_999_999 + b"}") is None


def reference(raw: bytes) -> Completion | None:
    """The contract in words: json.loads, then check."""
    value: Any = json.loads(raw.decode("utf-8", "replace"))
    if not isinstance(value, dict) or value.get("status") not in ["done", "continue", "error"]:
        return None
    if not all(isinstance(value.get(key, ""), str) for key in ("summary", "next")):
        return None
    return Completion(Status(value["status"]), value.get("summary"), value.get("next"))


names = st.sampled_from(
    [
        b'"status"',
        b'"summary"',
        b'"next"',
        rb'"st\u0061tus"',
        rb'"\u006eext"',
        rb'"\u0053tatus"',
        b'"x"',
        b'"status "',
        b'"\xff"',
        rb'"\ud83d"',
    ]
)
words = [b'"done"', b'"continue"', b'"error"', rb'"\u0064one"', b'"maybe"', rb'"\ud83d"', b'"caf\xc3\xa9"', b'"\xff"']
others = [
    b"null",
    b"1",
    b"1E400",
    b"NaN",
    b"true",
    b"[]",
    b'["done"]',
    b'{"status":"done"}',
    b'{"status":NaN,"next":1}',
]
scalars = st.sampled_from([*words, b'"\\"status\\""', *others])
contracts = st.lists(st.tuples(names, scalars), max_size=6).map(
    lambda members: b"{" + b", ".join(key + b":" + value for key, value in members) + b"}"
)


@settings(max_examples=800, deadline=None)
@given(contracts)
def test_every_object_is_judged_as_json_and_a_check_would(raw: bytes) -> None:
    assert match_completion(raw) == reference(raw)


@pytest.mark.parametrize("status", ["{}", '{"type": "string"}', "[]", '["done"]', "null", "1", "true", "NaN", '"Done"'])
def test_a_status_of_any_type_is_refused_and_raises_nothing(status: str) -> None:
    raw = f'{{"status": {status}}}'.encode()
    assert match_completion(raw) is None
    assert "not continue, done or error" in refuse_completion(raw)
    assert parse_completion(raw) == INVALID


def test_as_dict_has_plain_strings_and_no_empty_fields() -> None:
    found = match_completion(b'{"status":"continue","next":"step2"}')
    assert found is not None
    assert found.as_dict() == {"status": "continue", "next": "step2"}
    assert {type(text) for text in found.as_dict().values()} == {str}
    assert INVALID.as_dict() == {"status": "error", "error": "invalid-json"}


def test_a_completion_is_a_value() -> None:
    assert Completion(Status.DONE, "x") == Completion(Status.DONE, "x") != Completion(Status.DONE, "y")
    assert len({INVALID, Completion(Status.ERROR, error="invalid-json")}) == 1
    assert pickle.loads(pickle.dumps(INVALID)) == INVALID
    with pytest.raises(AttributeError):
        INVALID.error = None  # type: ignore[misc]
    with pytest.raises(AttributeError):
        INVALID.other = 1  # type: ignore[attr-defined]


def test_the_repr_of_a_completion_is_short() -> None:
    assert repr(Completion(Status.DONE, summary="ok")) == "Completion(status='done', summary='ok')"
    assert len(repr(Completion(Status.DONE, "x" * 10_000_000, "y" * 10_000_000))) < 300


def judge(*pieces: str, marker: str = "DONE") -> str:
    reader = Marker(marker)
    for piece in pieces:
        reader.feed(piece)
    return str(reader.close().status)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("work\nDONE\n\n", "done"),
        ("work\n  DONE  ", "done"),
        ("DONE\nmore", "continue"),
        ("NOT DONE", "continue"),
        ("", "continue"),
        (" \n\n", "continue"),
        ("DONE", "done"),
        ("DONE\n \t \n\u00a0\n", "done"),
        ("DONE.", "continue"),
        ("DONE x", "continue"),
        ("DON\nE", "continue"),
        ("done", "continue"),
        ("a\r\nDONE\r\n", "done"),
        ("working 10%\rworking 99%\rDONE", "done"),
        ("DONE\rstill working", "continue"),
        ("DONE\r", "done"),
    ],
)
def test_the_marker_is_the_last_line_that_is_not_blank(text: str, expected: str) -> None:
    assert judge(text) == judge(*text) == expected
    for cut in range(len(text)):
        assert judge(text[:cut], text[cut:]) == expected


@settings(max_examples=250, deadline=None)
@given(
    st.lists(
        st.sampled_from(["DONE", "DO", "NE", "ALL DONE", "A", " ", "\t", "\n", "\r", "\r\n", "\x85", "é", ""]),
        max_size=12,
    )
)
@example(["A", "\n", " ", "ALL DONE", " "])
@pytest.mark.parametrize("marker", ["DONE", "ALL DONE", " A"])
def test_pieces_make_no_difference_to_the_marker(marker: str, pieces: list[str]) -> None:
    lines = [line.strip() for line in "".join(pieces).replace("\r", "\n").split("\n") if line.strip()]
    expected = "done" if lines and lines[-1] == marker.strip() else "continue"
    assert judge(*pieces, marker=marker) == judge("".join(pieces), marker=marker) == expected


def test_the_marker_can_be_asked_for_while_text_still_comes() -> None:
    reader = Marker()
    reader.feed("DONE")
    assert reader.close().status is Status.DONE
    reader.feed(" not yet")
    assert reader.close().status is Status.CONTINUE


def test_a_line_of_any_length_is_not_held() -> None:
    reader, piece, blanks = Marker(), "x" * 65_536, " " * 65_536
    tracemalloc.start()
    for text in (piece, blanks, "\n" + blanks, "DONE", blanks):
        for _ in range(1000 if text in (piece, blanks) else 1):
            reader.feed(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert reader.close() == DONE
    assert peak < 1_000_000
    assert sys.getsizeof(reader) < 200


@pytest.mark.parametrize("marker", ["", "  ", "\n", "DONE\nNOW", "A\rB"])
def test_a_marker_that_no_line_can_be_is_refused(marker: str) -> None:
    with pytest.raises(ValueError, match="marker"):
        Marker(marker)
