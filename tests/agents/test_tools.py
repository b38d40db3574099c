"""Which tool was called last, in what real CLIs print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lastbrace
from lastbrace.agents.tools import called_tool

DATA = Path(__file__).parent.parent / "data"


def tools_in(path: Path) -> list[str]:
    events = lastbrace.find_objects(path.read_bytes())
    return [tool for event in events if (tool := called_tool(event.value)) is not None]


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("claude-stream-success", "Bash: python -m pytest -q"),
        ("claude-transcript", "Bash: pytest -q"),
        ("codex-success", "shell: bash -lc ls"),
        ("codex-legacy-2025-summer", "shell: bash -lc ls"),
        ("codex-warning-item", "edit: /home/dev/demo/a.py"),
        ("copilot-success", "view: a.txt"),
        ("cursor-stream-success", "read: a.txt"),
        ("droid-stream-success", "Read: a.txt"),
        ("gemini-stream-success", "read_file: a.txt"),
        ("goose-stream-success", "developer__shell: ls"),
        ("kimi-cli-success", "Shell: ls"),
        ("opencode-success", "bash: ls"),
        ("antigravity-stream-success", "view_file"),
    ],
)
def test_the_tool_that_a_sample_calls(name: str, tool: str) -> None:
    (path,) = (DATA / "samples").glob(f"**/{name}.*l")
    assert tool in tools_in(path)


def captures_of(cli: str) -> set[str]:
    return {tool for path in (DATA / "captures").glob(f"**/{cli}/**/*") if path.is_file() for tool in tools_in(path)}


@pytest.mark.parametrize(
    ("cli", "tool"),
    [
        ("claude", "Bash: echo hi"),
        ("cline", "run_commands: echo hi"),
        ("codex", "shell: /bin/bash -lc 'echo hi'"),
        ("copilot", "bash: echo hi"),
        ("gemini", "run_shell_command: echo hi"),
        ("kimi", "Shell: echo hi"),
        ("opencode", "bash: echo hi"),
        ("pi", "bash: echo hi"),
        ("qwen", "run_shell_command: echo hi"),
        ("vibe", "file_system.bash: echo hi"),
    ],
)
def test_the_tool_that_a_real_agent_calls(cli: str, tool: str) -> None:
    assert tool in captures_of(cli)


@pytest.mark.parametrize(
    ("payload", "tool"),
    [
        ({"type": "function_call", "name": "shell", "arguments": '{"command":["bash","-lc","ls"]}'},
         "shell: bash -lc ls"),
        ({"type": "local_shell_call", "action": {"type": "exec", "command": ["ls", "-l"]}}, "shell: ls -l"),
        ({"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch\n*** End"},
         "apply_patch: *** Begin Patch *** End"),
    ],
)  # fmt: skip
def test_the_tool_in_an_entry_of_a_rollout(payload: Any, tool: str) -> None:
    assert called_tool({"type": "response_item", "payload": payload}) == tool


@pytest.mark.parametrize(
    "event",
    [
        None, [], "x", {}, {"type": "tool_use"}, {"tool_name": ["x"]},
        {"message": {"content": [1, None, {"type": "tool_use"}]}},
        {"type": "tool_result", "toolName": "Read", "value": "x"}, {"role": "toolResult", "toolName": "bash"},
        {"message": {"role": "user", "content": [{"type": "tool_result", "content": "tool_use"}]}},
        {"type": "tool_call", "tool_call": ["x"]}, {"item": {"type": "mcp_tool_call", "tool": 3}},
    ],
)  # fmt: skip
def test_no_tool_is_called(event: Any) -> None:
    assert called_tool(event) is None


def test_the_last_of_several_counts_and_hints_are_short() -> None:
    blocks = [{"type": "tool_use", "name": "Read", "input": {"file_path": "a"}}, {"type": "text", "text": "x"}]
    blocks.append({"type": "tool_use", "name": "Bash" * 100, "input": {"command": "a\n\tb " + "c" * 1_000_000}})
    tool = called_tool({"message": {"content": blocks}})
    assert tool is not None
    assert tool.startswith("BashBash")
    assert "…: a b ccc" in tool
    assert len(tool) < 200
    deep = '{"command":' * 10_000
    assert called_tool({"tool_name": "x", "arguments": deep}) == "x"
    assert called_tool({"tool_name": "x", "arguments": '{"a":' + "1" * 5000 + "}"}) == "x"
