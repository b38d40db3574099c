"""The whole pipeline as a hook: chunks in, callbacks out, and at the end one verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, Literal, Unpack

from .agent_answer import AgentAnswer
from .agent_reader import AgentReader, reader_for
from .agents.adapter import Adapter
from .agents.reply import Reply
from .answer import AnswerReader, AnswerRules, Calls, OnFields, check_callbacks, named_fields
from .chunks import Chunk
from .completion import Completion
from .conclusion import Conclusion, Exit
from .events import Found, Inner, Stats, Unfinished
from .matching import Matcher, SchemaLike, check_ignore, ignored_values
from .outcome import Outcome, State, T
from .paths import listed
from .pipeline import Pipeline, ScanOptions
from .recovered import Recovered
from .recovery.answer import AnswerRecovery
from .suggestions import check_options
from .tail import DEFAULT_MAX_BYTES, check_max_bytes


class Watcher(Generic[T]):
    """Watches a stream for the answer in it, and calls back as it is found.

    Feed it what the program writes, as it comes; it keeps the newest object, the newest that satisfies the contract or
    the schema, and no more of the text. Callbacks run inside ``feed`` and ``close``, in the order of the text.

    Arguments:
        agent: whose output it is: ``"claude"``, ``"codex"``, ``"gemini"``, …, or ``"auto"`` to recognise it from its
            first unmistakable event. The answer is then looked for in what the agent says: its structured output, else
            its answer's text; never in tool output, thinking or the events themselves. None: plain text with objects
            in it. By arrays (``roots="array"``) none is recognised: name it.
        answer: for an agent without an adapter, where its answer stands in its events: ``"item.text"`` or
            ``"choices[0].message.content"``; the newest wins.
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
        nonce: an answer must repeat this word as its member ``"nonce"``, which ``prompts`` asks for.
        recover: where nothing matched, look at the end for an answer that is almost JSON, as `lastbrace.recover` does.
            True: ``Outcome.recovered`` shows it, and nothing else goes by it; right where someone confirms a guess, or
            asks again. ``"accept"``: it is the answer, in ``ok``, ``value`` and ``completion`` too; right where a wrong
            guess costs less than another run. No callback is called for it.
        max_recover_bytes: how much of the end of the answer is kept for that.
        on_object: called with each Found.
        on_text: called with the text outside objects, decoded, as it comes; with an agent, of its answer.
        on_match: called with each Found that satisfies the contract or the schema, and its value; never without either.
        on_completion: called with each Completion, the moment its object closes; with a marker, at the end.
        on_reply: called with the agent's Reply when anything but its growing text has changed.
        on_partial: called with the value so far (see ``Unfinished.partial``) of the answer's object that is open, at
            the end of each ``feed`` that brought more of it, after all other calls. It is the growing value itself.
        on_field: functions by path (``"status"``, ``"items.*.name"``, or a tuple of keys), each called with the path, a
            tuple of keys and indexes, and the value of each such member of an object of the answer as soon as it is
            complete, while the object is still open. Until that closes it is provisional.
        on_field_void: called with the start of an object of which members were told when it turns out not to count:
            it is none, the input ended inside it, it is a piece of a broken record, or one to ignore.
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
        agent: str | Adapter | None = None,
        answer: str | None = None,
        contract: Literal["json", "marker"] | None = "json",
        marker: str = "DONE",
        schema: SchemaLike[T] | None = None,
        ignore: Iterable[Any] = (),
        after: str | bytes | None = None,
        skip_think: bool = False,
        fragments: bool = False,
        nonce: str | None = None,
        recover: Literal[False, True, "accept"] = False,
        max_recover_bytes: int = DEFAULT_MAX_BYTES,
        on_object: Callable[[Found], object] | None = None,
        on_text: Callable[[str], object] | None = None,
        on_match: Callable[[Found, T], object] | None = None,
        on_completion: Callable[[Completion], object] | None = None,
        on_reply: Callable[[Reply], object] | None = None,
        on_partial: Callable[[Any], object] | None = None,
        on_field: OnFields | None = None,
        on_field_void: Callable[[int], object] | None = None,
        **scan: Unpack[ScanOptions],
    ) -> None:
        check_options(scan, ScanOptions.__annotations__, Watcher.__init__.__kwdefaults__)
        scan["fields"] = listed(scan.get("fields"))
        fields = named_fields(on_field)
        ignore = check_ignore(ignore)
        check_callbacks(on_object, on_text, on_match, on_completion, on_reply, on_partial, on_field_void)
        self._rules = AnswerRules(
            matcher=Matcher(contract, schema, ignored_values(ignore, scan), nonce),
            marker=marker,
            skip_think=skip_think,
            on_text=on_text,
            on_match=on_match,
            on_completion=on_completion,
            on_partial=on_partial,
            on_field=fields,
            on_field_void=on_field_void,
            tail=check_max_bytes(max_recover_bytes) if recover else None,
        )
        self._recovery = AnswerRecovery(self._rules.matcher, recover, ignore) if recover else None
        self._who = (agent, answer)
        self._after = after
        self._fragments = fragments
        self._on_object = on_object
        self._on_reply, self._on_completion = on_reply, on_completion
        self._scan = scan
        self._busy = False
        self._start()

    def _start(self) -> None:
        self._agent = reader_for(*self._who)
        text = self._rules.need_text if self._agent is None else self._agent.needs_text or self._rules.need_text
        see_all, no_agent = self._on_object is not None, self._agent is None
        options = self._rules.pipeline_options(self._scan, no_agent=no_agent, see_all=see_all)
        if self.has_agent and options.get("roots") == "array":
            options["roots"] = "any"  # its events are objects, whatever its answer is to be
        watched = () if self.has_agent else self._rules.watched
        self._pipeline = Pipeline(**options, text=text, after=self._after, watched=watched)
        self._plain = AnswerReader(self._rules, self._pipeline)
        self._agent_answer = AgentAnswer(self._rules, self._scan)
        # Whether objects only need to be matched: the way is shorter then, which tells with small ones.
        self._seeks_only = not (text or self._agent or self._on_object or self._rules.matcher.ignores_any)
        self._judges_only = self._seeks_only and self._rules.awaits_completion_only
        self._last: Found | None = None
        self._outcome: Outcome[T] | None = None

    def feed(self, chunk: Chunk) -> None:
        """Read the next chunk, and call back for what it completed.

        A callback that raises stops neither the reading nor the other callbacks: when all have run its exception passes
        on, several as an ExceptionGroup. Raises ClosedError after ``close``, RuntimeError inside a callback.
        """
        if self._busy:
            self._guard()
        self._busy = True
        try:
            events = self._pipeline.feed(chunk)
            if self._judges_only and len(events) == 1:
                found = events[0]
                if type(found) is Found and not found.fragment:
                    completion, tell = self._plain.judge(found), self._on_completion
                    if completion is not None and tell is not None:
                        tell(completion)
                    return
            shows = self._rules.on_partial is not None
            if not events and not shows:
                return
            calls = Calls()
            for event in events:
                if self._seeks_only and type(event) is Found and not event.fragment:
                    self._plain.take_object(event, calls)
                else:
                    self._take(event, calls)
            if shows:
                self._reading.show_open(calls)
            if calls:
                calls.make()
        finally:
            self._busy = False

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
            calls, end = Calls(), Exit.of(returncode, stderr, stopped=stopped)
            self._busy = True
            try:
                for event in self._pipeline.close():
                    self._take(event, calls)
                if self._agent is not None:
                    self._close_agent(self._agent, end, calls)
                self._reading.end(calls)
                self._reading.tell_marker(calls)
                self._outcome = self._conclude(end, self._recover(calls))
                calls.make()
            finally:
                self._busy = False
        return self._outcome

    def reset(self) -> None:
        """Forget all that was read and start anew, also after ``close``."""
        self._guard()
        self._start()

    @property
    def last(self) -> Found | None:
        """The newest object so far, fragments and empty ones left out."""
        return self._plain.last if self._seeks_only else self._last

    @property
    def match(self) -> Found | None:
        """The newest object so far that satisfies the contract or the schema; without either, ``last``."""
        if not self._rules.matcher.takes_all:
            return self._reading.match
        return self._plain.last if self._reading is self._plain else self.last

    @property
    def completion(self) -> Completion | None:
        """The last valid completion so far."""
        return self._reading.completion

    @property
    def reply(self) -> Reply | None:
        """The agent's reply so far; None without an agent."""
        return None if self._agent is None else self._agent.adapter.reply

    @property
    def is_final(self) -> bool:
        """Whether the agent has said its last word: its final event has closed. False without an agent."""
        return self._agent is not None and self._agent.adapter.is_final

    @property
    def has_agent(self) -> bool:
        """Whether the output is that of an agent with events of its own."""
        return self._agent is not None and not self._agent.is_plain

    @property
    def agent_reported_error(self) -> bool:
        """Whether, at the end, the agent itself had reported an error, on stdout or stderr."""
        return self._agent is not None and self._agent.reported_error

    @property
    def state(self) -> State:
        """Whether something matched so far, and why not: see ``Outcome.state``."""
        if self.match is not None or (self._rules.matcher.contract == "marker" and self.completion is not None):
            return "ok"
        if self._pipeline.unfinished is not None or self._reading.unfinished is not None:
            return "incomplete"
        if self._reading.has_objects:
            return "no_match"
        return "malformed" if self._reading.is_malformed else "none"

    @property
    def open(self) -> Unfinished | None:
        """The object being read now, or None; with an agent, in its answer."""
        return self._reading.open

    @property
    def open_event(self) -> Unfinished | None:
        """The object of the stream itself that is being read now, or None; with an agent, one of its events."""
        return self._pipeline.open

    @property
    def stats(self) -> Stats:
        """What was read so far, in counts."""
        return self._pipeline.stats

    @property
    def _reading(self) -> AnswerReader[T]:
        """The reading of the text that the answer is in: what the agent says, or the output itself."""
        return self._plain if self._agent is None or self._agent.is_plain else self._agent_answer.reader

    def _guard(self) -> None:
        if self._busy:
            raise RuntimeError("feed, close and reset cannot be called from inside a callback, nor by two threads")

    def _take(self, event: Inner, calls: Calls) -> None:
        """Take in what was read."""
        if isinstance(event, Found) and (self._fragments or not event.fragment):
            self._take_object(event, calls)
        if self._agent is None:
            self._plain.take(event, calls)
        else:
            self._agent.take(event)
            if self._agent.is_plain:  # an event by which the agent was recognised just now is no answer
                self._plain.take(event, calls)
            else:
                self._plain.take_fields_back(calls)
            self._follow(self._agent, calls)

    def _take_object(self, found: Found, calls: Calls) -> None:
        """Note an object for those who want each, its text before it."""
        matcher = self._rules.matcher
        if not found.fragment and self._rules.need_text and self._reading is self._plain:
            self._plain.cut_text(calls)
        if matcher.ignores_any and matcher.ignores(found):
            return
        if self._on_object is not None:
            calls.add(self._on_object, found)
        if not found.fragment and not found.empty:
            self._last = found

    def _follow(self, agent: AgentReader, calls: Calls) -> None:
        """Follow what the agent changed in its answer and its reply."""
        for change in agent.take_changes():
            self._agent_answer.apply(change, calls)
        if self._on_reply is not None and agent.has_news():
            calls.add(self._on_reply, agent.adapter.reply)

    def _close_agent(self, agent: AgentReader, end: Exit, calls: Calls) -> None:
        agent.take_stderr(end.stderr, recognise_it=self.match is None)
        agent.close(end.held_against, end.stderr, cut=self._pipeline.unfinished is not None, stopped=end.stopped)
        self._follow(agent, calls)
        self._agent_answer.end(calls)

    def _recover(self, calls: Calls) -> Recovered[T] | None:
        """Look for an answer that is almost JSON, where nothing matched."""
        if self._recovery is not None and self.match is None:
            try:
                return self._recovery.find(self._reading.tail)
            except Exception as error:  # of a user's schema function
                calls.fail(error)
        return None

    def _conclude(self, end: Exit, recovered: Recovered[T] | None) -> Outcome[T]:
        return Conclusion(
            matcher=self._rules.matcher,
            reading=self._reading,
            state=self.state,
            reply=self.reply,
            last=self.last,
            match=self.match,
            unfinished=self._pipeline.unfinished or self._reading.unfinished,
            stats=self.stats,
            in_agent=self.has_agent,
            recovered=recovered,
            awaits_start=self._pipeline.awaits_start,
            accepts_recovered=self._recovery is not None and self._recovery.accepts,
        ).outcome(end)
