"""The texts on the side of whoever iterates: news become records, and what each file says so far."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..completion import Completion, Status
from ..watcher import Watcher
from .contents import Content, Data, Ended, Forgotten, News, Opened, Problem
from .identity import to_json
from .source import Source
from .stream import Queued, Stream, position_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..agents.reply import Reply
    from ..events import Found
    from ..pipeline import ScanOptions
    from .unwrap import Format


class Options(NamedTuple):
    """How to follow: see `lastbrace.follow`."""

    watch: Callable[[Path], dict[str, Any]]
    scan_of: Callable[[Path], ScanOptions]
    unwrap: Format | None
    until_done: bool
    idle_timeout: float | None
    on_problem: Callable[[Path, str], object] | None


class Reading:
    """Takes in what was read, each text through a watcher of its own."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._contents: dict[Content, None] = {}
        self.sources: dict[Path, Source] = {}
        self.source: Source | None = None
        """The one that is being read."""
        self.queue: deque[Queued] = deque()
        self.errors: deque[Exception] = deque()
        """What callbacks raised."""
        self.bytes_taken = 0
        self.answered: list[Stream] = []
        """Those whose agents answered and may still say a last word."""

    @property
    def cursor(self) -> dict[str, Any]:
        """What was yielded of each text."""
        return to_json(map(position_of, self._contents))

    def is_done(self, named: set[Path]) -> bool:
        """Tell whether each file that was read from, and each of these, has said its last word."""
        done = {path for path, source in self.sources.items() if source.is_done}
        return bool(done) and done >= set(self.sources) | named

    def close(self) -> None:
        """End all texts."""
        self.queue.clear()
        for content in self._contents:
            self._end(content)
        self.queue.clear()

    def take(self, news: News) -> None:
        """Take in one thing that was seen."""
        match news:
            case Opened(content):
                self._contents.setdefault(content)
            case Data(content, offset, data):
                self.bytes_taken += len(data)
                self._feed(content, offset, data)
            case Ended(content):
                self._end(content)
            case Forgotten(content):
                self._contents.pop(content, None)
            case Problem(name, why):
                if why and self._options.on_problem is not None:
                    try:
                        self._options.on_problem(Path(name), why)
                    except Exception as error:  # a callback's
                        self.errors.append(error)

    def _feed(self, content: Content, offset: int, data: bytes) -> None:
        source = self.sources.get(content.path)
        if source is None:
            source = self.sources[content.path] = Source(content.path)
        if source.is_done:
            return
        self.source = source
        stream = content.stream
        if stream is None:
            stream = content.stream = Stream(
                content,
                self._watcher,
                unwrap=self._options.unwrap,
                scan=self._options.scan_of(content.path),
                deliver=self._deliver,
                failed=self.errors.append,
            )
            source.begin(stream.watcher)
        stream.feed(offset, data)
        source.bytes += len(data)
        if self._options.until_done and stream.watcher.is_final:
            self.done(stream)
        self.source = None

    def _deliver(self, queued: Queued) -> None:
        source = self.sources[queued.record.path]
        if source.is_done:  # the rest of it comes again with the cursor
            return
        self.queue.append(queued)
        source.records += 1
        source.last_at = time.time()

    def _end(self, content: Content) -> None:
        if content.stream is not None:
            source = self.source = self.sources[content.path]
            source.end(content.stream.watcher, content.stream.close())
            self.source = None

    # What the watchers say

    def _watcher(self, stream: Stream) -> Watcher[Any]:
        """Return a watcher for a text, with callbacks that tie what it says to the record that it came with."""
        watch = self._options.watch(stream.content.path)
        theirs: dict[str, Callable[..., object] | None] = {
            name: watch.get(name) for name in ("on_object", "on_match", "on_completion", "on_reply")
        }

        def on_object(found: Found) -> None:
            shown = stream.see(found)
            if shown is not None and theirs["on_object"] is not None:
                theirs["on_object"](shown)

        def on_match(found: Found, value: Any) -> None:
            if stream.newest is not None and stream.queued:
                stream.newest.record.match = found
            if watch.get("schema") is not None:
                self._answer(stream)
            if theirs["on_match"] is not None:
                theirs["on_match"](found, value)

        def on_completion(completion: Completion) -> None:
            if stream.newest is not None and stream.queued:
                stream.newest.record.completion = completion
            if completion.status == Status.DONE:
                self._answer(stream)
            if theirs["on_completion"] is not None:
                theirs["on_completion"](completion)

        def on_reply(reply: Reply) -> None:
            if reply.final:
                self.done(stream)
            if theirs["on_reply"] is not None:
                theirs["on_reply"](reply)

        calls = {"on_object": on_object, "on_match": on_match, "on_completion": on_completion}
        if self._options.until_done:
            calls["on_reply"] = on_reply
        return Watcher(**{**watch, **calls})

    def _answer(self, stream: Stream) -> None:
        """Note that a text has its answer; an agent may still say its last word."""
        if not self._options.until_done or stream.newest is None:
            return
        if not stream.watcher.has_agent:
            self.done(stream)
        elif stream.answered_at is None:
            stream.answered_at = time.monotonic()
            self.answered.append(stream)

    def done(self, stream: Stream) -> None:
        """Note that a text has said its last word: nothing more of its file is looked at."""
        source = self.sources[stream.content.path]
        stream.answered_at = None
        if not self._options.until_done or source.is_done:
            return
        source.is_done = True
