"""A module."""

EVENTS = {"type": "result", "ok": True}


def render(name):
    return f"{name}: {EVENTS!r}"
