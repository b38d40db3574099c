"""Names of rotated files: which file a name was rotated from, and which of two is older."""

from __future__ import annotations

import os
import re

_SEPARATORS = ".-_"
_DATE = r"\d{4}-?\d{2}-?\d{2}(?:[-_.T:]?\d+)*"
# What rotation puts behind a name (`app.log.1`, `app.log-20260131.gz`), or before its suffix (`app.1.log`).
_behind = re.compile(rf"[.\-_](?:\d+|{_DATE})(?:\.gz)?").fullmatch
_before = re.compile(rf"(.+?)(?:[.\-_]{_DATE}|\.\d+)(\.(?!gz\b)[A-Za-z]\w*)(?:\.gz)?").fullmatch
_number = re.compile(r"\d+")


def originals(name: str) -> list[str]:
    """Return the names that a file of this name may have had before it was rotated, in the same directory.

    >>> originals("app.log.1.gz")
    ['app', 'app.log', 'app.log.1']
    >>> originals("app-20260131.log")
    ['app', 'app-20260131', 'app.log']
    """
    folder, base = os.path.split(name)
    bases = [base[:at] for at, character in enumerate(base) if at and character in _SEPARATORS]
    if found := _before(base):
        bases.append(found[1] + found[2])
    return [os.path.join(folder, other) for other in bases]


def is_generation(name: str, original: str) -> bool:
    """Tell whether a name is that of an older generation of ``original``, and can hardly be anything else.

    >>> is_generation("app.log.2.gz", "app.log"), is_generation("app.log.lock", "app.log")
    (True, False)
    """
    if name.startswith(original) and _behind(name[len(original) :]):
        return True
    found = _before(os.path.basename(name))
    return found is not None and os.path.join(os.path.dirname(name), found[1] + found[2]) == original


def generation_of(name: str) -> list[str]:
    """Return the names of which this one is that of an older generation.

    >>> generation_of("app.log.2"), generation_of("app.log.bak")
    (['app.log'], [])
    """
    return [original for original in originals(name) if is_generation(name, original)]


def age(name: str, mtime_ns: int) -> tuple[int, int]:
    """Return a key that sorts the generations of one log from the oldest on: by last change, then by number."""
    numbers = _number.findall(os.path.basename(name).removesuffix(".gz"))
    return mtime_ns, -int(numbers[-1]) if numbers else 1
