"""What is done in C: scanning and decoding, where the extension was built and ``LASTBRACE_PURE`` is not 1."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .automaton import Automaton as PythonAutomaton

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._native import Automaton as NativeAutomaton

    Automaton = type[PythonAutomaton | NativeAutomaton]

AUTOMATA: dict[str, Automaton] = {"python": PythonAutomaton}
"""The automata that are there, by their kind."""

decode_in_c: Callable[[bytes], Any] | None = None
"""Returns what ``json`` reads of ordinary JSON, and NotImplemented for any other text; None where it is not there."""

if os.environ.get("LASTBRACE_PURE") != "1":
    try:
        from . import _native

        AUTOMATA["c"] = _native.Automaton
        decode_in_c = _native.decode
    except ImportError:  # there was no compiler when it was installed, or it was built for another Python
        pass

scanner_kind = "c" if "c" in AUTOMATA else "python"
