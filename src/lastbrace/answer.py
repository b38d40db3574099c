"""Reads a text for the answer in it: a program's output, or what an agent says in its own."""

from __future__ import annotations

import codecs
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic

from .completion import Completion, Marker, match_texts
from .events import Field, FieldsVoid, Found, Inner, Stats, Text, Unfinished
from .matching import Matcher, value_or_none
from .outcome import T
from .paths import Path
from .pipeline import Pipeline, ScanOptions
from .schema import Match
from .thinking import ThinkTracker

_LARGE = b"{}"  # stands for the text of an object that was not stored

# By path (Any: a mapping's type of key is invariant, and ``dict[str, ...]`` must do) a function of path and value.
OnFields = Mapping[Any, Callable[[tuple[str | int, ...], Any], object]]


class Calls(list[tuple[Callable[..., object], tuple[Any, ...]]]):
    """Callbacks to be made once all state is in place, each with its arguments."""

    __slots__ = ()

    def add(self, callback: Callable[..., object] | None, *arguments: Any) -> None:
        """Note a call, if there is anyone to call."""
        if callback is not None:
            self.append((callback, arguments))

    def fail(self, error: Exception) -> None:
        """Note what went wrong, to be raised in its turn."""
        self.append((_raise, (error,)))

    def make(self) -> None:
        """Make all calls, then raise what they raised, several as an ExceptionGroup."""
        errors = []
        for callback, arguments in self:
            try:
                callback(*arguments)
            except Exception as error:  # it is raised when the others have run
                errors.append(error)
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise ExceptionGroup("several callbacks raised", errors)


def _raise(error: Exception) -> None:
    raise error


def check_callbacks(*callbacks: Callable[..., object] | None) -> None:
    """Raise TypeError for a callback that cannot be called, or is async."""
    for callback in callbacks:
        if callback is not None and not callable(callback):
            raise TypeError(f"callbacks are functions, and {callback!r} is none")
        if inspect.iscoroutinefunction(callback):
            raise TypeError(f"callbacks are plain functions, and {callback.__name__} is async: nobody awaits it")


def named_fields(on_field: OnFields | None) -> dict[Any, Callable[[tuple[str | int, ...], Any], object]]:
    """Return the functions by path. Raises TypeError for what is no mapping, or a callback that is none."""
    if on_field is not None and not isinstance(on_field, Mapping):
        raise TypeError(f"on_field is a mapping such as {{'items.*.name': function}}, not {on_field!r}")
    check_callbacks(*(on_field or {}).values())
    return dict(on_field or {})


@dataclass(frozen=True, slots=True)
class AnswerRules(Generic[T]):
    """What counts as the answer, and whom to tell."""

    matcher: Matcher[T]
    marker: str
    skip_think: bool
    on_text: Callable[[str], object] | None
    on_match: Callable[[Found, T], object] | None
    on_completion: Callable[[Completion], object] | None
    on_partial: Callable[[Any], object] | None
    on_field: OnFields
    on_field_void: Callable[[int], object] | None
    tail: int | None = None  # bytes of the text's end to keep

    @property
    def watched(self) -> tuple[Path, ...]:
        """The paths of members that somebody watches."""
        return tuple(self.on_field)

    @property
    def need_text(self) -> bool:
        """Whether the text between objects is needed."""
        return self.on_text is not None or self.skip_think or self.matcher.contract == "marker"

    @property
    def awaits_completion_only(self) -> bool:
        """Whether objects are judged by the contract, and of those that match only the completion is told."""
        return bool(self.matcher.texts) and not (self.on_match or self.on_partial or self.on_field)

    def pipeline_options(self, scan: ScanOptions, *, no_agent: bool, see_all: bool) -> dict[str, Any]:
        """Return the options for reading the output: by ``scan``, and no more made of it than somebody asks for."""
        matcher = self.matcher
        # What is wanted of large objects is wanted of the answer; the events of an agent are built whole.
        fields = matcher.members(scan.get("fields")) if no_agent else None
        few = no_agent and not (see_all or self.need_text or self.on_field or matcher.ignores_any)
        newest = few and (matcher.takes_all or matcher.key is not None)
        judged = {"newest": newest, "key": matcher.key, "members": matcher.texts}
        return {**scan, "fields": fields, "tail": self.tail, **judged}


