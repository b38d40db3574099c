"""The scanner gives exactly what the rule gives, on texts nobody would write, however they are cut."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from . import fuzz_oracle, search_worst
from .feeding import SCANNERS, random_chunks, scan
from .oracle import expected, headless, spans

SEED = 20_26
TEXTS = 3000
SECONDS = 20  # a slow machine checks fewer


def test_random_texts_equal_the_oracle() -> None:
    _, reports = fuzz_oracle.fuzz(TEXTS, SEED, SECONDS)
    assert not reports, "\n".join(reports)


OPTIONS = st.fixed_dictionaries(
    {
        "roots": st.sampled_from(["object", "array", "any"]),
        "framing": st.sampled_from(["free", "lines"]),
        "strict": st.booleans(),
        "max_depth": st.sampled_from([1, 2, 3, 200]),
        "max_object_bytes": st.sampled_from([None, None, 2, 7, 20]),
        "buffer_limit": st.sampled_from([None, None, 1, 5, 12]),
    }
)
TEXTS_OF_TOKENS = st.lists(st.sampled_from(fuzz_oracle.TOKENS), max_size=40).map(b"".join)
SEEDS = st.integers(0, 2**32)
quick = settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


@quick
@given(TEXTS_OF_TOKENS, OPTIONS, SEEDS)
def test_texts_of_tokens(text: bytes, options: fuzz_oracle.Options, seed: int) -> None:
    assert fuzz_oracle.check_plain(text, options, seed) is None


@quick
@given(TEXTS_OF_TOKENS, OPTIONS, SEEDS)
def test_terminal_sequences_between_any_two_bytes_change_nothing(
    text: bytes, options: fuzz_oracle.Options, seed: int
) -> None:
    assert fuzz_oracle.check_noisy(text, options, seed) is None


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@quick
@given(st.lists(st.dictionaries(st.text(max_size=4), JSON_VALUES, max_size=3), max_size=4), st.data(), SEEDS)
def test_json_that_python_wrote_and_a_cut(objects: list[object], data: st.DataObject, seed: int) -> None:
    import json

    indent = data.draw(st.sampled_from([None, 1]))
    ascii_only = data.draw(st.booleans())
    dumped = [json.dumps(value, indent=indent, ensure_ascii=ascii_only) for value in objects]
    text = "\n".join(dumped).encode("utf-8", "surrogatepass")
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    for part in (text, text[start:end]):
        options = {"roots": "object", "framing": "free", "strict": False, "max_depth": 200}
        assert fuzz_oracle.check_plain(part, options, seed) is None


@quick
@given(st.binary(max_size=200), SEEDS)
def test_any_bytes_at_all_are_read_alike_under_every_cut(data: bytes, seed: int) -> None:
    for name in SCANNERS:
        whole = scan([data], name)
        assert scan(random_chunks(data, random.Random(seed)), name) == whole


@pytest.mark.parametrize("digits", [4299, 4300, 4301, 9000])
@pytest.mark.parametrize("before", [b"", b"-"])
@pytest.mark.parametrize(
    "after", [b"}", b",", b" }", b".", b".5}", b"e", b"e9}", b"E+1}", b"", b'{"n":3}', b"\n", b"x"]
)
def test_integers_of_about_4300_digits(digits: int, before: bytes, after: bytes) -> None:
    text = b'{"a":{"b":1},"c":' + before + b"7" * digits + after + b' {"d":1}'
    for framing in ("free", "lines"):
        options = {"roots": "object", "framing": framing, "strict": False, "max_depth": 200}
        assert fuzz_oracle.check_plain(text, options, digits) is None


HEADS = [b',"usage":', b'"usage":', b"{'usage':", b'lost"', b'lost":', b'{"a":{},,', b',"', b"{ "]


@pytest.mark.parametrize("framing", ["free", "lines"])
@pytest.mark.parametrize("filler", [b" ", b"\n", b"[", b"x", b"\\"])
@pytest.mark.parametrize(
    "head", [b',"usage":', b'"usage":', b"{'usage':", b'lost"', b'lost":', b'{"a":{},,', b',"', b"{ "]
)
def test_what_stands_far_before_a_brace(head: bytes, filler: bytes, framing: str) -> None:
    for distance in (0, 1, 3, 100, *range(500, 514), 2000):
        gap = (filler * distance)[:distance]
        for text in (
            head + gap + b'{"n":1}',
            b"prose " + head + b'{"n":1}' + gap + b',{"m":1}' + gap + b' {"o":1}',
            head + b":" + gap + b'{"n":1}' + gap + b',[] , {"m":1}',
            head + gap + b'":{"n":1}',
            b"a line\n" + head + gap + b'":{"n":1}',
        ):
            wanted = [tuple(event[:5]) for event in expected(text, framing=framing)]
            for name in SCANNERS:
                for chunks in ([text], random_chunks(text, random.Random(distance))):
                    assert fuzz_oracle.facts(scan(chunks, name, framing=framing)) == wanted, text


@pytest.mark.parametrize("max_depth", [1, 2, 3, 4, 10, 200])
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 11, 199, 200, 201, 202, 400])
def test_depth(depth: int, max_depth: int) -> None:
    for opened, closed in ((b'{"a":', b"}"), (b"[", b"]"), (b'[{"a":', b"}]")):
        text = b'{"b":' + opened * depth + b"1" + closed * depth + b'} {"c":1}'
        for roots in ("object", "array", "any"):
            options = {"roots": roots, "framing": "free", "strict": False, "max_depth": max_depth}
            assert fuzz_oracle.check_plain(text, options, depth) is None


def test_no_text_makes_the_scanner_visit_bytes_more_than_three_times() -> None:
    worst, text = search_worst.search(seconds=8, seed=SEED, rounds=1500)
    assert worst <= 3.0, text


class TestOracle:
    """The oracle is held to Python's json, so that it may hold the scanner."""

    def test_finds_what_raw_decode_finds(self) -> None:
        rng = random.Random(SEED)
        for _ in range(3000):
            text = fuzz_oracle.random_text(rng)
            for roots in ("object", "array", "any"):
                found = [(event.start, event.end) for event in expected(text, roots=roots) if event.kind == "found"]
                assert found == spans(text, roots), text

    @pytest.mark.parametrize(
        ("text", "fragments"),
        [
            (b'{"a":1{"n":3}', [False]),  # the byte it dies at is not read as structure
            (b'{"a":{"n":3},,', [True]),
            (b'{"a":{"n":3}', [True]),
            (b'{"a":\n{"n":3}', [False]),  # column 0
            (b'{"a":"{"n":3}', [False]),  # inside a string of a dead one
            (b'{"a":"{\\"n\\":3}', []),
            (b'{"a":" {}', [True]),  # inside one that is open at the end
            (b'{"a":{"n":1},,,{"m":1} {"o":1}', [True, False, False]),
            (b'{"a":{"n":1},{"m":1}, {"o":1}', [True, True, True]),
            (b'The "result": {"n":1}', [False]),
            (b'"result": {"n":1}', [True]),
            (b'sult": {"n":1}', [True]),
        ],
    )
    def test_fragments(self, text: bytes, fragments: list[bool]) -> None:
        assert [event.fragment for event in expected(text) if event.kind == "found"] == fragments

    @pytest.mark.parametrize(
        ("before", "is_headless"),
        [
            (b',"usage":', True),
            (b', "usage" : [ [', True),
            (b"{'usage':", True),
            (b'ken","usage":', True),
            (b'sage":', True),
            (b'"usage":', True),
            (b'\n"usage":', True),
            (b'The "result": ', False),
            (b'my answer, "result": ', True),
            (b"so: ", False),
            (b"", False),
        ],
    )
    def test_headless(self, before: bytes, is_headless: bool) -> None:
        assert headless(before, len(before)) == is_headless
