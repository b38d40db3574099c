"""The short table of the README: how fast both scanners are beside what people use, from the saved results."""

from __future__ import annotations

from typing import Any

from .picture import ratio_text, speed_text
from .rows import BALANCED, JSON, ORJSON, RAW_DECODE, ROWS

# What is read and by whom, as the README has it, and the tables of the results where it stands.
COLUMNS = {
    "C scanner": "lastbrace.{reader} (c)",
    "Python scanner": "lastbrace.{reader} (python)",
    "`orjson` per line": ORJSON,
    "`json` per line": JSON,
    "`raw_decode` loop": RAW_DECODE,
    "balanced braces": BALANCED,
}
WORKS = {
    "agent-lines": "an agent's JSON Lines, 2 KB each",
    "captured-lines": "the same, from real runs",
    "short-lines": "JSON Lines of 200 bytes",
    "captures": "real output as agents printed it",
    "pretty": "pretty-printed JSON between log lines",
    "prose": "20 MB of prose with `{word}`s",
}


def markdown(results: dict[str, Any]) -> str:
    """Return the table: multiples of one way's speed, which is 1; plain speeds where no other way gets it right."""
    lines = [f"| newest object of | {' | '.join(COLUMNS)} |", f"|---{'|--:' * len(COLUMNS)}|"]
    references = {row.name: row.reference for row in ROWS}
    for name, work in WORKS.items():
        rows = results["tables"][name]["rows"]
        named = "mb_per_s" in rows[references[name]]
        cells = [_cell(rows[column.format(reader="Scanner")], named=named) for column in COLUMNS.values()]
        lines.append(f"| {work} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(entry: dict[str, Any], *, named: bool) -> str:
    if "none" in entry:
        return str(entry["none"]).partition(":")[0].partition(" (")[0]
    return f"{ratio_text(entry['ratio'])} ×" if named else speed_text(entry["mb_per_s"])
