"""Every example runs, and prints what it is there to show."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SHOWN = {
    "agent_loop.py": "turn 2: Go on with turn 2 of 3. -> continue in",
    "run_an_agent.py": "done: 3 tests fixed",
    "hook_into_a_loop.py": ">>> done: 3 tests fixed",
    "hook_into_asyncio.py": ">>> done: 3 tests fixed",
    "hook_into_claude_sdk.py": "2 turns, 0.01 USD\nall went well",
    "hook_into_httpx.py": "{'step': 2}\n{'status': 'done', 'summary': 'served'}",
    "hook_into_openai_stream.py": ">>> done: 3 tests fixed\nthe model said: Fixed. {",
    "follow_a_session.py": ">>> done: 3 tests fixed, naïve café handled ✓ {really}\nsession.log: all went well",
    "review_bot.py": '(recovered: keys, unescaped_quote)\nneeds-work: it returns {"success": false} now\n- app.py:3',
    "fan_out.py": "part 6: done\npart 7: error\npart 8: done\n",
    "read_an_archive.py": "error.log: no agent known, error\n3 logs, 0.00 USD",
    "typed_answer.py": "app.py:3: shadows a builtin\nno review: the input ended inside an object",
    "read_a_stream.py": "['status', 'summary']",
    "judge_saved_output.py": "agent: claude, session: s-1, cost: 0.01 USD\nfailed: API Error: 429",
}


@pytest.mark.parametrize("name", SHOWN)
def test_example_runs(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", str(EXAMPLES / name)]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=60)
    assert result.returncode == 0, result.stderr
    assert SHOWN[name] in result.stdout


def test_every_example_is_run_and_listed() -> None:
    names = {path.name for path in EXAMPLES.glob("*.py")}
    assert names == set(SHOWN)
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert all(name in listed for name in names)
