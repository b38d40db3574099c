"""One stream through one way in, and what a user would see of it."""

from __future__ import annotations

import dataclasses
import random
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio
import msgspec

import lastbrace
from lastbrace import Outcome, Watcher
from lastbrace.agents import ADAPTERS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence

    from .texts import Stream

AGENTS = {"auto", *(adapter.name for adapter in ADAPTERS)}
Options = dict[str, Any]
Facts = dict[str, str]


class Verdict(msgspec.Struct):
    """A schema."""

    status: str
    summary: str = ""


def a_type(value: Any) -> str:
    """A schema that is a function."""
    if not isinstance(value.get("type"), str):
        raise ValueError("no type")
    return str(value["type"])


JSON_SCHEMA = {"type": "object", "properties": {"status": {"enum": ["done", "error"]}}, "required": ["status"]}


def random_options(rng: random.Random, agent: str | None) -> Options:
    """Return options of a watcher, the usual ones more often; ``agent`` is whose output it may be."""
    options: Options = {"agent": rng.choice((None, None, "auto", "auto", "auto", agent))}
    if options["agent"] not in AGENTS:
        options["agent"] = None
    if options["agent"] is None and rng.random() < 0.1:
        options["answer"] = rng.choice(("text", "message.content", "item.text"))
    match rng.randrange(8):
        case 0:
            options["contract"] = "marker"
        case 1:
            options["contract"] = None
        case 2:
            options["schema"] = rng.choice((Verdict, Verdict, a_type, a_type, JSON_SCHEMA))
    rare: Options = {
        "recover": rng.choice((True, "accept")),
        "skip_think": True,
        "fragments": True,
        "ignore": ['Answer like {"status": "done"}', {"ignored": True}],
        "after": rng.choice(("PROMPT ENDS", "{")),
        "nonce": "n-1",
        "roots": rng.choice(("array", "any")),
        "framing": "lines",
        "strict": True,
        "strip_ansi": False,
        "max_depth": rng.choice((1, 2, 3)),
        "max_object_bytes": rng.choice((2, 20, 300)),
        "max_recover_bytes": rng.choice((50, 500)),
        "buffer_limit": rng.choice((1, 12, 100)),
        "fields": ["status", "usage.*"],
    }
    options |= {name: value for name, value in rare.items() if rng.random() < 0.06}
    if "schema" not in options and options.get("contract", "json") != "json":
        for name in ("nonce", *(("recover",) if options["contract"] == "marker" else ())):
            options.pop(name, None)
    return options


CALLS = (
    "on_object", "on_text", "on_match", "on_completion", "on_reply", "on_partial", "on_field", "on_field_void",
)  # fmt: skip


