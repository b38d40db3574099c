"""All targets by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lastbrace.implementation import AUTOMATA

from . import answering, flooding, recovering, saving, scanning
from .inputs import must_be_same, scanned_by

if TYPE_CHECKING:
    from collections.abc import Callable

CORPORA = Path(__file__).parent.parent / "data" / "fuzz"


class Target(NamedTuple):
    """What is done with each input, and whether that goes through a scanner, so that there are two to try."""

    run: Callable[[bytes], Any]
    scans: bool

    def check(self, data: bytes) -> None:
        """Run it, with each scanner that is there: what comes of it must be the same. Raises what shows a fault."""
        first: list[Any] = []
        for kind in AUTOMATA if self.scans else ["python"]:
            with scanned_by(kind):
                first.append(self.run(data))
            must_be_same(first[0], first[-1], kind)


TARGETS = {
    "scanner": Target(scanning.scanner, scans=True),
    "flood": Target(flooding.flood, scans=False),  # it tries both scanners itself
    "terminal": Target(scanning.terminal, scans=False),
    "encoding": Target(scanning.encoding, scans=False),
    "decoding": Target(scanning.decode, scans=False),
    "agents": Target(answering.agents, scans=True),
    "container_log": Target(answering.container_log, scans=True),
    "recovery": Target(recovering.recovery, scans=True),
    "cursor": Target(saving.cursor, scans=False),
    "journal": Target(saving.journal, scans=False),
    "recording": Target(saving.recording, scans=False),
}
