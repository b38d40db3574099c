"""Where the output of a program goes and how it is decoded, on asyncio and trio."""

from __future__ import annotations

import codecs
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import anyio
import pytest

import lastbrace

from .processes import DONE, FOREVER, nothing_left, py, runs, sh

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio


async def outcome_of(argv: list[str], **options: Any) -> lastbrace.Outcome[Any]:
    async with lastbrace.run(argv, **options) as backend:
        pass
    return backend.outcome


async def test_stderr_merged_is_part_of_the_output_in_the_order_of_writing() -> None:
    texts: list[str] = []
    script = f"echo one; echo two >&2; echo three; echo '{DONE}' >&2"
    outcome = await outcome_of(sh(script), stderr="merge", on_text=texts.append)
    assert (outcome.ok, outcome.stderr_tail) == (True, "")
    assert "".join(texts) == "one\ntwo\nthree\n\n"


def test_stderr_inherited_goes_where_ours_goes(tmp_path: Path) -> None:
    code = f"import lastbrace; print(lastbrace.run_sync({sh('echo its words >&2; echo out')!r}, stderr='inherit'))"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"its words\n")


async def test_a_callback_has_the_text_of_stderr_as_it_comes_and_whole_characters() -> None:
    texts: list[str] = []
    seen = anyio.Event()

    def see(text: str) -> None:
        texts.append(text)
        seen.set()

    async def answers() -> Any:
        await seen.wait()
        yield "go on\n"

    script = f"printf 'caf\\303' >&2; read line; printf '\\251' >&2; echo '{DONE}'"
    outcome = await outcome_of(sh(script), stderr=see, input=answers())
    assert texts == ["caf", "é"]
    assert (outcome.ok, outcome.stderr_tail) == (True, "café")


async def test_a_callback_of_stderr_that_raises_does_not_stop_the_draining() -> None:
    def refuse(text: str) -> None:
        raise KeyError("mine")

    argv = py(f"import os\nfor n in range(40): os.write(2, b'x' * 100_000)\nprint('{DONE}')")
    backend = lastbrace.run(argv, stderr=refuse)
    with pytest.raises((KeyError, ExceptionGroup)):
        async with backend:
            pass
    assert backend.outcome.ok


async def test_what_is_no_exception_in_a_callback_of_stderr_passes_too() -> None:
    class Stop(BaseException):
        pass

    def stop(text: str) -> None:
        raise Stop

    with nothing_left(), pytest.raises(Stop):
        async with lastbrace.run(sh(f"echo x >&2; sleep {FOREVER}"), stderr=stop):
            pass


async def test_ten_megabytes_of_stderr_first() -> None:
    argv = py(f"import os\nfor n in range(100): os.write(2, b'x' * 100_000)\nos.write(2, b'!')\nprint('{DONE}')")
    for options in ({}, {"stderr": "merge"}, {"stderr": lambda text: None}):
        outcome = await outcome_of(argv, **options)
        assert outcome.ok
        assert outcome.stderr_tail.endswith("x!") is (options.get("stderr") != "merge")
        assert outcome.stats.bytes > 10_000_000 or options.get("stderr") != "merge"


@pytest.mark.parametrize("encoding", ["cp1252", "shift_jis", "utf-16", "utf-32", "gb18030", "utf-8"])
async def test_an_encoding_is_read_at_any_cut(encoding: str) -> None:
    word = {"cp1252": "“café”", "shift_jis": "日本", "gb18030": "中文"}.get(encoding, "“é日本😀”")
    text = f'note: {word} {{"word": "{word}"}}'
    code = f"import os, time\nfor byte in {text.encode(encoding)!r}: os.write(1, bytes([byte])); time.sleep(0.001)"
    code += f"\nos.write(2, {word.encode(encoding)!r})"
    outcome = await outcome_of(py(code), encoding=encoding, contract=None)
    assert outcome.last is not None
    assert outcome.last.value == {"word": word}
    assert text.encode()[outcome.last.start : outcome.last.end] == outcome.last.raw
    assert outcome.stderr_tail == word


