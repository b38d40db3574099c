"""What is measured: each row of the speed table, who takes part in it, and what is expected of lastbrace."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import lastbrace

from . import readers, rivals, workloads
from .readers import Reader

OWN = f"lastbrace.Scanner ({lastbrace.scanner_kind})"
OWN_WATCHER = f"lastbrace.Watcher ({lastbrace.scanner_kind})"
JSON, ORJSON = "json.loads per line", "orjson.loads per line"
BALANCED = "balanced braces, by character"
FIND = "bytes.find"

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
    "raw_decode loop": rivals.raw_decode_loop,
    "jsonfinder": rivals.jsonfinder_objects,
    BALANCED: rivals.balanced_braces,
    "balanced braces, from str.find": rivals.balanced_from_find,
}
OURS: Makers = {OWN: readers.scanner, OWN_WATCHER: readers.watcher}
EVERYONE = OURS | BY_LINE | BY_TEXT


class Bar(NamedTuple):
    """What is expected: that ``OWN`` is at least so many times as fast as ``reference``."""

    reference: str
    least: float


class Row(NamedTuple):
    """One table of the report: a workload and who reads it, with its sizes in bytes, full and short."""

    name: str
    title: str
    make: Callable[[int], bytes | None]
    makers: Makers
    size: int
    short: int
    reference: str
    bars: dict[str, list[Bar]]


def _bars(python: list[Bar], c: list[Bar]) -> dict[str, list[Bar]]:
    return {"python": python, "c": c}


_LINES = _bars([Bar(JSON, 0.5)], [Bar(JSON, 10), Bar(ORJSON, 5)])
_PROSE = _bars([Bar(BALANCED, 50)], [Bar(FIND, 0.25)])
_DECODED = _bars([], [Bar(ORJSON, 0.9)])
_NONE = _bars([], [])

ROWS = [
    Row("agent-lines", "JSON Lines from an agent, 2 KB a line: the newest object", workloads.agent_lines,
        EVERYONE, 10_000_000, 1_000_000, JSON, _LINES),
    Row("captured-lines", "JSON Lines from real runs of agents: the newest object", workloads.captured_lines,
        EVERYONE, 10_000_000, 1_000_000, JSON, _NONE),
    Row("short-lines", "JSON Lines of 200 bytes: the newest object", workloads.short_lines,
        EVERYONE, 5_000_000, 500_000, JSON, _NONE),
    Row("every-object", "JSON Lines from an agent: every object decoded", workloads.agent_lines,
        {OWN: readers.every_value} | BY_LINE, 10_000_000, 1_000_000, ORJSON, _DECODED),
    Row("prose", "prose with `{word}` placeholders, one object at the end", workloads.prose,
        OURS | BY_LINE | BY_TEXT | {FIND: readers.bytes_find}, 20_000_000, 2_000_000, BALANCED, _PROSE),
    Row("pretty", "pretty-printed JSON between log lines: the newest object", workloads.pretty,
        EVERYONE, 10_000_000, 1_000_000, BALANCED, _NONE),
    Row("answer", "one chat answer of 8 KB, its object in a code fence", workloads.answer,
        {f"lastbrace.last_object ({lastbrace.scanner_kind})": readers.whole_text} | BY_TEXT
        | {"json_repair": rivals.json_repair_text}, 8_000, 8_000, BALANCED, _NONE),
]  # fmt: skip
