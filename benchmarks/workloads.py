"""The bytes that are read: seeded, so that every run and every contestant reads the same ones."""

from __future__ import annotations

import json
import random
import uuid
from pathlib import Path
from typing import Any, NamedTuple

CAPTURES = Path(__file__).parent.parent / "tests" / "data" / "captures"
POOL = 400  # distinct records, drawn from again and again: making 20 MB of distinct ones would outlast reading them

_WORDS = """
    the a file test of to in that and is was with for function returns value cache when chunk parser reads stream
    build failed passes because import module argument default error handler retry request response user session
    naïve café Zürich 日本語 → ✓ “quoted” O'Brien 100% §5 e.g. async await path/to/file.py foo.bar() x[0] a<b && c||d
""".split()  # noqa: SIM905 - a list of one-word strings is harder to read
_CODE = [
    "def feed(self, chunk: bytes) -> list[Event]:", '    """Read a chunk."""', "    if not chunk:", "\treturn []",
    'print(f"{name}: {total:>8.2f} €")', 'const url = `${base}/v1/${id}`;', "for (const [key, value] of entries) {",
    "}", '{"status": "draft", "items": [1, 2, 3]}', r're.compile(r"\d+\.\w{2,}")', "C:\\Users\\dev\\project", "",
    "FAILED tests/test_parser.py::test_cut - AssertionError: assert {'a': 1} == {'a': 2}", "@@ -12,7 +12,9 @@",
    "-    return None", '+    raise ValueError("no object")', "diff --git a/src/app.py b/src/app.py", "$ pytest -q",
]  # fmt: skip
_STATUS = ["working", "running", "waiting"]


class Work(NamedTuple):
    """Bytes to read, and what is known to be in them: the newest object, and where it was counted, how many."""

    data: bytes
    newest: dict[str, Any]
    objects: int | None = None


class _Agent:
    """Makes records as the command lines of coding agents print them."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.session = str(uuid.UUID(int=self.rng.getrandbits(128)))

    def prose(self, size: int) -> str:
        words, length = [], 0
        while length < size:
            words.append(self.rng.choice(_WORDS))
            length += len(words[-1]) + 1
        return " ".join(words)

    def code(self, size: int) -> str:
        lines, length = [], 0
        while length < size:
            lines.append(self.rng.choice(_CODE))
            length += len(lines[-1]) + 1
        return "\n".join(lines)

    def hex(self, size: int) -> str:
        return f"{self.rng.getrandbits(size * 4):0{size}x}"

    def usage(self) -> dict[str, Any]:
        number = self.rng.randrange
        return {
            "input_tokens": number(5000), "cache_creation_input_tokens": number(40000),
            "cache_read_input_tokens": number(90000), "output_tokens": number(2000), "service_tier": "standard",
            "cache_creation": {"ephemeral_5m_input_tokens": number(900), "ephemeral_1h_input_tokens": 0},
        }  # fmt: skip

    def said(self, size: int) -> dict[str, Any]:
        content: list[dict[str, Any]] = [{"type": "text", "text": self.prose(size // 2)}]
        if self.rng.random() < 0.6:
            tool = {"file_path": f"/home/dev/{self.hex(6)}/app.py", "old_string": self.code(size // 4),
                    "new_string": self.code(size // 4), "replace_all": False}  # fmt: skip
            content.append({"type": "tool_use", "id": f"toolu_{self.hex(24)}", "name": "Edit", "input": tool})
        message = {
            "id": f"msg_{self.hex(24)}", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
            "content": content, "stop_reason": None, "stop_sequence": None, "usage": self.usage(),
        }  # fmt: skip
        return {"type": "assistant", "message": message, "parent_tool_use_id": None, "session_id": self.session,
                "uuid": str(uuid.UUID(int=self.rng.getrandbits(128)))}  # fmt: skip

    def tool_result(self, size: int) -> dict[str, Any]:
        output = self.code(size)
        tool = f"toolu_{self.hex(24)}"
        content = [{"tool_use_id": tool, "type": "tool_result", "content": output, "is_error": False}]
        return {
            "type": "user", "message": {"role": "user", "content": content}, "parent_tool_use_id": None,
            "session_id": self.session, "tool_use_result": {
                "stdout": output[: size // 4], "stderr": "", "interrupted": False, "isImage": False,
                "lines": [self.rng.randrange(500) for _ in range(self.rng.randrange(12))],
            },
        }  # fmt: skip

    def item(self, size: int) -> dict[str, Any]:
        kind = self.rng.choice(("command_execution", "agent_message", "file_change"))
        item: dict[str, Any] = {"id": f"item_{self.rng.randrange(99)}", "type": kind}
        if kind == "command_execution":
            item |= {"command": "bash -lc 'rg -n \"feed\\(\" src | head'", "aggregated_output": self.code(size),
                     "exit_code": 0, "status": "completed"}  # fmt: skip
        elif kind == "agent_message":
            item["text"] = json.dumps({"status": self.rng.choice(_STATUS), "summary": self.prose(size)}, indent=2)
        else:
            item["changes"] = [
                {"path": f"src/{self.hex(8)}/{self.hex(4)}.py", "kind": "update", "ratio": self.rng.random()}
                for _ in range(size // 75)
            ]
        return {"type": "item.completed", "item": item}

    def record(self, size: int) -> bytes:
        make = self.rng.choice((self.said, self.said, self.tool_result, self.item))
        return json.dumps(
            make(self.rng.randint(size // 2, size * 3 // 2)),
            ensure_ascii=self.rng.random() < 0.3,
            separators=self.rng.choice(((",", ":"), (",", ":"), (", ", ": "))),
        ).encode()


def _draw(pool: list[bytes], size: int, seed: int) -> list[bytes]:
    """Return about ``size`` bytes of the pool's texts in random order."""
    mean = sum(map(len, pool)) / len(pool)
    return random.Random(seed).choices(pool, k=max(1, int(size / mean)))


