"""``lastbrace follow``: the records of files that grow, as lines of JSON; on a terminal a row for each file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ..printing import printable
from .options import AgentOption, Contract, ContractOption, Framing, IdleTimeoutOption, SchemaOption, agent_name
from .place import Place
from .records import follow_files
from .usage import exit_with, read_schema


class Origin(StrEnum):
    """Where to begin in files that are followed."""

    START = "start"
    END = "end"


class Unwrap(StrEnum):
    """Whose container logs are unwrapped."""

    DOCKER = "docker"
    CRI = "cri"


class LastWord(StrEnum):
    """When following ends by itself."""

    DONE = "done"


def follow(
    *,
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Files, globs and folders; they may come later.")],
    agent: AgentOption = "auto",
    contract: ContractOption = Contract.JSON,
    schema: SchemaOption = None,
    origin: Annotated[Origin, typer.Option("--from", help="Where to begin in files that are there.")] = Origin.END,
    state: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep the place reached in this file, and go on from there.")
    ] = None,
    until: Annotated[
        LastWord | None, typer.Option(help="'done': end once every file read from has said its last word.")
    ] = None,
    idle_timeout: IdleTimeoutOption = None,
    framing: Annotated[
        Framing | None, typer.Option(help="'lines': no object crosses a line end; so with .jsonl and .ndjson.")
    ] = None,
    unwrap: Annotated[Unwrap | None, typer.Option(help="Read the text inside a container's log.")] = None,
    poll: Annotated[bool, typer.Option("--poll", help="Look regularly instead of waiting for change notices.")] = False,
    view: Annotated[
        bool | None,
        typer.Option("--view/--lines", help="A row for each file, or its records; unless given, rows on a terminal."),
    ] = None,
) -> None:
    """Follow log files as they grow, and print their objects.

    Each object is printed as soon as it is complete, one a line; rotated files are read to their end.
    On a terminal it shows a row for each file instead: what the agent that writes it is doing now. A line has path,
    start, end (offsets in the file) and value; with --schema only what satisfies it is printed. Without --until and
    --idle-timeout it ends when interrupted.
    """
    options: dict[str, Any] = {
        "agent": agent_name(agent),
        "contract": contract.argument,
        "schema": read_schema(schema),
        "start": origin.value,
        "until_done": until is not None,
        "idle_timeout": idle_timeout,
        "unwrap": None if unwrap is None else unwrap.value,
        "force_polling": poll,
    }
    if framing is not None:
        options["framing"] = framing.value
    place = None if state is None else _place(state)
    exit_with(lambda: follow_files(paths, options, place, view=view))


def _place(state: Path) -> Place:
    """Return the place that ``--state`` gives."""
    try:
        return Place(state)
    except (OSError, ValueError) as error:
        why = f"cannot keep a place in {state}: {error.strerror}" if isinstance(error, OSError) else str(error)
        raise typer.BadParameter(printable(why, 1000), param_hint="--state") from error
