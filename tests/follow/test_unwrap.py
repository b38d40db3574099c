"""Container logs: the text in Docker's and the CRI's lines, partial lines joined, and a cursor that fits."""

from __future__ import annotations

import json
import random
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

import lastbrace
from lastbrace.following.unwrap import Unwrapper, read_cri, read_docker

from ..cases import ALL
from .files import Looks, append, followed, no_more, rest, take, values

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio

TIME = "2016-10-06T00:17:09.669794202Z"
JOINED = next(case for case in ALL if case.name == "tail/docker-splits-a-line")


def docker(text: str, stream: str = "stdout") -> str:
    return json.dumps({"log": text, "stream": stream, "time": TIME}) + "\n"


def cri(text: str, stream: str = "stdout") -> str:
    tag = "F" if text.endswith("\n") else "P"
    return f"{TIME} {stream} {tag} {text.removesuffix(chr(10))}\n"


WRAPS = pytest.mark.parametrize(("form", "wrap"), [("docker", docker), ("cri", cri)], ids=["docker", "cri"])


async def test_the_case(tmp_path: Path) -> None:
    (tmp_path / "c.log").write_bytes(JOINED.text)
    async with followed(tmp_path / "c.log", start="start", unwrap="docker") as log:
        (record,) = await take(log, 1)
        assert record.value == JOINED.expect["inner"]["last"]
        assert (record.start, record.end) == (0, len(JOINED.text))


@WRAPS
async def test_partial_lines_of_two_streams(tmp_path: Path, form: Any, wrap: Any) -> None:
    path = tmp_path / "c.log"
    lines = [
        wrap('{"n": 1} {"a": "'), wrap('err {"n": 2', "stderr"), wrap("x" * 50), wrap('} {"n": 3}\n', "stderr"),
        wrap('"}\n'), wrap("plain\n"), "neither {}\n", wrap('{"n": 4}\n'),
    ]  # fmt: skip
    path.write_text("".join(lines))
    ends = [len("".join(lines[:number])) for number in range(len(lines) + 1)]
    wanted = [{"n": 1}, {"n": 2}, {"n": 3}, {"a": "x" * 50}, {}, {"n": 4}]
    places = [(0, 1), (1, 4), (3, 4), (0, 5), (6, 7), (7, 8)]
    cursors = []
    async with followed(path, start="start", unwrap=form) as log:
        for value, (first, last) in zip(wanted, places, strict=True):
            cursors.append(json.loads(json.dumps(log.cursor)))
            (record,) = await take(log, 1)
            assert (record.value, record.start, record.end) == (value, ends[first], ends[last])
        cursors.append(log.cursor)
    append(path, wrap('{"n": 5}\n'))
    for number, cursor in enumerate(cursors):
        async with followed(path, start=cursor, unwrap=form) as log:
            assert await values(log, 7 - number) == [*wanted[number:], {"n": 5}]


@WRAPS
async def test_from_the_end_and_a_line_that_is_being_written(tmp_path: Path, form: Any, wrap: Any) -> None:
    path = tmp_path / "c.log"
    whole = wrap('{"n": 2}\n')
    path.write_text(wrap('{"n": 1}\n') + whole[:30])
    async with followed(path, unwrap=form) as log:
        append(path, whole[30:])
        assert await values(log, 1) == [{"n": 2}]


@WRAPS
@pytest.mark.parametrize(
    "line",
    [
        ("Working...", ' done {"a": 0}\n', {"a": 0}),
        ('Working... {"a": "', '"}\n', {"a": ""}),
        ('{\n"a":', "0}\n", {"a": 0}),
        ("\x1b]0;title", '\x07{"a": 0}\n', {"a": 0}),
    ],
)
async def test_records_beside_a_line_that_is_not_whole_come_at_once(
    tmp_path: Path, form: Any, wrap: Any, line: tuple[str, str, Any]
) -> None:
    begin, end, value = line
    path = tmp_path / "0.log"
    path.write_text("".join(map(wrap, begin.splitlines(keepends=True))))
    async with followed(path, start="start", unwrap=form) as log:
        for number in (1, 2, 3):
            append(path, wrap(f'{{"n": {number}}}\n', "stderr"))
            assert await values(log, 1) == [{"n": number}]
        cursor = log.cursor
        append(path, wrap(end) + wrap('{"n": 4}\n', "stderr"))
        assert await values(log, 2) == [value, {"n": 4}]
    async with followed(path, start=cursor, unwrap=form) as log:
        assert await values(log, 2) == [value, {"n": 4}]