async def test_without_a_mark_utf_16_is_little_endian() -> None:
    argv = py(f"import os; os.write(1, {DONE.encode('utf-16-le')!r})")
    assert (await outcome_of(argv, encoding="utf-16")).ok
    argv = py(f"import os; os.write(1, {codecs.BOM_UTF16_BE + DONE.encode('utf-16-be')!r})")
    assert (await outcome_of(argv, encoding="utf-16")).ok
    assert (await outcome_of(argv)).ok


async def test_half_a_character_at_the_end_and_bytes_of_no_encoding_are_replaced() -> None:
    for script, encoding, text in (
        ("printf 'a\\201b'", "cp1252", "a\ufffdb"),
        ("printf 'a\\201'", "shift_jis", "a\ufffd"),
        ("printf 'a\\303'", None, "a\ufffd"),
    ):
        texts: list[str] = []
        await outcome_of(sh(script), encoding=encoding, on_text=texts.append)
        assert "".join(texts) == text


async def test_text_is_sent_in_the_encoding() -> None:
    texts: list[str] = []
    await outcome_of(["od", "-An", "-tx1"], input="é“", encoding="cp1252", on_text=texts.append)
    assert "".join(texts).split() == ["e9", "93"]


async def test_a_byte_order_mark_is_sent_once() -> None:
    async def pieces() -> Any:
        yield "a"
        yield "b"

    texts: list[str] = []
    await outcome_of(["cat"], input=pieces(), encoding="utf-16", on_text=texts.append)
    assert "".join(texts) == "ab"


async def test_text_that_the_encoding_cannot_express() -> None:
    with pytest.raises(UnicodeEncodeError):
        lastbrace.run(["cat"], input="日本", encoding="cp1252")

    async def pieces() -> Any:
        yield "日本"

    with pytest.raises(UnicodeEncodeError):
        await outcome_of(["cat"], input=pieces(), encoding="cp1252")


@pytest.mark.parametrize("encoding", ["no-such", "", "rot13", "base64", "idna", "undefined", "a\0b"])
def test_what_is_no_encoding_of_text(encoding: str) -> None:
    with pytest.raises(ValueError, match="encoding must be the name of a text encoding"):
        lastbrace.run(["true"], encoding=encoding)


async def test_what_stderr_cannot_be() -> None:
    async def later(text: str) -> None: ...

    with pytest.raises(ValueError, match="stderr must be"):
        lastbrace.run(["true"], stderr="drop")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="later is async"):
        lastbrace.run(["true"], stderr=later)


async def test_all_bytes_can_be_recorded() -> None:
    seen: dict[str, bytes] = {"stdout": b"", "stderr": b""}

    def record(stream: str, data: bytes) -> None:
        seen[stream] += data

    outcome = await outcome_of(sh(f"printf '\\377{DONE}'; printf '\\376' >&2"), on_output=record)
    assert outcome.ok
    assert seen == {"stdout": b"\xff" + DONE.encode(), "stderr": b"\xfe"}


async def test_what_is_left_behind_may_be_left_alone() -> None:
    script = f"""sleep {FOREVER} & echo "{{\\"child\\": $!}}"; echo '{DONE}'"""
    async with lastbrace.run(sh(script), grace=0.1, leave_group=True) as backend:
        child = (await anext(backend)).value["child"]
        outcome = await backend.wait()
    assert (outcome.ok, outcome.returncode) == (True, 0)
    assert runs(child)
    os.kill(child, 9)


async def test_a_program_that_has_not_exited_is_ended_with_its_group_all_the_same() -> None:
    script = f"""sleep {FOREVER} & echo "{{\\"child\\": $!}}"; wait"""
    with nothing_left():
        async with lastbrace.run(sh(script), leave_group=True) as backend:
            child = (await anext(backend)).value["child"]
        assert not runs(child)
