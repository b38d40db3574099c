"""The reply in an agent's saved output. ``python judge_saved_output.py saved.jsonl``, or without a file an example."""

import sys
from pathlib import Path

import lastbrace

SAVED = """\
{"type":"system","subtype":"init","session_id":"s-1","claude_code_version":"2.1.0","tools":[],"mcp_servers":[]}
{"type":"assistant","message":{"id":"m-1","content":[{"type":"text","text":"Rate limited."}]},"session_id":"s-1"}
{"type":"result","subtype":"success","is_error":true,"result":"API Error: 429","session_id":"s-1","total_cost_usd":0.01}
"""

data = Path(sys.argv[1]).read_bytes() if len(sys.argv) > 1 else SAVED
reply = lastbrace.parse_reply(data)
print(f"agent: {reply.agent}, session: {reply.session_id}, cost: {reply.cost_usd} USD")
print(f"failed: {reply.error}" if reply.is_error else reply.text)