class AnswerReader(Generic[T]):
    """Takes the events of one text and keeps the newest that matches.

    ``pipeline`` is where the events come from. ``known`` is a match that was told already: only another one is told,
    when the text has ended. With ``is_draft=False`` members are told with their object only, once that is the match.
    """

    def __init__(
        self, rules: AnswerRules[T], pipeline: Pipeline, known: Found | None = None, *, is_draft: bool = True
    ) -> None:
        self._rules = rules
        self._pipeline = pipeline
        self._members_of = pipeline.members_of
        self._ended = False
        self._judges_texts = bool(rules.matcher.texts)
        self._known = known
        self._watchers = tuple(rules.on_field.values())
        self._holds_fields = known is not None or not is_draft
        self._fields: list[Field] = []  # of the object being read, where they are held
        self._match_fields: list[Field] = []
        self._shown = (-1, 0)  # start and size of the open object when its value was last shown
        self._told: int | None = None  # where the object begins of which members were told
        self._marker = Marker(rules.marker) if rules.matcher.contract == "marker" else None
        self._think = ThinkTracker() if rules.skip_think else None
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace") if rules.need_text else None
        self.last: Found | None = None  # the newest object, but for those that were only thought of
        self.match: Found | None = None
        self.value: Any = None
        self.completion: Completion | None = None

    @property
    def stats(self) -> Stats:
        """What was read of the text, in counts."""
        return self._pipeline.stats

    @property
    def unfinished(self) -> Unfinished | None:
        """The object in which the text ended."""
        return self._pipeline.unfinished

    @property
    def tail(self) -> str:
        """The end of the text, as far as it is kept."""
        return self._pipeline.tail

    @property
    def open(self) -> Unfinished | None:
        """The object being read now, but for one that is only thought of."""
        return None if self._think is not None and self._think.inside else self._pipeline.open

    @property
    def has_objects(self) -> bool:
        """Whether there was an object, even one that is ignored."""
        return self._pipeline.last is not None

    @property
    def is_malformed(self) -> bool:
        """Whether something began like an object, had a key and its colon, and turned out to be none."""
        return self._pipeline.stats.last_dead is not None

    def take(self, event: Inner, calls: Calls) -> None:
        """Take in the next event of the text; a fragment counts as text."""
        if isinstance(event, Found) and not event.fragment:
            if self._decoder is not None:
                self._interrupt_text(_LARGE if event.raw is None else event.raw, calls)
            self.take_object(event, calls)
        elif isinstance(event, Field):
            self._take_field(event, calls)
        elif isinstance(event, FieldsVoid):
            self.take_fields_back(calls)
        elif self._decoder is None:
            return
        elif isinstance(event, Text | Found):
            self._take_text(self._decoder.decode(_LARGE if event.raw is None else event.raw), calls)
        else:
            self._interrupt_text(b"{", calls)

    def take_object(self, found: Found, calls: Calls) -> None:
        """Take in the next object, where there is no text that it could interrupt, or `take` has seen to that."""
        fields, self._fields = self._fields, []
        matcher = self._rules.matcher
        if (self._think is not None and self._think.inside) or (matcher.ignores_any and matcher.ignores(found)):
            self.take_fields_back(calls)
            return
        self._told = None
        if found.empty:  # it satisfies nothing
            return
        self.last = found
        try:
            match = self._match(found)
        except Exception as error:  # of a user's schema function: reading goes on
            calls.fail(error)
            return
        if match is not None:
            self.match, self.value, self._match_fields = found, match.value, fields
            if matcher.contract == "json":
                self.completion = match.value
            if self._known is None:
                self._tell_match(calls)

    def judge(self, found: Found) -> Completion | None:
        """Take in the next object where the contract alone counts, and return what it says, which nobody was told yet.

        It is the short way, without what `take_object` does for others: that tells with small objects.
        """
        members_of = self._members_of  # looking it up and calling it at once takes Python longer
        texts = members_of(found.raw)
        if texts is not None:
            completion = match_texts(texts)
        elif found.empty:
            return None
        else:
            match = self._match(found)
            completion = None if match is None else match.value
        self.last = found
        if completion is not None:
            self.match = found
            self.value = self.completion = completion
        return completion

    def _match(self, found: Found) -> Match[Any] | None:
        matcher = self._rules.matcher
        if found.raw is None:
            return matcher.match(found)
        texts = self._members_of(found.raw) if self._judges_texts else None
        return matcher.match_raw(found.raw) if texts is None else matcher.match_texts(texts)

    def _take_field(self, field: Field, calls: Calls) -> None:
        if self._think is not None and self._think.inside:
            return
        if self._holds_fields:
            self._fields.append(field)
            return
        self._told = field.start
        self._tell_field(field, calls)

    def _tell_field(self, field: Field, calls: Calls) -> None:
        for watcher in field.watchers:
            calls.add(self._watchers[watcher], field.path, field.value)

    def show_open(self, calls: Calls) -> None:
        """Show the value so far of the object that is open, if there is more of it than before."""
        opened = None if self._rules.on_partial is None else self.open
        if opened is not None and (opened.start, opened.size) != self._shown:
            self._shown = (opened.start, opened.size)
            value = opened.partial()
            if value is not None:  # None where nothing of it is stored
                calls.add(self._rules.on_partial, value)

    def take_fields_back(self, calls: Calls) -> None:
        """Take back what was told of the object being read: it does not count."""
        self._fields.clear()
        if self._told is not None:
            calls.add(self._rules.on_field_void, self._told)
            self._told = None

    def end(self, calls: Calls) -> None:
        """End the text; the second time nothing happens."""
        if self._ended:
            return
        self._ended = True
        self.cut_text(calls)
        if self._marker is not None:
            self.completion = self.value = self._marker.close()
        if self._known is not None and self.match is not None and not _same(self.match, self._known):
            self._tell_match(calls)

    def tell_marker(self, calls: Calls) -> None:
        """Tell of the completion that a marker gives, which is known at the end of all that is said."""
        if self._marker is not None:
            calls.add(self._rules.on_completion, self.completion)

    def _tell_match(self, calls: Calls) -> None:
        rules = self._rules
        for field in self._match_fields:
            self._tell_field(field, calls)
        if rules.on_completion is not None and rules.matcher.contract == "json":
            calls.append((rules.on_completion, (self.completion,)))
        if rules.on_match is not None:
            calls.append((rules.on_match, (self.match, self.value)))

    def cut_text(self, calls: Calls) -> None:
        """Give out what of the text is held back: a character that is not whole, and will not be."""
        if self._decoder is not None:
            self._take_text(self._decoder.decode(b"", final=True), calls)

    def _take_text(self, text: str, calls: Calls) -> None:
        if not text:
            return
        if self._think is not None:
            self._think.feed(text)
        if self._marker is not None:
            self._marker.feed(text)
        calls.add(self._rules.on_text, text)

    def _interrupt_text(self, raw: bytes, calls: Calls) -> None:
        """End the text at something that is none, whose own text is ``raw``."""
        self.cut_text(calls)
        if self._think is not None:
            self._think.pass_object()
        if self._marker is not None:
            self._marker.feed(raw.decode("utf-8", "replace"))


def _same(one: Found, other: Found) -> bool:
    """Tell whether two objects say the same, perhaps spaced otherwise."""
    return (one.raw is not None and one.raw == other.raw) or value_or_none(one) == value_or_none(other)
