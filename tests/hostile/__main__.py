"""What hostile outputs cost, against their bounds: `python -m tests.hostile`.

Each case runs in a process of its own, with a quarter of its size and with all of it. Exits with 1 where one took more
time or memory than its bound, or grew faster.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from .case import Case
from .measure import measure
from .table import markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMEOUT = 900  # seconds
ATTEMPTS = 3  # the machine may be busy with something else
LONG_ENOUGH = 0.1  # seconds: shorter times say nothing of growth


def run(case: Case, size: int, scanner: str) -> dict[str, float] | str:
    """Return the seconds and the MB that a case took in a process of its own, or why there is no saying."""
    environment = {**os.environ, "LASTBRACE_PURE": "1" if scanner == "python" else ""}
    argv = [sys.executable, "-m", "tests.hostile", "--case", case.name, "--size", str(size)]
    try:
        done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return f"took longer than {TIMEOUT} s"
    if done.returncode:
        return (done.stderr.strip() or f"exit status {done.returncode}")[-500:]
    result: dict[str, float] = json.loads(done.stdout)
    return result


def judge(case: Case, scanner: str) -> Iterator[tuple[str, bool]]:
    """Yield a line on each attempt, and whether the case kept its bounds."""
    for _ in range(ATTEMPTS):
        small, large = (run(case, size, scanner) for size in (max(1, case.size // 4), case.size))
        if isinstance(small, str) or isinstance(large, str):
            yield f"{case.name}: {small if isinstance(small, str) else large}", False
            return
        growth = large["seconds"] / small["seconds"] if large["seconds"] > LONG_ENOUGH and case.size > 1 else 0.0
        excess = [
            name
            for name, is_kept in (
                ("time", large["seconds"] <= case.seconds),
                ("memory", large["memory"] <= case.memory),
                ("growth", growth <= case.growth),
            )
            if not is_kept
        ]
        yield (
            (
                f"{case.name:28} {scanner:7} {case.amount:>18}  {large['seconds']:7.2f} s of {case.seconds:3.0f}"
                f"  x{growth:4.1f} of {case.growth:4.1f}  {large['memory']:5.0f} MB of {case.memory:4d}"
                f"  {'exceeds ' + ', '.join(excess) if excess else 'ok'}"
            ),
            not excess,
        )
        if not excess:
            return


def main() -> int:
    """Measure the cases that the command line asks for."""
    from .cases import CASES

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    parser.add_argument("--scanner", choices=("both", "c", "python"), default="both")
    parser.add_argument("--table", action="store_true", help="print the bounds as they stand in docs/security.md")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    parser.add_argument("--size", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.table:
        print(markdown(CASES))
        return 0
    if arguments.case is not None:
        case = next(case for case in CASES if case.name == arguments.case)
        print(json.dumps(measure(case.work, arguments.size)))
        return 0
    failures = 0
    for case in CASES:
        if arguments.only in case.name:
            for scanner in ("c", "python") if arguments.scanner == "both" else (arguments.scanner,):
                attempts = []
                for line, is_kept in judge(case, scanner):
                    print(line, flush=True)
                    attempts.append(is_kept)
                failures += not attempts[-1]
    print(f"{failures} of the cases exceed their bounds")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
