"""Which tool an agent has just called, for people who watch: a name and a hint, from the events of any CLI."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .fields import items, member, string

_MAX_NAME = 60  # characters: what a line on a terminal has room for
_MAX_HINT = 120
_MAX_ARGUMENTS = 65536  # characters of arguments written as a string: beyond, they are not looked into for a hint
_BLOCKS = ("tool_use", "server_tool_use", "toolCall", "toolRequest", "function_call", "custom_tool_call")
_RESULTS = ("tool_result", "tool.execution_complete", "tool_execution_end")
_ARGUMENTS = ("input", "arguments", "parameters", "args")
_TELLING = ("command", "cmd", "commands", "file_path", "filePath", "path", "pattern", "query", "url", "description")

_Call = tuple[str | None, Any]  # the tool's name, and its arguments


def called_tool(event: Any) -> str | None:
    """Return the tool that ``event`` calls, as ``name: hint``, or None where it calls none.

    The hint is the command, path or query among its arguments, on one line of at most 120 characters. It is what the
    agent wrote: make it safe before you print it. Where an event calls several tools, the last one counts. The shapes
    are those of the CLIs that have an adapter, as seen in their output.

    >>> called_tool({"type": "tool_use", "tool_name": "run_shell_command", "parameters": {"command": "pytest -q"}})
    'run_shell_command: pytest -q'
    """
    result = None
    for name, arguments in _calls(event):
        if name:
            hint = _shorten(" ".join(_hint(arguments).split()), _MAX_HINT)
            result = _shorten(name, _MAX_NAME) + (f": {hint}" if hint else "")
    return result


def _calls(event: Any) -> Iterator[_Call]:
    if string(event, "type") in _RESULTS or string(event, "role") == "toolResult":
        return
    for block in (*items(event, "message", "content"), *items(event, "content")):
        yield from _block(block)
    yield from _block(member(event, "event", "content_block"))  # the deltas of Anthropic's API
    for call in (*items(event, "tool_calls"), *items(event, "message", "tool_calls")):  # kimi, and OpenAI's shape
        yield _named(member(call, "function"), "name")
    yield from _codex(event)
    if string(event, "type") == "tool_call" and isinstance(calls := member(event, "tool_call"), dict):  # cursor
        yield from ((key.removesuffix("ToolCall"), member(call, "args")) for key, call in calls.items())
    if string(event, "part", "type") == "tool":  # opencode
        yield string(event, "part", "tool"), member(event, "part", "state", "input")
    for place in (event, *(member(event, key) for key in ("data", "event", "step_update", "detail"))):
        yield _named(place, "toolName")
        yield _named(place, "tool_name")


def _block(block: Any) -> Iterator[_Call]:
    """Yield the call in a block of a message."""
    if string(block, "type") in _BLOCKS:
        wrapped = member(block, "toolCall", "value")  # goose
        yield _named(block if wrapped is None else wrapped, "name")


def _codex(event: Any) -> Iterator[_Call]:
    """Yield the call in an item of ``codex exec --json``, an event of its older form, or an entry of a rollout."""
    item, msg, payload = (member(event, key) for key in ("item", "msg", "payload"))
    match string(item, "type"):
        case "command_execution":
            yield "shell", item
        case "mcp_tool_call":
            yield string(item, "tool"), member(item, "arguments")
        case "web_search":
            yield "web search", item
        case "file_change":
            yield "edit", {"path": ", ".join(string(change, "path") or "" for change in items(item, "changes"))}
    if string(msg, "type") == "exec_command_begin":
        yield "shell", msg
    if string(payload, "type") == "local_shell_call":
        yield "shell", member(payload, "action")
    yield from _block(payload)


def _named(place: Any, key: str) -> _Call:
    arguments = (member(place, each) for each in _ARGUMENTS)
    return string(place, key), next((each for each in arguments if each), None)


def _hint(arguments: Any) -> str:
    """Return what of the arguments says most to a person."""
    if isinstance(arguments, str):
        if not arguments.lstrip().startswith("{"):
            return arguments[: 2 * _MAX_HINT]
        try:
            arguments = json.loads(arguments) if len(arguments) <= _MAX_ARGUMENTS else None
        except (ValueError, RecursionError):
            return ""
    for key in _TELLING:
        value = member(arguments, key)
        if isinstance(value, list):
            value = " ".join(word for word in value[:_MAX_HINT] if isinstance(word, str))
        if isinstance(value, str) and value:
            return value[: 2 * _MAX_HINT]
    return ""


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
