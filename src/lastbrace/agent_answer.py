"""The answer inside an agent's events: drafts as they stream, the final text, structured output."""

from __future__ import annotations

import json
from typing import Generic

from .agents.adapter import Change
from .answer import AnswerReader, AnswerRules, Calls
from .events import Found
from .outcome import T
from .pipeline import Pipeline, ScanOptions


class AgentAnswer(Generic[T]):
    """Scans what an agent says by the same rule as any text, as often as it changes its mind.

    A draft that is abandoned takes its match with it. The final text wins over drafts, and structured output over text.
    Offsets are those of the answer's text.
    """

    def __init__(self, rules: AnswerRules[T], scan: ScanOptions) -> None:
        self._rules = rules
        self._scan: ScanOptions = {**scan, "framing": "free", "fields": rules.matcher.members(scan.get("fields"))}
        self._structured = False
        self._said = _Said(rules, self._scan)

    @property
    def reader(self) -> AnswerReader[T]:
        """The reading of what is said now."""
        return self._said.reader

    def apply(self, change: Change, calls: Calls) -> None:
        """Follow a change of the answer."""
        if change.kind == "structured":
            self._take_structured(change.value, calls)
        elif change.kind == "restart":
            self.reader.take_fields_back(calls)
            self._said, self._structured = _Said(self._rules, self._scan), False
        elif self._structured:
            return
        elif change.kind == "final":
            self._finish(change.value, calls)
        else:
            if self._said.ended:  # more is said after a final text
                self._said = _Said(self._rules, self._scan)
            self._said.add(change.value, calls)

    def end(self, calls: Calls) -> None:
        """End the answer."""
        self._said.end(calls)

    def _finish(self, text: str, calls: Calls) -> None:
        """Read the final text: what of it goes beyond the draft, or all of it where the draft was another."""
        draft = self._said.text()
        if self._said.ended and text == draft:
            return
        if self._said.ended or not text.startswith(draft):
            self.reader.take_fields_back(calls)
            self._said = _Said(self._rules, self._scan, known=self.reader.match)
            draft = ""
        self._said.add(text[len(draft) :], calls)
        self._said.end(calls)

    def _take_structured(self, value: object, calls: Calls) -> None:
        """Take structured output for the answer, if it is one."""
        if not isinstance(value, dict | list) or self._rules.matcher.contract == "marker":
            return
        try:
            text = json.dumps(value)
        except RecursionError:  # too deep to be an answer
            return
        said = _Said(self._rules, {**self._scan, "roots": "any"}, known=self.reader.match, is_draft=False)
        said.add(text, calls)
        said.end(calls)
        if said.reader.match is not None:
            self.reader.take_fields_back(calls)
            self._said, self._structured = said, True


class _Said(Generic[T]):
    """One text that the agent said, and the reading of it; ``known`` is a match that was told already."""

    def __init__(
        self, rules: AnswerRules[T], scan: ScanOptions, known: Found | None = None, *, is_draft: bool = True
    ) -> None:
        self._pipeline = Pipeline(
            **scan, text=rules.need_text, watched=rules.watched, tail=rules.tail, members=rules.matcher.texts
        )
        self._pieces: list[str] = []
        self.reader = AnswerReader(rules, self._pipeline, known, is_draft=is_draft)

    @property
    def ended(self) -> bool:
        return self._pipeline.closed

    def text(self) -> str:
        return "".join(self._pieces)

    def add(self, text: str, calls: Calls) -> None:
        self._pieces.append(text)
        for event in self._pipeline.feed(text):
            self.reader.take(event, calls)

    def end(self, calls: Calls) -> None:
        for event in self._pipeline.close():
            self.reader.take(event, calls)
        self.reader.end(calls)
