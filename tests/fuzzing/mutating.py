"""Mutations that know JSON: members of the objects in an input are changed, which flipping bytes seldom manages."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import lastbrace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ODD: list[Any] = [
    None, True, False, 0, -1, -1.5, 1e400, -1e400, float("nan"), 10**30, 10**400, 2**63, "", "text", "\ud83d", "\0", [],
    [None, 3, "x", {}], {}, {"text": 3}, '{"status": "done"}', '{"status": "continue", "next": "x"}', "<think>",
]  # fmt: skip


def json_mutator(words: Sequence[str], mutate: Callable[[bytes, int], bytes]) -> Callable[[bytes, int, int], bytes]:
    """Return a mutator that changes a member, or an object among others, or leaves it to `mutate`."""

    def change(data: bytes, most: int, seed: int) -> bytes:
        rng = random.Random(seed)
        found = lastbrace.find_objects(data) if rng.random() < 0.6 else []
        if not found:
            return mutate(data, most)
        one = rng.choice(found)
        lot = rng.random()
        if lot < 0.1:
            raw = b""
        elif lot < 0.25:
            raw = data[one.start : one.end] + b"\n" + data[rng.choice(found).start : one.end]
        else:
            raw = json.dumps(_changed(one.value, rng, words), ensure_ascii=rng.random() < 0.7).encode(
                "utf-8", "surrogatepass"
            )
        changed = data[: one.start] + raw + data[one.end :]
        return changed if len(changed) <= most else mutate(data, most)

    return change


def _changed(value: Any, rng: random.Random, words: Sequence[str]) -> Any:
    """Return `value` with one member changed, somewhere."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice([*value])
        lot = rng.random()
        if lot < 0.1:
            return {name: item for name, item in value.items() if name != key}
        if lot < 0.2:
            return {**value, rng.choice(words): _odd(rng, words)}
        if lot < 0.3:
            return {(rng.choice(words) if name == key else name): item for name, item in value.items()}
        return {**value, key: _changed(value[key], rng, words)}
    if isinstance(value, list) and value and rng.random() < 0.85:
        at = rng.randrange(len(value))
        return [*value[:at], _changed(value[at], rng, words), *value[at + rng.randrange(2) :]]
    return _odd(rng, words)


def _odd(rng: random.Random, words: Sequence[str]) -> Any:
    lot = rng.random()
    if lot < 0.4:
        return rng.choice(words)
    if lot < 0.5:
        return {rng.choice(words): _odd(rng, words), "type": rng.choice(words)}
    if lot < 0.6:
        return [_odd(rng, words) for _ in range(rng.randint(1, 2))]
    return rng.choice(ODD)
