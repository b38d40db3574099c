"""Container logs: the text in Docker's and the CRI's lines, partial lines joined, and a cursor that fits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lastbrace.following.unwrap import read_cri, read_docker

from ..cases import ALL
from .files import append, followed, take, values

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
    wanted = [{"n": 1}, {"a": "x" * 50}, {"n": 2}, {"n": 3}, {}, {"n": 4}]
    places = [(0, 1), (0, 5), (1, 4), (3, 4), (6, 7), (7, 8)]
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


def test_lines_that_are_none_of_theirs_stand_for_themselves() -> None:
    for text in (b"", b"{}", b"[1]", b"plain", b'{"log": 3}', b'{"log"'):
        assert read_cri(text).text == text + b"\n"
        assert read_docker(text).text in (text + b"\n", b"", b"3")
    assert read_docker(b'{"log":"\\ud83d","stream":"stderr"}').stream == "stderr"
    assert read_cri(f"{TIME} stderr P:tag text".encode()) == ("stderr", b"text", False)
