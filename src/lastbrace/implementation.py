"""Which automaton scans: the one in C where it was built and ``LASTBRACE_PURE`` is not 1, else the one in Python."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .automaton import Automaton as PythonAutomaton

if TYPE_CHECKING:
    from ._native import Automaton as NativeAutomaton

    Automaton = type[PythonAutomaton | NativeAutomaton]

AUTOMATA: dict[str, Automaton] = {"python": PythonAutomaton}
"""The automata that are there, by their kind."""

if os.environ.get("LASTBRACE_PURE") != "1":
    try:
        from . import _native

        AUTOMATA["c"] = _native.Automaton
    except ImportError:  # there was no compiler when it was installed, or it was built for another Python
        pass

scanner_kind = "c" if "c" in AUTOMATA else "python"
