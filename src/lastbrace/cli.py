"""The command line: ``run``, ``last``, ``first``, ``all``, ``demo``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator  # noqa: TC003 - typer reads annotations
from enum import StrEnum
from pathlib import Path  # noqa: TC003 - typer reads annotations
from typing import Annotated, Any, BinaryIO, NoReturn

import typer

from . import __version__, scanner_kind
from ._lines import Output, one_line, printable
from ._running import INTERRUPTED, Job, run_job
from .events import Found
from .explain import explain
from .scanner import Scanner, ScanOptions
from .schema import Schema, compile_schema

_STATUSES = """
\b
Exit status:
    0  the answer is done (with --schema: an object matched; last, first, all: something was found)
    1  the program failed, or its answer is an error
    2  the command was used wrongly
    3  the answer is continue
    4  no answer
  124  the time ran out
  127  the program was not found, or could not be started
  130  interrupted (128 + the signal)
"""

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_STATUSES,
)


class Contract(StrEnum):
    """How a program says how it ended."""

    JSON = "json"
    MARKER = "marker"


class Until(StrEnum):
    """When a program is ended."""

    EXIT = "exit"
    DONE = "done"


class Roots(StrEnum):
    """What begins an object."""

    OBJECT = "object"
    ARRAY = "array"
    ANY = "any"


class Framing(StrEnum):
    """Whether an object may cross a line end."""

    FREE = "free"
    LINES = "lines"


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lastbrace {__version__} ({scanner_kind} scanner)")
        raise typer.Exit


File = Annotated[Path | None, typer.Argument(metavar="[FILE]", help="What to read; stdin when absent or '-'.")]
RootsOption = Annotated[Roots, typer.Option(help="What begins an object.")]
FramingOption = Annotated[Framing, typer.Option(help="'lines': no object crosses a line end.")]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse NaN and Infinity.")]
Fragments = Annotated[bool, typer.Option("--fragments", help="Pieces of broken records too.")]
SchemaFile = Annotated[Path | None, typer.Option("--schema", metavar="FILE", help="A JSON Schema to satisfy.")]
Spans = Annotated[bool, typer.Option("--spans", help="Print where each object stands, with it as 'value'.")]
Version = Annotated[
    bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show version and scanner, and exit.")
]


@app.callback()
def _root(version: Version = False) -> None:
    """Know what a program said the moment its last brace closes.

    Finds the JSON objects in what a program prints. Results are JSON Lines on stdout; what is for people goes to stderr.

    \b
    Examples:
      lastbrace demo
      lastbrace run -- claude -p "Fix the tests. End with {status: done}, as JSON."
      agent | lastbrace last | jq .summary
    """


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="\b\nExamples:\n"
    "  lastbrace run -- python -m lastbrace.demo\n"
    "  lastbrace run --until done --timeout 600 -- codex exec --json 'fix the tests'\n"
    "  lastbrace run --contract marker --marker FINISHED -- ./agent.sh\n"
    "  lastbrace run --schema verdict.json --input prompt.txt -- claude -p\n\n" + _STATUSES,
)
def run(
    command: Annotated[list[str], typer.Argument(metavar="CMD...", help="The program and its arguments, after --.")],
    contract: Annotated[Contract, typer.Option(help="How the program says how it ended.")] = Contract.JSON,
    marker: Annotated[str, typer.Option(metavar="WORD", help="The last line that means done.")] = "DONE",
    schema: SchemaFile = None,
    until: Annotated[Until, typer.Option(help="'done': end the program once its answer is done.")] = Until.EXIT,
    timeout: Annotated[float | None, typer.Option(metavar="SECONDS", min=0, help="Of the whole run.")] = None,
    idle_timeout: Annotated[float | None, typer.Option(metavar="SECONDS", min=0, help="Without any output.")] = None,
    grace: Annotated[float, typer.Option(metavar="SECONDS", min=0, help="Between asking to end and killing.")] = 2.0,
    cwd: Annotated[Path | None, typer.Option(metavar="DIR", help="Where to run it.")] = None,
    input: Annotated[  # noqa: A002 - the option's name
        Path | None, typer.Option(metavar="FILE", help="What it reads on stdin: a file, or '-' for our own.")
    ] = None,
) -> None:
    """Run a program and print how it ended, as one line of JSON.

    \b
    {"ok": true, "state": "ok", "completion": {"status": "done", ...}, "value": {the object}, "returncode": 0}
    """
    job = Job(
        argv=command,
        contract=contract.value,
        marker=marker,
        schema=_load_schema(schema),
        stop="final" if until is Until.DONE else "exit",
        timeout=timeout,
        idle_timeout=idle_timeout,
        grace=grace,
        cwd=cwd,
        input=None if input is None else _open(input),
    )
    if until is Until.DONE and contract is Contract.MARKER and schema is None:
        raise typer.BadParameter("a marker is known at the end only: use it without '--until done'")
    raise typer.Exit(run_job(job))


@app.command(epilog="\b\nExample:\n  lastbrace demo\n\n" + _STATUSES)
def demo(
    fast: Annotated[bool, typer.Option("--fast", help="Without its pauses.")] = False,
) -> None:
    """Run a scripted agent, show what is seen as it is seen, and print how it ended."""
    argv = [sys.executable, "-m", "lastbrace.demo", *(["--fast"] if fast else [])]
    raise typer.Exit(run_job(Job(argv=argv), verbose=True))


@app.command(
    epilog="\b\nExamples:\n  agent | lastbrace last | jq .summary\n  lastbrace last --schema verdict.json build.log\n\n"
    + _STATUSES
)
def last(
    file: File = None,
    roots: RootsOption = Roots.OBJECT,
    framing: FramingOption = Framing.FREE,
    strict: Strict = False,
    schema: SchemaFile = None,
    spans: Spans = False,
) -> None:
    """Print the newest object of a text."""
    reader = _Reader(file, roots, framing, strict, schema)

    def work() -> int:
        newest = None
        for found in reader.objects(65536):
            if newest is None or newest.empty or not found.empty:
                newest = found
        return reader.print_one(newest, spans=spans)

    _do(work)


@app.command(
    epilog="\b\nExamples:\n  lastbrace first answer.md\n  agent | lastbrace first --roots any\n\n" + _STATUSES
)
def first(
    file: File = None,
    roots: RootsOption = Roots.OBJECT,
    framing: FramingOption = Framing.FREE,
    strict: Strict = False,
    schema: SchemaFile = None,
    spans: Spans = False,
) -> None:
    """Print the first object of a text; one in a Markdown code fence comes before any other."""
    reader = _Reader(file, roots, framing, strict, schema)

    def work() -> int:
        chosen = None
        for found in reader.objects(65536):
            if found.fence is not None and not found.empty:
                chosen = found
                break
            if chosen is None or (chosen.empty and not found.empty):
                chosen = found
        return reader.print_one(chosen, spans=spans)

    _do(work)


@app.command(
    name="all",
    epilog="\b\nExamples:\n  lastbrace all session.log | jq -c .type\n  agent | lastbrace all --spans --fragments\n\n"
    + _STATUSES,
)
def all_(
    file: File = None,
    roots: RootsOption = Roots.OBJECT,
    framing: FramingOption = Framing.FREE,
    strict: Strict = False,
    fragments: Fragments = False,
    schema: SchemaFile = None,
    spans: Spans = False,
    chunk_size: Annotated[int, typer.Option(metavar="BYTES", min=1, help="How much to read at a time.")] = 65536,
) -> None:
    """Print all objects of a text, one a line, each as soon as it closes."""
    reader = _Reader(file, roots, framing, strict, schema, fragments=fragments)

    def work() -> int:
        status = 4
        for found in reader.objects(chunk_size):
            reader.print_one(found, spans=spans)
            status = 0
            if reader.output.broken:
                break
        return status if status == 0 else reader.print_one(None, spans=spans)

    _do(work)
