"""The results as tables for people and as JSON for programs."""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lastbrace

if TYPE_CHECKING:
    from . import growth, timing

RESULTS = Path(__file__).parent / "results.json"


def cpu_model() -> str:
    """Return the name of the processor, as far as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


class Report:
    """Takes in what was measured, prints it as it comes, and keeps it."""

    def __init__(self) -> None:
        self.tables: dict[str, Any] = {}
        self.bars: list[dict[str, Any]] = []

    def title(self, name: str, text: str, *columns: str) -> None:
        """Begin a table."""
        self.tables[name] = {"title": text, "rows": {}}
        print(f"\n{text} [{name}]\n")
        self._line("", *columns)
        print("|---" * (len(columns) + 1) + "|")

    def speed(self, name: str, contestant: str, cell: timing.Cell, size: int, ratio: float | None) -> None:
        """Add a contestant's times, and how many times as fast as the reference it is."""
        if isinstance(cell, str):
            self._add(name, contestant, {"none": cell}, cell, "", "", "")
            return
        rate = size / cell.median / 1e6
        times = "" if ratio is None else f"{ratio:.3g} ×"
        cpu, wall = min(cell.cpu), min(cell.wall)
        values = {"mb_per_s": _round(rate), "cpu_median": _round(cell.median), "cpu_least": _round(cpu),
                  "wall_least": _round(wall), "spread": _round(cell.spread), "rounds": len(cell.cpu)}  # fmt: skip
        values |= {} if ratio is None else {"ratio": _round(ratio)}
        shown = (f"{rate:,.4g} MB/s", times, f"{cell.median * 1e3:,.4g} ms", f"± {cell.spread:.0%}")
        self._add(name, contestant, values, *shown)

    def grown(self, name: str, what: str, cell: growth.Cell) -> None:
        """Add how the time grows with the input."""
        if isinstance(cell, str):
            self._add(name, what, {"none": cell}, cell, "", "")
            return
        each = cell.seconds / cell.units * 1e6
        values = {"per_doubling": _round(cell.factor), "bytes": cell.size, "us_per_unit": _round(each)}
        self._add(name, what, values, f"{cell.factor:.2f} ×", f"{cell.size / 1e6:.3g} MB", f"{each:.3g} µs")

    def number(self, name: str, what: str, value: float, unit: str) -> None:
        """Add one number."""
        self._add(name, what, {"value": _round(value), "unit": unit}, f"{value:,.4g} {unit}")

    def bar(self, what: str, value: float | None, bar: float, *, most: bool = False) -> None:
        """Hold a value against what is expected of it: at least ``bar``, or with ``most`` at most."""
        met = value is not None and (value <= bar if most else value >= bar)
        shown = None if value is None else _round(value)
        self.bars.append({"what": what, "value": shown, "bar": bar, "most": most, "met": met})

    def finish(self) -> bool:
        """Print what was expected and what came of it; return whether all of it was met."""
        print("\nExpected\n")
        for bar in self.bars:
            sign = "≤" if bar["most"] else "≥"
            print(f"- {'met   ' if bar['met'] else 'MISSED'} {bar['what']}: {bar['value']} ({sign} {bar['bar']:g})")
        return all(bar["met"] for bar in self.bars)

    def save(self) -> None:
        """Write the results beside those of the other scanners."""
        try:
            results = json.loads(RESULTS.read_text())
        except FileNotFoundError:
            results = {}
        results[lastbrace.scanner_kind] = {
            "python": platform.python_version(), "implementation": sys.implementation.name, "cpu": cpu_model(),
            "system": platform.system(), "lastbrace": lastbrace.__version__, "scanner": lastbrace.scanner_kind,
            "tables": self.tables, "expected": self.bars,
        }  # fmt: skip
        RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True, ensure_ascii=False) + "\n")

    def _add(self, name: str, what: str, values: dict[str, Any], *shown: str) -> None:
        self.tables[name]["rows"][what] = values
        self._line(what, *shown)

    def _line(self, first: str, *cells: str) -> None:
        print(f"| {first:<34} | " + " | ".join(f"{cell:>13}" for cell in cells) + " |", flush=True)


def _round(value: float) -> float:
    return float(f"{value:.4g}")
