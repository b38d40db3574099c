"""What `run` raises, when, and in which form, on asyncio and trio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import lastbrace
from lastbrace import BackendError

from .processes import DONE, FAMILY, nothing_left, sh

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio


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
        wrong: list[tuple[list[str], dict[str, Any], str]] = [
            (["no-such-agent", "-p"], {}, "^cannot start no-such-agent: No such file"),
            ([str(plain)], {}, "Permission denied"),
            (["true"], {"cwd": tmp_path / "nowhere"}, "No such file.*nowhere"),
        ]
        for argv, options, message in wrong:
            with pytest.raises(BackendError, match=message) as caught:
                async with lastbrace.run(argv, input="x", **options):
                    pytest.fail("it started")
            assert caught.value.outcome is None
            assert isinstance(caught.value.__cause__, OSError)


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


@pytest.mark.parametrize("kind", [StopIteration, StopAsyncIteration])
async def test_an_exception_that_means_the_end_to_a_loop_is_no_end(kind: type[Exception]) -> None:
    def refuse(found: lastbrace.Found) -> None:
        raise kind(found.value["n"])

    seen = []
    with pytest.raises(RuntimeError, match=f"raised {kind.__name__}") as caught:
        async with lastbrace.run(sh("""echo '{"n": 1}'"""), on_object=refuse) as backend:
            async for found in backend:
                seen.append(found.value)
            pytest.fail("the loop ended as if all were well")
    assert isinstance(caught.value.__cause__, kind)
    assert seen == [{"n": 1}]
    with pytest.raises(RuntimeError, match=f"raised {kind.__name__}"):
        async with lastbrace.run(sh("""echo '{"n": 1}'"""), on_object=refuse) as backend:
            await backend.wait()


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


async def test_arguments_that_make_no_sense() -> None:
    with pytest.raises(TypeError, match="shlex"):
        lastbrace.run("agent --json")
    wrong: list[dict[str, Any]] = [
        {"stop": "never"}, {"timeout": -1}, {"grace": float("nan")}, {"stop": "final", "contract": "marker"},
    ]  # fmt: skip
    for options in wrong:
        with pytest.raises(ValueError, match=r"must be|needs"):
            lastbrace.run(["true"], **options)
    for name, value in (("timeout", "5"), ("idle_timeout", [1]), ("grace", None)):
        with pytest.raises(TypeError, match=f"^{name} is a number of seconds, not "):
            lastbrace.run(["true"], **{name: value})
    with pytest.raises(TypeError, match="async iterable"):
        lastbrace.run(["true"], input=["list"])  # type: ignore[call-overload]
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
    with pytest.raises(RuntimeError, match=r"use it so: async with lastbrace.run\(argv\) as agent: async for found in"):
        await anext(backend)
    assert repr(backend) == "<Backend of /bin/sh: not started, 0 objects>"
    async with backend:
        pass
    assert repr(backend) == "<Backend of /bin/sh: exit status 0, 1 object>"
    with pytest.raises(RuntimeError, match="again"):
        async with backend:
            pass
