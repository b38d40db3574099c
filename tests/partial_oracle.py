"""What the value of an object must be after any of its bytes: its text, cut where it can be and closed, read by `json`.

`python -m tests.partial_oracle` compares at every prefix of every object of the test data (of the longest at some).
"""

from __future__ import annotations

import codecs
import json
import random
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastbrace import Scanner, find_objects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DATA = Path(__file__).parent / "data"
EVERY_PREFIX_UP_TO = 3_000  # bytes
SAMPLED_PREFIXES = 300

_low = r"(?:\\(?:u(?:[dD](?:[c-fC-F][0-9a-fA-F]?)?)?)?)?"
_half_pair = re.compile(rf"(?<!\\)(?:\\\\)*(\\u[dD][89abAB][0-9a-fA-F]{{2}}{_low})\Z")
_number = re.compile(r"(?:-|[0-9])[-+.0-9eE]*\Z")
_strings = re.compile(r'"((?:[^"\\]|\\.)*+)("?)\\?', re.DOTALL)
MISSING: Any = object()


def partial_of(prefix: bytes) -> Any:
    """Return the best value of an object of which `prefix` has been read."""
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(prefix)
    in_string, closers = state_of(text)
    if in_string:
        half = _half_pair.search(text)
        if half is not None:
            text = text[: half.start(1)]
    else:
        text = _number.sub("", text)
    while text:
        in_string, closers = state_of(text)
        try:
            return json.loads(text + ('"' if in_string else "") + closers)
        except ValueError:
            text = text[:-1]
    return MISSING


def state_of(text: str) -> tuple[bool, str]:
    """Return whether `text` ends inside a string, and what closes the containers that are open there."""
    outside = _strings.sub(lambda match: "" if match[2] else '"', text)
    closers = ""
    for bracket in re.findall(r"[{}\[\]]", outside):
        closers = closers[1:] if bracket in "}]" else ("}" if bracket == "{" else "]") + closers
    return outside.endswith('"'), closers


def grows(before: Any, after: Any) -> bool:
    """Whether `after` is `before` with more in it: what was there is the same, but for a string that goes on."""
    if isinstance(before, str) and isinstance(after, str):
        return after.startswith(before)
    if isinstance(before, list) and isinstance(after, list):
        pairs = list(zip(before, after, strict=False))
        return (
            len(before) <= len(after)
            and all(same(*pair) for pair in pairs[:-1])
            and all(grows(*pair) for pair in pairs[-1:])
        )
    if isinstance(before, dict) and isinstance(after, dict):
        return all(key in after and grows(value, after[key]) for key, value in before.items())
    return same(before, after)


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, NaN being equal to itself and 1 not to 1.0, and keys in the same order."""
    return repr(one) == repr(other)


def data_objects() -> Iterator[tuple[str, bytes]]:
    """Yield the text of each object of the samples and captures, and where it stands."""
    for path in sorted([*(DATA / "samples").iterdir(), *(DATA / "captures").glob("*/*.stdout")]):
        for found in find_objects(path.read_bytes(), fragments=True):
            yield f"{path.relative_to(DATA)}:{found.start}", found.raw


def check(raw: bytes, prefixes: Iterable[int], name: str = "") -> None:
    """Compare the value after each of the `prefixes` of `raw`, fed from one to the next, with what it must be."""
    scanner = Scanner()
    at = 0
    for end in prefixes:
        scanner.feed(raw[at:end])
        at = end
        assert scanner.open is not None
        value, expected = scanner.open.partial(), partial_of(raw[:end])
        assert same(value, expected), f"{name}, first {end} bytes: {value!r} is not {expected!r}"


def main() -> None:
    objects = list(data_objects())
    rng = random.Random(0)
    prefixes = 0
    for number, (name, raw) in enumerate(objects):
        ends: Iterable[int] = range(1, len(raw))
        if len(raw) > EVERY_PREFIX_UP_TO:
            ends = sorted(rng.sample(ends, SAMPLED_PREFIXES))
        check(raw, ends, name)
        prefixes += len(ends)
        if number % 100 == 0 or number == len(objects) - 1:
            print(f"{number + 1} of {len(objects)} objects, {prefixes} prefixes", file=sys.stderr)


if __name__ == "__main__":
    main()
