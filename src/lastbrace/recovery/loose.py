"""JSON5 and Python literals, read by the ``json5`` package where it is installed."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from .. import possessive

MAX_CHARACTERS = 32 << 10  # in all, per text: the package reads about 40 KB a second

_token = possessive.compile(
    # What does not end runs to the end of the text, or each beginning would look for an end of its own.
    r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|\'(?:[^\'\\]|\\.)*+(?:\'|\\?\Z)|//[^\n]*+|/\*.*?(?:\*/|\Z)'
    r"|(?<![\w$])(?:True|False|None)(?![\w$])",
    re.DOTALL,
)
_PYTHON = {"True": "true", "False": "false", "None": "null"}


class Loose(NamedTuple):
    """A value as JSON, and what had to be done."""

    value: str
    repairs: list[str]


class Json5:
    """Reads single values; ``left`` is how many characters it will still look at."""

    def __init__(self) -> None:
        self.left = MAX_CHARACTERS

    def read(self, text: str) -> Loose | None:
        """Return the value of ``text``, or None: it has none, is too long or too deep, or the package is not there."""
        if len(text) > self.left:
            return None
        try:
            import json5  # noqa: PLC0415 - the extra
        except ImportError:
            return None
        self.left -= len(text)
        is_python = False

        def replace(token: re.Match[str]) -> str:
            nonlocal is_python
            is_python = is_python or token[0] in _PYTHON
            return _PYTHON.get(token[0], token[0])

        source = _token.sub(replace, text)
        try:
            value = json.dumps(json5.loads(source), ensure_ascii=False)
        except (ValueError, RecursionError, TypeError, OverflowError):
            return None
        return Loose(value, ["json5", "python_literal"] if is_python else ["json5"])
