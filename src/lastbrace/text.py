"""Objects out of a whole text: all of them, the last, the first, the completion, the end of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeVar, Unpack, overload

from .agents.adapter import Adapter
from .agents.reply import Reply
from .chunks import Chunk, to_bytes
from .completion import INVALID, Completion
from .errors import NoObjectError
from .events import Found
from .explain import explain
from .matching import match_schema
from .pipeline import Pipeline, ScanOptions
from .schema import Schema, compile_schema
from .suggestions import check_options
from .watcher import Watcher

T = TypeVar("T")
D = TypeVar("D")

_MISSING: Any = object()
_SchemaLike = type[T] | Schema[T] | Callable[[Any], T]


def find_objects(data: Chunk, *, fragments: bool = False, **scan: Unpack[ScanOptions]) -> list[Found]:
    """Return all objects in ``data``, in order; with ``fragments``, pieces of broken records too.

    ``scan`` are the options of ``Scanner``. Raises TypeError for what is neither bytes nor ``str``.

    >>> [found.value for found in find_objects('a {"n": 1} b {c} {"n": 2}')]
    [{'n': 1}, {'n': 2}]
    """
    return _scan(data, fragments, scan)[1]


@overload
def last_object(data: Chunk, *, schema: _SchemaLike[T], fragments: bool = False, **scan: Unpack[ScanOptions]) -> T: ...
@overload
def last_object(
    data: Chunk, *, schema: _SchemaLike[T], default: D, fragments: bool = False, **scan: Unpack[ScanOptions]
) -> T | D: ...
@overload
def last_object(
    data: Chunk,
    *,
    schema: dict[str, Any] | None = None,
    default: Any = ...,
    fragments: bool = False,
    **scan: Unpack[ScanOptions],
) -> Any: ...
def last_object(
    data: Chunk,
    *,
    schema: Any = None,
    default: Any = _MISSING,
    fragments: bool = False,
    **scan: Unpack[ScanOptions],
) -> Any:
    """Return the value of the newest object in ``data`` that satisfies ``schema``; without one, of the newest.

    ``{}`` and ``[]`` count only where there is nothing else, and no schema. With ``fragments``, pieces of broken
    records count too. ``scan`` are the options of ``Scanner``.

    Raises NoObjectError, which says why, where there is none and no ``default`` was given.

    >>> last_object('draft {"n": 1}, final {"n": 2}; see {example} and {}')
    {'n': 2}
    >>> last_object("nothing", default=None) is None
    True
    """
    check_options(scan, ScanOptions.__annotations__, last_object.__kwdefaults__)
    pipeline, objects = _scan(data, fragments, scan)
    return _choose(pipeline, reversed(objects), schema, default)


@overload
def first_object(
    data: Chunk,
    *,
    schema: _SchemaLike[T],
    fragments: bool = False,
    prefer_fenced: bool = True,
    **scan: Unpack[ScanOptions],
) -> T: ...
@overload
def first_object(
    data: Chunk,
    *,
    schema: _SchemaLike[T],
    default: D,
    fragments: bool = False,
    prefer_fenced: bool = True,
    **scan: Unpack[ScanOptions],
) -> T | D: ...
@overload
def first_object(
    data: Chunk,
    *,
    schema: dict[str, Any] | None = None,
    default: Any = ...,
    fragments: bool = False,
    prefer_fenced: bool = True,
    **scan: Unpack[ScanOptions],
) -> Any: ...
def first_object(
    data: Chunk,
    *,
    schema: Any = None,
    default: Any = _MISSING,
    fragments: bool = False,
    prefer_fenced: bool = True,
    **scan: Unpack[ScanOptions],
) -> Any:
    """Return the value of the first object in ``data``, one in a Markdown fence before one in running text.

    The rest is as for ``last_object``. For an answer that a program gives at its end ``last_object`` is the safer
    choice: text that it quotes comes first.

    >>> text = 'such as {"n": 0}: ' + chr(10) + "```json" + chr(10) + '{"n": 1}' + chr(10) + "```"
    >>> first_object(text), first_object(text, prefer_fenced=False)
    ({'n': 1}, {'n': 0})
    """
    check_options(scan, ScanOptions.__annotations__, first_object.__kwdefaults__)
    pipeline, objects = _scan(data, fragments, scan)
    if prefer_fenced:
        objects.sort(key=lambda found: found.fence is None)
    return _choose(pipeline, objects, schema, default)


def parse_completion(data: Chunk, *, contract: Literal["json", "marker"] = "json", marker: str = "DONE") -> Completion:
    """Return what a program's whole output says of how it ended; never raises, whatever ``data`` is.

    ``contract`` and ``marker`` are those of ``Watcher``. Without a valid completion the result is
    ``Completion(status="error", error="invalid-json")``, with ``contract="marker"`` it is ``continue``.

    >>> parse_completion('logs {"status": "done", "summary": "ok"}')
    Completion(status='done', summary='ok')
    >>> parse_completion("no idea")
    Completion(status='error', error='invalid-json')
    """
    watcher = Watcher[Any](contract=contract, marker=marker)
    watcher.feed(_text_or_nothing(data))
    completion = watcher.close().completion
    return INVALID if completion is None else completion


def parse_reply(
    data: Chunk, *, agent: str | Adapter = "auto", returncode: int | None = None, stderr: bytes | str | None = None
) -> Reply:
    """Return what an agent's saved output says: its answer, whether the run succeeded, and what it cost.

    ``agent`` is its name, or ``"auto"`` to recognise it. Some CLIs can be judged only by the exit status, and some
    print what ended them on stderr: give what you have. Never raises, whatever ``data`` is, but for ValueError where
    the agent is none.

    >>> event = '{"type": "result", "subtype": "success", "is_error": true, "result": "Error 401", "total_cost_usd": 0}'
    >>> reply = parse_reply(event)
    >>> reply.agent, reply.is_error, reply.error
    ('claude', True, 'Error 401')
    """
    watcher = Watcher[Any](agent=agent, contract=None)
    watcher.feed(_text_or_nothing(data))
    reply = watcher.close(returncode, stderr).reply
    assert reply is not None
    return reply


def _text_or_nothing(data: object) -> Chunk:
    """Return ``data``, or an empty text where it is none."""
    try:
        return to_bytes(data)  # type: ignore[arg-type]  # what it is, it shall say
    except (TypeError, ValueError):
        return b""


def _scan(data: Chunk, fragments: bool, scan: ScanOptions) -> tuple[Pipeline, list[Found]]:
    check_options(scan, ScanOptions.__annotations__)
    pipeline = Pipeline(**scan)
    events = pipeline.feed(data) + pipeline.close()
    return pipeline, [event for event in events if isinstance(event, Found) and (fragments or not event.fragment)]


def _choose(pipeline: Pipeline, objects: Iterable[Found], schema: Any, default: Any) -> Any:
    """Return the value of the first of ``objects`` that will do."""
    compiled = None if schema is None else compile_schema(schema)
    empty = newest = None
    for found in objects:
        if found.empty:
            empty = empty or found
        elif compiled is None:
            return found.value
        else:
            newest = newest or found
            match = match_schema(compiled, found)
            if match is not None:
                return match.value
    if empty is not None and compiled is None:
        return empty.value
    if default is _MISSING:
        wanted = "" if compiled is None else "the schema"
        refusal = "" if compiled is None or newest is None or newest.raw is None else compiled.refusal(newest.raw)
        raise NoObjectError(explain(pipeline.stats, pipeline.unfinished, wanted=wanted, refusal=refusal))
    return default
