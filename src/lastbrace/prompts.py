"""Words that ask a model for one object at the end of its answer, in a shape that cannot be taken for the answer.

prompt = prompts.instruction("Review the patch.", Verdict, nonce="7f3a")
outcome = lastbrace.run_sync(["claude", "-p", prompt], schema=Verdict, nonce="7f3a")
"""

from __future__ import annotations

import json
from typing import Any

from .matching import Matcher, SchemaLike
from .members import members_in
from .nonce import require_nonce
from .outcome import T
from .schema import Schema, compile_schema
from .shape import shape_of

__all__ = ["instruction", "system", "with_nonce"]


def instruction(task: str, schema: SchemaLike[Any] | None = None, *, nonce: str | None = None) -> str:
    r"""Return a prompt: ``task``, and after it the request to end with one object that satisfies ``schema``.

    The shape that the prompt shows is not JSON: fed through a ``Watcher`` with the same schema (and nonce) it matches
    nothing, nor does any part of it, however it is quoted. An example that stands in ``task`` is yours: give the
    watcher ``ignore=[task]``, or use a nonce.

    Arguments:
        task: what is to be done.
        schema: what the object must be, as for ``Watcher``; unless given, the completion contract. A function has no
            shape to show.
        nonce: a word that the answer must repeat as its member ``"nonce"``: made anew for each prompt (such as
            ``secrets.token_hex(4)``) and given to the ``Watcher`` too, it tells this answer from every text that is
            quoted or injected.

    Raises TypeError for a schema without a shape, ValueError for a nonce that is no word, or where the schema has a
    member of that name itself.

    >>> schema = {"properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
    >>> print(instruction("Fix the tests.", schema, nonce="7f3a"))
    Fix the tests.
    <BLANKLINE>
    End your answer with exactly one JSON object, and write nothing after it.
    It has this shape, with a value of yours in the place of each <...>:
    <BLANKLINE>
    {
      "ok": <true or false>,
      "nonce": <"7f3a": exactly this>
    }
    <BLANKLINE>
    Inside its strings write double quotes as \", backslashes as \\ and line ends as \n.
    """
    return f"{task.rstrip()}\n\n{_request('End your answer', schema, nonce)}"


def system(base: str, schema: SchemaLike[Any] | None = None, *, nonce: str | None = None) -> str:
    """Return a system prompt: ``base``, and after it the rule that each answer ends with one object of this shape.

    Arguments and errors are those of :func:`instruction`.

    >>> system("You review patches.", {"properties": {"ok": {"type": "boolean"}}}).splitlines()[2]
    'End each of your answers with exactly one JSON object, and write nothing after it.'
    """
    return f"{base.rstrip()}\n\n{_request('End each of your answers', schema, nonce)}"


def with_nonce(schema: SchemaLike[T], nonce: str) -> Schema[T]:
    """Return ``schema`` for objects that have the member ``"nonce"`` beside, with this value; their own is without it.

    For ``last_object``, ``recover`` and whatever else takes a schema; ``Watcher`` and ``run`` take ``nonce`` itself.

    >>> import lastbrace
    >>> text = 'it printed {"n": 1}, so: {"n": 2, "nonce": "7f3a"}, not {"n": 3}'
    >>> lastbrace.last_object(text, schema=with_nonce(dict[str, int], "7f3a"))
    {'n': 2}
    """
    compiled: Schema[T] = compile_schema(schema)
    return require_nonce(compiled, nonce)


def _request(opening: str, schema: SchemaLike[Any] | None, nonce: str | None) -> str:
    document = Matcher("json", schema, nonce=nonce).document
    if document is None:
        raise TypeError(f"a prompt shows the shape of a type or a JSON Schema, and {schema!r} has none")
    shape = shape_of(document)
    optional = [json.dumps(member.name, ensure_ascii=False) for member in members_in(document) if not member.required]
    kind = "array" if shape.startswith("[") else "object"
    lines = [
        f"{opening} with exactly one JSON {kind}, and write nothing after it.",
        "It has this shape, with a value of yours in the place of each <...>:",
        "",
        shape,
        "",
        *([f"You may leave out {_listed(optional)}."] if optional else []),
        r"Inside its strings write double quotes as \", backslashes as \\ and line ends as \n.",
    ]
    return "\n".join(lines)


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
