"""Draws the results as the picture that the README shows: bars in an SVG that is readable in light and dark."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from . import pipes, rows

PICTURE = Path(__file__).parent / "speed.svg"

WIDTH, MARGIN = 860, 14
NAMES = 262  # width of the names, right-aligned
BARS = 440  # of the longest bar
LINE, BAR = 21, 13  # heights

STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
.title { font-weight: 600 } .note { fill: #59636e } .own { font-weight: 600 }
rect { fill: #b9c2cc } rect.own { fill: #1a7f37 } rect.python { fill: #6fbf86 } rect.paper { fill: #ffffff }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .note { fill: #9198a1 }
rect { fill: #4d5763 } rect.own { fill: #2ea043 } rect.python { fill: #1f6f3a } rect.paper { fill: #0d1117 }
}
"""


class Panel(NamedTuple):
    """One chart: a table of the results, its title, who is shown, and whom the table's ratios are to."""

    table: str
    title: str
    ours: str
    others: tuple[str, ...]
    reference: str


PANELS = (
    Panel("agent-lines", "Newest object of an agent's JSON Lines, 2 KB a line", rows.SCANNER,
          ("msgspec.Struct per line", rows.ORJSON, "jiter per line", rows.JSON, "raw_decode loop",
           "jsonfinder", "balanced braces, by character"), rows.JSON),
    Panel("captures", "Newest object of real output of agents, as they printed it", rows.SCANNER,
          (rows.ORJSON, "ijson multiple_values", "raw_decode loop", "jsonfinder", "json_repair",
           "balanced braces, by character"), "raw_decode loop"),
    Panel("prose", "One object after 20 MB of prose with {word} placeholders", rows.SCANNER,
          (rows.ORJSON, "raw_decode loop", "jsonfinder", "json_repair", rows.BALANCED), rows.BALANCED),
    Panel("tokens", "An object of 32 KB in chunks of 16 bytes, its state known after each", rows.SCANNER,
          ("jsonriver", "jiter, partial", rows.SO_FAR, "partial-json-parser"), rows.SO_FAR),
    Panel("piped", "A program that writes as fast as it can (asyncio)", "lastbrace.run (asyncio,",
          (pipes.NOTHING["asyncio"], pipes.LINES), pipes.NOTHING["asyncio"]),
)  # fmt: skip


def save(results: dict[str, Any]) -> None:
    """Draw the results and write the picture."""
    PICTURE.write_text(draw(results), encoding="utf-8")


def draw(results: dict[str, Any]) -> str:
    """Return the picture of the results."""
    drawn: list[str] = []
    top = MARGIN
    for panel in PANELS:
        table = results["tables"].get(panel.table)
        if table is not None:
            top = _panel(drawn, panel, table["rows"], top)
    about = results["about"]
    machine = f"{about['cpu']}, {about['cores']} cores, {about['system']}. Longer is faster; medians of one run."
    versions = [f"{name} {version}" for name, version in about["versions"].items()]
    half = len(versions) // 2
    for text in (machine, " · ".join(versions[:half]), " · ".join(versions[half:])):
        top += 17
        drawn.append(f'<text class="note" x="{MARGIN}" y="{top}" style="font-size: 10.5px">{escape(text)}</text>')
    height = top + MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
        f' role="img" aria-label="Speed of lastbrace beside other ways to read JSON from a program">\n'
        f'<style>{STYLE}</style>\n<rect class="paper" width="{WIDTH}" height="{height}" rx="8"/>\n'
        + "\n".join(drawn)
        + "\n</svg>\n"
    )


def _panel(drawn: list[str], panel: Panel, table: dict[str, Any], top: int) -> int:
    """Draw one chart from ``top`` down, and return where it ends."""
    ours = [name for name in table if name.startswith(panel.ours)]
    entries = [(name, table[name]) for name in (*ours, *panel.others) if name in table]
    longest = max(entry.get("mb_per_s", 0.0) for _, entry in entries)
    top += 16
    note = f'<tspan class="note" dx="8" font-weight="400">× of {escape(panel.reference)}</tspan>'
    drawn.append(f'<text class="title" x="{MARGIN}" y="{top}">{escape(panel.title)}{note}</text>')
    top += 8
    for name, entry in entries:
        kind = "" if name not in ours else "python" if name.endswith("python)") else "own"
        text = "own" if kind else ""
        middle = top + LINE // 2 + 5
        drawn.append(f'<text class="{text}" x="{NAMES}" y="{middle}" text-anchor="end">{escape(name)}</text>')
        if "mb_per_s" in entry:
            width = max(1.5, BARS * entry["mb_per_s"] / longest)
            bar = f'x="{NAMES + 10}" y="{top + (LINE - BAR) // 2}" width="{width:.1f}" height="{BAR}" rx="2"'
            drawn.append(f'<rect class="{kind}" {bar}/>')
            label = speed_text(entry["mb_per_s"])
            if "ratio" in entry and name != panel.reference:
                label += f" · {ratio_text(entry['ratio'])} ×"
            drawn.append(f'<text class="{text}" x="{NAMES + 16 + width:.1f}" y="{middle}">{escape(label)}</text>')
        else:
            drawn.append(f'<text class="note" x="{NAMES + 10}" y="{middle}">{escape(entry["none"])}</text>')
        top += LINE
    return top + 10


def speed_text(rate: float) -> str:
    """Return megabytes per second as people read them."""
    return f"{rate / 1000:.1f} GB/s" if rate >= 1000 else f"{rate:.3g} MB/s"


def ratio_text(ratio: float) -> str:
    """Return a ratio with as many digits as count."""
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2g}"
