"""The command line: ``run``, ``loop``, ``replay``, ``last``, ``first``, ``all``, ``follow``, ``demo``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import __version__, scanner_kind
from ..nonce import require_nonce
from ..schema import Schema, compile_schema
from .chunks import chunks_for_program
from .following import follow
from .looping import loop
from .options import (
    AcceptOption,
    AgentOption,
    Contract,
    ContractOption,
    CwdOption,
    FileArgument,
    Framing,
    FramingOption,
    GraceOption,
    IdleTimeoutOption,
    MarkerOption,
    NonceOption,
    RecoverOption,
    Roots,
    RootsOption,
    SchemaOption,
    SpansOption,
    Stderr,
    StrictOption,
    Until,
    UntilOption,
)
from .options import agent_name as _agent
from .reading import Reader, first_of, last_of
from .replaying import replay
from .running import read_output, run_program
from .usage import STDIN, Group
from .usage import examples as _examples
from .usage import exit_with as _exit
from .usage import open_text as _open
from .usage import read_schema as _schema

if TYPE_CHECKING:
    from ..pipeline import ScanOptions


app = typer.Typer(
    cls=Group,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_examples(
        "lastbrace demo", "lastbrace run -- claude -p 'Fix the tests.'", "agent | lastbrace last | jq .summary"
    ),
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lastbrace {__version__} ({scanner_kind} scanner)")
        raise typer.Exit


_Version = Annotated[
    bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show version and scanner, and exit.")
]


@app.callback()
def _root(version: _Version = False) -> None:
    """Know what a program said the moment its last brace closes.

    Finds the JSON objects in what a program prints. Results are JSON Lines on stdout; what is for people goes to
    stderr.
    """


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog=_examples(
        "lastbrace run -- python -m lastbrace.demo",
        "lastbrace run --until done --timeout 600 -- codex exec --json 'Fix the tests.'",
        "lastbrace run --contract marker --marker FINISHED -- ./agent.sh",
        "lastbrace run --schema verdict.json --input prompt.txt -- claude -p",
    ),
)
def run(
    *,
    command: Annotated[list[str], typer.Argument(metavar="CMD", help="The program and its arguments, after --.")],
    agent: AgentOption = "auto",
    contract: ContractOption = Contract.JSON,
    marker: MarkerOption = "DONE",
    schema: SchemaOption = None,
    nonce: NonceOption = None,
    recover: RecoverOption = False,
    accept_recovered: AcceptOption = False,
    until: UntilOption = Until.EXIT,
    timeout: Annotated[float | None, typer.Option(metavar="SECONDS", min=0, help="For the whole run.")] = None,
    idle_timeout: IdleTimeoutOption = None,
    grace: GraceOption = 2.0,
    stderr: Annotated[
        Stderr, typer.Option(help="Keep its end for errors; leave it to ours; or read it with the output.")
    ] = Stderr.KEEP,
    pty: Annotated[bool, typer.Option("--pty", help="Give it a terminal to print to.")] = False,
    encoding: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of what it prints, such as cp1252; UTF-8 unless given.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Record what it prints, with times; see 'replay'.")
    ] = None,
    cwd: CwdOption = None,
    stdin: Annotated[
        Path | None, typer.Option("--input", metavar="FILE", help="What it reads on stdin; '-' is our own stdin.")
    ] = None,
) -> None:
    """Run a program and print how it ended, as one line of JSON.

    The line has ok and state; and where there are such: completion, value (the whole object that matched), recovered
    (what --recover read of an answer that is almost JSON, and the repairs), reply (the agent's: its text, session,
    cost, usage...), returncode, unfinished, error.
    """
    options: dict[str, Any] = {
        "argv": command,
        "agent": _agent(agent),
        "contract": contract.argument,
        "marker": marker,
        "schema": _schema(schema),
        "nonce": nonce,
        "recover": "accept" if accept_recovered else recover,
        "stop": until.stop,
        "stderr": stderr.value,
        "pty": pty,
        "encoding": encoding,
        "timeout": timeout,
        "idle_timeout": idle_timeout,
        "grace": grace,
        "cwd": cwd,
    }
    if stdin is None:
        _exit(lambda: run_program(options, save=save))
    with _open(stdin, "--input") as file:
        _exit(lambda: run_program({**options, "input": chunks_for_program(file)}, save=save))


app.command(
    context_settings={"allow_interspersed_args": False},
    epilog=_examples(
        "lastbrace loop --prompt 'Fix the tests.' -- python -m lastbrace.demo --turns 3",
        "lastbrace loop --template claude --prompt-file task.md --journal task.jsonl --max-cost 5",
        "lastbrace loop --template codex --prompt - -- --sandbox workspace-write <task.md",
    ),
)(loop)


@app.command(epilog=_examples("lastbrace demo", "lastbrace demo | jq .completion"))
def demo(fast: Annotated[bool, typer.Option("--fast", help="Without its pauses.")] = False) -> None:
    """Run a scripted agent and show what is seen of it.

    All that is seen is shown as it is seen, on stderr, and in the end how it ended, on stdout, as run prints it.
    """
    argv = [sys.executable, "-m", "lastbrace.demo", *(["--fast"] if fast else [])]
    _exit(lambda: run_program({"argv": argv}, verbose=True))


@app.command(
    epilog=_examples("agent | lastbrace last | jq .summary", "lastbrace last --agent auto saved.jsonl | jq .reply")
)
def last(
    *,
    file: FileArgument = STDIN,
    roots: RootsOption = Roots.OBJECT,
    framing: FramingOption = Framing.FREE,
    strict: StrictOption = False,
    schema: SchemaOption = None,
    agent: Annotated[
        str | None, typer.Option(metavar="NAME", help="Print what this agent says (as run does), not its last event.")
    ] = None,
    spans: SpansOption = False,
    nonce: NonceOption = None,
    recover: RecoverOption = False,
    accept_recovered: AcceptOption = False,
) -> None:
    """Print the newest object of a text.

    With --agent, the completion and the reply in an agent's saved output, as run prints them. What is only recovered
    comes as {"recovered":{"value":{...},"repairs":[...]}}.
    """
    with _open(file, "FILE") as text:
        if agent is not None:
            options: dict[str, Any] = {"agent": _agent(agent), "schema": _schema(schema), "nonce": nonce}
            options["recover"] = "accept" if accept_recovered else recover
            options |= _scan(roots, framing, strict)
            _exit(lambda: read_output(text, options))
        asked = _schema(schema)
        if nonce is not None:
            asked = _with_nonce(asked, nonce)
        reader = Reader(text, _scan(roots, framing, strict), asked, recover="accept" if accept_recovered else recover)
        _exit(lambda: reader.show(last_of(reader), spans=spans))


@app.command(epilog=_examples("lastbrace first --prefer-fenced answer.md", "agent | lastbrace first --roots any"))
def first(
    *,
    file: FileArgument = STDIN,
    roots: RootsOption = Roots.OBJECT,
    framing: FramingOption = Framing.FREE,
    strict: StrictOption = False,
    schema: SchemaOption = None,
    prefer_fenced: Annotated[
        bool, typer.Option("--prefer-fenced", help="Rather one in a Markdown code fence; may read to the end.")
    ] = False,
    spans: SpansOption = False,
) -> None:
    """Print the first object of a text, as soon as it closes."""
    with _open(file, "FILE") as text:
        reader = Reader(text, _scan(roots, framing, strict), _schema(schema))
        _exit(lambda: reader.show(first_of(reader, prefer_fenced=prefer_fenced), spans=spans))


@app.command(
    "all", epilog=_examples("lastbrace all session.log | jq .type", "agent | lastbrace all --spans --fragments")
)
def all_objects(
    *,
    file: FileArgument = STDIN,
    roots: RootsOption = Roots.OBJECT,
    framing: FramingOption = Framing.FREE,
    strict: StrictOption = False,
    fragments: Annotated[bool, typer.Option("--fragments", help="Pieces of broken records too.")] = False,
    schema: SchemaOption = None,
    spans: SpansOption = False,
    chunk_size: Annotated[
        int, typer.Option(metavar="BYTES", min=1, max=1 << 30, help="How much to read at a time.")
    ] = 65536,
) -> None:
    """Print all objects of a text, one a line, as they close."""
    with _open(file, "FILE") as text:
        reader = Reader(text, _scan(roots, framing, strict), _schema(schema), fragments=fragments)
        _exit(lambda: reader.show_all(chunk_size, spans=spans))


app.command(
    epilog=_examples(
        "lastbrace follow ~/.claude/projects",
        "lastbrace follow agent.log",
        "lastbrace follow --from start --until done --agent claude run.jsonl",
        "lastbrace follow --state ~/.cache/follow.json 'logs/**/*.jsonl' | jq .value",
        "lastbrace follow --unwrap docker /var/lib/docker/containers/*/*-json.log",
    )
)(follow)
app.command(
    epilog=_examples(
        "lastbrace run --save run.jsonl -- ./agent.sh", "lastbrace replay run.jsonl --speed 10", statuses=""
    )
)(replay)


def _scan(roots: Roots, framing: Framing, strict: bool) -> ScanOptions:
    return {"roots": roots.value, "framing": framing.value, "strict": strict}


def _with_nonce(schema: Schema[Any] | None, nonce: str) -> Schema[Any]:
    try:
        return require_nonce(schema or compile_schema(dict[str, Any]), nonce)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--nonce") from error
