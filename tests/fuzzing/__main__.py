"""Fuzzes one target: `python -m tests.fuzzing agents --seconds 600 --scanner c`.

It starts from the inputs in `tests/data/fuzz` and from those that it found before, which it keeps in `build/fuzz`, and
prints what it came to. Of each place where the target fails one input is kept beside its traceback; the exit status is
then 1. `--keep` adds the smallest inputs that reach what those in `tests/data/fuzz` do not.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ..sanitize import build
from .inputs import MAX_BYTES
from .targets import CORPORA, TARGETS

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parent.parent.parent
LONGEST = 120  # seconds for one input: it hangs; much less may be a busy machine
MOST_MEMORY = 2048  # megabytes
KEPT_BYTES = 500  # of an input that is kept in the repository
FEW, MANY = 24, 72  # inputs of a target: fewer may be more, and more are too many to run in each test
_progress = re.compile(r"cov: (\d+) ft: (\d+)")
_is_unnamed = re.compile(r"[0-9a-f]{40}").fullmatch


class Fuzzer:
    """Runs the fuzzer on one target in a process of its own; its corpus and what fails are kept in `folder`.

    What it needs for the time being is in `scratch`.
    """

    def __init__(self, target: str, scanner: str, folder: Path, scratch: Path) -> None:
        self.target, self.scanner = target, scanner
        self.faults = folder / f"faults-{target}-{scanner}"
        self.corpus = folder / target
        self.committed = CORPORA / target
        for path in (self.faults, self.corpus, self.committed):
            path.mkdir(parents=True, exist_ok=True)
        self._package, self._scratch = ROOT / "src", scratch
        self._program = scratch / "engine"  # libFuzzer starts itself anew to merge
        self._program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tests.fuzzing.engine "$0" "$@"\n')
        self._program.chmod(0o700)

    def count_in_c(self) -> None:
        """Use a C scanner that tells which of its code runs; where there is no compiler, none."""
        folder = self._scratch / "package"
        build(folder, f"-include {Path(__file__).with_name('coverage.h')} -fsanitize-coverage=trace-pc,trace-cmp")
        self._package = folder
        if not [*folder.glob("lastbrace/_native*.so")]:
            print("the C scanner cannot be built here: fuzzing without it", file=sys.stderr)

    def run(self, *arguments: str, corpora: Sequence[Path]) -> list[str]:
        """Run it with these arguments of libFuzzer, and return what it wrote."""
        environment = {
            **os.environ,
            "LASTBRACE_FUZZ_TARGET": self.target,
            "LASTBRACE_FUZZ_FAULTS": str(self.faults),
            "LASTBRACE_PURE": "1" if self.scanner == "python" else "",
            "TMPDIR": str(self._scratch),
            "PYTHONPATH": os.pathsep.join([str(self._package), os.environ.get("PYTHONPATH", "")]),
        }
        command = [str(self._program), *arguments, *map(str, corpora)]
        with subprocess.Popen(
            command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True, errors="replace"
        ) as engine:
            assert engine.stderr is not None
            written = []
            for line in engine.stderr:
                written.append(line)
                if not (_progress.search(line) or line.startswith("INFO: Instrumenting")):
                    sys.stderr.write(line)
        return written

    def fuzz(self, seconds: int) -> int:
        """Fuzz for so many seconds, print what it came to, and return how many faults there are."""
        for path in self.faults.iterdir():
            path.unlink()
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        written = self.run(
            f"-max_total_time={seconds}",
            f"-max_len={MAX_BYTES}",
            f"-timeout={LONGEST}",
            f"-rss_limit_mb={MOST_MEMORY}",
            f"-artifact_prefix={self.faults}/",
            "-print_final_stats=1",
            "-reload=0",
            corpora=(self.corpus, self.committed),
        )
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        text = "".join(written)
        executions = re.search(r"number_of_executed_units: (\d+)", text)
        reached = _progress.findall(text)
        faults = [path for path in self.faults.iterdir() if not path.suffix and not path.name.startswith("slow-unit")]
        edges, features = reached[-1] if reached else ("0", "0")
        done = f"{executions[1] if executions else 'cut off:'} executions, {edges} edges, {features} features"
        took = f"{seconds} s ({used:.0f} of a processor)"
        print(f"{self.target} ({self.scanner}): {took}, {done}, {len(faults)} faults", flush=True)
        for path in faults:
            print(f"  {path}")
        return len(faults) + (executions is None)

    def keep(self) -> None:
        """Add to the inputs in the repository what reaches more, and let go of those that are not needed for that."""
        chosen = self._chosen("-use_counters=0")
        if len([*chosen.iterdir()]) < FEW:  # little code: then how often it runs counts too
            chosen = self._chosen()
        for path in self.committed.iterdir():
            if _is_unnamed(path.name):
                path.unlink()
        named = {path.read_bytes() for path in self.committed.iterdir()}
        largest = sorted(chosen.iterdir(), key=lambda path: (-path.stat().st_size, path.name))  # they reach most
        for path in largest[:MANY]:
            if path.read_bytes() not in named:
                (self.committed / path.name).write_bytes(path.read_bytes())
        print(f"{len([*self.committed.iterdir()])} inputs in {self.committed}")

    def _chosen(self, *arguments: str) -> Path:
        """Return a folder with the fewest inputs that reach all that is known to be reached."""
        chosen = self.corpus.with_name(f"kept-{self.target}")
        chosen.mkdir(exist_ok=True)
        for path in chosen.iterdir():
            path.unlink()
        known = (chosen, self.committed, self.corpus)
        self.run("-merge=1", "-set_cover_merge=1", f"-max_len={KEPT_BYTES}", *arguments, corpora=known)
        return chosen


def main() -> int:
    """Fuzz what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=600, metavar="N")
    parser.add_argument("--scanner", choices=("c", "python"), default="c", help="'c': beside the one in Python")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz", help="for what it finds")
    parser.add_argument("--keep", action="store_true", help="then add to the inputs in tests/data/fuzz")
    arguments = parser.parse_args()
    if importlib.util.find_spec("atheris") is None:
        parser.error("it needs one more package: pip install -e '.[fuzz]' (on Linux)")
    with tempfile.TemporaryDirectory() as scratch:
        fuzzer = Fuzzer(arguments.target, arguments.scanner, arguments.folder.absolute(), Path(scratch))
        if arguments.scanner == "c" and TARGETS[arguments.target].scans:
            fuzzer.count_in_c()
        faults = fuzzer.fuzz(arguments.seconds) if arguments.seconds else 0
        if arguments.keep:
            fuzzer.keep()
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
