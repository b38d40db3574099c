"""Why nothing was found, in one line for a person."""

from __future__ import annotations

from .events import Stats, Unfinished


def explain(stats: Stats, unfinished: Unfinished | None = None, *, wanted: str = "") -> str:
    """Return why a text gave no answer.

    ``wanted`` is what an object had to satisfy ("the schema", "the contract"), where there were objects but none did.
    """
    if unfinished is not None:
        return f"the input ended inside an object that began at byte {unfinished.start} ({unfinished.size} bytes read)"
    if wanted and stats.objects:
        return f"{_count(stats.objects, 'object')}, none that satisfies {wanted}"
    if stats.dropped:
        return f"{_count(stats.dropped, 'object')} dropped, larger than max_object_bytes"
    if stats.last_dead is not None:
        dead = stats.last_dead
        return (
            f"no JSON object in {_count(stats.bytes, 'byte')}: what began at byte {dead.start} has {dead.reason} "
            f"at byte {dead.offset}, in {dead.excerpt}"
        )
    if stats.fragments:
        pieces = _count(stats.fragments, "fragment")
        return f"no JSON object in {_count(stats.bytes, 'byte')}, only {pieces} of broken ones"
    return f"no JSON object in {_count(stats.bytes, 'byte')}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
