"""A scripted agent: ``python -m lastbrace.demo`` prints what agents print, as they print it.

Prose with braces, terminal colours, a draft, a character cut between two writes, a line longer than a pipe, a record
that was torn, an example in a code fence, and at the end one completion. It is a program to try readers on.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_TURNS = ("read", "edit", "test")


def script(status: str, following: str | None = None, answer: str | None = None) -> Iterator[tuple[float, bytes]]:
    """Return what the agent says: pairs of the seconds it takes and the bytes it then writes at once.

    ``following`` is what it says is to be done next, ``answer`` what it says instead of its completion.
    """
    yield 0.1, b"\x1b[1mdemo agent\x1b[0m: fixing the tests of {project}\n"
    yield 0.15, b"\x1b[2mUsing the template %{name}: function () { return {ok: true} }\x1b[0m\n"
    yield 0.15, b'{"status": "continue", "next": "write the fix", "draft": true}\n'
    for number, turn in enumerate(_TURNS, 1):
        yield 0.1, b'{"type": "tool", "turn": %d, "name": "%s", ' % (number, turn.encode())
        yield 0.1, b'"output": {"exit": 0, "lines": [1, 2, 3]}}\n'
    summary = "3 tests fixed, naïve café handled ✓"
    cut = f"Thinking aloud: {summary} … ".encode()
    middle = cut.index("✓".encode()) + 1
    yield 0.1, cut[:middle]
    yield 0.15, cut[middle:] + b"\x1b[32mok\x1b[0m\n"
    yield 0.1, b'{"type": "tool", "name": "cat", "output": "' + b"0123456789abcdef" * 8192 + b'"}\n'
    yield (
        0.1,
        b'{"type": "result", "usage": {"input": 12, "output": 34}, "verdict": {"status": "done"}, "text": "all te\n',
    )
    yield 0.15, b'The answer will look like this:\n```json\n{"status": "error", "summary": "what went wrong"}\n```\n'
    more = f', "next": "{following}"' if following else ""
    record = (answer or f'{{"status": "{status}", "summary": "{summary} {{really}}"{more}}}').encode()
    yield 0.2, b"\x1b[33mHere it is:\x1b[0m " + record[:-8]
    yield 0.15, record[-8:] + b"\nBye {}.\n"


def turn_of(prompt: str, turns: int) -> tuple[str, str | None]:
    """Return the status at the end of a turn, and what is next: the prompt says which turn it is.

    >>> turn_of("Fix the tests.", 2)
    ('continue', 'Go on with turn 2 of 2.')
    >>> turn_of("Go on with turn 2 of 2.", 2)
    ('done', None)
    """
    said = re.search(r"turn (\d{1,9}) of", prompt)
    turn = int(said[1]) if said else 1
    return ("done", None) if turn >= turns else ("continue", f"Go on with turn {turn + 1} of {turns}.")


def _complain(text: str) -> None:
    try:
        if sys.stderr is not None:
            print(f"demo agent: {text}", file=sys.stderr, flush=True)
    except OSError:
        _silence(2)


def _silence(descriptor: int) -> None:
    """Let go of what could not be written, or the interpreter complains when it flushes at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def main(argv: list[str] | None = None) -> int:
    """Run the agent; return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m lastbrace.demo", description="A scripted agent to try readers on.")
    parser.add_argument("--fast", action="store_true", help="do not sleep")
    parser.add_argument("--status", choices=("done", "continue", "error"), default="done", help="how it says it ended")
    parser.add_argument("--answer", metavar="TEXT", help="what it answers, instead of that")
    parser.add_argument("--turns", type=int, metavar="N", help="be done in the Nth turn; the prompt is read on stdin")
    parser.add_argument("--fail", action="store_true", help="print nothing but an error, and exit with status 1")
    parser.add_argument("--hang", action="store_true", help="stay after the last word")
    args = parser.parse_args(argv)
    if args.fail:
        _complain("no such model: {model}")
        return 1
    _complain("this goes to stderr")
    if sys.stdout is None:
        return 1
    prompt = sys.stdin.read() if args.turns and sys.stdin is not None else ""
    status, following = turn_of(prompt, args.turns) if args.turns else (args.status, None)
    try:
        for seconds, data in script(status, following, args.answer):
            if not args.fast:
                time.sleep(seconds)
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        while args.hang:
            time.sleep(60)
    except OSError:  # its reader has gone, the disk is full
        _silence(1)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
