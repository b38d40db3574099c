"""Drives one adapter with a whole output, the way a watcher does, and reads the replies that tests expect."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import msgspec

from lastbrace import Found, parse_completion
from lastbrace.events import Text
from lastbrace.pipeline import Pipeline

from ..cases import DATA

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from lastbrace import Completion
    from lastbrace.agents.adapter import Adapter, Change
    from lastbrace.agents.reply import Reply

SAMPLES = DATA / "samples"
CAPTURES = DATA / "captures"
EXPECTED: dict[str, dict[str, Any]] = json.loads((SAMPLES / "expected.json").read_text())
RANDOM_CUTS = 200


def run_adapter(
    adapter_class: type[Adapter], data: bytes, returncode: int | None = None, stderr: str | bytes = ""
) -> Adapter:
    """Return an adapter that has read the output `data` and `stderr`, and was closed."""
    adapter = adapter_class()
    for event in _events(data):
        if adapter.plain_text:
            adapter.feed_text(event.raw.decode("utf-8", "replace"))
        elif isinstance(event, Text):
            if adapter.reads_text:
                adapter.feed_text(event.raw.decode("utf-8", "replace"))
        elif not event.fragment:
            adapter.feed(event.value)
    log = stderr if isinstance(stderr, bytes) else stderr.encode()
    for event in _events(log):
        if isinstance(event, Found) and not event.fragment:
            adapter.feed_stderr(event.value)
    adapter.close(returncode, log.decode("utf-8", "replace"))
    return adapter


def drive(adapter_class: type[Adapter], data: bytes, returncode: int | None = None, stderr: str | bytes = "") -> Reply:
    """Return what an adapter makes of a whole output."""
    return run_adapter(adapter_class, data, returncode, stderr).reply


def drive_events(adapter_class: type[Adapter], *events: Any, returncode: int | None = None, stderr: str = "") -> Reply:
    """Return what an adapter makes of events, given as values."""
    return drive(adapter_class, lines(*events), returncode, stderr)


def lines(*events: Any) -> bytes:
    """Return events as JSON Lines."""
    return b"".join(json.dumps(event, ensure_ascii=False).encode() + b"\n" for event in events)


def odd_events(kinds: Iterable[Any], keys: Iterable[str], **members: Any) -> list[dict[str, Any]]:
    """Return events of these types in which one member after the other has each type that it should not have."""
    values: tuple[Any, ...] = (1, True, "x", [1], [{}], {}, {"type": 1}, None)
    return [{**members, "type": kind, key: value} for kind in kinds for key in keys for value in values]


def check_odd_events(
    adapter_class: type[Adapter], events: list[dict[str, Any]], returncode: int | None = None, stderr: str = ""
) -> None:
    """Assert that each of these events, and all of them in a row, give a reply whose members are of their types."""
    replies = [drive(adapter_class, lines(*events), returncode, stderr)]
    for event in events:
        adapter = adapter_class()
        adapter.feed(event)
        adapter.close(returncode, "")
        replies.append(adapter.reply)
        assert adapter_class.recognises(event) in (True, False)
    for reply in replies:
        assert msgspec.convert(msgspec.to_builtins(reply), type(reply)) == reply


def completion_of(changes: Iterable[Change]) -> Completion | None:
    """Return the completion in the answer that these changes make up, or None."""
    answer, structured = "", None
    for kind, value in changes:
        if kind == "add":
            answer += value
        elif kind == "structured":
            structured = value
        else:
            answer = value if kind == "final" else ""
    completion = parse_completion(answer if structured is None else json.dumps(structured))
    return None if completion.error else completion


def completion_in(adapter: Adapter) -> Completion | None:
    """Return the completion in an adapter's answer, or None."""
    if adapter.plain_text:
        completion = parse_completion(adapter.text)
        return None if completion.error else completion
    return completion_of(adapter.changes)


def prefixes(data: bytes) -> Iterator[bytes]:
    """Yield `data` cut at each line end and at random places."""
    at = data.find(b"\n")
    while at >= 0:
        yield data[: at + 1]
        at = data.find(b"\n", at + 1)
    rng = random.Random(len(data))
    for _ in range(RANDOM_CUTS):
        yield data[: rng.randrange(len(data) + 1)]


