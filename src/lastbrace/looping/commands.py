"""From what a caller says is to be run to the command of each turn."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

from ..suggestions import meant
from .templates import TEMPLATES, Template

if TYPE_CHECKING:
    from ..process.feeding import Input

Argv = Sequence[str | PathLike[str]]


class Command(NamedTuple):
    """The command of one turn, and what it reads on stdin.

    >>> Command(["agent", "-"], input="Fix the tests.").argv
    ['agent', '-']
    """

    argv: Argv
    input: Input | None = None


ArgvFor = Callable[[str, str | None], Argv | Command]
"""Gives the command for a prompt and the session to go on with."""


def command_for(what: str | Template | Argv | ArgvFor) -> ArgvFor:
    """Return the function that gives the command of each turn.

    Raises ValueError for a name that no template has, TypeError for what is no command.
    """
    if isinstance(what, str):
        if what not in TEMPLATES:
            name = what.partition(" ")[0]
            there = f"no template {name!r}; there are {', '.join(TEMPLATES)}"
            raise ValueError(f"{there}; a command is a list of words{meant(name, TEMPLATES)}")
        what = TEMPLATES[what]
    if isinstance(what, Template):
        template = what
        return lambda prompt, session_id: Command(template.words(session_id), prompt)
    if inspect.iscoroutinefunction(what):
        raise TypeError(f"argv_for is a plain function, and {what.__name__} is async: nobody awaits it")
    if callable(what):
        return what
    argv = list(what) if isinstance(what, Sequence) else []
    if not all(isinstance(word, str | PathLike) for word in argv) or not argv:
        raise TypeError(f"argv_for is a list of words, a template or a function, not {type(what).__name__}")
    return lambda prompt, _: Command(argv, prompt)
