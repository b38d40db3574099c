"""The options that several commands share, and the words that they take."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ..agents import ADAPTERS
from ..printing import printable
from ..suggestions import meant

_AGENTS = sorted({str(adapter.name) for adapter in ADAPTERS})
_NAMES = ", ".join(_AGENTS)


class Contract(StrEnum):
    """How a program says how it ended."""

    JSON = "json"
    MARKER = "marker"
    NONE = "none"

    @property
    def argument(self) -> str | None:
        """The argument ``contract`` that it stands for."""
        return None if self is Contract.NONE else self.value


class Until(StrEnum):
    """When a program is ended; ``final`` is the word of `lastbrace.run` for ``done``."""

    EXIT = "exit"
    DONE = "done"
    FINAL = "final"

    @property
    def stop(self) -> str:
        """The argument ``stop`` that it stands for."""
        return "exit" if self is Until.EXIT else "final"


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


_SECONDS: dict[str, Any] = {"metavar": "SECONDS", "min": 0}

AgentOption = Annotated[
    str, typer.Option("--agent", metavar="NAME", help=f"Whose output it is: auto, none (plain text), {_NAMES}.")
]
ContractOption = Annotated[Contract, typer.Option(help="What says how a run ended; 'none': any object will do.")]
MarkerOption = Annotated[str, typer.Option(metavar="WORD", help="The last line that means done.")]
UntilOption = Annotated[
    Until,
    typer.Option("--until", "--stop", metavar="exit|done", help="'done' ends it once its answer is; 'final' does too."),
]
IdleTimeoutOption = Annotated[float | None, typer.Option(**_SECONDS, help="Without any output.")]
GraceOption = Annotated[float, typer.Option(**_SECONDS, help="From asking it to end to killing it.")]
CwdOption = Annotated[Path | None, typer.Option(metavar="DIR", help="Where to run it.")]
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


def agent_name(name: str) -> str | None:
    """Return what ``--agent`` stands for."""
    known = ["auto", "none", *_AGENTS]
    if name not in known:
        there = f"{printable(name)!r} is none of {', '.join(known)}{meant(name, known)}"
        raise typer.BadParameter(there, param_hint="--agent")
    return None if name == "none" else name
