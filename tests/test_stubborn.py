"""Programs, readers and terminals that behave as badly as they can."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import anyio
import pytest

import lastbrace

from .commands import COMMAND, command, inside
from .processes import FOREVER, py, runs, sh

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

DONE = '{"status":"done"}'


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals to send")
def test_a_second_signal_ends_a_stubborn_family_at_once(tmp_path: Path) -> None:
    code = f"""trap '' TERM; sleep {FOREVER} & echo "{{\\"child\\": $!}}" > "$0"; while :; do sleep {FOREVER}; done"""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    arguments = [*COMMAND, "run", "--grace", "60", "--", "/bin/sh", "-c", code, str(fifo)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        child = json.loads(fifo.read_text())["child"]
        program.send_signal(signal.SIGTERM)
        time.sleep(0.5)  # for the first to be noticed: two at once are one
        program.send_signal(signal.SIGTERM)
        out, error = program.communicate(timeout=30)
    assert program.returncode == 143
    assert json.loads(out)["error"] == "ended by SIGTERM"
    assert b"Traceback" not in error
    assert not runs(child)


@pytest.mark.anyio
async def test_an_input_whose_clean_up_raises_stops_nothing() -> None:
    async def endless() -> AsyncIterator[bytes]:
        try:
            while True:
                yield b"x" * 100_000
        finally:
            raise OSError("clean-up")

    argv = sh(f"exec 0<&-; sleep 0.3; echo '{DONE}'")
    backend = lastbrace.run(argv, input=endless())
    with pytest.raises(OSError, match="clean-up"):
        async with backend:
            pass
    assert backend.outcome.completion == lastbrace.Completion(lastbrace.Status.DONE)


@pytest.mark.anyio
async def test_an_abandoned_draft_does_not_end_the_agent() -> None:
    events: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "claude_code_version": "2", "session_id": "s"},
        {
            "type": "assistant",
            "message": {"id": "m1", "content": [{"type": "text", "text": f"I will end with {DONE}"}]},
        },
        {"type": "assistant", "message": {"id": "m1", "content": [{"type": "tool_use", "id": "t", "name": "Bash"}]}},
        {"type": "result", "subtype": "success", "is_error": False, "result": DONE, "total_cost_usd": 0},
    ]
    script = f"import time\nfor event in {[json.dumps(event) for event in events]!r}:\n    print(event, flush=True)\n"
    script += "    time.sleep(1 if 'tool_use' in event else 0.1)\n"
    async with lastbrace.run(py(script), stop="final", grace=0.4) as backend:
        outcome = await backend.wait()
    assert outcome.ok
    assert outcome.reply is not None
    assert outcome.reply.final


@pytest.mark.anyio
async def test_kill_ends_the_program_at_once() -> None:
    with anyio.fail_after(20):
        async with lastbrace.run(sh(f"trap '' TERM; echo x; sleep {FOREVER}"), grace=60, contract=None) as backend:
            backend.kill()
    assert backend.returncode == -signal.SIGKILL


def test_the_reply_is_valid_json_whatever_it_holds() -> None:
    event = (
        b'{"type":"result","subtype":"success","is_error":false,"total_cost_usd":0,"result":"\\ud83d",'
        b'"structured_output":{"a":NaN}}'
    )
    _, out, _ = inside("last", "--agent", "auto", stdin=event)
    reply = json.loads(out, parse_constant=pytest.fail)["reply"]
    assert (reply["structured"], reply["text"]) == ({"a": None}, "\ud83d")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such shell")
@pytest.mark.parametrize("line", ["last <&-", "all >&-", "run -- true >&-", "run --input - -- cat <&-"])
def test_closed_streams_are_told_not_traced(line: str) -> None:
    script = f'"$@" {line}'
    done = subprocess.run(["sh", "-c", script, "sh", *COMMAND], input=b"{}", capture_output=True, timeout=60)
    assert done.returncode in (1, 2)
    assert b"closed" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such shell")
def test_nothing_for_people_goes_to_standard_output() -> None:
    done = subprocess.run(
        ["sh", "-c", '"$@" last 2>&-', "sh", *COMMAND], input=b"none", capture_output=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (4, b"")


def test_a_schema_too_deep_and_a_chunk_too_large_are_usage_errors(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text("[" * 100_000)
    assert command("last", "--schema", schema)[0] == 2
    assert command("all", "--chunk-size", "9" * 20)[0] == 2
