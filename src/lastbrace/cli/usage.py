"""The words that the command line takes, and what becomes of its own words where nobody can read them."""

from __future__ import annotations

import json
import os
import sys
from contextlib import AbstractContextManager, ExitStack, nullcontext, redirect_stderr
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

import typer
from typer.core import TyperGroup

from ..printing import printable
from ..schema import Schema, compile_schema
from .lines import forget_unwritten, tell

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
                forget_unwritten(sys.stdout)
                tell(printable(str(cause), 1000))
                sys.exit(1)
            finally:
                forget_unwritten(sys.stderr)


def _only(error: Exception) -> Exception:
    """Return the one exception in a group of one, as task groups make them."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
