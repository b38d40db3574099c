"""Draws what the processes held over time: an SVG that is readable in light and dark."""

from __future__ import annotations

from html import escape

from .measuring import Sample
from .verdict import MEASURES, Measure, change_of

WIDTH, MARGIN = 860, 14
LEFT, PLOT, HEIGHT = 60, 520, 54  # of the lines, in one panel
STEP = HEIGHT + 44

STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
.title { font-weight: 600 } .note { fill: #59636e; font-size: 11px }
rect.paper { fill: #ffffff } rect.quarter { fill: #eaeef2 } .axis { stroke: #b9c2cc }
polyline { fill: none; stroke-width: 1.5 } polyline.asyncio { stroke: #1a7f37 } polyline.trio { stroke: #0969da }
text.asyncio { fill: #1a7f37 } text.trio { fill: #0969da }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .note { fill: #9198a1 }
rect.paper { fill: #0d1117 } rect.quarter { fill: #21262d } .axis { stroke: #4d5763 }
polyline.asyncio { stroke: #2ea043 } polyline.trio { stroke: #58a6ff }
text.asyncio { fill: #3fb950 } text.trio { fill: #58a6ff }
}
"""


def draw(samples: dict[str, list[Sample]], notes: list[str]) -> str:
    """Return the picture of the samples of each event loop, with notes below it."""
    drawn: list[str] = []
    top = MARGIN
    end = max(sample["seconds"] for series in samples.values() for sample in series) or 1.0
    for measure in MEASURES:
        _panel(drawn, measure, samples, end, top)
        top += STEP
    for note in notes:
        top += 15
        drawn.append(f'<text class="note" x="{MARGIN}" y="{top}">{escape(note)}</text>')
    height = top + MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
        f' role="img">\n<title>What a process holds after each round of simulated work, over {end / 60:.1f} minutes'
        f'</title>\n<style>{STYLE}</style>\n<rect class="paper" width="{WIDTH}" height="{height}" rx="8"/>\n'
        + "\n".join(drawn)
        + "\n</svg>\n"
    )


def _panel(drawn: list[str], measure: Measure, samples: dict[str, list[Sample]], end: float, top: int) -> None:
    drawn.append(f'<text class="title" x="{MARGIN}" y="{top + 13}">{escape(measure.title)}</text>')
    if measure is MEASURES[0]:
        how = "second quarter → last"
        drawn.append(f'<text class="note" x="{LEFT + PLOT + 16}" y="{top + 13}">{how}</text>')
    top += 22
    for begin in (0.25, 0.75):
        drawn.append(
            f'<rect class="quarter" x="{LEFT + begin * PLOT:g}" y="{top}" width="{PLOT / 4:g}" height="{HEIGHT}"/>'
        )
    bottom, values = top + HEIGHT, [sample[measure.name] for series in samples.values() for sample in series]
    most = max(*values, 1) * 1.05
    drawn.append(f'<path class="axis" d="M{LEFT} {top}V{bottom}H{LEFT + PLOT}" fill="none"/>')
    drawn.append(f'<text class="note" x="{LEFT - 6}" y="{top + 10}" text-anchor="end">{_short(max(values))}</text>')
    if max(values):
        drawn.append(f'<text class="note" x="{LEFT - 6}" y="{bottom}" text-anchor="end">0</text>')
    for number, (loop, series) in enumerate(samples.items()):
        points = " ".join(
            f"{LEFT + sample['seconds'] / end * PLOT:.1f},{bottom - sample[measure.name] / most * HEIGHT:.1f}"
            for sample in series
        )
        drawn.append(f'<polyline class="{loop}" points="{points}"/>')
        change = change_of(measure, series)
        unit = f" {measure.unit}" if measure.unit else ""
        text = f"{loop}: {_short(change.before)} → {_short(change.after)}{unit}{'' if change.flat else ' ✗'}"
        drawn.append(f'<text class="{loop}" x="{LEFT + PLOT + 16}" y="{top + 18 + 20 * number}">{escape(text)}</text>')


def _short(value: float) -> str:
    return f"{value / 1000:.1f} k" if value >= 10_000 else f"{value:.3g}"
