"""How `run` ends a program and all that it started, and that nothing is left, on asyncio and trio."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import anyio
import pytest

import lastbrace
from lastbrace import BackendTimeout, Completion, Status

from .processes import DONE, FAMILY, FOREVER, nothing_left, py, runs, sh

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def soon() -> Iterator[None]:
    """Nothing here may take as long as the programs would."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < FOREVER / 10


async def test_leaving_the_loop_early_ends_the_program_and_its_children() -> None:
    with nothing_left():
        async with lastbrace.run(sh(FAMILY)) as backend:
            async for found in backend:
                child = found.value["child"]
                assert runs(child)
                break
        assert not runs(child)
    assert backend.returncode == backend.outcome.returncode == -15
    assert backend.outcome.ok  # the answer was there, and the end was ours


async def test_left_before_it_answered_the_reason_says_so() -> None:
    async with lastbrace.run(sh(f"""echo '{{"n": 1}}'; sleep {FOREVER}""")) as backend:
        async for _ in backend:
            break
    outcome = backend.outcome
    assert (outcome.ok, outcome.state, outcome.returncode) == (False, "no_match", -15)
    assert outcome.reason.startswith("it was ended before it had answered: 1 object, none that satisfies the contract")


async def test_an_exception_in_the_block_ends_it_and_passes_as_it_is() -> None:
    with nothing_left():
        with pytest.raises(KeyError, match="mine"):
            async with lastbrace.run(sh(FAMILY)) as backend:
                raise KeyError("mine")
        assert backend.returncode == -15


async def test_cancelling_ends_it() -> None:
    child = 0
    with nothing_left():
        with anyio.CancelScope() as scope:
            async with lastbrace.run(sh(FAMILY)) as backend:
                async for found in backend:
                    child = found.value.get("child") or child
                    scope.cancel()
        assert scope.cancelled_caught
        assert backend.returncode == -15
        assert not runs(child)
        assert backend.outcome.state in ("ok", "no_match")


async def test_cancelling_while_the_block_is_left_ends_it() -> None:
    with nothing_left(), anyio.CancelScope() as scope:
        async with lastbrace.run(sh(FAMILY), on_completion=lambda _: scope.cancel()) as backend:
            pass
    assert scope.cancelled_caught
    assert backend.outcome.completion == Completion(Status.DONE)


async def test_a_wait_that_is_given_up_ends_it() -> None:
    with nothing_left():
        async with lastbrace.run(sh(FAMILY)) as backend:
            with anyio.move_on_after(0.1):
                await backend.wait()
        assert backend.returncode == -15


async def test_another_task_that_reads_comes_to_an_end_too() -> None:
    values = []

    async def read(backend: lastbrace.Backend[Any]) -> None:
        values.extend([found.value async for found in backend])
        values.append("end")

    with nothing_left():
        async with anyio.create_task_group() as tasks, lastbrace.run(sh(FAMILY)) as backend:
            tasks.start_soon(read, backend)
            while not backend.completion:
                await anyio.sleep(0.01)
    assert values[1:] == [{"status": "done"}, "end"]


async def test_what_does_not_want_to_end_is_killed() -> None:
    with nothing_left():
        script = f"trap '' TERM; {FAMILY}; wait; sleep {FOREVER}"
        async with lastbrace.run(sh(script), grace=0.2) as backend:
            child = (await anext(backend)).value["child"]
        assert not runs(child)
    assert backend.returncode == -9


async def test_a_program_that_has_much_to_say_at_its_end_can_say_it() -> None:
    code = (
        "import os, signal, sys, time\n"
        "def end(*_):\n"
        "    os.write(1, b'x' * 1_000_000); os.write(2, b'x' * 1_000_000); os._exit(9)\n"
        "signal.signal(signal.SIGTERM, end)\n"
        f"print('{{\"n\": 1}}', flush=True)\n"
        f"time.sleep({FOREVER})\n"
    )
    async with lastbrace.run(py(code), grace=30) as backend:
        await anext(backend)
    assert backend.returncode == 9
    assert backend.outcome.state == "no_match"


@pytest.mark.parametrize("iterate", [True, False])
async def test_timeout(iterate: bool) -> None:
    child = 0
    with nothing_left():
        with pytest.raises(BackendTimeout, match="longer than 1 s") as caught:
            async with lastbrace.run(sh(FAMILY), timeout=1) as backend:
                if iterate:
                    async for found in backend:
                        child = found.value.get("child") or child
                    pytest.fail("the loop ended as if all were well")
        assert isinstance(caught.value, TimeoutError)
        assert caught.value.outcome is backend.outcome
        assert backend.outcome.completion == Completion(Status.DONE)
        assert not iterate or not runs(child)


