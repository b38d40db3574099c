"""Short names of followed files, for people: the project that an agent works in, and its session."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_uuid = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_ID = 8  # characters of a session's id that are shown
_LOGS = (".jsonl", ".ndjson", ".json", ".log")


def project_of(event: Any) -> str | None:
    """Return the folder that an event says the agent works in: of Claude Code's transcripts, and Codex's rollouts.

    >>> project_of({"type": "user", "cwd": "/home/dev/demo"})
    'demo'
    """
    places = (event, event.get("payload")) if isinstance(event, dict) else ()
    for place in places:
        folder = place.get("cwd") if isinstance(place, dict) else None
        if isinstance(folder, str) and (name := re.split(r"[/\\]", folder.rstrip("/\\"))[-1]):
            return name
    return None


def name_of(path: Path, project: str | None = None) -> str:
    """Return the short name of a file: the project, or else the folder, and the session or else the file.

    >>> from pathlib import Path
    >>> name_of(Path("/h/.claude/projects/-home-dev-demo/3d1f0a52-9c4b-4e5e-8f0a-1b2c3d4e5f60.jsonl"), "demo")
    'demo/3d1f0a52'
    >>> name_of(Path("/var/log/agents/nightly.log"))
    'agents/nightly'
    """
    stem = path.name
    for ending in _LOGS:
        stem = stem.removesuffix(ending)
    found = _uuid.search(stem.lower())
    if found is not None:  # the beginning of version 7 is the time, which sessions begun together share
        stem = found[0][-_ID:] if found[1] == "7" else found[0][:_ID]
    folder = project or path.absolute().parent.name
    return f"{folder}/{stem}" if folder else stem
