"""Run the measurements and print the tables: ``python -m benchmarks [--short] [--only NAME] [--check]``."""

from __future__ import annotations

import argparse
import json
import sys
import time

from . import picture, scanners, summary
from .parts import FULL, PARTS, SHORT
from .report import RESULTS, Report


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Time lastbrace beside its alternatives.")
    parser.add_argument("--short", action="store_true", help="small inputs, under a minute; results are not written")
    parser.add_argument("--only", metavar="NAME", choices=PARTS, help=f"one table alone: {', '.join(PARTS)}")
    parser.add_argument("--check", action="store_true", help="exit with status 1 where an expectation is missed")
    parser.add_argument("--summary", action="store_true", help="print the table that the README shows; no timing")
    parser.add_argument("--picture", action="store_true", help="draw the results of the last full run again; no timing")
    arguments = parser.parse_args()
    if arguments.picture:
        picture.save(json.loads(RESULTS.read_text(encoding="utf-8")))
        return 0
    if arguments.summary:
        print(summary.markdown(json.loads(RESULTS.read_text(encoding="utf-8"))), end="")
        return 0
    effort = SHORT if arguments.short else FULL
    started = time.monotonic()
    with scanners.at_hand() as calls:
        report = Report(list(calls), effort._asdict())
        for name, part in PARTS.items():
            if arguments.only in (None, name):
                began = time.monotonic()
                part(report, effort, calls)
                print(f"{name}: {time.monotonic() - began:.1f} s", file=sys.stderr)
    met = report.finish()
    if not arguments.short and arguments.only is None:
        picture.save(report.save())
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
    return 1 if arguments.check and not met else 0


if __name__ == "__main__":
    sys.exit(main())
