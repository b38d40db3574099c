"""The whole pipeline as a hook: chunks in, callbacks out, and at the end one verdict."""

from __future__ import annotations

import codecs
import dataclasses
from collections.abc import Callable, Iterable
from typing import Any, Generic, Literal, Unpack

from .completion import INVALID, Completion, Marker, Status, match_completion
from .errors import DecodeError
from .events import Event, Found, Stats, Text, Unfinished
from .outcome import Outcome, State, T
from .scanner import Chunk, Pipeline, ScanOptions
from .schema import Schema, compile_schema
from .thinking import ThinkTracker

_Call = tuple[Callable[..., object], tuple[Any, ...]]


class Watcher(Generic[T]):
    """Watches a stream for the answer in it, and calls back as it is found.

    Feed it what the program writes, as it comes; it keeps the newest object, the newest that satisfies the contract or
    the schema, and no more of the text. Callbacks run inside ``feed`` and ``close``, in the order of the text.

    Arguments:
        contract: ``"json"``: an object ``{"status": "continue" | "done" | "error", "summary"?: str, "next"?: str}``
            says how the program ended, the last one wins; ``"marker"``: the last line that is not blank says it;
            None: any object will do.
        marker: the line that means done, with ``contract="marker"``.
        schema: replaces the contract: a msgspec Struct, dataclass, TypedDict, pydantic model, JSON Schema dict, or a
            function that returns the value or raises ValueError.
        ignore: prompt texts whose objects do not count, or such values themselves.
        after: start only when this text has gone by.
        skip_think: objects inside ``<think>…</think>``, closed or not, match nothing.
        fragments: pieces of broken records are objects too, for ``on_object``; they never match.
        on_object: called with each Found.
        on_text: called with the text outside objects, decoded, as it comes.
        on_match: called with each Found that satisfies the contract or the schema, and its value.
        on_completion: called with each Completion, the moment its object closes (with a marker, at the end).
        scan: the options of ``Scanner``.

    Raises ValueError or TypeError for arguments that make no sense.

    >>> watcher = Watcher(on_completion=print)
    >>> watcher.feed('{"status": "continue"} working... {"status": "done", "summary": "all gr')
    Completion(status='continue')
    >>> watcher.feed('een"}')
    Completion(status='done', summary='all green')
    >>> watcher.close().ok
    True
    """

    def __init__(
        self,
        *,
        contract: Literal["json", "marker"] | None = "json",
        marker: str = "DONE",
        schema: type[T] | Schema[T] | Callable[[Any], T] | dict[str, Any] | None = None,
        ignore: Iterable[Any] = (),
        after: str | bytes | None = None,
        skip_think: bool = False,
        fragments: bool = False,
        on_object: Callable[[Found], object] | None = None,
        on_text: Callable[[str], object] | None = None,
        on_match: Callable[[Found, T], object] | None = None,
        on_completion: Callable[[Completion], object] | None = None,
        **scan: Unpack[ScanOptions],
    ) -> None:
        if contract not in ("json", "marker", None):
            raise ValueError(f"contract must be 'json', 'marker' or None, not {contract!r}")
        self._schema: Schema[T] | None = None if schema is None else compile_schema(schema)
        self._contract = contract if schema is None else None
        self._marker_text = marker
        self._ignored = _ignored_values(ignore, scan)
        self._after = after
        self._skip_think = skip_think
        self._fragments = fragments
        self._on_object = on_object
        self._on_text = on_text
        self._on_match = on_match
        self._on_completion = on_completion
        self._scan = scan
        self._busy = False
        self._start()

    def _start(self) -> None:
        self._marker = Marker(self._marker_text) if self._contract == "marker" else None
        self._think = ThinkTracker() if self._skip_think else None
        wants_text = not (self._on_text is None and self._marker is None and self._think is None)
        self._pipeline = Pipeline(**self._scan, text=wants_text, after=self._after)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace") if wants_text else None
        self._last: Found | None = None
        self._match: Found | None = None
        self._value: T | None = None
        self._completion: Completion | None = None
        self._outcome: Outcome[T] | None = None

    def feed(self, chunk: Chunk) -> None:
        """Read the next chunk, and call back for what it completed.

        A callback that raises stops neither the reading nor the other callbacks: when all have run its exception passes
        on, several as an ExceptionGroup. Raises ClosedError after ``close``, RuntimeError inside a callback.
        """
        self._guard()
        calls, errors = self._advance(self._pipeline.feed(chunk))
        self._call(calls, errors)

    def close(
        self, returncode: int | None = None, stderr: bytes | str | None = None, *, stopped: bool = False
    ) -> Outcome[T]:
        """End the stream and return how it ended; the second time, what the first returned.

        Arguments:
            returncode: the program's exit status, negative for a signal; None without a program.
            stderr: the end of what it wrote to stderr.
            stopped: the caller ended the program, so that its exit status says nothing against it.
        """
        self._guard()
        if self._outcome is None:
            calls, errors = self._advance(self._pipeline.close())
            if self._decoder is not None:
                self._take_text(self._decoder.decode(b"", final=True), calls)
            if self._marker is not None:
                self._set_completion(self._marker.close(), calls)
            self._outcome = self._conclude(returncode, stderr, stopped)
            self._call(calls, errors)
        return self._outcome

    def reset(self) -> None:
        """Forget all that was read and start anew, also after ``close``."""
        self._guard()
        self._start()

    @property
    def last(self) -> Found | None:
        """The newest object so far, fragments and empty ones left out."""
        return self._last

    @property
    def match(self) -> Found | None:
        """The newest object so far that satisfies the contract or the schema; without either, ``last``."""
        return self._last if self._schema is None and self._contract is None else self._match

    @property
    def completion(self) -> Completion | None:
        """The last valid completion so far."""
        return self._completion

    @property
    def state(self) -> State:
        """Whether something matched so far, and why not: see ``Outcome.state``."""
        if self.match is not None or (self._marker is not None and self._completion is not None):
            return "ok"
        if self._pipeline.unfinished is not None:
            return "incomplete"
        if self._pipeline.last is not None:
            return "no_match"
        return "none" if self.stats.last_dead is None else "malformed"

    @property
    def open(self) -> Unfinished | None:
        """The object being read now, or None."""
        return self._pipeline.open

    @property
    def stats(self) -> Stats:
        """What was read so far, in counts."""
        return self._pipeline.stats

    def _guard(self) -> None:
        if self._busy:
            raise RuntimeError("feed, close and reset cannot be called from inside a callback")

    def _advance(self, events: list[Event | Text]) -> tuple[list[_Call], list[Exception]]:
        """Take in what was read, and return the calls that follow, and what a user's schema raised."""
        calls: list[_Call] = []
        errors: list[Exception] = []
        for event in events:
            if isinstance(event, Found) and (self._fragments or not event.fragment):
                self._interrupt_text(event.raw, calls)
                try:
                    self._take_object(event, calls)
                except Exception as error:  # noqa: BLE001 - of the user's schema function: reading goes on
                    errors.append(error)
            elif isinstance(event, Text | Found):
                if self._decoder is not None:
                    self._take_text(self._decoder.decode(event.raw), calls)
            else:
                self._interrupt_text(b"{", calls)
        return calls, errors

    def _take_object(self, found: Found, calls: list[_Call]) -> None:
        if self._ignored and _value_or_none(found) in self._ignored:
            return
        if self._on_object is not None:
            calls.append((self._on_object, (found,)))
        if found.fragment or found.empty:
            return
        self._last = found
        if self._think is not None and self._think.inside:
            return
        value: Any = None
        if self._schema is not None:
            match = self._schema.match(found.raw)
            if match is None:
                return
            value = match.value
        elif self._contract == "json":
            value = match_completion(found.raw)
            if value is None:
                return
            self._set_completion(value, calls)
        else:
            return
        self._match, self._value = found, value
        if self._on_match is not None:
            calls.append((self._on_match, (found, value)))

    def _set_completion(self, completion: Completion, calls: list[_Call]) -> None:
        self._completion = completion
        if self._on_completion is not None:
            calls.append((self._on_completion, (completion,)))

    def _take_text(self, text: str, calls: list[_Call]) -> None:
        if not text:
            return
        if self._think is not None:
            self._think.feed(text)
        if self._marker is not None:
            self._marker.feed(text)
        if self._on_text is not None:
            calls.append((self._on_text, (text,)))

    def _interrupt_text(self, raw: bytes, calls: list[_Call]) -> None:
        """End the text at an object, whose own text is ``raw``."""
        if self._decoder is None:
            return
        self._take_text(self._decoder.decode(b"", final=True), calls)
        if self._think is not None:
            self._think.pass_object()
        if self._marker is not None:
            self._marker.feed(raw.decode("utf-8", "replace"))

    def _call(self, calls: list[_Call], errors: list[Exception]) -> None:
        self._busy = True
        try:
            for callback, arguments in calls:
                try:
                    callback(*arguments)
                except Exception as error:  # noqa: BLE001 - it is raised when the others have run
                    errors.append(error)
        finally:
            self._busy = False
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise ExceptionGroup("several callbacks raised", errors)

    def _conclude(self, returncode: int | None, stderr: bytes | str | None, stopped: bool) -> Outcome[T]:
        completion, state, match = self._completion, self.state, self.match
        if completion is None and self._contract == "json":
            completion = INVALID
        value: Any = self._value
        if match is not None and self._schema is None and self._contract is None:
            value = _value_or_none(match)
        elif self._marker is not None:
            value = completion
        failed = completion is not None and completion.status == Status.ERROR
        return Outcome(
            ok=state == "ok" and not failed and (stopped or returncode in (None, 0)),
            state=state,
            completion=completion,
            last=self._last,
            match=match,
            value=value,
            unfinished=self._pipeline.unfinished,
            returncode=returncode,
            stderr_tail=stderr.decode("utf-8", "replace") if isinstance(stderr, bytes) else stderr or "",
            stats=dataclasses.replace(self.stats, dead=dict(self.stats.dead)),
        )


def _value_or_none(found: Found) -> Any:
    try:
        return found.value
    except DecodeError:
        return None


def _ignored_values(ignore: Iterable[Any], scan: ScanOptions) -> list[Any]:
    """Return the values that do not count: those given, and those of all objects in the texts given."""
    if isinstance(ignore, str | bytes | dict):
        raise TypeError("ignore is a list of texts and values, not one of them")
    values: list[Any] = []
    for item in ignore:
        if isinstance(item, str | bytes):
            pipeline = Pipeline(**scan)
            events = pipeline.feed(item) + pipeline.close()
            values += [_value_or_none(event) for event in events if isinstance(event, Found) and not event.empty]
        else:
            values.append(item)
    return values