def captures_of(*clis: str) -> list[Path]:
    """Return the captures of these CLIs that an adapter can read, without suffix: not those of their plain text."""
    paths = (path for cli in clis for path in sorted((CAPTURES / cli).glob("*.reply.json")))
    known = (path for path in paths if json.loads(path.read_text())["agent"] is not None)
    return [path.with_name(path.name.removesuffix(".reply.json")) for path in known]


def capture_id(path: Path) -> str:
    """Return the name of a capture, for a test's id."""
    return f"{path.parent.name}/{path.name}"


def samples_of(*prefix: str) -> list[str]:
    """Return the names of the samples that begin with one of these."""
    return [name for name in EXPECTED if name.startswith(prefix)]


def run_capture(adapter_class: type[Adapter], path: Path) -> Adapter:
    """Return an adapter that has read a capture, with the exit status and the stderr of that run."""
    about = json.loads(path.with_name(path.name + ".json").read_text())
    errors = path.with_name(path.name + ".stderr")
    return run_adapter(
        adapter_class,
        path.with_name(path.name + ".stdout").read_bytes(),
        about.get("exit_code", 0),
        errors.read_bytes() if errors.exists() else b"",
    )


def check_capture(adapter_class: type[Adapter], path: Path) -> None:
    """Compare a capture's reply and completion with what is written beside it.

    Expected fields: those of a reply; `text_start` and `text_end` of a long text; `error` is a part of the message, or
    null; `completion`; and `auto`, what is recognised without being told, where that is another agent or none.
    """
    expected = json.loads(path.with_name(path.name + ".reply.json").read_text())
    adapter = run_capture(adapter_class, path)
    check_reply(adapter.reply, expected)
    if "completion" in expected:
        completion = completion_in(adapter)
        assert (completion and completion.as_dict()) == expected["completion"]


def check_reply(reply: Reply, expected: dict[str, Any]) -> None:
    """Compare a reply with the fields that are expected of it."""
    for name, value in expected.items():
        if name in ("completion", "auto"):
            continue
        if name == "text_start":
            assert reply.text.startswith(value)
        elif name == "text_end":
            assert reply.text.endswith(value)
        elif name == "error" and value is not None:
            assert value in (reply.error or "")
        elif name == "usage" and value is not None:
            assert reply.usage is not None
            assert {
                key: count for key in reply.usage.__struct_fields__ if (count := getattr(reply.usage, key)) is not None
            } == value
        elif name == "cost_usd" and value is not None:
            assert reply.cost_usd is not None
            assert abs(reply.cost_usd - value) < 1e-9
        else:
            assert getattr(reply, name) == value, name


def sample(name: str) -> tuple[bytes, bytes]:
    """Return a sample as stdout and stderr."""
    data = (SAMPLES / name).read_bytes()
    return (b"", data) if "-stderr." in name else (data, b"")


def check_sample(adapter_class: type[Adapter], name: str) -> None:
    """Compare what one adapter makes of a sample with `expected.json`."""
    data, stderr = sample(name)
    check_sample_reply(drive(adapter_class, data, stderr=stderr), name)


def check_sample_reply(reply: Reply, name: str) -> None:
    """Compare a sample's reply with `expected.json`, where null is not compared."""
    expected = EXPECTED[name]
    fields = {
        "text": expected["final_text"],
        "session_id": expected["session_id"],
        "is_error": expected["is_error"],
        "cost_usd": expected["cost_usd"],
        "duration_ms": expected["duration_ms"],
        "turns": expected["turns"],
        "final": expected["complete"],
    }
    check_reply(reply, {field: value for field, value in fields.items() if value is not None})
    for name_of, count in (expected["tokens"] or {}).items():  # it lists those that matter
        assert getattr(reply.usage, name_of) == count, name_of


def check_prefixes(adapter_class: type[Adapter], data: bytes, end: int | None = None) -> None:
    """Check that no beginning of an output raises, nor passes for a success before the whole output does.

    `end` is where the first final event ends, if that is not the end of the output.
    """
    whole = drive(adapter_class, data)
    length = len(data.rstrip()) if end is None else end
    for prefix in prefixes(data):
        for returncode in (None, 0, 1):
            reply = drive(adapter_class, prefix, returncode)
            if len(prefix.rstrip()) < length or whole.is_error or returncode:
                assert reply.is_error or not reply.final, prefix[-200:]


def _events(data: bytes) -> Iterator[Found | Text]:
    pipeline = Pipeline(text=True)
    for event in [*pipeline.feed(data), *pipeline.close()]:
        if isinstance(event, Found | Text):
            yield event
