"""Members that are noted while their object is read: they are what decoding the object gives."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lastbrace import Completion, Watcher
from lastbrace.completion import match_completion
from lastbrace.implementation import AUTOMATA
from lastbrace.matching import Matcher
from lastbrace.pipeline import Pipeline

from .feeding import in_bytes, random_chunks

in_c = pytest.mark.parametrize("kind", [kind for kind in AUTOMATA if kind == "c"])
NAMES = Matcher("json", None).texts
KEYS = [
    '"status"', '"summary"', '"next"', r'"stat\u0075s"', r'"next\n"', '"statu"', '"statuses"', '"\u00e9"', '"x"', '""',
    r'"\\status"',
]  # fmt: skip
VALUES = [
    '"done"', '"continue"', r'"d\u006fne"', r'"\ud800"', '"a \\"b\\" \u00e9\U0001f600"', '""', "1", "null", "true",
    "[]", '{"status": "done"}', '["status", "done"]', "-1.5e3", "NaN", '"' + "x" * 300 + '"', '":"',
]  # fmt: skip
SPACES = ["", " ", "\n", "\t  \r\n"]


@st.composite
def objects(draw: st.DrawFn) -> str:
    space = st.sampled_from(SPACES)
    members = [
        f"{draw(space)}{draw(st.sampled_from(KEYS))}{draw(space)}:{draw(space)}{draw(st.sampled_from(VALUES))}{draw(space)}"
        for _ in range(draw(st.integers(0, 6)))
    ]
    return "{" + ",".join(members) + "}"


def check_noted(pipeline: Pipeline, names: Sequence[bytes]) -> None:
    """Fail where a pipeline tells other members than the object has."""
    noted = None if pipeline.last is None else pipeline.members_of(pipeline.last.raw)
    if pipeline.last is None or noted is None:
        return
    value = pipeline.last.value
    for name, told in zip(map(bytes.decode, names), noted, strict=True):
        member = value.get(name)
        assert told == (member if isinstance(member, str) or name not in value else False), (pipeline.last, name)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(["prose {", "\n", '{"torn": ', "{}", "\x1b[1m"]) | objects(), max_size=5), st.integers()
)
def test_noted_members_are_those_of_the_object(pieces: list[str], seed: int) -> None:
    text = "".join(pieces).encode()
    for chunks in ([text], in_bytes(text), random_chunks(text, random.Random(seed))):
        for kind in AUTOMATA:
            pipeline = Pipeline(members=NAMES, _implementation=kind)
            for chunk in chunks:
                pipeline.feed(chunk)
                check_noted(pipeline, NAMES)


@settings(max_examples=300, deadline=None)
@given(st.lists(objects(), min_size=1, max_size=4), st.integers())
def test_completions_are_those_of_the_objects(texts: list[str], seed: int) -> None:
    wanted = [match_completion(text.encode()) for text in texts]
    whole = "prose ".join(texts).encode()
    for chunks in ([whole], in_bytes(whole), random_chunks(whole, random.Random(seed))):
        seen: list[Completion] = []
        watcher: Watcher[Any] = Watcher(on_completion=seen.append)
        for chunk in chunks:
            watcher.feed(chunk)
        watcher.close()
        assert watcher.completion == next((each for each in reversed(wanted) if each is not None), None)
        assert seen[-1:] == ([] if watcher.completion is None else [watcher.completion])


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(["prose {", "\n", '{"torn": ', "{}", '{"status": "done"}, ']) | objects(), max_size=5),
    st.integers(),
)
def test_who_asks_for_more_hears_of_the_same_completions(pieces: list[str], seed: int) -> None:
    text = "".join(pieces).encode()
    for chunks in ([text], in_bytes(text), random_chunks(text, random.Random(seed))):
        for kind in AUTOMATA:
            heard: tuple[list[Completion], list[Completion]] = [], []
            one: Watcher[Any] = Watcher(on_completion=heard[0].append, _implementation=kind)  # type: ignore[call-arg]
            other: Watcher[Any] = Watcher(
                on_completion=heard[1].append,
                on_match=lambda *_: None,
                _implementation=kind,  # type: ignore[call-arg]
            )
            for chunk in chunks:
                one.feed(chunk)
                other.feed(chunk)
                assert (one.last, one.match, one.completion, heard[0]) == (
                    other.last, other.match, other.completion, heard[1],
                )  # fmt: skip
            assert repr(one.close()) == repr(other.close())


@in_c  # the one in Python notes none
def test_a_large_object_is_not_decoded_to_be_judged(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps({"files": ["x" * 100] * 1000, "summary": "all green", "status": "done"}).encode()
    seen: list[Completion] = []
    watcher: Watcher[Any] = Watcher(on_completion=seen.append, _implementation=kind)  # type: ignore[call-arg]
    monkeypatch.setattr(Matcher, "match", None)
    watcher._rules.matcher.match_raw = None  # type: ignore[assignment]
    for at in range(0, len(text), 4096):
        watcher.feed(text[at : at + 4096])
    assert [(completion.status, completion.summary) for completion in seen] == [("done", "all green")]


@pytest.mark.parametrize("depth", [150, 900, 1100, 4000])
def test_what_is_too_deep_to_be_decoded_is_no_completion(depth: int) -> None:
    text = b'{"status": "done", "deep": ' + b"[" * depth + b"]" * depth + b"}"
    for kind in AUTOMATA:
        watcher: Watcher[Any] = Watcher(max_depth=5000, _implementation=kind)  # type: ignore[call-arg]
        watcher.feed(text)
        assert watcher.completion == match_completion(text)


@in_c
@pytest.mark.parametrize("members", [("status",), (b"a", b"b", b"c", b"d", b"e"), [b"a"]])
def test_names_must_be_few_and_bytes(kind: str, members: Any) -> None:
    with pytest.raises(TypeError, match="members must be a tuple of bytes, 4 at most"):
        Pipeline(members=members, _implementation=kind)
