"""A scripted agent: each time it is run it takes the next step of its list, and writes down what it was asked."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import json, os, sys, time
folder = sys.argv[1]
prompt = sys.stdin.read()
with open(folder + "/asked", "a+") as log:
    log.write(json.dumps([prompt, sys.argv[2:]]) + "\\n")
    log.flush()
    log.seek(0)
    turn = len(log.readlines())
steps = json.load(open(folder + "/steps"))
step = steps[min(turn, len(steps)) - 1]
sys.stdout.write(step.get("say", "").replace("<turn>", str(turn)))
sys.stdout.flush()
sys.stderr.write(step.get("complain", ""))
time.sleep(step.get("sleep", 0))
if "signal" in step:
    os.kill(os.getpid(), step["signal"])
sys.exit(step.get("exit", 0))
"""


def says(status: str, **members: str) -> dict[str, Any]:
    """Return the step that says this completion."""
    return {"say": f"so: {json.dumps({'status': status, **members})}\n"}


def claude(text: str, *, session: str = "s-1", cost: Any = 0.25, version: str = "2.1.0", **more: Any) -> dict[str, Any]:
    """Return the step that prints this answer as Claude Code does."""
    init = {"type": "system", "subtype": "init", "session_id": session, "claude_code_version": version, "tools": []}
    result = {"type": "result", "subtype": "success", "is_error": False, "result": text, "session_id": session}
    result |= {"total_cost_usd": cost, "num_turns": 1, "duration_ms": 5, **more}
    return {"say": f"{json.dumps(init)}\n{json.dumps(result)}\n"}


@dataclass
class Script:
    """An agent in a folder of its own; the last step is repeated when there are no more."""

    folder: Path
    steps: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        (self.folder / "steps").write_text(json.dumps(self.steps))

    @property
    def argv(self) -> list[str]:
        return [sys.executable, "-S", "-E", "-c", PROGRAM, str(self.folder)]

    def resuming(self, prompt: str, session: str | None) -> Any:
        """Give the command for a prompt and a session, as an agent with sessions has it."""
        from lastbrace.looping import Command

        return Command([*self.argv, *(["--resume", session] if session else [])], prompt)

    @property
    def asked(self) -> list[tuple[str, list[str]]]:
        """What it was asked so far, and with which arguments."""
        log = self.folder / "asked"
        return [tuple(json.loads(line)) for line in log.read_text().splitlines()] if log.exists() else []

    @property
    def prompts(self) -> list[str]:
        return [prompt for prompt, _ in self.asked]
