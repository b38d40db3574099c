"""Targets: what becomes of an agent's output, and of that in a container's log."""

from __future__ import annotations

import json
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from typing import Any, Literal

import lastbrace
from lastbrace import Outcome
from lastbrace.agents import ADAPTERS
from lastbrace.cli.running import describe, judge
from lastbrace.following.unwrap import Unwrapper, read_cri, read_docker

from .inputs import Input, few_ways, must_be_same, told, two_ways

AGENTS = ("auto", *(str(adapter.name) for adapter in ADAPTERS), None)
_NAMES = {*AGENTS[1:]}
_STATES = ("ok", "incomplete", "no_match", "malformed", "none")
_SHORT = 4000  # characters of a reason or a repr: they are for people


def agents(data: bytes) -> Any:
    """Whatever an agent prints, nothing raises, and one outcome comes of it that does not contradict itself."""
    chosen = Input(data)
    options: dict[str, Any] = {
        "agent": chosen.choose(AGENTS),
        "contract": chosen.choose(("json", "marker", None)),
        "recover": chosen.choose((False, True, "accept")),
        "skip_think": chosen.choose((False, True)),
        "framing": chosen.choose(("free", "lines")),
    }
    fields = chosen.choose((False, True))
    returncode, stopped = chosen.choose(((0, False), (None, False), (1, False), (-9, False), (-15, True)))
    if options["contract"] == "marker":
        options["recover"] = False
    stdout, stderr = chosen.parts(2)
    first: Any = None
    members: Any = None
    for chunks in two_ways(stdout):
        calls = Calls()
        watcher = lastbrace.Watcher(**calls.callbacks(fields=fields), **options)
        for chunk in chunks:
            watcher.feed(chunk)
        state = watcher.state
        outcome = watcher.close(returncode, stderr, stopped=stopped)
        check_outcome(outcome, options)
        seen = (what_it_says(outcome), calls.summary(), state)
        first = seen if first is None else first
        must_be_same(first, seen, chunks)
        if not calls.voids:  # what does not count in the end may have been told of, as it came, or not
            members = calls.fields if members is None else members
            must_be_same(members, calls.fields, chunks)
    return first


class Calls:
    """What the callbacks were given, in order, texts joined."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.others: list[Any] = []
        self.replies: list[lastbrace.Reply] = []
        self.fields: list[Any] = []
        self.voids: list[int] = []

    def callbacks(self, *, fields: bool) -> dict[str, Any]:
        live = {
            "on_field": {"*": lambda path, value: self.fields.append((path, repr(value)))},
            "on_field_void": self.voids.append,
            "on_partial": repr,
        }
        return {
            "on_object": lambda found: self.others.append(("object", found)),
            "on_text": self.texts.append,
            "on_match": lambda found, value: self.others.append(("match", found, value)),
            "on_completion": lambda completion: self.others.append(("completion", completion)),
            "on_reply": self.replies.append,
            **(live if fields else {}),
        }

    def summary(self) -> Any:
        return "".join(self.texts), self.others


def what_it_says(outcome: Outcome[Any]) -> Any:
    """Return what must be the same whatever the cuts."""
    return (
        outcome.ok, outcome.reason, outcome.state, outcome.completion, outcome.reply, outcome.last,
        outcome.match, outcome.value, outcome.recovered, outcome.unfinished, told(outcome.stats),
    )  # fmt: skip


def check_outcome(outcome: Outcome[Any], options: dict[str, Any]) -> None:
    """Fail where an outcome contradicts itself, or cannot be shown."""
    reply, completion = outcome.reply, outcome.completion
    assert outcome.state in _STATES
    assert (reply is None) == (options["agent"] is None)
    if outcome.ok:
        assert outcome.state == "ok"
        assert outcome.returncode in (None, 0, -15)
        assert completion is None or completion.status in ("done", "continue")
        assert reply is None or not reply.is_error
    else:
        assert outcome.reason
    assert all(character.isprintable() or character in "\n\t" for character in outcome.reason), outcome.reason
    assert max(len(outcome.reason), len(repr(outcome))) < _SHORT
    if reply is not None:
        assert reply.agent is None or (reply.agent in _NAMES and options["agent"] in ("auto", reply.agent))
        assert type(reply.text) is str
        assert bool(reply.error) == reply.is_error
        assert len(repr(reply)) < _SHORT
        for name in ("session_id", "subtype", "error"):
            assert isinstance(getattr(reply, name), str | None), name
        for name in ("cost_usd", "duration_ms", "duration_api_ms", "turns"):
            number = getattr(reply, name)
            assert number is None or (isinstance(number, int | float) and not isinstance(number, bool)), name
            assert number is None or abs(number) < float("inf"), name
    if options["contract"] == "json":
        assert completion is not None
        assert (completion.error is None) == (outcome.state == "ok") or completion.error != "invalid-json"
    line = describe(judge(outcome))  # what the command line prints
    assert b"\n" not in line
    assert json.loads(line)["ok"] == outcome.ok


def container_log(data: bytes) -> Any:
    """A container's log gives the same text whatever the cuts, each object in it from whole lines of the file.

    The objects are those that the text of each output stream has, by itself.
    """
    chosen = Input(data)
    form: Literal["docker", "cri"] = chosen.choose(("docker", "cri"))
    log = chosen.rest
    first: Any = None
    for chunks in few_ways(log):
        reading = _Unwrapped(form, chunks)
        for _, start, end in reading.found:
            assert 0 <= start < end <= len(log)
            assert log[end - 1 : end] == b"\n"
            assert not start or log[start - 1 : start] == b"\n"
        unwrapper = reading.unwrapper
        seen = (bytes(reading.text), reading.found, unwrapper.offset, unwrapper.is_between)
        first = seen if first is None else first
        must_be_same(first, seen, chunks)
        if not any(mark in log for mark in (BOM_UTF16_LE, BOM_UTF16_BE)):  # one counts where the text begins with it
            assert sorted(reading.whole) == sorted(_whole_in_each(form, log))
    return first


def _whole_in_each(form: Literal["docker", "cri"], log: bytes) -> list[bytes | None]:
    """Return the objects in the text of each output stream, pieces of broken ones left out."""
    texts: dict[str, bytes] = {}
    for line in log.split(b"\n")[:-1]:
        if line:
            stream, text, _ = (read_docker if form == "docker" else read_cri)(line.rstrip(b"\r"))
            texts[stream] = texts.get(stream, b"") + text
    return [found.raw for text in texts.values() for found in lastbrace.find_objects(text)]


class _Unwrapped:
    """A container's log, read as a follower reads it: its text, and the objects with their places in the log."""

    def __init__(self, form: Literal["docker", "cri"], chunks: list[bytes]) -> None:
        self.text = bytearray()
        self.found: list[tuple[bytes | None, int, int]] = []
        self.whole: list[bytes | None] = []
        """Those of the objects that are no pieces of a broken one."""
        self.unwrapper = Unwrapper(form, 0, self._feed)
        self._scanner = lastbrace.Scanner()
        for chunk in chunks:
            self.unwrapper.take(chunk)
            opened = self._scanner.open
            self.unwrapper.forget(self._scanner.stats.bytes if opened is None else opened.start)
        self.unwrapper.close()
        self._see(self._scanner.close())

    def _feed(self, text: bytes) -> None:
        self.text += text
        self._see(self._scanner.feed(text))

    def _see(self, events: list[lastbrace.Event]) -> None:
        for found in events:
            if isinstance(found, lastbrace.Found):
                self.found.append((found.raw, *self.unwrapper.span(found.start, found.end)))
                if not found.fragment:
                    self.whole.append(found.raw)
