"""One run of the fuzzer, in a process of its own: `python -m tests.fuzzing` starts it.

The package is imported late: what is instrumented must not have been imported before.
"""

from __future__ import annotations

import ast
import ctypes
import hashlib
import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterable

_PACKAGE = Path(__file__).parent.parent.parent / "src" / "lastbrace"
# Where the words of a target's inputs are written down: all strings in these files.
_SOURCES = {
    "agents": ["agents/*.py", "completion.py"],
    "cursor": ["following/identity.py"],
    "journal": ["looping/*.py", "completion.py"],
    "recording": ["cli/recording.py"],
    "recovery": ["recovery/*.py"],
    "container_log": ["following/unwrap.py"],
}
_OWN_WORDS = {
    "cursor": ["version", "files", "path", "device", "inode", "offset", "head", "tail", "skip", "known", "copy",
               "/LOG/a.jsonl"],
    "journal": ["turn", "prompt", "verdict", "elapsed", "seconds", "started", "completion", "session_id", "cost_usd",
                "session_cost_usd", "next_prompt", "reply", "error", "returncode", "state", "ok"],
    "recovery": ["verdict", "summary", "n", "list", "more", "yes", "no"],
    "decoding": ["status", "done", "n", "cost", "names"],
}  # fmt: skip
_MARKS = [
    "{", "}", '{"', '"}', '":', '",', "[", "]", "```json\n", "```\n", "\x1b[0m", "\x1b]0;", "\x1b\\", "NaN", "\\u",
    "\ufeff", "\x1e",
]  # fmt: skip
_FAULTS_KEPT = 20


def words_of(target: str) -> list[str]:
    """Return the words that mean something to a target."""
    files = [path for pattern in _SOURCES.get(target, []) for path in sorted(_PACKAGE.glob(pattern))]
    words = {word for path in files for word in _strings(path) if 0 < len(word) <= 40 and word.isascii()}
    return sorted({*words, *_OWN_WORDS.get(target, [])}) or ["a"]


def _strings(path: Path) -> Iterable[str]:
    tree = ast.parse(path.read_text())
    return (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))


def write_dictionary(path: Path, words: Iterable[str]) -> None:
    """Write words as libFuzzer reads them."""
    lines = ("".join(rf"\x{byte:02x}" for byte in word.encode("utf-8", "replace")) for word in words)
    path.write_text("".join(f'"{line}"\n' for line in lines))


def fuzz(target: str, faults: Path, arguments: list[str]) -> NoReturn:
    """Fuzz a target with these arguments of libFuzzer, and keep one input for each place where it fails."""
    import atheris

    # What the C scanner tells goes to the fuzzer inside this library, which must be there before it.
    core = next(Path(atheris.__file__).parent.glob("core_with_libfuzzer*.so"))
    ctypes.CDLL(str(core), mode=ctypes.RTLD_GLOBAL)
    with atheris.instrument_imports(include=["lastbrace"]):
        from .targets import TARGETS
    from .mutating import json_mutator

    check = TARGETS[target].check
    words = words_of(target)
    dictionary = faults / "words.dict"
    write_dictionary(dictionary, {*words, *_MARKS})
    known: set[str] = set()

    def one(data: bytes) -> None:
        try:
            check(data)
        except Exception as error:
            place = "".join(traceback.format_list(traceback.extract_tb(error.__traceback__)[-2:]))
            if place in known or len(known) >= _FAULTS_KEPT:
                return
            known.add(place)
            name = hashlib.sha1(data, usedforsecurity=False).hexdigest()
            (faults / name).write_bytes(data)
            (faults / f"{name}.txt").write_text(
                "".join(traceback.format_exception(error)), encoding="utf-8", errors="backslashreplace"
            )
            print(f"FAULT in {faults / name}: {type(error).__name__}", file=sys.stderr, flush=True)

    mutator = json_mutator(words, lambda data, most: bytes(atheris.Mutate(data, most)))
    options = {} if target in ("terminal", "encoding") else {"custom_mutator": mutator}
    atheris.Setup([*arguments, f"-dict={dictionary}"], one, internal_libfuzzer=True, **options)
    atheris.Fuzz()
    raise SystemExit(0)


if __name__ == "__main__":
    fuzz(os.environ["LASTBRACE_FUZZ_TARGET"], Path(os.environ["LASTBRACE_FUZZ_FAULTS"]), sys.argv[1:])