@WRAPS
async def test_a_rotation_behind_a_line_that_is_not_whole(
    tmp_path: Path, form: Any, wrap: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, looks = tmp_path / "0.log", Looks(monkeypatch)
    path.write_text(wrap('{"a": "'))
    async with followed(path, start="start", unwrap=form) as log:
        await looks.two_more()
        with looks.none():
            append(path, wrap('{"n": 1}\n', "stderr") + wrap('{"n": 2}\n', "stderr"))
            path.rename(path.with_name("0.log.20260101-000000"))
            path.write_text(wrap('"}\n') + wrap('{"n": 3}\n'))
        assert await values(log, 3) == [{"n": 1}, {"n": 2}, {"n": 3}]
        await looks.two_more()
        assert await no_more(log)


@WRAPS
async def test_an_object_at_the_end_of_a_line_that_is_not_whole_comes_at_once(
    tmp_path: Path, form: Any, wrap: Any
) -> None:
    path = tmp_path / "0.log"
    path.write_text("")
    async with followed(path, unwrap=form) as log:
        for begin in ("plain ", "{\n", '{\n"n": 0,\n'):
            append(path, "".join(map(wrap, begin.splitlines(keepends=True))))
            append(path, wrap('"n": 1}' if "{" in begin else '{"n": 1}'))
            assert await values(log, 1) == [{"n": 1}]
            append(path, wrap("\n"))


@WRAPS
async def test_objects_over_several_lines_of_both_streams(tmp_path: Path, form: Any, wrap: Any) -> None:
    path = tmp_path / "0.log"
    lines = [
        wrap('{"a": [\n'), wrap("{\n", "stderr"), wrap("1,\n"), wrap('"n"', "stderr"), wrap("2\n"),
        wrap(": 1}\n", "stderr"), wrap("]} {\n"), wrap('{"n": 2}\n', "stderr"), wrap('"a": 0}\n'),
    ]  # fmt: skip
    path.write_text("".join(lines))
    ends = [len("".join(lines[:number])) for number in range(len(lines) + 1)]
    async with followed(path, start="start", unwrap=form) as log:
        found = [(record.value, record.start, record.end) for record in await take(log, 4)]
    assert found == [
        ({"n": 1}, ends[1], ends[6]),
        ({"a": [1, 2]}, ends[0], ends[7]),
        ({"n": 2}, ends[7], ends[8]),
        ({"a": 0}, ends[6], ends[9]),
    ]


@WRAPS
async def test_a_large_record_in_pieces_beside_others(tmp_path: Path, form: Any, wrap: Any) -> None:
    path = tmp_path / "0.log"
    piece, count = "x" * 250_000, 40
    with path.open("w") as file:
        file.write(wrap('{"a": "') + wrap("no end", "stderr"))
        for number in range(count):
            file.write(wrap(piece) + wrap(f'{{"n": {number}}}', "stderr"))
        file.write(wrap('"}\n'))
    async with followed(path, start="start", unwrap=form) as log:
        assert await values(log, count + 1) == [*({"n": number} for number in range(count)), {"a": piece * count}]


@WRAPS
async def test_what_the_text_ends_with_counts_although_no_line_does(tmp_path: Path, form: Any, wrap: Any) -> None:
    path = tmp_path / "0.log"
    for text, options, state in (
        (wrap("all ") + wrap('{"n": 1} DO', "stderr") + wrap("done\nDONE"), {"contract": "marker"}, "ok"),
        (wrap("DO") + wrap("said\n", "stderr") + wrap("NE"), {"contract": "marker"}, "ok"),
        (wrap('{"a": ') + wrap("1}", "stderr"), {}, "incomplete"),
        (wrap('{"a": "') + wrap('{"b": "', "stderr"), {}, "incomplete"),
    ):
        path.write_text(text)
        async with followed(path, start="start", unwrap=form, idle_timeout=0, **options) as log:
            assert await rest(log) == ([{"n": 1}] if "1} " in text else [])
        assert log.outcomes[path].state == state


async def test_events_of_an_agent_in_pieces_whose_answer_is_a_list(tmp_path: Path) -> None:
    path = tmp_path / "0.log"
    event = '{"type":"result","subtype":"success","is_error":false,"result":"[1, 2]","session_id":"s","list":[1'
    path.write_text(cri(event) + cri("[3]\n", "stderr") + cri("]}\n"))
    async with followed(path, start="start", unwrap="cri", agent="claude", roots="array", until_done=True) as log:
        assert [record.found.value for record in await take(log, 2)] == [[3], json.loads(event + "]}")]
    assert log.outcomes[path].reply.text == "[1, 2]"


def written(seed: int, wrap: Any) -> tuple[list[str], dict[str, str]]:
    """Return lines of a log that two streams wrote to at random, and the text that each of them wrote."""
    rng = random.Random(seed)
    texts = {"stdout": "", "stderr": ""}
    for number in range(40):
        name = rng.choice(["stdout", "stdout", "stderr"])
        new = {"n": number, "list": [{"s": "x" * rng.randint(0, 9)}, {}]}
        texts[name] += rng.choice(["plain ", "\n", "{ ", '"', '{"torn": [{"n": 0} ', ""])
        texts[name] += json.dumps(new, indent=rng.choice([None, 1])) + rng.choice(["\n", "\n", " "])
    left, lines = dict(texts), []
    while any(left.values()):
        name = rng.choice([name for name in left if left[name]])
        size = min(rng.randint(1, 60), left[name].find("\n") + 1 or len(left[name]))
        lines.append(wrap(left[name][:size], name))
        left[name] = left[name][size:]
    return lines, texts


@WRAPS
@pytest.mark.parametrize("seed", range(3))
async def test_records_are_those_of_each_stream_alone(tmp_path: Path, form: Any, wrap: Any, seed: int) -> None:
    path, rng = tmp_path / "0.log", random.Random(seed)
    lines, texts = written(seed, wrap)
    wanted = [found.value for text in texts.values() for found in lastbrace.find_objects(text)]
    path.write_text("")
    got: list[Any] = []
    cursor: Any = "start"
    while lines:
        count = rng.randint(1, 40)
        append(path, "".join(lines[:count]))
        del lines[:count]
        async with followed(path, start=cursor, unwrap=form, idle_timeout=0) as log:
            most = rng.randint(0, 12) if lines else len(wanted)
            got += await rest(log, most)
            cursor = json.loads(json.dumps(log.cursor))
    assert sorted(map(json.dumps, got)) == sorted(map(json.dumps, wanted))


TIMES_AS_MUCH, TIMES_AS_LONG = 4, 8  # linear is 4 and quadratic 16
LONG_ENOUGH = 0.05  # seconds: shorter times say nothing


def seconds(head: str, line: str, count: int) -> float:
    """Return how long it takes to read a log of so many lines, and to ask where each of its objects stands."""
    log = (head + line * count + cri('"}\n')).encode()
    scanner = lastbrace.Scanner()
    places = []

    def feed(text: bytes) -> None:
        places.extend([unwrapper.span(found.start, found.end) for found in scanner.feed(text)])

    unwrapper = Unwrapper("cri", 0, feed)
    began = time.process_time()
    unwrapper.take(log)
    took = time.process_time() - began
    ends = [len(head) + number * len(line) for number in range(count + 1)]
    assert places[:count] == list(pairwise(ends))
    return took


@pytest.mark.parametrize("head", ["", cri('{"a": "')], ids=["whole-lines", "beside-a-line-that-is-not-whole"])
def test_reading_takes_as_long_as_the_log_is(head: str) -> None:
    line = cri('{"n": 1}\n', "stderr")
    for _ in range(4):
        first, second = (seconds(head, line, count) for count in (4000, 4000 * TIMES_AS_MUCH))
        if second <= max(TIMES_AS_LONG * first, LONG_ENOUGH):
            return
    pytest.fail(f"{TIMES_AS_MUCH} times the log takes {second / first:.1f} times as long")


@WRAPS
async def test_offsets_behind_a_line_that_is_too_long(tmp_path: Path, form: Any, wrap: Any) -> None:
    path = tmp_path / "0.log"
    long = wrap("x" * (9 << 20) + "\n")
    path.write_text(long + wrap('{"n": 1}\n') + wrap('{"n": 2}\n'))
    async with followed(path, start="start", unwrap=form) as log:
        (record,) = await take(log, 1)
        assert (record.start, record.end) == (len(long), len(long + wrap('{"n": 1}\n')))


def test_lines_that_are_none_of_theirs_stand_for_themselves() -> None:
    for text in (b"", b"{}", b"[1]", b"plain", b'{"log": 3}', b'{"log"'):
        assert read_cri(text).text == text + b"\n"
        assert read_docker(text).text in (text + b"\n", b"", b"3")
    assert read_docker(b'{"log":"\\ud83d","stream":"stderr"}').stream == "stderr"
    assert read_cri(f"{TIME} stderr P:tag text".encode()) == ("stderr", b"text", False)
