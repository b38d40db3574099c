"""Each public call once, as a user would write it: mypy reads this file, nothing runs it."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, assert_type

import msgspec

import lastbrace
from lastbrace import (
    BackendError,
    BackendTimeout,
    ClosedError,
    Completion,
    DeadCandidate,
    DecodeError,
    Dropped,
    Event,
    Found,
    LastbraceError,
    NoObjectError,
    Outcome,
    Recovered,
    Scanner,
    ScanOptions,
    Stats,
    Status,
    Unfinished,
    Watcher,
    prompts,
)

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator


class Verdict(msgspec.Struct):
    status: str


@dataclass
class Point:
    x: int


class Row(TypedDict):
    n: int


def whole_texts(text: str, data: bytes) -> None:
    assert_type(lastbrace.find_objects(text), list[Found])
    assert_type(lastbrace.find_objects(data, fragments=True, roots="any", framing="lines", strict=True), list[Found])
    assert_type(lastbrace.last_object(text), Any)
    assert_type(lastbrace.last_object(text, schema=Verdict), Verdict)
    assert_type(lastbrace.last_object(text, schema=Point, default=None), Point | None)
    assert_type(lastbrace.first_object(text, schema=Row), Row)
    assert_type(lastbrace.first_object(text, prefer_fenced=False, max_depth=20, strip_ansi=False), Any)
    assert_type(lastbrace.parse_completion(data), Completion)
    assert_type(lastbrace.parse_completion(text, contract="marker", marker="END"), Completion)
    assert_type(lastbrace.balanced_end(text, 0), int | None)
    recovered = lastbrace.recover(text, Verdict, truncated="accept", general="json_repair", max_bytes=1 << 16)
    assert_type(recovered, Recovered[Verdict] | None)
    assert_type(lastbrace.recover(data, even), Recovered[int] | None)
    assert_type(lastbrace.recover(data, {"type": "object"}), Recovered[Any] | None)
    if recovered is not None:
        assert_type((recovered.value, recovered.repairs, recovered.raw), tuple[Verdict, tuple[str, ...], bytes])
    lastbrace.last_object(text, default=None)
    lastbrace.last_object(text, schema={"type": "object"})
    lastbrace.last_object(text, schema=even)


def even(value: Any) -> int:
    if value["n"] % 2:
        raise ValueError("odd")
    return int(value["n"])


def asking() -> None:
    assert_type(prompts.instruction("Fix the tests.", Verdict, nonce="7f3a"), str)
    assert_type(prompts.instruction("Fix the tests."), str)
    assert_type(prompts.system("You are brief.", {"type": "object"}), str)
    assert_type(lastbrace.last_object("{}", schema=prompts.with_nonce(Verdict, "7f3a")), Verdict)
    outcome = Watcher(schema=prompts.with_nonce(Point, "7f3a"), recover=True, max_recover_bytes=1 << 16).close()
    assert_type(outcome.recovered, Recovered[Point] | None)
    Watcher(nonce="7f3a", recover="accept").close()


def streams(path: Path) -> None:
    for found in lastbrace.iter_objects(b"{}"):
        assert_type(found, Found)
    list(lastbrace.iter_objects("{}", fragments=True, max_object_bytes=None))
    list(lastbrace.iter_objects([b"{", "}"]))
    list(lastbrace.iter_objects(io.BytesIO(b"{}")))
    list(lastbrace.iter_objects(io.StringIO("{}")))
    with path.open("rb") as file:
        list(lastbrace.iter_objects(file))


async def tokens() -> AsyncIterator[str]:
    yield "{}"


async def async_streams(reader: asyncio.StreamReader) -> None:
    async for found in lastbrace.aiter_objects(reader):
        assert_type(found, Found)
    async for _ in lastbrace.aiter_objects(tokens(), roots="array"):
        pass


def scanner(options: ScanOptions) -> None:
    scanner = Scanner(**options)
    events = scanner.feed(b"{") + scanner.feed("}") + scanner.feed(bytearray()) + scanner.feed(memoryview(b""))
    assert_type(events, list[Event])
    assert_type(scanner.close(), list[Event])
    assert_type(scanner.last, Found | None)
    assert_type(scanner.open, Unfinished | None)
    if scanner.open is not None:
        assert_type(scanner.open.partial(), Any)
        scanner.open.partial(unended=True)
    assert_type(scanner.stats, Stats)
    assert_type(lastbrace.scanner_kind, str)
    assert_type(lastbrace.__version__, str)
    for event in events:
        describe(event)


def describe(event: Event) -> None:
    match event:
        case Found():
            assert_type(event.start, int)
            assert_type(event.end, int)
            assert_type(event.raw, bytes | Any)  # None with buffer_limit only
            assert_type(event.fragment, bool)
            assert_type(event.fence, str | None)
            assert_type(event.value, Any)
            assert_type(event.empty, bool)
            assert_type(event.decode(Verdict), Verdict)
        case Dropped():
            assert_type((event.start, event.end, event.reason), tuple[int, int, str])
        case Unfinished():
            assert_type((event.start, event.size), tuple[int, int])


def watcher() -> None:
    plain = Watcher(
        contract="json",
        ignore=["finish with {}", {"status": "done"}],
        after="nonce",
        skip_think=True,
        on_object=lambda found: print(found.value),
        on_text=lambda text: print(text.upper()),
        on_completion=lambda completion: print(completion.status),
        roots="object",
        max_depth=10,
    )
    plain.feed(b"{}")
    plain.feed("{}")
    plain.reset()
    assert_type(plain.last, Found | None)
    assert_type(plain.match, Found | None)
    assert_type(plain.completion, Completion | None)
    assert_type(plain.stats, Stats)
    assert_type(plain.open, Unfinished | None)
    outcome = plain.close(0, b"tail")
    assert_type(outcome.ok, bool)
    assert_type(outcome.last, Found | None)
    assert_type(outcome.match, Found | None)
    assert_type(outcome.completion, Completion | None)
    assert_type(outcome.unfinished, Unfinished | None)
    assert_type(outcome.returncode, int | None)
    assert_type(outcome.stats, Stats)
    Watcher(contract="marker", marker="END").close()
    Watcher(
        on_partial=lambda value: print(value["a"]),
        on_field={"status": lambda path, value: print(path[0], value), ("a.b", 0, "*"): told},
        on_field_void=lambda start: print(start + 1),
        buffer_limit=1 << 20,
        fields=["usage.tokens", ("a.b",)],
    )
    paths = {"status": told}
    Watcher(on_field=paths)
    Watcher(contract=None, schema=Verdict, on_match=print).close(stderr="tail")


def told(path: tuple[str | int, ...], value: Any) -> None:
    print(path, value)


def contract(completion: Completion) -> None:
    assert_type(completion.status, Status)
    assert_type(completion.summary, str | None)
    assert_type(completion.next, str | None)
    assert_type(completion.error, str | None)
    completion.as_dict()["status"]
    print(Completion(Status.DONE, summary="ok"), Status.CONTINUE, Status.ERROR)


def run_sync() -> Outcome:
    try:
        return lastbrace.run_sync(["agent", "-p"], input="prompt", cwd=Path(), env={"A": "b"}, timeout=1.5)
    except BackendTimeout as error:
        print(error.outcome)
        raise
    except BackendError as error:
        print(error.outcome)
        raise


async def run() -> None:
    async with lastbrace.run(["agent"], contract=None, on_object=print) as backend:
        async for found in backend:
            assert_type(found, Found)
        assert_type(backend.last, Found | None)
        backend.send_signal(2)
        backend.kill()
    lastbrace.run(["agent"], stderr="merge", encoding="cp1252", pty=True, leave_group=True)
    lastbrace.run(["agent"], stderr=lambda text: print(text.upper()), on_output=print)
    print(backend.outcome)


def statistics(stats: Stats) -> None:
    assert_type(stats.bytes + stats.reread + stats.objects + stats.fragments + stats.dropped, int)
    assert_type(stats.dead, dict[str, int])
    assert_type(stats.last_dead, DeadCandidate | None)


def errors() -> None:
    try:
        lastbrace.last_object("")
    except NoObjectError as error:
        assert_type(error.args, tuple[Any, ...])
    except (DecodeError, ClosedError, LastbraceError):
        pass
