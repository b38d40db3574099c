"""Random hostile texts against the oracle: `python -m tests.fuzz_oracle --count 200000 --seed 1 --scanner both`.

With `--alike` the scanners are held against each other alone, which is ten times as fast.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from typing import TYPE_CHECKING, Any

from lastbrace import Found, Unfinished

from .feeding import SCANNERS, in_bytes, random_chunks, scan, when_known
from .oracle import Expected, expected, spans

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Check = Callable[[bytes, dict[str, Any], int], str | None]

TOKENS = [
    b"{", b"{", b"{", b"}", b"}", b"}", b"[", b"]", b'{"a":', b'{"a":', b'"', b'"', b'"', b"\\", b"\\\\", b'\\"',
    b"\\u00", b"\\u0041", b"[1,", b"1", b"-", b"0", b".", b".5", b"e3", b"E+", b"true", b"tru", b"false", b"null",
    b"nul", b"NaN", b"Infinity", b"-Infinity", b"-Inf", b",", b",", b":", b":", b"\n", b"\n", b"\r", b"\r\n", b" ",
    b"\t", b"\x1f", b"\x7f", b"```json\n", b"```", b"~~~", b"\xc3\xa9", b"\xc3", b"\xa9", b'"usage":', b"'k':", b"'",
    b'"k"', b'"v"', b"{}", b"[]", b'{"b":{}}', b'{"a":{"b":1}', b'"\\ud83d"', b"word", b"<think>", b"</think>",
    b"data: ", b'"c":[',
]  # fmt: skip

NOISE = [
    b"\x00", b"\x1b7", b"\x1bM", b"\x1b=", b"\x1bc", b"\x1b(B", b"\x1b#8", b"\x1b[m", b"\x1b[31m", b"\x1b[1;38;5;200m",
    b"\x1b[?25l", b"\x1b[>4;1m", b"\x1b[2K", b"\x1b[10;5H", b"\x1b[!p", b"\x1b]0;title\x07", b"\x1b]0;{\"a\":1}\x07",
    b"\x1b]8;;http://example.com/\"{\x1b\\", b"\x1b]133;A\x1b\\", b"\x1bPq#0;2\"{\x1b\\", b"\x1bXsos{\x1b\\",
    b"\x1b^pm}\x1b\\", b"\x1b_apc[{\x1b\\", b"\x1b_G\x07",
]  # fmt: skip

HEADS = [b",", b"{", b'"', b'"', b"'", b"\\", b"\n", b" ", b":", b":", b"[", b"x", b'"k"', b'":', b"',"]
ANSWERS = [b"{}", b'{"n":1}', b"[]", b'[{"n":1}]', b'{"n":1},{"m":1}']

Options = dict[str, Any]
Fact = tuple[str, int, int, bytes, bool]


def random_text(rng: random.Random) -> bytes:
    """Return a text of tokens, few or many, drawn from all of them or from a handful; or heads of records alone."""
    if rng.random() < 0.2:
        return b"".join(_random_head(rng) + rng.choice(ANSWERS) for _ in range(rng.randint(1, 4)))
    tokens = TOKENS if rng.random() < 0.5 else rng.sample(TOKENS, rng.randint(3, 12))
    return b"".join(rng.choices(tokens, k=rng.randint(1, rng.choice((6, 15, 40, 120)))))


def _random_head(rng: random.Random) -> bytes:
    """Return what may stand before the value of a member whose record is not there, or nearly so."""
    filler = rng.choice((b"", b"", b"", b" ", b"[", b"x", b"\n")) * rng.choice((1, 3, 500, 505, 509, 512, 515))
    head = b"".join(rng.choices(HEADS, k=rng.randint(0, 12)))
    at = rng.randint(0, len(head))
    return head[:at] + filler + head[at:]


def random_options(rng: random.Random) -> Options:
    """Return options of the scanner that the oracle knows."""
    return {
        "roots": rng.choice(("object", "array", "any")),
        "framing": rng.choice(("free", "free", "lines")),
        "strict": rng.random() < 0.3,
        "max_depth": rng.choice((1, 2, 3, 3, 200, 200, 200)),
        "max_object_bytes": rng.choice((None, None, None, 2, 7, 20)),
        "buffer_limit": rng.choice((None, None, None, 1, 5, 12)),
    }


def facts(events: list[Any]) -> list[Fact]:
    """Return the events in the oracle's words."""
    result: list[Fact] = []
    for event in events:
        if isinstance(event, Found):
            kind, raw = ("found", event.raw) if event.raw is not None else ("large", b"")
            result.append((kind, event.start, event.end, raw, event.fragment))
        elif isinstance(event, Unfinished):
            result.append(("unfinished", event.start, event.start + event.size, b"", False))
        else:
            result.append(("dropped", event.start, event.end, b"", False))
    return result


def with_noise(text: bytes, rng: random.Random) -> tuple[bytes, list[int]]:
    """Return `text` with terminal sequences put between its bytes, and where each of its bytes went."""
    share = rng.choice((0.02, 0.2, 0.8))
    parts, places, at = [], [], 0
    for byte in in_bytes(text):
        while rng.random() < share / 2:
            parts.append(rng.choice(NOISE))
            at += len(parts[-1])
        parts.append(byte)
        places.append(at)
        at += 1
    return b"".join([*parts, *rng.choices(NOISE, k=rng.randint(0, 2))]), places