def _lines(pool: list[bytes], size: int, seed: int) -> Work:
    """Return lines of the pool in random order, and a last one."""
    last = {"type": "result", "subtype": "success", "is_error": False, "result": 'All "done" {ok}', "num_turns": 41}
    lines = [*_draw(pool, size, seed), json.dumps(last, separators=(",", ":")).encode() + b"\n"]
    return Work(b"".join(lines), last, len(lines))


def agent_lines(size: int) -> Work:
    """JSON Lines as an agent prints them, 2 KB a line: prose, code, escapes, Unicode, tool calls, token counts."""
    agent = _Agent(1)
    return _lines([agent.record(1350) + b"\n" for _ in range(POOL)], size, 2)


def short_lines(size: int) -> Work:
    """JSON Lines of 200 bytes: the progress events of a chatty program."""
    agent = _Agent(4)
    pool = []
    for number in range(POOL):
        event = {"ts": 1764400000.25 + number, "level": "info", "event": "tool.progress", "id": agent.hex(12),
                 "data": {"done": number, "total": POOL, "ok": True}, "msg": agent.prose(60)}  # fmt: skip
        pool.append(json.dumps(event, ensure_ascii=False).encode() + b"\n")
    return _lines(pool, size, 5)


def captured_lines(size: int) -> Work | None:
    """The JSON Lines in the real output of agents, in random order; None where the captures are not there."""
    pool = []
    for path in sorted(CAPTURES.glob("*/*.stdout")):
        lines = path.read_bytes().splitlines(keepends=True)
        pool += [line for line in lines if line.startswith(b"{") and line.endswith(b"}\n") and _is_json(line)]
    return _lines(pool, size, 3) if pool else None


