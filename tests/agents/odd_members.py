"""Events whose members are missing or of another type."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from lastbrace import iter_objects

from .driving import SAMPLES, drive_events

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lastbrace.agents.adapter import Adapter

ODD: list[Any] = [None, True, 0, -1.5, 1e400, 10**30, "", "text", "success", [], [None, 3, "x", {}], {}, {"text": 3}]
ROUNDS = 40


def check_odd_members(adapter_class: type[Adapter], sample: str) -> None:
    """Check that no member of another type raises, and that one in the final event is no success unless it says so."""
    rng = random.Random(sample)
    events = [found.value for found in iter_objects((SAMPLES / sample).read_bytes())]
    for _ in range(ROUNDS):
        reply = drive_events(adapter_class, *(change(event, rng) for event in events), returncode=0)
        assert reply.agent == adapter_class.name
        assert isinstance(reply.text, str)
        if reply.final and not reply.is_error and reply.raw is not None and "is_error" in reply.raw:
            assert reply.raw["is_error"] is False


def check_each_member(adapter_class: type[Adapter], sample: str) -> None:
    """Check that no member that is missing or of any other type raises, one at a time."""
    events = [found.value for found in iter_objects((SAMPLES / sample).read_bytes())]
    for at, event in enumerate(events):
        for variant in _variants(event):
            adapter_class.recognises(variant)
            adapter = adapter_class()
            for other in [*events[:at], variant, *events[at + 1 :]]:
                adapter.feed(other)
            adapter.feed_stderr(variant)
            adapter.close(None, "")
            assert isinstance(adapter.reply.text, str)


def change(value: Any, rng: random.Random) -> Any:
    """Return `value` with some of its members, at any depth, replaced or left out."""
    if isinstance(value, dict):
        return dict(_members(value, rng))
    if isinstance(value, list):
        return [change(item, rng) for item in value]
    return value


def _members(value: dict[str, Any], rng: random.Random) -> Iterator[tuple[str, Any]]:
    for key, member in value.items():
        lot = rng.random()
        if lot < 0.1:
            yield key, rng.choice(ODD)
        elif lot < 0.95:
            yield key, change(member, rng)


def _variants(value: Any, depth: int = 4) -> Iterator[Any]:
    if not isinstance(value, dict) or not depth:
        return
    for key, inner in value.items():
        yield {name: other for name, other in value.items() if name != key}
        for odd in (*ODD, 10**400, {"type": []}):
            yield {**value, key: odd}
        for variant in _variants(inner, depth - 1):
            yield {**value, key: variant}
