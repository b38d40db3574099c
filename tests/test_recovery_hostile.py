"""Recovery on damage nobody chose, and on texts made to be slow."""

from __future__ import annotations

import json
import random
import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lastbrace import recover
from lastbrace.members import members_of
from lastbrace.recovery.by_keys import KeyReader
from lastbrace.recovery.parts import MAX_STEPS_PER_CHARACTER

from .test_recovery import VERDICT_SCHEMA

SCHEMA = {
    **VERDICT_SCHEMA,
    "properties": {**VERDICT_SCHEMA["properties"], "next": {"type": "string"}, "count": {"type": "integer"}},  # type: ignore[dict-item]
}
WORDS = [
    "ok", "the", "3.5", "C:\\proj", "\\d+", "{", "}", '"quoted words"', '{"a": "b"}', '{"ok": true, "n": [1, 2]}',
    "[x]",
    "\n", "\t", "é", "😀", "it's", '"', "a: b", "```", "\\", "“so”", "<b>", "verdict", '"findings"', ", ", ".", ":",
    "//", '{"verdict": "approve"}', "\r\n", "summary:", "/* c */", 'say "}" and', '"}', '{"',
]  # fmt: skip
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join) | st.text(max_size=12)
# What is a member itself once its quotes are bare, no reader can tell from one.
unclear = re.compile(r'"\s*,\s*"[^"\\\n]*"\s*:|"\s*,?\s*\}', re.DOTALL).search


@st.composite
def answers(draw: st.DrawFn) -> dict[str, Any]:
    value: dict[str, Any] = {
        "verdict": draw(st.sampled_from(["approve", "needs-attention"])),
        "summary": draw(texts),
        "findings": draw(
            st.lists(texts | st.integers() | st.dictionaries(texts, st.booleans(), max_size=2), max_size=3)
        ),
    }
    if draw(st.booleans()):
        value["next"] = draw(texts)
    if draw(st.booleans()):
        value["count"] = draw(st.integers())
    if draw(st.booleans()):
        value["extra"] = draw(texts | st.none() | st.booleans())
    names = draw(st.permutations(list(value)))
    return {name: value[name] for name in names}


def damaged(value: dict[str, Any], rng: random.Random) -> str:
    """Return the answer as a careless model prints it: what should be escaped is not, here and there."""
    members = []
    for name, member in value.items():
        text = json.dumps(member, ensure_ascii=rng.random() < 0.3)
        if isinstance(member, str) and name != "verdict":
            body = text[1:-1]
            if rng.random() < 0.6:
                body = body.replace('\\"', '"')
            if rng.random() < 0.5:
                body = re.sub(
                    r"\\([nrt])", lambda m: {"n": "\n", "r": "\r", "t": "\t"}[m[1]], re.sub(r"\\\\", "\0\0", body)
                ).replace("\0\0", "\\\\")
            if rng.random() < 0.5:
                body = re.sub(r"\\\\(?![\"\\/bfnrtu]|\Z)", r"\\", body)
            text = f'"{body}"'
        members.append(f'"{name}"{rng.choice(["", " "])}:{rng.choice(["", " ", chr(10)])}{text}')
    separator = rng.choice([",", ", ", ",\n  "])
    return "{" + rng.choice(["", " ", "\n  "]) + separator.join(members) + rng.choice(["", "\n", ",\n"]) + "}"


@settings(max_examples=200, deadline=None)
@given(answers(), st.integers(0, 2**32))
def test_what_is_recovered_is_what_was_meant(value: dict[str, Any], seed: int) -> None:
    rng = random.Random(seed)
    text = damaged(value, rng)
    strings = [member for member in value.values() if isinstance(member, str)]
    if any(unclear(string) for string in strings):
        return
    text = rng.choice(["%s", "Here:\n```json\n%s\n```\n", "I think %s is right."]).replace("%s", text)
    recovered = recover(text, SCHEMA)
    assert recovered is None or recovered.value == value, text


def test_damage_of_everyday_answers_is_repaired() -> None:
    rng = random.Random(1)
    plain = ["all", "tests", '"pass"', "C:\\proj", "3.5", "\n", "\t", "(see", "a.py)", "it's", "done.", '{"ok": true}']
    repaired = 0
    for _ in range(300):
        value = {
            "verdict": "approve", "summary": " ".join(rng.choices(plain, k=8)), "findings": ["a"],
            "next": " ".join(rng.choices(plain, k=4)),
        }  # fmt: skip
        recovered = recover(damaged(value, rng), SCHEMA)
        assert recovered is None or recovered.value == value
        repaired += recovered is not None
    assert repaired >= 285


@settings(max_examples=100, deadline=None)
@given(answers(), st.integers(0, 2**32), st.floats(0, 1))
def test_cutting_invents_nothing(value: dict[str, Any], seed: int, where: float) -> None:
    text = damaged(value, random.Random(seed))
    if any(unclear(string) for string in value.values() if isinstance(string, str)) or "}" in value["summary"]:
        return
    if any("}" in str(member) for member in value.values()):
        return
    cut = text[: int(where * (len(text.rstrip()) - 1))]
    assert recover(cut, SCHEMA) is None


@settings(max_examples=200, deadline=None)
@given(answers(), st.booleans(), st.floats(0, 1))
def test_a_cut_answer_that_is_json_so_far_has_no_value(value: dict[str, Any], is_ascii: bool, where: float) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii)
    cut = text[: int(where * (len(text) - 1))]
    assert recover(cut, SCHEMA) is None
    assert recover(cut, {**SCHEMA, "required": ["verdict"]}) is None


