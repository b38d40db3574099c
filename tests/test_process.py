"""What `run` gives while a program runs and when it has ended by itself, on asyncio and trio."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

import lastbrace
from lastbrace import Completion, Found, Status

from .processes import DONE, nothing_left, py, sh

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

pytestmark = pytest.mark.anyio


async def test_objects_come_as_they_close_while_the_program_runs() -> None:
    seen = anyio.Event()

    async def answers() -> AsyncIterator[str]:
        await seen.wait()
        yield "go on\n"

    with nothing_left():
        script = """printf '{"n": 1} {"n'; read line; printf '": 2}'"""
        async with lastbrace.run(sh(script), input=answers()) as backend:
            values = []
            async for found in backend:
                values.append(found.value)
                assert (backend.last, backend.returncode) == (found, None) or len(values) == 2
                seen.set()
        assert values == [{"n": 1}, {"n": 2}]
        assert backend.returncode == backend.outcome.returncode == 0


async def test_what_is_known_while_it_runs_and_after() -> None:
    async with lastbrace.run(sh(f"echo '{DONE} {{\"n\": 1}}'; read line"), input=_never(), grace=0) as backend:
        with pytest.raises(RuntimeError, match="not ended"):
            _ = backend.outcome
        found = await anext(backend)
        assert backend.completion == Completion(Status.DONE)
        assert backend.match == found
        assert backend.last is not None
        assert backend.last.value == {"n": 1}
        assert (backend.state, backend.stats.objects) == ("ok", 2)
        assert backend.pid > 1
        assert repr(backend) == "<Backend of /bin/sh: running, 2 objects>"
    assert backend.outcome.completion == Completion(Status.DONE)
    assert backend.outcome.last == backend.last


async def _never() -> AsyncIterator[bytes]:
    await anyio.sleep_forever()
    yield b""


async def test_a_block_without_iteration_reads_to_the_end() -> None:
    objects: list[Found] = []
    texts: list[str] = []
    completions: list[Completion] = []
    async with lastbrace.run(
        sh(f"""echo 'text {{"n": 1}}'; sleep 0.05; echo '{DONE}'"""),
        on_object=objects.append, on_text=texts.append, on_completion=completions.append,
    ):  # fmt: skip
        pass
    assert [found.value for found in objects] == [{"n": 1}, {"status": "done"}]
    assert "".join(texts) == "text \n\n"
    assert completions == [Completion(Status.DONE)]


async def test_wait_reads_to_the_end_inside_the_block() -> None:
    async with lastbrace.run(sh(f"echo '{DONE}'; exit 3")) as backend:
        outcome = await backend.wait()
        assert (outcome.ok, outcome.state, outcome.returncode) == (False, "ok", 3)
        assert await backend.wait() is outcome
        assert [found async for found in backend] == []
    assert backend.outcome is outcome


async def test_wait_after_some_iteration() -> None:
    async with lastbrace.run(sh(f"""echo '{{"n": 1}}'; echo '{{"n": 2}}'; echo '{DONE}'""")) as backend:
        async for found in backend:
            assert found.value == {"n": 1}
            break
        outcome = await backend.wait()
    assert (outcome.ok, outcome.returncode, outcome.stats.objects) == (True, 0, 3)


async def test_a_schema_gives_typed_values() -> None:
    @dataclass
    class Point:
        x: int

    values: list[Point] = []
    options: dict[str, Any] = {"schema": Point, "on_match": lambda found, value: values.append(value)}
    async with lastbrace.run(sh("""echo '{"x": 1} {"y": 2} {"x": 3}'"""), **options) as backend:
        pass
    assert values == [Point(1), Point(3)]
    assert backend.outcome.value == Point(3)
    assert backend.outcome.completion is None


async def test_marker_contract() -> None:
    async with lastbrace.run(sh("echo work; echo FIN"), contract="marker", marker="FIN") as backend:
        pass
    assert backend.outcome.completion == Completion(Status.DONE)


async def test_input_of_every_kind_arrives_whole() -> None:
    async def pieces() -> AsyncIterator[Any]:
        for piece in ('{"a": "', b"\xc3", b"\xa9", '"}'):
            yield piece

    big = {"long": "é" * 500_000}
    text = '{"long": "' + big["long"] + '"}'
    for data, value in ((text, big), (text.encode(), big), (pieces(), {"a": "é"})):
        async with lastbrace.run(["cat"], input=data) as backend:
            assert [found.value async for found in backend] == [value]


async def test_without_input_stdin_is_empty() -> None:
    assert (await _outcome(sh(f"cat; echo '{DONE}'"))).ok


async def test_a_program_that_does_not_read_its_input_is_no_error() -> None:
    closed = False

    async def endless() -> AsyncIterator[bytes]:
        nonlocal closed
        try:
            while True:
                yield b"x" * 100_000
        finally:
            closed = True

    with nothing_left():
        assert (await _outcome(sh(f"echo '{DONE}'"), input=b"x" * 3_000_000)).ok
        assert (await _outcome(sh(f"exec <&-; echo '{DONE}'; sleep 0.05"), input=endless())).ok
    assert closed


async def test_an_input_that_raises_ends_the_input_and_is_raised_at_the_end() -> None:
    async def broken() -> AsyncIterator[str]:
        yield DONE
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        async with lastbrace.run(["cat"], input=broken()) as backend:
            assert [found.value async for found in backend] == [{"status": "done"}]
    assert backend.outcome.ok


async def test_stderr_is_drained_all_along_and_its_tail_kept() -> None:
    flood = "import os\nfor n in range(40): os.write(2, 'é'.encode() * 50_000)\nos.write(2, b'the end')\n"
    code = flood + "print('{\"n\": 1}')"
    outcome = await _outcome(py(code), contract=None)
    assert outcome.ok
    tail = outcome.stderr_tail
    assert tail.endswith("ééé" + "the end")
    assert 60_000 < len(tail.encode()) <= 65_536
    assert "\ufffd" not in tail


async def test_what_nobody_reads_stays_with_the_program(tmp_path: Path) -> None:
    count = tmp_path / "count"
    count.touch()
    code = (
        "import os, sys\n"
        "count = os.open(sys.argv[1], os.O_WRONLY)\n"
        "for n in range(5000):\n"
        "    os.write(1, b'{\"n\": \"' + b'x' * 990 + b'\"}\\n')\n"
        "    os.pwrite(count, b'%06d' % n, 0)\n"
    )
    async with lastbrace.run([*py(code), str(count)]) as backend:
        await anext(backend)
        before = ""
        while before != (before := count.read_text()) or not before:  # until it does not get on
            await anyio.sleep(0.1)
        assert int(before) < 1000
        assert backend.stats.bytes <= 262_144
        assert len([found async for found in backend]) == 4999


async def test_a_slow_reader_gets_everything_after_the_exit() -> None:
    script = """for n in 1 2 3 4; do echo "{\\"n\\": $n}"; done; sleep 60 &"""
    async with lastbrace.run(sh(script), grace=0.1) as backend:
        await anyio.sleep(0.5)
        assert [found.value["n"] async for found in backend] == [1, 2, 3, 4]
    assert backend.returncode == 0


async def test_environment_and_directory(tmp_path: Path) -> None:
    script = """printf '{"cwd": "%s", "a": "%s", "home": "%s"}' "$(/bin/pwd)" "$A" "$HOME" """
    outcome = await _outcome(sh(script), cwd=tmp_path, env={"A": "b"}, contract=None)
    assert outcome.value == {"cwd": str(tmp_path.resolve()), "a": "b", "home": ""}


async def test_arguments_may_be_paths(tmp_path: Path) -> None:
    (tmp_path / "answer").write_text(DONE)
    assert (await _outcome([Path("/bin/cat"), tmp_path / "answer"])).ok


async def test_exit_0_without_output_is_no_error() -> None:
    outcome = await _outcome(["true"])
    assert (outcome.ok, outcome.state, outcome.returncode) == (False, "none", 0)


async def test_a_failure_after_output_is_no_error_but_not_ok() -> None:
    outcome = await _outcome(sh(f"echo '{DONE}'; exit 7"))
    assert (outcome.ok, outcome.completion, outcome.returncode) == (False, Completion(Status.DONE), 7)


async def test_a_program_that_closes_its_output_early_is_awaited() -> None:
    began = time.monotonic()
    outcome = await _outcome(sh(f"echo '{DONE}'; exec >&- 2>&-; sleep 0.3; exit 5"))
    assert outcome.returncode == 5
    assert time.monotonic() - began >= 0.3


async def test_many_at_once() -> None:
    outcomes = []

    async def one(number: int) -> None:
        outcomes.append((number, (await _outcome(sh(f"""echo '{{"n": {number}}}'"""), contract=None)).value))

    with nothing_left():
        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(one, number)
    assert sorted(outcomes) == [(number, {"n": number}) for number in range(20)]


async def _outcome(argv: list[Any], **options: Any) -> lastbrace.Outcome[Any]:
    async with lastbrace.run(argv, **options) as backend:
        pass
    return backend.outcome
