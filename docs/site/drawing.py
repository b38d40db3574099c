"""A small canvas that writes SVG: readable on a light and on a dark page, whatever the page's own colours."""

from __future__ import annotations

from html import escape

CELL = 10.0  # width of a character of text, in pixels
_STYLE = """
text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #24292f; }
text.cell { font-size: 16px; } text.note { font-size: 12px; }
text.words { font-family: system-ui, "DejaVu Sans", sans-serif; }
.paper { fill: #f6f8fa; stroke: #d0d7de; } .box { fill: #fff; stroke: #57606a; } .line { stroke: #57606a; fill: none; }
.tip { fill: #57606a; } .grey { fill: #57606a; } .cut { stroke: #0969da; stroke-dasharray: 3 3; }
text.cut { fill: #0969da; stroke: none; }
.object { fill: #1a7f37; } .fragment { fill: #9a6700; } .dead { fill: #cf222e; } .unfinished { fill: #8250df; }
.dropped { fill: #57606a; } rect.object, rect.fragment, rect.dead, rect.unfinished { opacity: .16; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; } .paper { fill: #161b22; stroke: #30363d; } .box { fill: #21262d; stroke: #8b949e; }
.line { stroke: #8b949e; } .tip, .grey, .dropped { fill: #9ea7b3; } .cut { stroke: #58a6ff; }
text.cut { fill: #58a6ff; }
.object { fill: #56d364; } .fragment { fill: #e3b341; } .dead { fill: #ff7b72; } .unfinished { fill: #d2a8ff; }
rect.object, rect.fragment, rect.dead, rect.unfinished { opacity: .25; } }
"""


class Canvas:
    """Takes shapes, and returns the picture as text. Lengths are in pixels."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._shapes: list[str] = []

    def text(self, x: float, y: float, words: str, kind: str = "", *, anchor: str = "start", turn: int = 0) -> None:
        """Write words with their baseline at ``y``."""
        turned = f' transform="rotate({turn} {x:g} {y:g})"' if turn else ""
        self._add(f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}"{turned}>{_words(words)}</text>')

    def cells(self, x: float, y: float, characters: str) -> None:
        """Write characters, each in its cell."""
        places = " ".join(f"{x + CELL * i:g}" for i in range(len(characters)))
        self._add(f'<text x="{places}" y="{y:g}" class="cell" xml:space="preserve">{escape(characters)}</text>')

    def box(self, x: float, y: float, width: float, height: float, kind: str = "box", *, radius: float = 3) -> None:
        """Draw a rectangle."""
        size = f'width="{width:g}" height="{height:g}" rx="{radius:g}"'
        self._add(f'<rect x="{x:g}" y="{y:g}" {size} class="{kind}"/>')

    def line(self, x: float, y: float, to_x: float, to_y: float, kind: str = "line", *, arrow: bool = False) -> None:
        """Draw a straight line, perhaps with an arrow at its end."""
        tip = ' marker-end="url(#tip)"' if arrow else ""
        self._add(f'<line x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}" class="{kind}"{tip}/>')

    def svg(self, width: float, height: float) -> str:
        """Return the picture."""
        tip = '<path d="M0 0 8 4 0 8z" class="tip"/>'
        tip = f'<marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">{tip}</marker>'
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img">',
            f"<title>{escape(self._title)}</title>",
            f"<style>{_STYLE}</style>",
            f"<defs>{tip}</defs>",
            f'<rect x=".5" y=".5" width="{width - 1:g}" height="{height - 1:g}" rx="6" class="paper"/>',
            *self._shapes,
            "</svg>",
            "",
        ])  # fmt: skip

    def _add(self, shape: str) -> None:
        self._shapes.append(shape)


def _words(text: str) -> str:
    return escape(text).replace("  ", "\u00a0 ")
