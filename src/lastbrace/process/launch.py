"""What a program is started with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """A program, its arguments and surroundings, and what its standard streams are connected to."""

    argv: list[str]
    cwd: str | PathLike[str] | None = None
    env: Mapping[str, str] | None = None
    stdin: bool = False
    """A pipe; else an empty input."""
    stderr: Literal["pipe", "inherit", "merge"] = "pipe"
    pty: bool = False
    """Stdout is a terminal."""
