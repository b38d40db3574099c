"""Objects out of files, pipes, iterables and async streams, each as soon as it is complete."""

from __future__ import annotations

import asyncio
import gzip
import io
import os
import subprocess
import sys
from contextlib import aclosing, closing
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
import pytest

import lastbrace
from lastbrace import Found, aiter_objects, iter_objects

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

TEXT = 'é {"n": 1} noise %{x}\n{"n":\n2} {} "tail'
VALUES = [{"n": 1}, {"n": 2}, {}]


def values(source: Any, **options: Any) -> list[Any]:
    return [found.value for found in iter_objects(source, **options)]


SOURCES: dict[str, Callable[[], Any]] = {
    "str": lambda: TEXT,
    "bytes": TEXT.encode,
    "bytearray": lambda: bytearray(TEXT.encode()),
    "memoryview": lambda: memoryview(TEXT.encode()),
    "binary file": lambda: io.BytesIO(TEXT.encode()),
    "text file": lambda: io.StringIO(TEXT),
    "list of str": lambda: list(TEXT),
    "list of bytes": lambda: [TEXT.encode()[:3], b"", TEXT.encode()[3:]],
    "tuple of both": lambda: (TEXT[:5], TEXT[5:].encode()),
    "generator": lambda: (char for char in TEXT),
    "lines": lambda: iter(TEXT.splitlines(keepends=True)),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_any_source(source: Callable[[], Any]) -> None:
    assert values(source()) == VALUES


def test_offsets_are_those_of_the_whole_stream() -> None:
    data = TEXT.encode()
    for found in iter_objects([data[:4], data[4:20], data[20:]]):
        assert data[found.start : found.end] == found.raw


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    lines = "".join(f'{{"n": {number}, "pad": "{"é" * 300}"}}\n' for number in range(500))
    path.write_text(lines, encoding="utf-8")
    numbers = list(range(500))
    with path.open("rb") as binary, path.open("rb", buffering=0) as raw, path.open(encoding="utf-8") as text:
        for file in (binary, raw, text):
            assert [found.value["n"] for found in iter_objects(file)] == numbers
            assert not file.closed
    with gzip.open(tmp_path / "log.gz", "wb") as packed:
        packed.write(lines.encode())
    with gzip.open(tmp_path / "log.gz") as file:
        assert [found.value["n"] for found in iter_objects(file)] == numbers
    with pytest.raises(TypeError, match="an open file, not a path"):
        iter_objects(path)  # type: ignore[arg-type]


def test_options() -> None:
    cut = '{"a": {"n": 1}, "b": {"n": 2}'
    assert values(cut) == []
    assert values(cut, fragments=True) == [{"n": 1}, {"n": 2}]
    assert values([TEXT], framing="lines") == [{"n": 1}, {}]
    assert values(['[{"n": 1}]'], roots="array") == [[{"n": 1}]]
    with pytest.raises(ValueError, match="framing"):
        iter_objects(TEXT, framing="pages")  # type: ignore[arg-type]


@pytest.mark.parametrize("source", [5, None, [5], [None], {"a": 1}.items()])
def test_what_is_no_source(source: Any) -> None:
    with pytest.raises(TypeError):
        values(source)


def test_an_error_of_the_source_passes_on_after_what_came_before() -> None:
    def broken() -> Iterator[str]:
        yield '{"n": 1} {"n":'
        raise OSError("reset by peer")

    objects = iter_objects(broken())
    assert next(objects).value == {"n": 1}
    with pytest.raises(OSError, match="reset by peer"):
        next(objects)


@pytest.mark.parametrize("buffering", [0, -1])
def test_an_object_is_there_before_the_pipe_is_closed(buffering: int) -> None:
    out, into = os.pipe()
    try:
        with open(out, "rb", buffering=buffering) as pipe:
            objects = iter_objects(pipe)
            for number in range(3):
                os.write(into, f'noise {{"n": {number}}} {{"open'.encode())
                assert next(objects).value == {"n": number}
                os.write(into, b'": ]')
            os.close(into)
            into = -1
            assert list(objects) == []
    finally:
        if into >= 0:
            os.close(into)


def test_a_program_that_goes_on_printing() -> None:
    program = "import sys; print('{\"n\": 1}', flush=True); sys.stdin.read(); print('{\"n\": 2}')"
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        objects = iter_objects(process.stdout)
        assert next(objects).value == {"n": 1}
        process.stdin.close()
        assert [found.value for found in objects] == [{"n": 2}]


def test_each_object_of_a_chunk_comes_before_the_next_chunk_is_asked_for() -> None:
    asked = []

    def chunks() -> Iterator[str]:
        for number in range(3):
            asked.append(number)
            yield f'{{"n": {number}}} {{"more": {number}}}'

    objects = iter_objects(chunks())
    assert asked == []
    for number in range(3):
        assert next(objects).value == {"n": number}
        assert next(objects).value == {"more": number}
        assert asked[-1] == number


def test_closing_early_leaves_the_source_to_its_owner() -> None:
    file = io.BytesIO(b'{"n": 1} {"n": 2}')
    with closing(iter_objects(file)) as objects:  # type: ignore[type-var]
        assert next(objects).value == {"n": 1}
    assert not file.closed
    source = iter(['{"n": 1}', '{"n": 2}'])
    for _ in iter_objects(source):
        break
    assert values(source) == [{"n": 2}]


async def in_pieces(*pieces: Any) -> AsyncIterator[Any]:
    for piece in pieces:
        await anyio.lowlevel.checkpoint()
        yield piece


async def avalues(source: Any, **options: Any) -> list[Any]:
    return [found.value async for found in aiter_objects(source, **options)]


@pytest.mark.anyio
async def test_async_iterables() -> None:
    assert await avalues(in_pieces(*TEXT)) == VALUES
    assert await avalues(in_pieces(TEXT.encode()[:3], b"", TEXT.encode()[3:])) == VALUES
    assert await avalues(in_pieces()) == []
    assert await avalues(in_pieces('{"a": {"n": 1}, "b'), fragments=True) == [{"n": 1}]
    assert await avalues(in_pieces('[{"n": 1}]'), roots="array") == [[{"n": 1}]]


@pytest.mark.anyio
async def test_what_is_no_async_source() -> None:
    async with aclosing(in_pieces(5)) as numbers:  # type: ignore[type-var]
        for source in (["{}"], 5, None, b"{}", numbers):
            with pytest.raises(TypeError):
                await avalues(source)
    with pytest.raises(ValueError, match="framing"):
        await avalues(in_pieces("{}"), framing="pages")


@pytest.mark.anyio
async def test_an_anyio_stream_that_is_still_open() -> None:
    send, receive = anyio.create_memory_object_stream[bytes](10)
    async with send, receive, aclosing(aiter_objects(receive)) as objects:  # type: ignore[type-var]
        for number in range(3):
            await send.send(f'x {{"n": {number}}} {{"op'.encode())
            with anyio.fail_after(5):
                assert (await anext(objects)).value == {"n": number}
            await send.send(b'en": ]')
        await send.aclose()
        assert [found async for found in objects] == []


@pytest.mark.anyio
async def test_the_output_of_an_anyio_process() -> None:
    program = "import sys; print('{\"n\": 1}', flush=True); sys.stdin.read(); print('{\"n\": 2}')"
    async with await anyio.open_process([sys.executable, "-c", program], stderr=None) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        objects = aiter_objects(process.stdout)
        with anyio.fail_after(20):
            assert (await anext(objects)).value == {"n": 1}
            await process.stdin.aclose()
            assert [found.value async for found in objects] == [{"n": 2}]


@pytest.mark.anyio
async def test_an_anyio_file(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(TEXT, encoding="utf-8")
    async with await anyio.open_file(path, "rb") as binary, await anyio.open_file(path, encoding="utf-8") as text:
        assert await avalues(binary) == await avalues(text) == VALUES


@pytest.mark.anyio
async def test_closing_early_leaves_an_async_source_to_its_owner() -> None:
    async with aclosing(in_pieces('{"n": 1}', '{"n": 2}')) as source:  # type: ignore[type-var]
        async with aclosing(aiter_objects(source)) as objects:  # type: ignore[type-var]
            async for found in objects:
                assert found.value == {"n": 1}
                break
        # Nothing is left behind for the event loop to find: warnings are errors here.
        assert await avalues(source) == [{"n": 2}]


@pytest.mark.anyio
async def test_an_error_of_an_async_source_passes_on() -> None:
    async def broken() -> AsyncIterator[str]:
        yield '{"n": 1} {"n":'
        raise OSError("reset by peer")

    seen: list[Found] = []
    with pytest.raises(OSError, match="reset by peer"):
        async for found in aiter_objects(broken()):
            seen.append(found)
    assert [found.value for found in seen] == [{"n": 1}]


@pytest.mark.anyio
async def test_cancelling() -> None:
    send, receive = anyio.create_memory_object_stream[str](1)
    async with send, receive:
        with anyio.move_on_after(0.05) as scope:
            await avalues(receive)
        assert scope.cancelled_caught
        await send.send('{"n": 1}')
        assert await receive.receive() == '{"n": 1}'


@pytest.mark.asyncio
async def test_an_asyncio_reader_and_a_line_over_its_limit() -> None:
    reader = asyncio.StreamReader(limit=64)
    objects = aiter_objects(reader)
    reader.feed_data(b'noise {"n": "' + b"x" * 10_000 + b'"} {"op')
    found = await asyncio.wait_for(anext(objects), 5)
    assert found.value == {"n": "x" * 10_000}
    reader.feed_data(b'en": 1}')
    assert (await asyncio.wait_for(anext(objects), 5)).value == {"open": 1}
    reader.feed_eof()
    assert [found async for found in objects] == []


@pytest.mark.asyncio
async def test_the_output_of_an_asyncio_process() -> None:
    program = "print('{\"n\": \"' + 'x' * 200_000 + '\"}')"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE)
    assert [len(value["n"]) for value in await avalues(process.stdout)] == [200_000]
    assert await process.wait() == 0


def test_the_names_are_public() -> None:
    assert {"iter_objects", "aiter_objects"} <= set(lastbrace.__all__)