@pytest.mark.parametrize(
    "cut",
    [
        r"""["{\"id\": [{\"if {\", \"sev\": 2}]}\n{\"fif err != nil {\", \"sev\": 2}]""",
        r"""["x", {"{\"(?=,ict[{\\[]|[}\\]]|\\0{0,\":[]}\\n``": "x", "verdict""",
        r"""["a", "]}", [1, {"b": "}]}" """,
        r"""["]}\\""",
        r"""["]}", 1""",
    ],
)
def test_a_bracket_in_a_string_ends_no_array_that_was_cut(cut: str) -> None:
    text = '{"verdict": "approve", "summary": "x", "findings": ' + cut
    assert recover(text, SCHEMA) is None
    broken = text.replace('"x"', '"say "x" now"', 1)
    assert recover(broken, SCHEMA) is None
    assert recover(broken, SCHEMA, truncated="accept") is not None


pieces = st.lists(
    st.sampled_from(
        ['{"verdict": "approve"', '"summary": "', '"', "{", "}", "[", "]", ",", '"findings": [', '"next":', ":", "\\",
         "x", "\n", "'", "<think>", "</think>", "//", "/*", "*/", '{"', '", "', "True", "1", " " * 5, '"}', "\x1b[0m",
         "{a:", "\ud83d"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(pieces)
def test_no_text_raises_and_every_value_satisfies(text: str) -> None:
    for truncated in ("refuse", "accept"):
        recovered = recover(text, SCHEMA, truncated=truncated, general="json_repair")  # type: ignore[arg-type]
        if recovered is not None:
            assert {"verdict", "summary", "findings"} <= recovered.value.keys()
            assert all(f"{name}" in text for name in ("verdict", "summary", "findings"))
            assert json.loads(recovered.raw.decode("utf-8", "surrogatepass")) == recovered.value


KEYS = {"properties": {f"k{n}": {"type": "string"} for n in range(300)}, "required": ["k0"]}
TRAPS = {
    "braces": "{",
    "objects": '{"a":',
    "objects closed": '{"a":1}',
    "known objects": '{"verdict": "approve", "summary": "x',
    "quotes": '"',
    "escaped quotes": '\\"',
    "quotes in a string": '{"summary": "' + '"x" ' * 20,
    "ends of strings": '"}',
    "members": ', "summary": "x"',
    "arrays": '{"findings": [',
    "arrays with quotes": '"findings": ["], ',
    "wrong brackets": '{"findings": [}',
    "unreadable arrays": '{"findings": [}], ',
    "spaces": '{"summary"                    ',
    "commas": ",",
    "line ends": "\n",
    "new records": '\n{"summary": "x',
    "thoughts": "<think>",
    "single quotes": "{'a': '",
    "comments": "{a: /*",
    "line comments": "{//",
    "unquoted": "{a:",
    "brackets": "[{",
    "braces closed": "}",
    "known keys": '{"k0": "' + "".join(f'", "k{n}": "x "y" z' for n in range(1, 40)),
    "curly quotes": '{"summary": "x\u201d, ',
}


@pytest.mark.parametrize("trap", TRAPS)
def test_work_grows_no_faster_than_the_text(trap: str) -> None:
    for schema in (SCHEMA, KEYS):
        for size in (4_000, 16_000):
            for before in ("", '{"verdict": "approve", "findings": [], "summary": "'):
                reader = KeyReader(before + TRAPS[trap] * (size // len(TRAPS[trap])), members_of(schema))
                reader.read()
                assert reader.parts.steps <= MAX_STEPS_PER_CHARACTER * (len(reader.parts.text) + 2 * size)


def seconds(text: str) -> float:
    started = time.process_time()
    recover(text, SCHEMA)
    recover(text, SCHEMA, truncated="accept")
    return time.process_time() - started


@pytest.mark.parametrize("trap", TRAPS)
def test_time_grows_no_faster_than_the_text(trap: str) -> None:
    before = '{"verdict": "approve", "findings": [], "summary": "'
    small, large = (before + TRAPS[trap] * (size // len(TRAPS[trap])) for size in (5_000, 30_000))
    assert seconds(large) < 18 * seconds(small) + 0.05  # 6 times the text


@pytest.mark.parametrize("trap", ["/* ", "\\'"])
def test_what_begins_again_and_again_and_never_ends_takes_no_longer(trap: str) -> None:
    small, large = ("{'verdict': " + trap * (size // len(trap)) + "}" for size in (5_000, 30_000))
    assert seconds(large) < 18 * seconds(small) + 0.05


def test_a_large_honest_answer_is_repaired_whole() -> None:
    summary = 'it says "this" and {"that": 1} in C:\\proj.\n' * 5000
    value = {"verdict": "approve", "findings": ["a"], "summary": summary.strip()}
    text = '{"verdict": "approve", "findings": ["a"], "summary": "' + value["summary"] + '"}'  # type: ignore[operator]
    assert len(text) > 200_000
    recovered = recover(text, SCHEMA)
    assert recovered is not None
    assert recovered.value == value
    reader = KeyReader(text, members_of(SCHEMA))
    assert len(reader.read()) == 1
    assert reader.parts.steps < 4 * len(text)
