"""Why nothing was found, in one line for a person."""

from __future__ import annotations

from .events import Stats, Unfinished
from .printing import counted, printable


def explain(stats: Stats, unfinished: Unfinished | None = None, *, wanted: str = "", refusal: str = "") -> str:
    """Return why a text gave no answer.

    ``wanted`` is what an object had to satisfy ("the schema", "the contract"), ``refusal`` why the newest did not.
    """
    if unfinished is not None:
        return f"the input ended inside an object that began at byte {unfinished.start} ({unfinished.size} bytes read)"
    if wanted and stats.objects:
        why = refusal and f"; the newest: {printable(refusal, 300)}"
        return f"{counted(stats.objects, 'object')}, none that satisfies {wanted}{why}"
    if stats.dropped:
        return f"{counted(stats.dropped, 'object')} dropped, larger than max_object_bytes"
    nothing = f"no JSON object in {counted(stats.bytes, 'byte')}"
    if stats.objects:
        nothing = f"{counted(stats.objects, 'object')}, none that counts"
    if stats.last_dead is not None:
        dead = stats.last_dead
        broken = f"what began at byte {dead.start} broke off at byte {dead.offset} ({dead.reason})"
        return f"{nothing}: {broken}, in {dead.excerpt}"
    if stats.objects:
        return f"{nothing}: empty, to be ignored, or only thought of"
    if stats.fragments:
        return f"{nothing}, only {counted(stats.fragments, 'fragment')} of broken ones"
    if stats.dead:
        reason = max(sorted(stats.dead), key=lambda reason: stats.dead[reason])
        return f"{nothing}; {counted(sum(stats.dead.values()), 'bracket')} began none ({reason} followed)"
    return nothing