async def test_the_clock_runs_while_nobody_reads() -> None:
    with pytest.raises(BackendTimeout):
        async with lastbrace.run(sh(f"sleep {FOREVER}"), timeout=0.1) as backend:
            while backend.returncode is None:
                await anyio.sleep(0.02)
            assert backend.returncode == -15


async def test_a_timeout_that_does_not_come() -> None:
    with nothing_left():
        async with lastbrace.run(sh(f"echo '{DONE}'"), timeout=60, idle_timeout=60) as backend:
            await backend.wait()
    assert backend.outcome.ok


async def test_idle_timeout() -> None:
    with nothing_left(), pytest.raises(BackendTimeout, match="printed nothing for 1 s"):
        async with lastbrace.run(sh(f"echo '{DONE}'; sleep {FOREVER}"), idle_timeout=1) as backend:
            pass
    assert backend.outcome.completion == Completion(Status.DONE)


async def test_output_on_either_pipe_is_not_idle() -> None:
    script = f"for n in 1 2 3 4 5 6; do sleep 0.25; echo working >&2; done; echo '{DONE}'"
    async with lastbrace.run(sh(script), idle_timeout=1) as backend:
        pass
    assert backend.outcome.ok


async def test_a_program_that_waits_for_its_reader_is_not_idle() -> None:
    code = "import os\nfor n in range(3000): os.write(1, b'{\"n\": \"' + b'x' * 990 + b'\"}\\n')"
    async with lastbrace.run(py(code), idle_timeout=1) as backend:
        await anext(backend)
        await anyio.sleep(1.5)
        assert backend.returncode is None
        assert len([found async for found in backend]) == 2999


async def test_a_grandchild_with_the_pipe_is_waited_for_no_longer_than_grace() -> None:
    with nothing_left():
        script = f"""sleep {FOREVER} & echo "{{\\"child\\": $!}}"; echo '{DONE}'"""
        began = time.monotonic()
        async with lastbrace.run(sh(script), grace=0.3) as backend:
            values = [found.value async for found in backend]
        assert time.monotonic() - began >= 0.3
        assert not runs(values[0]["child"])
    assert backend.outcome.ok
    assert backend.returncode == 0


async def test_a_grandchild_that_left_the_group_holds_nobody_up() -> None:
    code = (
        "import subprocess, sys\n"
        f"child = subprocess.Popen(['sleep', '{FOREVER}'], start_new_session=True)\n"
        "print('{\"child\": %d}' % child.pid, flush=True)\n"
        f"print('{DONE}')\n"
    )
    with nothing_left():
        async with lastbrace.run(py(code), grace=0.1) as backend:
            values = [found.value async for found in backend]
        assert backend.outcome.ok
        assert runs(values[0]["child"])
        os.kill(values[0]["child"], 9)


@pytest.mark.parametrize("schema", [None, {"type": "object", "required": ["status"]}])
async def test_stop_final_ends_the_program_at_done(schema: dict[str, Any] | None) -> None:
    with nothing_left():
        script = f"""echo '{{"n": 1}}'; echo '{DONE}'; sleep {FOREVER}; echo '{{"n": 2}}'"""
        async with lastbrace.run(sh(script), stop="final", schema=schema) as backend:
            values = [found.value async for found in backend]
        assert values == [{"n": 1}, {"status": "done"}]
        assert backend.outcome.ok
        assert backend.outcome.returncode == -15


async def test_stop_final_goes_on_after_continue() -> None:
    script = f"""echo '{{"status": "continue"}}'; sleep 0.1; echo '{DONE}'"""
    async with lastbrace.run(sh(script), stop="final") as backend:
        pass
    assert backend.outcome.completion == Completion(Status.DONE)


async def test_wrapped_in_a_generator_that_is_closed() -> None:
    async def objects() -> AsyncIterator[Any]:
        async with lastbrace.run(sh(FAMILY)) as backend:
            async for found in backend:
                yield found.value

    with nothing_left():
        generator = objects()
        child = (await anext(generator))["child"]
        await generator.aclose()  # type: ignore[attr-defined]
        assert not runs(child)
