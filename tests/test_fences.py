"""Markdown fences: the info word of the fence an object stands in, as models write them, cut anywhere."""

from __future__ import annotations

from typing import Any

import pytest

from lastbrace import Found

from .feeding import events_of

A, B, C, D = ({name: 1} for name in "abcd")


def fences(text: str, **options: Any) -> list[str | None]:
    """Return the fence of each object, checked under every cut."""
    found = [event for event in events_of(text.encode(), **options) if isinstance(event, Found)]
    assert [event.value for event in found] == [A, B, C, D][: len(found)]
    return [event.fence for event in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a":1}', [None]),
        ('```json\n{"a":1}\n```\n{"b":1}', ["json", None]),
        ('```\n{"a":1}\n```\n{"b":1}', ["", None]),
        ('~~~json\n{"a":1}\n~~~\n{"b":1}', ["json", None]),
        ('x\n```json\n{"a":1} {"b":1}\n{"c":1}\n```\n{"d":1}', ["json", "json", "json", None]),
        ('``` json title="x"\n{"a":1}', ["json"]),
        ('```JSON5\n{"a":1}', ["JSON5"]),
        ('```json {"a":1}\n```\n{"b":1}', ["json", None]),
        ('```{"a":1}```\n{"b":1}', ["", None]),
        ('```json\n{"a":1}```\n{"b":1}', ["json", None]),
        ('```json\n{"a":1}\n``` \t\n{"b":1}', ["json", None]),
        ('```json\r\n{"a":1}\r\n```\r\n{"b":1}', ["json", None]),
        ('   ```json\n   {"a":1}\n   ```\n{"b":1}', ["json", None]),
        ('\t```json\n{"a":1}\n\t```\n{"b":1}', ["json", None]),
        ('> ```json\n> {"a":1}\n> ```\n{"b":1}', ["json", None]),
        ('> > ```json\n> > {"a":1}\n> > ```\n{"b":1}', ["json", None]),
        ('- ```json\n  {"a":1}\n  ```\n{"b":1}', ["json", None]),
        ('x\n12. ```json\n{"a":1}\n```\n{"b":1}', ["json", None]),
        ('````md\n```json\n{"a":1}\n```\n{"b":1}\n````\n{"c":1}', ["md", "md", None]),
        ('```json\n{"a":1}\n~~~\n{"b":1}\n```\n{"c":1}', ["json", "json", None]),
        ('```json\n{"a":1}\n````\n{"b":1}', ["json", None]),
        ('```text\nnever closed\n```json\n{"a":1}\n```\n{"b":1}', ["json", None]),
        ('```\n```\n{"a":1}\n```\n{"b":1}', [None, ""]),
        ('use ```json in a line\n{"a":1}', [None]),
        ('``json\n{"a":1}\n``', [None]),
        ('`{"a":1}`', [None]),
        ('```inline``` code\n{"a":1}', [None]),
        ('~~~ `x`\n{"a":1}', [""]),
        ("``" + '`json\n{"a":1}', ["json"]),
        ("\x1b[2m```json\x1b[0m\n" + '{"a":1}\n```\n{"b":1}', ["json", None]),
        ("\ufeff```json\n" + '{"a":1}', ["json"]),
        ('```jsön\n{"a":1}', ["jsön"]),
        ('```json\n{"x": bad}\n```\n{"a":1}', [None]),
        ('```json\n{"x":\n```\n{"a":1}', [None]),
        ('{"x": bad}\n```json\n{"a":1}', ["json"]),
        ('```json\n{"a":1} {"b":1}\n```', ["json", "json"]),
        ('{"a":1}\n```json\n{"b":1}\n```\n{"c":1}\n```yaml\n{"d":1}', [None, "json", None, "yaml"]),
        ('```json\n{"a":1}\n``` {"b":1}', ["json", "json"]),
        ("```json" + " x" * 1000 + '\n{"a":1}\n```\n{"b":1}', ["json", None]),
        ("word " * 1000 + '\n```json\n{"a":1}', ["json"]),
        ("x\n" * 1000 + '```json\n{"a":1}', ["json"]),
    ],
)
def test_the_fence_of_each_object(text: str, expected: list[str | None]) -> None:
    assert fences(text) == expected


def test_a_fence_in_a_string_opens_nothing() -> None:
    found = [event for event in events_of(b'{"x":"\\n```json\\n"} {"a":1}') if isinstance(event, Found)]
    assert [event.fence for event in found] == [None, None]


def test_an_array_in_a_fence() -> None:
    text = '```json\n[{"a":1},\n{"b":1}]\n```\n{"c":1}'
    assert fences(text) == ["json", "json", None]
    found = [event for event in events_of(text.encode(), roots="any") if isinstance(event, Found)]
    assert [event.fence for event in found] == ["json", None]


def test_fences_with_lines_as_inputs() -> None:
    assert fences('```json\n{"a":1}\n{"x":\n{"b":1}\n```\n{"c":1}', framing="lines") == ["json", "json", None]


def test_a_dropped_object_in_a_fence() -> None:
    assert fences('```json\n{"long": "answer"}\n{"a":1}\n```\n{"b":1}', max_object_bytes=8) == ["json", None]


def test_a_very_long_info_word_is_cut() -> None:
    (found,) = [event for event in events_of(b"```" + b"j" * 5000 + b'\n{"a":1}') if isinstance(event, Found)]
    assert found.fence is not None
    assert set(found.fence) == {"j"}
    assert len(found.fence) < 300
