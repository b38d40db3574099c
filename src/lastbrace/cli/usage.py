"""The words that the command line takes, and what becomes of its own words where nobody can read them."""

from __future__ import annotations

import json
import os
import sys
from contextlib import AbstractContextManager, ExitStack, nullcontext, redirect_stderr
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, NoReturn

import typer
from typer.core import TyperGroup

from ..printing import printable
from ..schema import Schema, compile_schema
from .lines import tell

if TYPE_CHECKING:
    from collections.abc import Callable

STATUSES = """
\b
Exit status:
    0  the answer is done, or an object matched the schema; something was found
    1  the program failed, or its answer is an error
    2  the command was used wrongly
    3  the answer is continue
    4  no answer
  124  the time ran out
  127  the program was not found, or could not be started
  130  interrupted (128 and the signal's number)
"""
"""The end of every help."""
STDIN = Path("-")
"""The file that stands for our own stdin."""


def examples(*commands: str, statuses: str = STATUSES) -> str:
    """Return the end of a command's help: how to call it, and its exit statuses."""
    return "\b\nExamples:\n" + "".join(f"  {command}\n" for command in commands) + statuses


def exit_with(work: Callable[[], int]) -> NoReturn:
    """Do the work and exit with its status."""
    try:
        status = work()
    except KeyboardInterrupt:
        status = 130
    except ValueError as error:
        raise typer.BadParameter(printable(str(error), 1000)) from error
    raise typer.Exit(status)


def agent_name(name: str) -> str | None:
    """Return what ``--agent`` stands for."""
    return None if name == "none" else name


def open_text(file: Path, name: str) -> AbstractContextManager[BinaryIO]:
    """Open the file that an argument of this name gives."""
    if file == STDIN:
        if sys.stdin is None:
            raise typer.BadParameter("standard input is closed", param_hint=name)
        return nullcontext(sys.stdin.buffer)
    try:
        return file.open("rb")
    except OSError as error:
        raise typer.BadParameter(printable(f"{file}: {error.strerror}", 1000), param_hint=name) from error


def read_schema(file: Path | None) -> Schema[Any] | None:
    """Return the schema that ``--schema`` gives."""
    if file is None:
        return None
    with open_text(file, "--schema") as text:
        try:
            return compile_schema(json.load(text))
        except (ValueError, TypeError, ImportError, RecursionError, OSError) as error:
            raise typer.BadParameter(printable(f"{file}: {error}", 1000), param_hint="--schema") from error


class Group(TyperGroup):
    """All commands; with stderr closed, what is for people goes nowhere rather than to stdout."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Parse the arguments, do as they say, and exit; what cannot be read or written is told in one line."""
        with ExitStack() as stack:
            if sys.stderr is None:
                stack.enter_context(redirect_stderr(stack.enter_context(open(os.devnull, "w", encoding="utf-8"))))
            try:
                return super().main(*args, **kwargs)
            except (OSError, ExceptionGroup) as error:
                cause = _only(error)
                if not isinstance(cause, OSError):
                    raise
                tell(printable(str(cause), 1000))
                sys.exit(1)


def _only(error: Exception) -> Exception:
    """Return the one exception in a group of one, as task groups make them."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


class Contract(StrEnum):
    """How a program says how it ended."""

    JSON = "json"
    MARKER = "marker"
    NONE = "none"


class Until(StrEnum):
    """When a program is ended."""

    EXIT = "exit"
    DONE = "done"


class Stop(StrEnum):
    """When a program is ended, in the words of `run`."""

    EXIT = "exit"
    FINAL = "final"


class Stderr(StrEnum):
    """What becomes of a program's stderr."""

    KEEP = "keep"
    INHERIT = "inherit"
    MERGE = "merge"


class Roots(StrEnum):
    """What begins an object."""

    OBJECT = "object"
    ARRAY = "array"
    ANY = "any"


class Framing(StrEnum):
    """Whether an object may cross a line end."""

    FREE = "free"
    LINES = "lines"


FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="What to read; stdin unless given, or with '-'.")]
RootsOption = Annotated[Roots, typer.Option(help="What begins an object.")]
FramingOption = Annotated[Framing, typer.Option(help="'lines': no object crosses a line end.")]
StrictOption = Annotated[bool, typer.Option("--strict", help="Refuse NaN and Infinity; else they are printed as null.")]
SchemaOption = Annotated[Path | None, typer.Option("--schema", metavar="FILE", help="A JSON Schema to satisfy.")]
SpansOption = Annotated[bool, typer.Option("--spans", help="Print start and end in bytes, and the object as value.")]
RecoverOption = Annotated[
    bool, typer.Option("--recover", help="Where nothing matched, show an answer that is almost JSON.")
]
AcceptOption = Annotated[
    bool, typer.Option("--accept-recovered", help="Recover, and take what that gives for the answer.")
]
NonceOption = Annotated[str | None, typer.Option(metavar="WORD", help="What an answer must have as its member nonce.")]
