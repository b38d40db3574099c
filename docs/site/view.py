"""A picture of the live view of followed files: ``python docs/site/view.py`` runs it and writes ``docs/view.svg``."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import pty
import signal
import struct
import sys
import tempfile
import termios
import threading
import time
from pathlib import Path
from typing import Any

import pyte
import record

TARGET = Path(__file__).parent.parent / "view.svg"
ROWS = 9
_PAUSE = 0.7  # seconds from one step of the agents to the next
_ERROR = '{"status": "error", "summary": "no network"}'
_LAST = "no network"  # what is seen last
_numbers = itertools.count(1)

Step = tuple[str, str] | str  # a tool and what it is given, or words at the end of a turn
SESSIONS: dict[tuple[str, str], list[Step]] = {
    ("web-shop", "3d1f0a52"): [("Read", "src/cart.py"), ("Edit", "src/cart.py"), ("Bash", "pytest -q tests")],
    ("web-shop", "b81c44e0"): [("Grep", "def checkout"), '{"status": "done", "summary": "3 tests fixed, all green ✓"}'],
    ("infra", "70a9d1f3"): [("Bash", "terraform plan"), "The plan changes two resources. Shall I apply it?"],
    ("docs-site", "c2e65b17"): [("WebFetch", "https://docs.example.org/api"), ("Write", "docs/api.md")],
    ("payments", "e4b06ce6"): [("Bash", "make test"), ("Bash", "make test"), _ERROR],
    ("payments", "f9341c68"): [("Read", "README.md"), '{"status": "continue", "next": "run the linter"}'],
}  # fmt: skip


def entries(project: str, session: str, steps: list[Step]) -> list[str]:
    """Return the lines of a transcript of Claude Code."""
    base = {"parentUuid": None, "isSidechain": False, "cwd": f"/home/dev/{project}", "version": "2.1.200"}
    base["sessionId"] = f"{session}-9c4b-4e5e-8f0a-1b2c3d4e5f60"
    lines = []
    for step in steps:
        number, content, stop = next(_numbers), {"type": "text", "text": step}, "end_turn"
        if isinstance(step, tuple):
            key = {"Bash": "command", "Grep": "pattern", "WebFetch": "url"}.get(step[0], "file_path")
            content, stop = {"type": "tool_use", "id": "t", "name": step[0], "input": {key: step[1]}}, "tool_use"
        message: dict[str, Any] = {"id": f"m{number}", "role": "assistant", "content": [content], "stop_reason": stop}
        message["usage"] = {"input_tokens": 2311 * number, "output_tokens": 91 * number}
        lines.append(json.dumps(base | {"type": "assistant", "uuid": f"u{number}", "message": message}))
        if stop == "tool_use":
            result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}
            lines[-1] += "\n" + json.dumps(base | {"type": "user", "uuid": f"r{number}", "message": result})
    return lines


def write(folder: Path) -> None:
    """Write the sessions as agents do, a step of each after the other."""
    sessions = {key: entries(*key, steps) for key, steps in SESSIONS.items()}
    for turn in range(3):
        for (project, session), lines in sessions.items():
            path = folder / f"-home-dev-{project}" / f"{session}-9c4b-4e5e-8f0a-1b2c3d4e5f60.jsonl"
            path.parent.mkdir(exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in lines[turn : turn + 1])
            time.sleep(_PAUSE)


def main() -> None:
    """Run the view, and write its picture when all was seen."""
    screen = pyte.Screen(record.COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    with tempfile.TemporaryDirectory() as folder:
        child, terminal = pty.fork()
        if child == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, record.COLUMNS, 0, 0))
            command = [sys.executable, "-m", "lastbrace", "follow", folder]
            os.execvpe(command[0], command, os.environ | {"TERM": "xterm-256color"})
        while chunk := record.read(terminal):
            stream.feed(chunk.replace(b"\x1b[2m", b"\x1b[38;5;244m"))
            if "nothing was written since" in "\n".join(screen.display):
                break
        writer = threading.Thread(target=write, args=(Path(folder),))
        writer.start()
        while writer.is_alive() or _LAST not in "\n".join(screen.display):
            stream.feed(record.read(terminal).replace(b"\x1b[2m", b"\x1b[38;5;244m"))
        picture = record.picture("lastbrace follow ~/.claude/projects", screen, dict.fromkeys(range(ROWS), 0.0))
        TARGET.write_text(picture, encoding="utf-8")
        os.kill(child, signal.SIGINT)
        while record.read(terminal):
            pass
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
