"""Answers out of texts that are almost JSON, when asked for: `recover`; `Watcher(recover=True)` does the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar, overload

from ..chunks import Chunk, to_bytes
from ..events import Found
from ..members import members_of
from ..pipeline import Pipeline
from ..recovered import Recovered
from ..schema import Schema, compile_schema
from ..tail import DEFAULT_MAX_BYTES, check_max_bytes
from .repair import General, Repair, Truncated

T = TypeVar("T")

__all__ = ["Recovered", "cleaned_end", "recover"]


@overload
def recover(
    data: Chunk,
    schema: type[T] | Schema[T] | Callable[[Any], T],
    *,
    truncated: Truncated = "refuse",
    general: General | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> Recovered[T] | None: ...
@overload
def recover(
    data: Chunk,
    schema: dict[str, Any],
    *,
    truncated: Truncated = "refuse",
    general: General | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> Recovered[Any] | None: ...
def recover(
    data: Chunk,
    schema: Any,
    *,
    truncated: Truncated = "refuse",
    general: General | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> Recovered[Any] | None:
    """Return the answer in ``data``, also where it is only almost JSON; None where there is none.

    What is tried, in this order; the first that satisfies the schema wins, of several in a text the newest:

    - what is JSON: the whole text, then what stands in Markdown fences, then any object;
    - by the schema's own keys: quotes, line ends, tabs and backslashes inside a string need no escape, and an array or
      object that cannot be read becomes the member's default, or empty. Not for a function: it has no keys;
    - JSON5 and Python literals (single quotes, unquoted keys, comments, ``True``, ``None``), with the ``recover`` extra
      and up to 32 KiB; without the extra this step is left out;
    - with ``general``, a general repairer.

    A value is made only of what stands in the text, with all members that the schema requires; where two readings are
    as good as each other, there is none. What stands between ``<think>`` and ``</think>`` is not repaired.

    Arguments:
        data: the text, as bytes or ``str``.
        schema: what the answer must be, as for ``Watcher``.
        truncated: ``"accept"``: where the text ends inside an object, it is closed there.
        general: ``"json_repair"``: that package may guess last; required members and closed vocabularies must stand in
            the text all the same.
        max_bytes: how much of the end of ``data`` the steps after the first look at.

    Raises TypeError and ValueError for arguments that make no sense, ImportError where ``general`` is not installed; no
    data raises.

    >>> text = 'Done: {"verdict": "approve", "summary": "returns {"ok": true} now"}'
    >>> recovered = recover(text, {"required": ["verdict", "summary"]})
    >>> recovered.value["summary"], recovered.repairs
    ('returns {"ok": true} now', ('keys', 'unescaped_quote'))
    """
    compiled: Schema[Any] = compile_schema(schema)
    repair = Repair(members_of(compiled), truncated, general)
    check_max_bytes(max_bytes)
    strict = _find_strictly(to_bytes(data), compiled)
    if strict is not None:
        return strict
    return repair.find(cleaned_end(data, max_bytes), compiled.match)


def cleaned_end(data: Chunk, max_bytes: int = DEFAULT_MAX_BYTES) -> str:
    """Return the end of ``data``, decoded, terminal sequences and NUL removed."""
    pipeline = Pipeline(tail=max_bytes)
    pipeline.feed(data)
    pipeline.close()
    return pipeline.tail


def _find_strictly(data: bytes, schema: Schema[Any]) -> Recovered[Any] | None:
    """Return what is JSON: the whole text, what stands in fences, the newest object."""
    for raw in _strict_texts(data):
        found = schema.match(raw)
        if found is not None:
            return Recovered(found.value, (), raw)
    return None


def _strict_texts(data: bytes) -> Iterator[bytes]:
    whole = data.strip()
    if whole[:1] in (b"{", b"["):
        yield whole
    for roots in ("object", "array"):
        pipeline = Pipeline(roots=roots)
        events = pipeline.feed(data) + pipeline.close()
        objects = [event for event in events if isinstance(event, Found) and not event.fragment and not event.empty]
        objects.reverse()
        objects.sort(key=lambda found: found.fence is None)
        yield from (found.raw for found in objects)