def check_plain(text: bytes, options: Options, seed: int) -> str | None:
    """Return what differs between the scanner and the oracle on `text`, or None."""
    want = expected(text, **options)
    wanted = [tuple(event[:5]) for event in want]
    brackets = text.count(b"{") + text.count(b"[")  # where they are few, no limit on depth can matter
    if _is_plain(options) and options["max_depth"] >= brackets:
        found = [(event.start, event.end) for event in want if event.kind == "found"]
        if found != spans(text, options["roots"]):
            return f"oracle {found} but raw_decode {spans(text, options['roots'])}"
    rng = random.Random(seed)
    for name in SCANNERS:
        for chunks in ([text], random_chunks(text, rng), random_chunks(text, rng)):
            got = facts(scan(chunks, name, **options))
            if got != wanted:
                return f"{name} {got}\n  but oracle {wanted}\n  in chunks {chunks}"
        known = [at for at, _ in when_known(text, name, **options)]
        if known != [event.known for event in want]:
            return f"{name} known after {known} but oracle {[event.known for event in want]}"
    return None


def _is_plain(options: Options) -> bool:
    limits = options.get("max_object_bytes"), options.get("buffer_limit")
    return options["framing"] == "free" and not options["strict"] and limits == (None, None)


def check_noisy(text: bytes, options: Options, seed: int) -> str | None:
    """Return what differs when terminal sequences stand between the bytes of `text`, or None."""
    rng = random.Random(seed)
    noisy, places = with_noise(text, rng)
    wanted = [_as_fed(event, places) for event in expected(text, **options)]
    for name in SCANNERS:
        for chunks in ([noisy], in_bytes(noisy), random_chunks(noisy, rng)):
            seen = facts(scan(chunks, name, **options))
            got = [fact if fact[0] in ("found", "large") else (*fact[:2], 0, *fact[3:]) for fact in seen]
            if got != wanted:
                return f"{name} {got}\n  but oracle {wanted}\n  in chunks {chunks}"
    return None


def _as_fed(event: Expected, places: list[int]) -> Fact:
    end = places[event.end - 1] + 1 if event.kind in ("found", "large") else 0
    return event.kind, places[event.start], end, event.raw, event.fragment


def check_alike(text: bytes, options: Options, seed: int) -> str | None:
    """Return what differs between the scanners on `text`, noise in it and chunk by chunk, or None."""
    rng = random.Random(seed)
    if rng.random() < 0.15:
        text, _ = with_noise(text, rng)
    way = rng.random()  # seldom byte by byte, which takes as long as ten other texts
    chunks = (
        [text] if way < 0.3 else in_bytes(text) if way < 0.35 else random_chunks(text, rng, rng.choice((5, 17, 100)))
    )
    first: tuple[Any, ...] | None = None
    for name, make in SCANNERS.items():
        scanner = make(**options)
        steps: list[Any] = []
        for chunk in chunks:
            steps.append((scanner.feed(chunk), scanner.open, scanner.last))
        got = (steps, scanner.close(), scanner.stats)
        first = got if first is None else first
        if got != first:
            return f"{name} {got}\n  but {first}\n  in chunks {chunks}"
    return None


def shrink(text: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """Return a shorter text that still fails: pieces are cut out, large ones first."""
    size = len(text) // 2
    while size:
        at = 0
        while at < len(text):
            shorter = text[:at] + text[at + size :]
            if fails(shorter):
                text = shorter
            else:
                at += size
        size //= 2
    return text


CHECKS = (check_plain, check_noisy, check_alike)


def fuzz(
    count: int, seed: int, seconds: float = float("inf"), checks: Sequence[Check] = CHECKS
) -> tuple[int, list[str]]:
    """Check `count` texts, or as many as `seconds` allow; return how many, and a report for each of 10 failures."""
    reports: list[str] = []
    started = time.monotonic()
    number = 0
    for number in range(1, count + 1):
        text_seed = seed * 1_000_000_007 + number
        rng = random.Random(text_seed)
        text, options = random_text(rng), random_options(rng)
        for check in checks:
            if check(text, options, text_seed) is not None:
                small = shrink(text, lambda shorter: check(shorter, options, text_seed) is not None)  # noqa: B023
                difference = check(small, options, text_seed)
                reports.append(f"seed {text_seed} {check.__name__} {options}\n  text {small!r}\n  {difference}")
        if len(reports) >= 10 or time.monotonic() - started > seconds:
            break
    return number, reports


def main() -> int:
    """Run the search that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200_000, help="texts to check")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scanner", choices=("both", *SCANNERS), default="both")
    parser.add_argument("--alike", action="store_true", help="compare the scanners with each other, not the oracle")
    arguments = parser.parse_args()
    if arguments.scanner != "both":
        for name in {*SCANNERS} - {arguments.scanner}:
            del SCANNERS[name]
    started = time.monotonic()
    checks = (check_alike,) if arguments.alike else CHECKS
    done, reports = fuzz(arguments.count, arguments.seed, checks=checks)
    for report in reports:
        print(report)
    print(f"{done} texts, {len(reports)} failures, seed {arguments.seed}, {time.monotonic() - started:.0f} s")
    return 1 if reports else 0


if __name__ == "__main__":
    sys.exit(main())