def captures(size: int) -> Work | None:
    """The real output of agents as they printed it, one after another, again and again; None where it is not there.

    JSON Lines, pretty-printed JSON, plain text, terminal sequences, records cut by a signal. The last is one of those
    that print their result over several lines.
    """
    files = [path.read_bytes() for path in sorted(CAPTURES.glob("*/*.stdout"))]
    last = CAPTURES / "gemini" / "a_plain.json.stdout"
    if not files or not last.exists():
        return None
    once, end = b"\n".join(files) + b"\n", last.read_bytes()
    times = max(1, round(size / len(once)))
    return Work((once * times)[-size:] + b"\n" + end, json.loads(end))


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def prose(size: int) -> Work:
    """Prose with a ``{word}`` placeholder every 150 bytes or so, and one object at the end."""
    agent = _Agent(6)
    pool = []
    for _ in range(POOL):
        before, after = agent.prose(agent.rng.randint(40, 110)), agent.prose(agent.rng.randint(40, 110))
        placeholder = agent.rng.choice(("{word}", "{word}", "%{user_name}", "${x}"))
        pool.append(f"{before} {placeholder} {after}\n".encode())
    newest = {"status": "done", "summary": "all green"}
    text = b"".join(_draw(pool, size, 7)) + f"The result is {json.dumps(newest)}.\n".encode()
    return Work(text, newest)


def pretty(size: int) -> Work:
    """Pretty-printed records between the log lines of a program that prints braces of its own."""
    agent = _Agent(8)
    pool = []
    for number in range(POOL):
        record = json.loads(agent.record(1350))
        log = f"2025-11-30 12:00:{number % 60:02d} INFO worker[{number}]: step {{id}}: {agent.prose(60)}\n"
        pool.append(log.encode() * 3 + json.dumps(record, indent=2, ensure_ascii=False).encode() + b"\n")
    newest = {"status": "done", "turns": [41]}
    end = f"INFO the end\n{json.dumps(newest, indent=2)}\nINFO bye\n"
    return Work(b"".join(_draw(pool, size, 9)) + end.encode(), newest)


def answer(size: int) -> Work:
    """One chat answer: prose with placeholders, and its object in a code fence at the end."""
    agent = _Agent(10)
    value = {"status": "done", "summary": agent.prose(size // 2), "items": [{"n": n, "ok": True} for n in range(9)]}
    text = agent.prose(size // 2) + " Use %{name} here.\n\n```json\n" + json.dumps(value, indent=2, ensure_ascii=False)
    return Work(text.encode() + b"\n```\nThat is all.\n", value)


def findings(size: int) -> bytes:
    """One object of at least ``size`` bytes that satisfies the contract: a list of findings, which it does not want."""
    agent = _Agent(11)
    pool = []
    for number in range(POOL if size > 100 * POOL else 4):
        finding = {"file": f"{agent.hex(6)}.py", "line": number, "note": agent.prose(200), "fix": agent.code(80)}
        pool.append(json.dumps(finding).encode())
    listed = b", ".join(_draw(pool, size, 12))
    data = b'{"status": "done", "summary": "three things to mend", "findings": [' + listed + b"]"
    return data + b', "note": "' + agent.prose(max(0, size - len(data) - 13)).encode() + b'"}'


def one_object(size: int) -> Work:
    """One object of about ``size`` bytes, as a model streams it."""
    data = findings(size)
    return Work(data, json.loads(data), 1)


HOSTILE = {
    "`{` × n": b"{",
    '`{"a":` × n': b'{"a":',
    '`{"` × n': b'{"',
    '`{"a":"{` × n': b'{"a":"{',
    '`{"a":[` × n': b'{"a":[',
    '`{"a":{},` × n': b'{"a":{},',
    '`"\\` × n': b'"\\',
    '`{"a":"{\\"b\\":\\"` × n': b'{"a":"{\\"b\\":\\"',
    "`':{}` × n": b"':{}",
    '`{"a":tru ` × n': b'{"a":tru ',
}
"""Texts made to cost much, by name: each is its piece repeated."""


def hostile(piece: bytes, size: int) -> bytes:
    """Return the piece, repeated to about ``size`` bytes."""
    return piece * (size // len(piece))
