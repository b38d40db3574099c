"""A hill climb for the text that costs most: `python -m tests.search_worst --seconds 60`.

The cost is counted: visits per byte, that is (bytes + reread) / bytes.
"""

from __future__ import annotations

import argparse
import random
import time
from typing import Any

from .feeding import SCANNERS, scan_stats
from .fuzz_oracle import TOKENS, random_options

LENGTH = 1200  # bytes; beginnings weigh less in longer texts
ALIVE = 12  # texts that go on to the next round


def visits(text: bytes, options: dict[str, Any]) -> float:
    """Return how often a scanner looks at each byte of `text`, on average, at the worst implementation."""
    return max(
        (stats.bytes + stats.reread) / max(stats.bytes, 1)
        for stats in (scan_stats([text], name, **options) for name in SCANNERS)
    )


def seed_text(rng: random.Random) -> bytes:
    """Return a random pattern, repeated."""
    pattern = b"".join(rng.choices(TOKENS, k=rng.randint(1, 12)))
    return (pattern * (LENGTH // len(pattern) + 1))[:LENGTH]


def mutate(text: bytes, rng: random.Random) -> bytes:
    """Return `text` with a token or a stretch of it put in, taken out, doubled or repeated to the end."""
    at, end = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
    end = min(end, at + rng.choice((1, 2, 4, 16, 64)))
    match rng.randrange(5):
        case 0:
            text = text[:at] + rng.choice(TOKENS) + text[at:]
        case 1:
            text = text[:at] + text[end:]
        case 2:
            text = text[:at] + text[at:end] * 2 + text[end:]
        case 3:
            text = text[:at] + rng.choice(TOKENS) + text[end:]
        case _:
            text = text[:at] + text[at:end] * (LENGTH // max(end - at, 1))
    return text[:LENGTH]


def search(seconds: float, seed: int, rounds: float = float("inf")) -> tuple[float, bytes]:
    """Return the most visits a byte that were found within `seconds` and `rounds`, and the text that caused them."""
    rng = random.Random(seed)
    started = time.monotonic()
    options = [random_options(rng) for _ in range(ALIVE)]
    alive = [(visits(text, chosen), text, chosen) for chosen in options for text in [seed_text(rng)]]
    done = 0
    while done < rounds and time.monotonic() - started < seconds:
        done += 1
        if rng.random() < 0.1:
            text, chosen = seed_text(rng), random_options(rng)
        else:
            _, text, chosen = rng.choice(alive)
            text = mutate(text, rng)
        if text:
            alive.append((visits(text, chosen), text, chosen))
            alive.sort(key=lambda entry: -entry[0])
            del alive[ALIVE:]
    return alive[0][0], alive[0][1]


def main() -> None:
    """Run the search that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    worst, text = search(arguments.seconds, arguments.seed)
    print(f"{worst:.3f} visits a byte, seed {arguments.seed}\n{text!r}")


if __name__ == "__main__":
    main()
