"""The results as tables for people and as JSON for programs."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from . import machine

if TYPE_CHECKING:
    from . import growth, timing

RESULTS = Path(__file__).parent / "results.json"


class Report:
    """Takes in what was measured, prints it as it comes, and keeps it."""

    def __init__(self, scanners: list[str], effort: dict[str, Any]) -> None:
        self.tables: dict[str, Any] = {}
        self.bars: list[dict[str, Any]] = []
        self._columns = 0
        self.about: dict[str, Any] = machine.about() | {"scanners": scanners, "effort": effort}
        self.about["load_before"] = machine.load()
        print(", ".join(f"{name} {version}" for name, version in machine.versions().items()))
        print(f"{self.about['cpu']}, {self.about['cores']} cores, {self.about['system']}; {self._load()}")
        print(f"Scanners: {', '.join(scanners)}. Everyone takes a turn in each round; the median counts, ratios are")
        print("medians of the ratios in a round, and the spread is from the least to the most.")

    def title(self, name: str, text: str, *columns: str) -> None:
        """Begin a table."""
        self.tables[name] = {"title": text, "rows": {}}
        print(f"\n## {text} [{name}]\n")
        self._columns = len(columns)
        self._line("", *columns)
        print("|---" + "|--:" * len(columns) + "|")

    def speed(
        self, name: str, who: str, cell: timing.Cell, size: int, *, ratio: float | None = None,
        chunks: int | None = None, by: Literal["cpu", "wall"] = "cpu",
    ) -> None:  # fmt: skip
        """Add a contestant's times, and how many times as fast as the reference it is.

        ``chunks`` is how many it was read in, where the time for one is of interest.
        """
        if isinstance(cell, str):
            self._add(name, who, {"none": cell}, cell)
            return
        seconds = cell.of(by)
        median, least, most = statistics.median(seconds), min(seconds), max(seconds)
        rate = size / median / 1e6
        values = {"mb_per_s": rate, "clock": by, "median_s": median, "least_s": least, "most_s": most,
                  "cpu_median_s": statistics.median(cell.cpu), "rounds": len(seconds)}  # fmt: skip
        shown = [f"{rate:,.4g} MB/s", "" if ratio is None else f"{ratio:,.3g} ×", f"{median * 1e3:,.4g} ms",
                 f"{least * 1e3:,.4g}–{most * 1e3:,.4g}", str(len(seconds))]  # fmt: skip
        if ratio is not None:
            values["ratio"] = ratio
        if chunks is not None:
            values["us_per_chunk"] = median / chunks * 1e6
            shown[2] = f"{median / chunks * 1e6:,.3g} µs"
        self._add(name, who, values, *shown)

    def grown(self, name: str, what: str, cell: growth.Cell) -> None:
        """Add how the time grows with the input."""
        if isinstance(cell, str):
            self._add(name, what, {"none": cell}, cell)
            return
        each = cell.seconds / cell.units * 1e6
        values = {"per_doubling": cell.factor, "bytes": cell.size, "us_per_unit": each}
        self._add(name, what, values, f"{cell.factor:.2f} ×", f"{cell.size / 1e6:.3g} MB", f"{each:.3g} µs")

    def numbers(self, name: str, what: str, values: dict[str, float], *shown: str) -> None:
        """Add what fits no other form."""
        self._add(name, what, values, *shown)

    def bar(self, kind: str, what: str, value: float | None, bar: float, *, most: bool = False) -> None:
        """Hold a value against what is expected of a scanner: at least ``bar``, or with ``most`` at most."""
        met = value is not None and (value <= bar if most else value >= bar)
        entry = {"scanner": kind, "what": what, "value": value, "bar": bar, "most": most, "met": met}
        self.bars.append(_rounded(entry))

    def finish(self) -> bool:
        """Print what was expected and what came of it; return whether all of it was met."""
        self.about["load_after"] = machine.load()
        print("\n## Expected\n")
        for bar in self.bars:
            sign = "≤" if bar["most"] else "≥"
            verdict, what = "met   " if bar["met"] else "MISSED", f"{bar['scanner']}: {bar['what']}"
            print(f"- {verdict} {what}: {bar['value']} ({sign} {bar['bar']:g})")
        missed = sum(not bar["met"] for bar in self.bars)
        print(f"\n{len(self.bars) - missed} met, {missed} missed; {self._load()}")
        return not missed

    def save(self) -> dict[str, Any]:
        """Write and return the results."""
        results = {"about": self.about, "tables": self.tables, "expected": self.bars}
        RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return results

    def _load(self) -> str:
        before, after = self.about["load_before"], self.about.get("load_after")
        return f"load {before}" + ("" if after is None else f" before, {after} after")

    def _add(self, name: str, what: str, values: dict[str, Any], *shown: str) -> None:
        self.tables[name]["rows"][what] = _rounded(values)
        self._line(what, *shown)

    def _line(self, first: str, *cells: str) -> None:
        padded = cells + ("",) * (self._columns - len(cells))
        print(f"| {first:<46} | " + " | ".join(f"{cell:>13}" for cell in padded) + " |", flush=True)


def _rounded(values: dict[str, Any]) -> dict[str, Any]:
    return {key: float(f"{value:.4g}") if isinstance(value, float) else value for key, value in values.items()}
