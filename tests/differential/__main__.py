"""The same outcome by every way in: `python -m tests.differential --count 100000 --seed 1`.

All captures, samples, cases and plain texts first, then generated mixtures of them; each through `Watcher.feed` and
`aiter_objects` (whole, 1-byte, random chunks), and a share of them through `lastbrace.run` of a program that writes
them in pieces and `lastbrace.follow` of files that grow.
"""

from __future__ import annotations

import argparse
import sys
import time

from .checks import ALL_SCANNERS
from .comparison import THROUGH, Comparison


def main() -> int:
    """Run the comparison that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000, help="generated streams")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scanner", choices=("both", *ALL_SCANNERS), default="both")
    parser.add_argument("--through", default=",".join(THROUGH), help="ways in, comma-separated")
    parser.add_argument("--every", type=int, default=100, help="one in so many goes through a subprocess and a file")
    parser.add_argument("--no-corpus", action="store_true", help="generated streams alone")
    arguments = parser.parse_args()
    through = arguments.through.split(",")
    if not {*through} <= {*THROUGH}:
        parser.error(f"--through takes {', '.join(THROUGH)}")
    scanners = ALL_SCANNERS if arguments.scanner == "both" else [arguments.scanner]
    comparison = Comparison(scanners, through, arguments.every)
    started = time.monotonic()
    if not arguments.no_corpus:
        comparison.read_corpus()
        print(f"corpus: {comparison}, {time.monotonic() - started:.0f} s", flush=True)
    for number in range(arguments.count):
        comparison.read_generated(arguments.seed * 1_000_000_007 + number)
        if comparison.failures >= 20:
            break
        if (number + 1) % 10_000 == 0:
            print(f"{number + 1} streams: {comparison}, {time.monotonic() - started:.0f} s", flush=True)
    comparison.finish()
    print(f"{comparison}, seed {arguments.seed}, {time.monotonic() - started:.0f} s")
    return 1 if comparison.failures else 0


if __name__ == "__main__":
    sys.exit(main())
