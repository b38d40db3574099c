"""The scanners at hand: the one in this process, and beside a C scanner the Python one, in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

import lastbrace

Call = Callable[..., Any]
"""Calls the function that is its first argument with the others, where a scanner is: ``call(clock, make, data)``."""


def here(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call the function in this process."""
    return function(*arguments, **options)


@contextmanager
def at_hand() -> Iterator[dict[str, Call]]:
    """Yield a `Call` for each scanner, the one of this process first; all of them can take turns in one run."""
    own: dict[str, Call] = {lastbrace.scanner_kind: here}
    if lastbrace.scanner_kind == "python":
        yield own
        return
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:

        def call(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
            return pool.submit(function, *arguments, **options).result()

        os.environ["LASTBRACE_PURE"] = "1"
        kind = call(_kind)  # starts the process, which keeps the variable, and hands it on to its children
        del os.environ["LASTBRACE_PURE"]
        yield own | {kind: call}


def _kind() -> str:
    return lastbrace.scanner_kind
