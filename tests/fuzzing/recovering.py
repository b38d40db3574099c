"""Target: answers that are almost JSON."""

from __future__ import annotations

import json
import time
from typing import Any, Literal

import lastbrace
from lastbrace.schema import compile_schema

from .inputs import Input, must_be_same

VERDICT = {
    "type": "object",
    "properties": {
        "verdict": {"enum": ["yes", "no"]},
        "summary": {"type": "string"},
        "n": {"type": "integer"},
        "list": {"type": "array"},
        "more": {"type": "object", "default": {}},
    },
    "required": ["verdict", "summary"],
}
_SHORT = 4000  # characters of a repr: it is for people


def _done_or_not(value: Any) -> Any:
    if not isinstance(value, dict) or not isinstance(value.get("verdict"), str):
        raise ValueError("no verdict")
    return value


_SCHEMAS = [*map(compile_schema, (VERDICT, {"type": "object", "required": ["verdict", "n"]}, _done_or_not))]
_REQUIRED = (("verdict", "summary"), ("verdict", "n"), ("verdict",))


def recovery(data: bytes) -> Any:
    """Nothing raises; an answer satisfies its schema with words of the text; what is cut has none unless accepted."""
    chosen = Input(data)
    which = chosen.choose((0, 1, 2))
    truncated: Literal["refuse", "accept"] = chosen.choose(("refuse", "accept"))
    general: Literal["json_repair"] | None = chosen.choose((None, "json_repair"))
    kind = chosen.choose(("text", "cut", "growth"))
    text = chosen.rest
    if kind == "cut":
        return _cut_answer(text)
    if kind == "growth":
        return _growth(text, which, truncated)
    recovered = lastbrace.recover(text, _SCHEMAS[which], truncated=truncated, general=general)
    if recovered is not None:
        assert isinstance(recovered.value, dict)
        assert all(name in recovered.value for name in _REQUIRED[which]), recovered
        if which == 0:
            assert recovered.value["verdict"] in ("yes", "no")
            assert isinstance(recovered.value["summary"], str)
        must_be_same(recovered.value, json.loads(recovered.raw.decode("utf-8", "replace")), text)
        assert len(repr(recovered)) < _SHORT
        if truncated == "refuse":
            assert b"}" in text, recovered
        assert "closed" not in recovered.repairs or truncated == "accept"
    before = text[: text.find(b"}")] if b"}" in text else text
    assert lastbrace.recover(before, _SCHEMAS[which], general=general) is None, before
    return None if recovered is None else (repr(recovered.value), recovered.repairs, recovered.raw)


def _cut_answer(data: bytes) -> Any:
    """Write an answer with these texts as a program writes it, and cut it anywhere: there is none."""
    summary, other, key = (part.decode("utf-8", "replace") for part in [*data.split(b"\x1e", 2), b"", b""][:3])
    answer = {"verdict": "yes", "summary": summary, "list": [other, {key: other, "verdict": "no"}], "n": 3}
    text = json.dumps(answer, ensure_ascii=len(data) % 2 == 0).encode()
    assert lastbrace.recover(text, _SCHEMAS[0]) == lastbrace.Recovered(answer, (), text)
    step = max(1, len(text) // 12)
    for end in {*range(1, len(text), step), len(text) - 1}:
        cut = lastbrace.recover(text[:end], _SCHEMAS[end % 2])
        assert cut is None, (text[:end], cut)
    return None


_SIZES = (2000, 8000, 32000)  # bytes
_TIMES_AS_LONG = 10
_NOISE = 0.03  # seconds that a busy machine adds


def _growth(data: bytes, which: int, truncated: Literal["refuse", "accept"]) -> None:
    """Four times the text takes less than ten times as long, as often as it is tried; one of two times will do.

    From some size on a text may be read in a way of which nothing was tried before, once.
    """
    pattern = data[:200] or b"{"
    before, again = (pattern[:20], pattern[20:]) if len(pattern) > 30 else (b"", pattern)
    texts = [before + again * (size // len(again)) for size in _SIZES]
    times = []
    for _ in range(4):
        seconds = [_seconds(text, which, truncated) for text in texts[:2]]
        if seconds[1] >= _TIMES_AS_LONG * seconds[0] + _NOISE:
            seconds.append(_seconds(texts[2], which, truncated))
        if len(seconds) == 2 or seconds[2] < _TIMES_AS_LONG * seconds[1] + _NOISE:
            return
        times.append(seconds)
    raise AssertionError(f"seconds {times} for {[*map(len, texts)]} bytes of {pattern!r}")


def _seconds(text: bytes, which: int, truncated: Literal["refuse", "accept"]) -> float:
    began = time.process_time()
    lastbrace.recover(text, _SCHEMAS[which], truncated=truncated)
    return time.process_time() - began
