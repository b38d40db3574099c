"""Runs what is in C under the address and undefined-behaviour sanitizers: `python -m tests.sanitize --texts 1000000`.

They are built apart, with gcc or clang, three times: as they are, without what not all processors have, and without
wide compares (and with characters that have no sign, as ARM, POWER and S/390 have them). Random texts run with each:
they are scanned, and of some every object is decoded, and so is what is left of it when it was cut or changed. The
tests of both run with the first. What the sanitizers find ends the run.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lastbrace import Found
from lastbrace.implementation import AUTOMATA
from lastbrace.pipeline import Pipeline

from .feeding import random_chunks
from .fuzz_oracle import random_options, random_text, with_noise
from .test_native_decoding import check, mutated
from .test_noted import check_noted

ROOT = Path(__file__).parent.parent
FLAGS = "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
TESTS = [
    "test_native", "test_native_decoding", "test_decoding", "test_noted", "test_oracle", "test_cases", "test_fences",
    "test_noise", "test_conformance", "test_offsets",
]  # fmt: skip
DECODED = 0.1  # of the texts: it takes ten times as long as to scan them
MEMBERS = (b"a", b"b", b"status", b"usage")  # which the random texts have


def build(target: Path, flags: str) -> None:
    """Put the package with a C scanner built with `flags` into `target`."""
    shutil.copytree(ROOT / "src" / "lastbrace", target / "lastbrace", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
    command = [sys.executable, "setup.py", "-q", "build_ext", "--force", "-b", target, "-t", target / "objects"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "CFLAGS": flags}, check=True)


def run(target: Path, *arguments: str) -> None:
    """Run Python with the package in `target`, and the sanitizer's library in front of all others."""
    compiler = os.environ.get("CC", "gcc")
    library = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    environment = {
        **os.environ,
        "PYTHONPATH": str(target),
        "LD_PRELOAD": library.stdout.strip(),
        "PYTHONMALLOC": "malloc",  # so that each object has bounds of its own
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",  # the interpreter itself leaves much behind
    }
    subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, check=True)


def scan_texts(count: int, seed: int) -> None:
    """Scan random texts in random chunks, some with terminal sequences, some not to their end; decode what is found."""
    assert "c" in AUTOMATA, "the C scanner was not built"
    rng = random.Random(seed)
    started = time.monotonic()
    for _ in range(count):
        text = random_text(rng)
        if rng.random() < 0.2:
            text, _ = with_noise(text, rng)
        decodes = rng.random() < DECODED
        options = {**random_options(rng), "buffer_limit": None}  # with one, it is read in Python
        pipeline = Pipeline(**options, members=MEMBERS, _implementation="c")
        for chunk in random_chunks(text, rng):
            for event in pipeline.feed(chunk):
                if decodes and isinstance(event, Found) and event.raw is not None:
                    decode_near(event.raw, rng)
            if decodes:
                check_noted(pipeline, MEMBERS)
        assert pipeline.members_of(text[: rng.randrange(len(text) + 1)]) is None  # of another text
        if decodes:
            decode_near(text, rng)
        if rng.random() < 0.8:
            pipeline.close()
    print(f"{count} texts, seed {seed}, {time.monotonic() - started:.0f} s")


def decode_near(raw: bytes, rng: random.Random) -> None:
    """Decode a text, and others near it."""
    check(raw)
    check(raw[: rng.randrange(len(raw) + 1)])
    for _ in range(3):
        raw = mutated(raw, rng)
        check(raw)


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=1_000_000, help="random texts for each build")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)  # under the sanitizers
    arguments = parser.parse_args()
    if arguments.inside:
        scan_texts(arguments.texts, arguments.seed)
        return
    # The builds differ only in how they search, so that the tests, which take long, run with one.
    portable = f"{FLAGS} -DLASTBRACE_PORTABLE -funsigned-char"
    for flags, tests in ((FLAGS, TESTS), (f"{FLAGS} -DLASTBRACE_BASELINE", []), (portable, [])):
        print(flags, flush=True)
        with tempfile.TemporaryDirectory() as directory:
            target = Path(directory)
            build(target, flags)
            run(target, "-m", "tests.sanitize", "--inside", f"--texts={arguments.texts}", f"--seed={arguments.seed}")
            if tests:
                # Freed memory is held back under the sanitizers, so that the process grows.
                options = ("-q", "-p", "no:cacheprovider", "-k", "not leave_nothing_behind")
                run(target, "-m", "pytest", *options, *(f"tests/{name}.py" for name in tests))


if __name__ == "__main__":
    main()
