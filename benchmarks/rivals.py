"""What people use today: each reads a binary file and returns the value of the newest object in it.

Those that read line by line take a line that is no JSON for a log line, as harnesses do. Those that need the whole text
read it first. The scan by balanced braces is what harnesses write by hand: a loop in Python over the characters, which
counts depth, respects strings, and gives the slice to ``json.loads`` when the depth is back at zero.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

import msgspec

from .readers import CHUNK, Reader

if TYPE_CHECKING:
    from collections.abc import Callable


class Record(msgspec.Struct):
    """What a program that knows its events decodes of each: the members it wants, the others are skipped."""

    type: str = ""
    status: str = ""


def _per_line(loads: Callable[[bytes], Any], *refusals: type[Exception]) -> Reader:
    def read(file: IO[bytes]) -> Any:
        newest = None
        for line in file:
            try:
                value = loads(line)
            except refusals:
                continue
            if isinstance(value, dict | Record):
                newest = value
        return newest

    return read


def json_lines() -> Reader:
    """``json.loads`` of each line."""
    return _per_line(json.loads, ValueError)


def orjson_lines() -> Reader:
    """``orjson.loads`` of each line."""
    return _per_line(import_module("orjson").loads, ValueError)


def msgspec_lines() -> Reader:
    """msgspec to plain values, of each line."""
    return _per_line(msgspec.json.Decoder().decode, msgspec.DecodeError)


def struct_lines() -> Reader:
    """msgspec to a Struct of two members, of each line."""
    return _per_line(msgspec.json.Decoder(Record).decode, msgspec.DecodeError)


def jiter_lines() -> Reader:
    """jiter, the parser of pydantic, of each line."""
    return _per_line(import_module("jiter").from_json, ValueError)


def ijson_values() -> Reader:
    """ijson with its C backend, told that many values follow one another."""
    items = import_module("ijson").items

    def read(file: IO[bytes]) -> Any:
        newest = None
        for value in items(file, "", multiple_values=True, use_float=True, buf_size=CHUNK):
            newest = value
        return newest

    return read


def raw_decode_loop() -> Reader:
    """The rule in ten lines: ``raw_decode`` at each brace."""
    decode = json.JSONDecoder().raw_decode

    def read(file: IO[bytes]) -> Any:
        text = file.read().decode(errors="replace")
        newest = None
        at = text.find("{")
        while at >= 0:
            try:
                newest, end = decode(text, at)
            except ValueError:
                end = at + 1
            at = text.find("{", end)
        return newest

    return read


def balanced_braces() -> Reader:
    """The scan by balanced braces: one loop in Python over every character, strings respected inside braces."""

    def read(file: IO[bytes]) -> Any:
        newest = None
        text = file.read().decode(errors="replace")
        depth = start = 0
        in_string = escaped = False
        for at, char in enumerate(text):
            if in_string:
                if escaped:
                    escaped = False
                elif char == "\\":
                    escaped = True
                elif char == '"':
                    in_string = False
            elif char == "{":
                if not depth:
                    start = at
                depth += 1
            elif depth:
                if char == '"':
                    in_string = True
                elif char == "}":
                    depth -= 1
                    if not depth:
                        newest = _loads_or(newest, text[start : at + 1])
        return newest

    return read


def balanced_from_find() -> Reader:
    """The same, helped: ``str.find`` to each brace outside, and the loop over characters only from there."""

    def read(file: IO[bytes]) -> Any:
        newest = None
        text = file.read().decode(errors="replace")
        start = text.find("{")
        while start >= 0:
            end = _balanced_end(text, start)
            if end:
                newest = _loads_or(newest, text[start:end])
            start = text.find("{", end or start + 1)
        return newest

    return read


def _balanced_end(text: str, start: int) -> int:
    depth = 0
    in_string = escaped = False
    for at in range(start, len(text)):
        char = text[at]
        if in_string:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                in_string = False
        elif char == '"':
            in_string = True
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if not depth:
                return at + 1
    return 0


def _loads_or(default: Any, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return default


def jsonfinder_objects() -> Reader:
    """jsonfinder over the whole text."""
    find = import_module("jsonfinder").jsonfinder

    def read(file: IO[bytes]) -> Any:
        newest = None
        for _, _, value in find(file.read().decode(errors="replace"), json_only=True):
            if isinstance(value, dict):
                newest = value
        return newest

    return read


def json_repair_text() -> Reader:
    """json_repair over the whole text; of a list of values, the last object."""
    loads = import_module("json_repair").loads

    def read(file: IO[bytes]) -> Any:
        value = loads(file.read().decode(errors="replace"))
        values = value if isinstance(value, list) else [value]
        return next((one for one in reversed(values) if isinstance(one, dict)), None)

    return read
