"""A picture of ``lastbrace demo`` in a terminal: ``python docs/site/record.py`` runs it and writes ``docs/demo.svg``.

The lines appear in the picture when they appeared on the screen; where nothing moves, all of them stand there.
"""

from __future__ import annotations

import os
import pty
import struct
import sys
import termios
import time
from fcntl import ioctl
from html import escape
from pathlib import Path

import pyte

TARGET = Path(__file__).parent.parent / "demo.svg"
COLUMNS, ROWS = 100, 40  # enough for all of it: a screen that scrolls loses when its lines came
CELL, LINE, TOP, LEFT = 8.43, 19, 62, 16
_COLOURS = {
    "red": "#ff7b72",
    "green": "#56d364",
    "brown": "#e3b341",
    "blue": "#79c0ff",
    "cyan": "#39c5cf",
    "default": "#e6edf3",
}
_STYLE = """
text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #e6edf3; white-space: pre; }
.b { font-weight: bold; } .d { fill: #9ea7b3; } g { animation: come .01s backwards; }
@keyframes come { from { opacity: 0; } }
@media (prefers-reduced-motion: reduce) { g { animation: none; } }
"""
_GREY = "808080"  # what stands for faint, which the terminal emulator does not know


def record(argv: list[str]) -> tuple[pyte.Screen, dict[int, float]]:
    """Run a command in a terminal; return its last screen, and when each row became what it is, in seconds."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    began, shown, since = time.monotonic(), [""] * ROWS, dict.fromkeys(range(ROWS), 0.0)
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(argv[0], argv, os.environ | {"TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": str(ROWS)})
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    while chunk := read(terminal):
        stream.feed(chunk.replace(b"\x1b[2m", b"\x1b[38;5;244m"))
        for row, line in enumerate(screen.display):
            if line != shown[row]:
                shown[row], since[row] = line, time.monotonic() - began
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    if status:
        raise SystemExit(f"{argv} ended with status {os.waitstatus_to_exitcode(status)}")
    return screen, since


def read(terminal: int) -> bytes:
    """Return what was written to a terminal; nothing at its end."""
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that nobody writes to it any more
        return b""


def picture(command: str, screen: pyte.Screen, since: dict[int, float]) -> str:
    """Return the screen as SVG, the command above it."""
    rows = max(row for row, line in enumerate(screen.display) if line.strip()) + 1
    width, height = 2 * LEFT + CELL * COLUMNS, TOP + LINE * (rows + 1) + 4
    dots = "".join(f'<circle cx="{20 + 18 * i}" cy="18" r="5.5" fill="{colour}"/>'
                   for i, colour in enumerate(("#ff5f56", "#ffbd2e", "#27c93f")))  # fmt: skip
    lines = [
        f'<text x="{LEFT}" y="{TOP - 10}" xml:space="preserve"><tspan class="d">$ </tspan>{escape(command)}</text>'
    ]
    lines += [
        f'<g style="animation-delay:{since[row]:.2f}s"><text x="{LEFT}" y="{TOP + LINE * (row + 1) - 8}" '
        f'xml:space="preserve">{"".join(_runs(screen, row))}</text></g>'
        for row in range(rows)
        if screen.display[row].strip()
    ]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" role="img">',
        f"<title>{escape(command)} in a terminal</title>",
        f"<style>{_STYLE}</style>",
        f'<rect x=".5" y=".5" width="{width - 1:.0f}" height="{height - 1}" rx="8" fill="#161b22" stroke="#57606a"/>',
        dots,
        *lines,
        "</svg>",
        "",
    ])  # fmt: skip


def _runs(screen: pyte.Screen, row: int) -> list[str]:
    """Return the row as stretches of one style each."""
    cells = [screen.buffer[row][column] for column in range(len(screen.display[row].rstrip()))]
    runs: list[tuple[str, str]] = []
    for cell in cells:
        kind = "d" if cell.fg == _GREY else "b" if cell.bold else ""
        fill = _COLOURS.get(cell.fg, _COLOURS["default"])
        style = (f' class="{kind}"' if kind else "") + ("" if cell.fg in ("default", _GREY) else f' fill="{fill}"')
        if runs and runs[-1][0] == style:
            runs[-1] = (style, runs[-1][1] + cell.data)
        else:
            runs.append((style, cell.data))
    return [f"<tspan{style}>{escape(text)}</tspan>" if style else escape(text) for style, text in runs]


def main() -> None:
    """Run the demo and write its picture."""
    screen, since = record([sys.executable, "-m", "lastbrace", "demo"])
    TARGET.write_text(picture("lastbrace demo", screen, since), encoding="utf-8")


if __name__ == "__main__":
    main()
