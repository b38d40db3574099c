"""What is measured by reading: each row, who takes part in it, and what is expected of lastbrace."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import lastbrace

from . import readers, rivals, token_rivals, workloads
from .readers import TOKEN, Reader
from .workloads import Work

SCANNER, WATCHER = "lastbrace.Scanner", "lastbrace.Watcher"
JSON, ORJSON = "json.loads per line", "orjson.loads per line"
BALANCED = "balanced braces, by character"
FIND = "bytes.find"
RAW_DECODE = "raw_decode loop"
SO_FAR = "json.loads of all so far"

Makers = dict[str, Callable[[], Reader]]

BY_LINE: Makers = {
    JSON: rivals.json_lines,
    ORJSON: rivals.orjson_lines,
    "msgspec per line": rivals.msgspec_lines,
    "msgspec.Struct per line": rivals.struct_lines,
    "jiter per line": rivals.jiter_lines,
    "ijson multiple_values": rivals.ijson_values,
}
BY_TEXT: Makers = {
    RAW_DECODE: rivals.raw_decode_loop,
    "jsonfinder": rivals.jsonfinder_objects,
    "json_repair": rivals.json_repair_text,
    BALANCED: rivals.balanced_braces,
    "balanced braces, from str.find": rivals.balanced_from_find,
}
BY_TOKEN: Makers = {
    SO_FAR: token_rivals.json_so_far,
    "jiter, partial": token_rivals.jiter_partial,
    "partial-json-parser": token_rivals.partial_json_parser,
    "jsonriver": token_rivals.jsonriver_values,
}
OURS: Makers = {SCANNER: readers.scanner, WATCHER: readers.watcher}
OURS_BY_TOKEN: Makers = {SCANNER: readers.scanner_tokens, WATCHER: readers.watcher_tokens}
if hasattr(lastbrace.Unfinished, "partial"):
    OURS_BY_TOKEN["lastbrace.Scanner, open.partial()"] = readers.partial_tokens


class Bar(NamedTuple):
    """What is expected: that the first of ours is at least so many times as fast as ``reference``."""

    reference: str
    least: float


class Row(NamedTuple):
    """One table: a work and who reads it, with its size in bytes, full and short.

    ``ours`` are timed with each scanner at hand. ``bars`` are by scanner; ``chunk`` is the size of the chunks where
    the time for one is of interest.
    """

    name: str
    title: str
    make: Callable[[int], Work | None]
    ours: Makers
    rivals: Makers
    size: int
    short: int
    reference: str
    bars: dict[str, list[Bar]] = {}  # noqa: RUF012 - nobody changes it
    chunk: int | None = None


ROWS = [
    Row("agent-lines", "JSON Lines from an agent, 2 KB a line: the newest object", workloads.agent_lines,
        OURS, BY_LINE | BY_TEXT, 20_000_000, 250_000, JSON,
        {"python": [Bar(JSON, 0.5)], "c": [Bar(JSON, 10), Bar(ORJSON, 5)]}),
    Row("captured-lines", "JSON Lines from real runs of agents: the newest object", workloads.captured_lines,
        OURS, BY_LINE | BY_TEXT, 20_000_000, 250_000, JSON),
    Row("short-lines", "JSON Lines of 200 bytes: the newest object", workloads.short_lines,
        OURS, BY_LINE | BY_TEXT, 10_000_000, 120_000, JSON, {"c": [Bar(ORJSON, 2)]}),
    Row("every-object", "JSON Lines from an agent, 2 KB a line: every object decoded", workloads.agent_lines,
        {SCANNER: readers.every_value}, BY_LINE, 20_000_000, 250_000, ORJSON, {"c": [Bar(ORJSON, 0.9)]}),
    Row("captures", "real output of agents as they printed it, the last in several lines: the newest object",
        workloads.captures, OURS, BY_LINE | BY_TEXT, 20_000_000, 250_000, RAW_DECODE),
    Row("prose", "prose with `{word}` placeholders, one object at the end", workloads.prose,
        OURS, {FIND: readers.bytes_find} | BY_LINE | BY_TEXT, 20_000_000, 250_000, BALANCED,
        {"python": [Bar(BALANCED, 50)], "c": [Bar(FIND, 0.25)]}),
    Row("pretty", "pretty-printed JSON between log lines: the newest object", workloads.pretty,
        OURS, BY_LINE | BY_TEXT, 20_000_000, 250_000, BALANCED),
    Row("answer", "one chat answer of 8 KB, its object in a code fence", workloads.answer,
        {"lastbrace.last_object": readers.whole_text}, BY_TEXT, 8_000, 8_000, BALANCED),
    Row("tokens", f"an object of 32 KB in chunks of {TOKEN} bytes, its state known after each", workloads.one_object,
        OURS_BY_TOKEN, BY_TOKEN, 32_000, 8_000, SO_FAR, chunk=TOKEN),
]  # fmt: skip
