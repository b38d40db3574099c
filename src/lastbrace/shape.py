"""A JSON Schema as a shape to fill in, such as people write for people, that no reader can take for an answer.

Each value is a word in angle brackets, and every object or array that is shown begins, at some depth, with one: where a
value must stand, ``<`` is illegal in JSON and in all that is almost JSON. Texts of the schema (keys, words of a
vocabulary, descriptions) show their brackets as escapes or as round ones.
"""

from __future__ import annotations

import json
from typing import Any

from .members import alternatives, choices_of, resolve

_MAX_DEPTH = 5  # of arrays and objects in one another; what is deeper is only named
_WORDS = {"string": "string", "integer": "whole number", "number": "number", "boolean": "true or false", "null": "null"}
_ESCAPED = str.maketrans({mark: f"\\u{ord(mark):04x}" for mark in "{}[]"})
_ROUNDED = str.maketrans("{}[]", "()()")


def shape_of(document: dict[str, Any]) -> str:
    """Return the shape of a JSON Schema.

    >>> print(shape_of({"properties": {"files": {"type": "array", "items": {"type": "string"}}}}))
    {
      "files": [<string>, ...]
    }
    """
    return _shape(document, document, 0, "")


def _shape(node: Any, document: dict[str, Any], depth: int, indent: str) -> str:
    node = resolve(node, document)
    said = _said(node)
    parts = alternatives(node, document)
    if len(parts) > 1:
        words = [_word(part) for part in parts if _is_word(part, depth)]
        shapes = [_structure(part, document, depth, indent) for part in parts if not _is_word(part, depth)]
        return " or ".join([*shapes, *([f"<{' or '.join(words)}{said}>"] if words else [])])
    return f"<{_word(parts[0])}{said}>" if _is_word(parts[0], depth) else _structure(parts[0], document, depth, indent)


def _is_word(node: dict[str, Any], depth: int) -> bool:
    """Tell whether a value is named in a word rather than shown."""
    if depth >= _MAX_DEPTH or choices_of(node):
        return True
    return not (node.get("properties") or node.get("items") or isinstance(node.get("additionalProperties"), dict))


def _word(node: dict[str, Any]) -> str:
    choices = choices_of(node)
    if choices:
        return " or ".join(json.dumps(choice, ensure_ascii=False).translate(_ESCAPED) for choice in choices)
    kind = node.get("type")
    if kind == "object" or "properties" in node:
        return "object"
    if kind == "array" or "items" in node:
        return "array"
    return _WORDS.get(kind, "any value") if isinstance(kind, str) else "any value"


def _said(node: dict[str, Any]) -> str:
    """Return what the schema says of a value in words."""
    description = node.get("description")
    text = " ".join(description.split()).translate(_ROUNDED) if isinstance(description, str) else ""
    return f": {text}" if text else ""


def _structure(node: dict[str, Any], document: dict[str, Any], depth: int, indent: str) -> str:
    if isinstance(node.get("properties"), dict) and node["properties"]:
        return _object(node, document, depth, indent)
    if node.get("items"):
        return f"[{_shape(node['items'], document, depth + 1, indent)}, ...]"
    return f"{{<any key>: {_shape(node['additionalProperties'], document, depth + 1, indent)}, ...}}"


def _object(node: dict[str, Any], document: dict[str, Any], depth: int, indent: str) -> str:
    deeper = indent + "  "
    members = []
    for name, member in node["properties"].items():
        key = json.dumps(name, ensure_ascii=False).translate(_ESCAPED)
        members.append(f"{deeper}{key}: {_shape(member, document, depth + 1, deeper)}")
    return "{\n" + ",\n".join(members) + f"\n{indent}}}"
