"""How `run` ends a program, what it raises, and that nothing is left, on asyncio and trio."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import anyio
import pytest

import lastbrace
from lastbrace import BackendError, BackendTimeout, Completion, Status
from .processes import DONE, FOREVER, nothing_left, py, runs, sh

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

pytestmark = pytest.mark.anyio

# A program with a child of its own: it prints the child's process id, and stays.
FAMILY = f"""sleep {FOREVER} & echo "{{\\"child\\": $!}}"; echo '{DONE}'; wait"""


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
    code = "import os\nfor n in range(300): os.write(1, b'{\"n\": \"' + b'x' * 990 + b'\"}\\n')"
    async with lastbrace.run(py(code), idle_timeout=1) as backend:
        await anext(backend)
        await anyio.sleep(1.5)
        assert backend.returncode is None
        assert len([found async for found in backend]) == 299


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo no such model >&2; exit 3", r"exited with status 3 before it printed anything: no such model$"),
        ("kill -KILL $$", r"was ended by SIGKILL before it printed anything$"),
    ],
)
async def test_death_before_the_first_word(script: str, message: str) -> None:
    for iterate in (False, True):
        with pytest.raises(BackendError, match=message) as caught:
            async with lastbrace.run(sh(script)) as backend:
                if iterate:
                    await anext(backend)
        assert caught.value.outcome is backend.outcome
        assert caught.value.outcome.returncode in (3, -9)


async def test_what_cannot_be_started(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("no program")
    with nothing_left():
        for argv, options, message in (
            (["no-such-agent", "-p"], {}, "cannot start no-such-agent -p: No such file"),
            ([str(plain)], {}, "Permission denied"),
            (["true"], {"cwd": tmp_path / "nowhere"}, "No such file.*nowhere"),
        ):
            with pytest.raises(BackendError, match=message) as caught:
                async with lastbrace.run(argv, input="x", **options):
                    pytest.fail("it started")
            assert caught.value.outcome is None
            assert isinstance(caught.value.__cause__, OSError)


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
    async with lastbrace.run(sh(f"""echo '{{"status": "continue"}}'; sleep 0.1; echo '{DONE}'"""), stop="final") as backend:
        pass
    assert backend.outcome.completion == Completion(Status.DONE)


async def test_callbacks_that_raise_do_not_stop_the_reading() -> None:
    def refuse(found: lastbrace.Found) -> None:
        raise KeyError(found.value["n"])

    one = sh("""echo '{"n": 1}'""")
    many = sh("""for n in 1 2 3; do echo "{\\"n\\": $n}"; sleep 0.05; done""")
    for iterate in (False, True):
        for argv, kind, count in ((one, KeyError, 1), (many, ExceptionGroup, 3)):
            seen = 0
            with pytest.raises(kind) as caught:
                async with lastbrace.run(argv, on_object=refuse) as backend:
                    if iterate:
                        async for _ in backend:
                            seen += 1
            assert backend.outcome.stats.objects == count
            assert seen == (count if iterate else 0)
            if isinstance(caught.value, ExceptionGroup):
                assert [error.args for error in caught.value.exceptions] == [(1,), (2,), (3,)]


async def test_a_callback_that_always_raises_does_not_fill_the_memory() -> None:
    def refuse(found: lastbrace.Found) -> None:
        raise ValueError(found.start)

    script = """for n in $(seq 500); do echo '{"n": 1}'; done; sleep 0.1; echo '{"n": 2}'"""
    with pytest.raises(ExceptionGroup, match="first of 501") as caught:
        async with lastbrace.run(sh(script), on_object=refuse) as backend:
            pass
    assert backend.outcome.stats.objects == 501
    assert len(caught.value.exceptions) < 100


async def test_a_base_exception_of_a_callback_passes_at_once() -> None:
    class Stop(BaseException):
        pass

    def stop(found: lastbrace.Found) -> None:
        raise Stop

    with nothing_left(), pytest.raises(Stop):
        async with lastbrace.run(sh(FAMILY), on_object=stop):
            pass


async def test_an_own_exception_is_not_lost_behind_another() -> None:
    def refuse(found: lastbrace.Found) -> None:
        raise ValueError("of a callback")

    with pytest.raises(KeyError) as caught:
        async with lastbrace.run(sh(FAMILY), on_object=refuse) as backend:
            await anext(backend)
            raise KeyError("mine")
    assert "of a callback" in caught.value.__notes__[0]


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


async def test_arguments_that_make_no_sense() -> None:
    with pytest.raises(TypeError, match="shlex"):
        lastbrace.run("agent --json")
    for options in ({"stop": "never"}, {"timeout": -1}, {"grace": float("nan")}, {"stop": "final", "contract": "marker"}):
        with pytest.raises(ValueError, match="must be|needs"):
            lastbrace.run(["true"], **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="empty"):
        lastbrace.run([])
    with pytest.raises(TypeError):
        lastbrace.run(["true"], no_such_option=1)  # type: ignore[call-overload]


async def test_a_backend_runs_once_and_only_in_a_block() -> None:
    backend = lastbrace.run(sh(f"echo '{DONE}'"))
    with pytest.raises(RuntimeError, match="async with"):
        _ = backend.pid
    with pytest.raises(RuntimeError, match="async with"):
        await backend.wait()
    async with backend:
        pass
    with pytest.raises(RuntimeError, match="again"):
        async with backend:
            pass
