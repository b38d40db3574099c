"""The ready commands: their words, and loops with stand-ins for the CLIs that print what these print."""

from __future__ import annotations

import json
import os
import shlex
from typing import TYPE_CHECKING, Any

import pytest

import lastbrace
from lastbrace.looping import Template, templates

from .scripts import claude

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio
GO_ON, DONE = '{"status": "continue", "next": "--yolo"}', '{"status": "done"}'


def lines(*events: dict[str, Any]) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


def codex(text: str) -> str:
    return lines(
        {"type": "thread.started", "thread_id": "0199-ab"},
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": text}},
        {"type": "turn.completed", "usage": {"input_tokens": 1, "cached_input_tokens": 0, "output_tokens": 1}},
    )


def gemini(text: str) -> str:
    at = "2026-11-01T00:00:00.000Z"
    return lines(
        {"type": "init", "timestamp": at, "session_id": "0199-ab", "model": "auto"},
        {"type": "message", "timestamp": at, "role": "user", "content": "x"},
        {"type": "message", "timestamp": at, "role": "assistant", "content": text, "delta": True},
        {"type": "result", "timestamp": at, "status": "success", "stats": {"total_tokens": 2}},
    )


def opencode(text: str) -> str:
    part: dict[str, Any] = {"sessionID": "0199-ab", "messageID": "m"}
    return lines(
        {"type": "step_start", "timestamp": 1, "sessionID": "0199-ab", "part": {**part, "type": "step-start"}},
        {"type": "text", "timestamp": 2, "sessionID": "0199-ab", "part": {**part, "type": "text", "text": text}},
        {
            "type": "step_finish",
            "timestamp": 3,
            "sessionID": "0199-ab",
            "part": {**part, "type": "step-finish", "reason": "stop", "cost": 0.5, "tokens": {"input": 1, "output": 1}},
        },
    )


CASES = {
    "claude": (
        lambda text: claude(text, session="0199-ab")["say"],
        ["-p", "--output-format", "stream-json", "--verbose"],
        ["-p", "--output-format", "stream-json", "--verbose", "--resume", "0199-ab"],
        0.5,
    ),
    "codex": (codex, ["exec", "--json", "-"], ["exec", "--json", "resume", "0199-ab", "-"], None),
    "gemini": (
        gemini,
        ["--output-format", "stream-json"],
        ["--output-format", "stream-json", "--resume", "0199-ab"],
        None,
    ),
    "opencode": (
        opencode,
        ["run", "--format", "json"],
        ["run", "--format", "json", "--session", "0199-ab"],
        1.0,
    ),
}


@pytest.mark.parametrize("name", CASES)
async def test_a_loop_begins_a_session_and_resumes_it(name: str, tmp_path: Path) -> None:
    says, start, resume, cost = CASES[name]
    stand_in = tmp_path / name
    first, second = shlex.quote(says(GO_ON)), shlex.quote(says(DONE))
    stand_in.write_text(
        f"""#!/bin/sh
cd {shlex.quote(str(tmp_path))}
n=$(( $([ -e 1 ]; echo $?) ? 1 : 2 ))
for word; do echo "$word"; done > $n.args
cat > $n
if [ $n = 1 ]; then printf %s {first}; else printf %s {second}; fi
"""
    )
    stand_in.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    async with lastbrace.loop(name, "--help me {really}", env=environment) as turns:
        seen = [turn async for turn in turns]
    assert [turn.verdict for turn in seen] == ["continue", "done"], seen
    assert [turn.session_id for turn in seen] == ["0199-ab"] * 2
    assert turns.outcome.reply is not None
    assert turns.outcome.reply.agent == name
    assert turns.cost_usd == cost
    assert (tmp_path / "1").read_text() == "--help me {really}"
    assert (tmp_path / "2").read_text() == "--yolo"
    assert (tmp_path / "1.args").read_text().split() == start
    assert (tmp_path / "2.args").read_text().split() == resume


def test_arguments_of_ones_own_go_where_the_cli_takes_them() -> None:
    words = templates.CODEX.with_args("-s", "read-only").with_args("--ephemeral")
    assert words.words() == ["codex", "exec", "--json", "-s", "read-only", "--ephemeral", "-"]
    assert words.words("a-1") == ["codex", "exec", "--json", "-s", "read-only", "--ephemeral", "resume", "a-1", "-"]
    assert templates.CODEX.args == ()
    for template in templates.TEMPLATES.values():
        for session in (None, "a-1"):
            argv = template.with_args("--model", "m").words(session)
            assert argv[argv.index("--model") + 1] == "m"
            assert not any("{" in word for word in argv)


async def test_a_template_of_ones_own(tmp_path: Path) -> None:
    log = tmp_path / "log"
    say = claude(DONE)["say"]
    program = f"""cat >> {log}; echo "$@" >> {log}; printf %s {shlex.quote(say)}"""
    mine = Template("claude", start=("/bin/sh", "-c", program, "x", templates.ARGS), resume=("false",))
    async with lastbrace.loop(mine.with_args("--fast"), "Do it. ") as turns:
        assert [turn.verdict async for turn in turns] == ["done"]
    assert log.read_text() == "Do it. --fast\n"


def test_the_template_says_whose_output_it_is() -> None:
    assert lastbrace.loop("codex", "T")._options["agent"] == "codex"
    assert lastbrace.loop("codex", "T", agent=None)._options["agent"] is None