class Seen:
    """What callbacks were told, as far as it must not depend on cuts; `names` are those that are given."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._names = names
        self.objects: list[lastbrace.Found] = []
        self.texts: list[str] = []
        self.calls: list[str] = []
        self.told: list[str] = []
        self.replies: list[str] = []
        self.partial: list[int] = []
        self._fields: list[str] = []  # told of an object that may still turn out to be none

    def callbacks(self) -> Options:
        """Return the callbacks."""
        note = self.calls.append
        calls: Options = {
            "on_object": self._close_object,
            "on_text": self.texts.append,
            "on_match": lambda found, value: note(f"match {_found(found)} {value!r}"),
            "on_completion": lambda completion: note(f"completion {completion.as_dict()}"),
            "on_reply": lambda reply: self.replies.append(_reply(msgspec.structs.replace(reply, text=""))),
            "on_partial": lambda value: self.partial.append(len(value)),
            "on_field": {"status": lambda path, value: self._fields.append(f"field {path} {value!r}")},
            "on_field_void": lambda start: self._fields.clear(),
        }
        return {name: calls[name] for name in self._names}

    def _close_object(self, found: lastbrace.Found) -> None:
        self.objects.append(found)
        self.told += self._fields  # no longer provisional; what was taken back may not even have been told
        self._fields.clear()

    def facts(self) -> Facts:
        """Return what must be the same."""
        return {
            "objects": repr([_found(found) for found in self.objects]),
            "texts": "".join(self.texts),
            "calls": repr(self.calls),
            "replies": repr(self.replies),
            "fields": repr(self.told + self._fields),
        }


def _found(found: lastbrace.Found | None) -> tuple[Any, ...] | None:
    if found is None:
        return None
    value = repr(found.value) if found.raw is None else None
    return found.start, found.end, found.raw, found.fragment, found.fence, value


def _reply(reply: lastbrace.Reply | None) -> str:
    return repr(None if reply is None else msgspec.structs.asdict(reply))


def facts_of(outcome: Outcome[Any]) -> Facts:
    """Return all that an outcome says, each as text: a NaN equals nothing, not even itself."""
    unfinished = outcome.unfinished
    # How often bytes were read again is how the work was done: the only count that depends on cuts.
    stats = dataclasses.replace(outcome.stats, reread=0, dead=dict(sorted(outcome.stats.dead.items())))
    return {
        "ok": repr(outcome.ok),
        "reason": outcome.reason,
        "state": outcome.state,
        "completion": repr(outcome.completion and outcome.completion.as_dict()),
        "reply": _reply(outcome.reply),
        "last": repr(_found(outcome.last)),
        "match": repr(_found(outcome.match)),
        "value": repr(outcome.value),
        "recovered": repr(outcome.recovered and (outcome.recovered.value, outcome.recovered.repairs)),
        "unfinished": repr(unfinished and (unfinished.start, unfinished.size)),
        "partial": repr(unfinished and unfinished.partial()),
        "returncode": repr(outcome.returncode),
        "stderr_tail": outcome.stderr_tail,
        "stats": repr(dataclasses.asdict(stats)),
    }


OUTCOME = (
    "ok", "reason", "state", "completion", "reply", "last", "match", "value", "recovered", "unfinished", "partial",
    "returncode", "stderr_tail", "stats",
)  # fmt: skip


class Difference(NamedTuple):
    """What one way said, and what reading the whole text at once said."""

    way: str
    fact: str
    want: str
    got: str

    def __str__(self) -> str:
        return f"{self.way}: {self.fact}\n    want {self.want[:1500]}\n    got  {self.got[:1500]}"


def compare(way: str, want: Facts, got: Facts) -> Difference | None:
    """Return the first fact that differs, of those that both hold."""
    for fact, wanted in want.items():
        if got.get(fact, wanted) != wanted:
            return Difference(way, fact, wanted, got[fact])
    return None


def by_callback(
    chunks: Iterable[Any], options: Options, scanner: str, stream: Stream | None = None, calls: Sequence[str] = ()
) -> Facts:
    """Return what a watcher says of chunks that it is fed, and what it called back."""
    seen = Seen(calls)
    watcher: Watcher[Any] = Watcher(**options, **seen.callbacks(), _implementation=scanner)  # type: ignore[call-arg]  # a test chooses the scanner
    for chunk in chunks:
        watcher.feed(chunk)
    outcome = watcher.close() if stream is None else watcher.close(stream.status, stream.stderr)
    return facts_of(outcome) | seen.facts()


SCAN = (
    "roots",
    "framing",
    "strict",
    "strip_ansi",
    "max_object_bytes",
    "max_depth",
    "buffer_limit",
    "fields",
    "fragments",
)


def by_async(chunks: list[bytes], options: Options, scanner: str, backend: str) -> Facts:
    """Return what iterating over an async stream of chunks gives: the objects alone."""

    async def source() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk
        await anyio.lowlevel.checkpoint()

    async def main() -> list[lastbrace.Found]:
        scan: Options = {name: value for name, value in options.items() if name in SCAN}
        found = lastbrace.aiter_objects(source(), **scan, _implementation=scanner)
        return [event async for event in found]

    return {"objects": repr([_found(found) for found in anyio.run(main, backend=backend)])}
