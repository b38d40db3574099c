"""Any CLI that has no adapter: the answer is the string at a path in its events."""

from __future__ import annotations

import re
from typing import Any

from .adapter import Adapter

_step = re.compile(r"(?:^|\.)([^.\[\]]+)|\[(\d+)\]")


class Generic(Adapter):
    """Takes the string at ``path``, such as ``choices[0].message.content``, for the answer; the newest event wins.

    What the CLI means by its other members is not known, so that only the exit status says whether the run succeeded.
    Raises ValueError for a path that is none.
    """

    name = None

    def __init__(self, path: str) -> None:
        super().__init__()
        steps = _step.findall(path)
        if not path or "".join(f".{name}" if name else f"[{index}]" for name, index in steps).lstrip(".") != path:
            raise ValueError(f"answer must be a path such as 'choices[0].message.content', not {path!r}")
        self._steps: list[str | int] = [name or int(index) for name, index in steps]

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Recognise nothing."""
        return False

    def feed(self, event: dict[str, Any]) -> None:
        """Take the answer from the event, if it has one."""
        value: Any = event
        for step in self._steps:
            if isinstance(step, int):
                value = value[step] if isinstance(value, list) and step < len(value) else None
            else:
                value = value.get(step) if isinstance(value, dict) else None
        if isinstance(value, str):
            self.restart()  # each event has an answer of its own
            self._set(structured=None)
            self.answer(value)
        elif isinstance(value, dict | list):
            self.structure(value)

    def needs_final_event(self) -> bool:
        """No event is known to be the last."""
        return False
