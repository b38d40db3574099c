"""The grammar is RFC 8259 as Python's json reads it: an object is found exactly when json.loads reads it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lastbrace import Found

from .feeding import events_of
from .json_documents import DOCUMENTS
from .test_cases import same

DEPTH = 1000  # json has no limit of its own here; the scanner's is tested elsewhere


def judge(text: bytes) -> list[Any]:
    """Return the value that Python's json reads in `text` in a list, or an empty one."""
    try:
        return [json.loads(text.decode("utf-8", "replace"))]
    except ValueError:
        return []


def found_whole(text: bytes, **options: Any) -> list[Any]:
    """Return the value of the object that is all of `text` in a list, or an empty one."""
    found = [event for event in events_of(text, max_depth=DEPTH, **options) if isinstance(event, Found)]
    assert not [event for event in found if event.start == 0 and event.fragment]
    return [event.value for event in found if (event.start, event.end) == (0, len(text))]


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("framing", ["free", "lines"])
def test_as_a_member_of_an_object(name: str, framing: str) -> None:
    text = b'{"member":' + DOCUMENTS[name] + b"}"
    wanted = [] if framing == "lines" and b"\n" in text else judge(text)
    assert same(found_whole(text, framing=framing), wanted)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_as_an_element_of_an_array(name: str) -> None:
    text = b"[0," + DOCUMENTS[name] + b"]"
    assert same(found_whole(text, roots="any"), judge(text))
    assert same(found_whole(text, roots="array"), judge(text))
    assert found_whole(text, roots="object") == []


CONTAINERS = [name for name, text in DOCUMENTS.items() if text.strip()[:1] in (b"{", b"[")]


@pytest.mark.parametrize("name", CONTAINERS)
def test_as_the_root(name: str) -> None:
    text = DOCUMENTS[name].strip()
    assert same(found_whole(text, roots="any"), judge(text))
    roots, other = ("object", "array") if text.startswith(b"{") else ("array", "object")
    assert same(found_whole(text, roots=roots), judge(text))
    assert found_whole(text, roots=other) == []


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if "literal" in name])
def test_strict_refuses_what_only_python_reads(name: str) -> None:
    text = b'{"member":' + DOCUMENTS[name] + b"}"
    wanted = judge(text) if name.startswith("y_") else []
    assert found_whole(text, strict=True) == wanted


@pytest.mark.parametrize("name", DOCUMENTS)
def test_names_say_what_python_does(name: str) -> None:
    read = bool(judge(DOCUMENTS[name]))
    assert name.startswith("i_") or read == name.startswith("y_")


def test_there_are_documents_of_every_kind() -> None:
    kinds = {name.split("_")[1] for name in DOCUMENTS}
    assert kinds == {"object", "array", "structure", "literal", "number", "string"}
    assert len(DOCUMENTS) >= 150
