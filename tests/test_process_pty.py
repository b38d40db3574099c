"""Programs that print to a terminal of their own, on asyncio and trio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import pytest

import lastbrace
from lastbrace import BackendError, BackendTimeout

from .processes import DONE, FOREVER, nothing_left, py, runs, sh

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio


async def value_of(code: str, **options: Any) -> Any:
    async with lastbrace.run(py(code), pty=True, contract=None, **options) as backend:
        await backend.wait()
    assert backend.outcome.returncode == 0
    return backend.outcome.value


async def test_its_output_is_a_wide_terminal_and_its_input_and_stderr_are_not() -> None:
    code = "import json, os; print(json.dumps([os.isatty(n) for n in (0, 1, 2)] + list(os.get_terminal_size())))"
    seen = await value_of(code, roots="array")
    assert seen[:3] == [False, True, False]
    assert seen[3] > 10_000
    assert (await value_of(code, roots="array", stderr="merge"))[:3] == [False, True, True]


async def test_it_is_its_controlling_terminal_and_the_program_has_it() -> None:
    code = (
        "import os; tty = open('/dev/tty'); print('{\"mine\": %d}' % (os.tcgetpgrp(1) == os.getpid() == os.getsid(0)))"
    )
    assert await value_of(code) == {"mine": 1}


async def test_a_long_line_comes_as_it_was_written() -> None:
    seen = bytearray()
    code = "print('{\"long\": \"%s\"}\\n\\ttab' % ('x' * 300_000))"
    value = await value_of(code, on_output=lambda _, data: seen.extend(data))
    assert value == {"long": "x" * 300_000}
    assert seen.endswith(b'x"}\n\ttab\n')
    assert b"\r" not in seen


async def test_input_arrives_as_it_is_and_is_not_echoed() -> None:
    text = "\x03\x04 \r\n" + "é" * 100_000
    code = "import sys; print('{\"got\": %d}' % len(sys.stdin.buffer.read()))"
    seen = bytearray()
    value = await value_of(code, input=text, on_output=lambda _, data: seen.extend(data))
    assert value == {"got": len(text.encode())}
    assert len(seen) < 100


async def test_colours_and_cursor_are_filtered() -> None:
    async with lastbrace.run(sh(f"printf '\\033[2K\\033[1;32m{DONE}\\033[0m\\r\\n'"), pty=True) as backend:
        pass
    assert backend.outcome.ok


async def test_the_window_is_ours_to_say_and_not_the_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.delenv("TERM", raising=False)
    code = "import json, os; print(json.dumps({name: os.environ.get(name) for name in ('COLUMNS', 'TERM')}))"
    assert await value_of(code) == {"COLUMNS": None, "TERM": "xterm-256color"}
    assert await value_of(code, env={"COLUMNS": "50"}) == {"COLUMNS": "50", "TERM": None}


async def test_exit_statuses_and_signals_are_the_programs() -> None:
    for script, returncode in (("echo x; exit 3", 3), ("echo x; kill -KILL $$", -9)):
        async with lastbrace.run(sh(script), pty=True) as backend:
            pass
        assert backend.outcome.returncode == returncode
    with pytest.raises(BackendError, match="exited with status 3 before it printed anything: why"):
        async with lastbrace.run(sh("echo why >&2; exit 3"), pty=True):
            pass


async def test_what_cannot_be_started(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("no program")
    wrong: list[tuple[list[str], dict[str, Any], str]] = [
        (["no-such-agent"], {}, "No such file"),
        ([str(plain)], {}, "Permission denied"),
        (["true"], {"cwd": tmp_path / "nowhere"}, "No such file.*nowhere"),
    ]
    with nothing_left():
        for argv, options, message in wrong:
            with pytest.raises(BackendError, match=message):
                async with lastbrace.run(argv, pty=True, input="x", **options):
                    pytest.fail("it started")


async def test_it_is_hung_up_at_the_exit_and_nothing_holds_it() -> None:
    script = f"""sleep {FOREVER} & echo "{{\\"child\\": $!}}"; echo '{DONE}'"""
    with nothing_left():
        async with lastbrace.run(sh(script), pty=True, stderr="merge", grace=FOREVER) as backend:
            child = (await anext(backend)).value["child"]
            outcome = await backend.wait()
        assert outcome.ok
    with anyio.fail_after(60):
        while runs(child):
            await anyio.sleep(0.01)


async def test_it_ends_as_other_programs_do() -> None:
    with nothing_left():
        with pytest.raises(BackendTimeout):
            async with lastbrace.run(sh(f"echo '{DONE}'; sleep {FOREVER}"), pty=True, timeout=0.3):
                pass
        async with lastbrace.run(
            sh(f"trap '' TERM HUP; echo '{DONE}'; sleep {FOREVER}"), pty=True, grace=0.1
        ) as backend:
            await anext(backend)
        assert backend.returncode == -9


async def test_a_program_waits_for_its_reader() -> None:
    code = "import os, sys\nfor n in range(2000): os.write(1, b'{\"n\": \"' + b'x' * 990 + b'\"}\\n')"
    async with lastbrace.run(py(code), pty=True) as backend:
        await anext(backend)
        await anyio.sleep(0.3)
        assert backend.returncode is None
        assert len([found async for found in backend]) == 1999
    assert backend.returncode == 0


async def test_control_c_is_a_signal_to_the_group() -> None:
    script = """trap 'echo "{\\"told\\": 1}"; exit 0' INT; echo '{"n": 1}'; while :; do sleep 0.01; done"""
    async with lastbrace.run(sh(script), pty=True, contract=None) as backend:
        await anext(backend)
        backend.send_signal(2)
        outcome = await backend.wait()
    assert (outcome.ok, outcome.value) == (True, {"told": 1})
