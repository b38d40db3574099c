"""Runs the work on one event loop or both, and judges it; see the package."""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import lastbrace

from . import working
from .measuring import Sample
from .picture import draw
from .verdict import MEASURES, change_of, not_flat

LOOPS = ("asyncio", "trio")
_QUIET = ("faults", "rounds", "records", "written", "sessions", "rotations")


def main() -> int:
    """Do what the command line asks for; 1 where there is a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=working.__doc__)
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--loop", choices=LOOPS, help="one alone; both unless given, side by side")
    parser.add_argument("--agents", type=int, default=50, help="that do one job each in a round")
    parser.add_argument(
        "--out", type=Path, default=Path("build/soak"), help="the folder for the report and its picture"
    )
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    seconds = options.minutes * 60
    if options.work:
        with tempfile.TemporaryDirectory() as folder:
            work = {"seconds": seconds, "seed": options.seed, "agents": options.agents, "folder": Path(folder)}
            working.work(options.work, report=options.out, **work)
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    loops = [options.loop] if options.loop else LOOPS
    began = time.monotonic()
    results = run(loops, options)
    summary = [line for loop in loops for line in told(loop, results[loop])]
    faults = [f"{loop}: {fault}" for loop in loops for fault in results[loop]["faults"]]
    machine = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    took = f"{(time.monotonic() - began) / 60:.1f} minutes"
    summary.append(f"seed {options.seed}, {took}, {machine}, {lastbrace.scanner_kind} scanner, {len(faults)} faults")
    print("\n".join([*faults, *summary]))
    (options.out / "report.json").write_text(json.dumps(results), encoding="utf-8")
    series = {loop: results[loop]["samples"] for loop in loops if results[loop]["samples"]}
    if series:
        notes = [line for line in summary if " → " not in line]  # the picture says those itself
        (options.out / "soak.svg").write_text(draw(series, notes), encoding="utf-8")
    return 1 if faults else 0


def run(loops: list[str] | tuple[str, ...], options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Run a process for each event loop, and return what each wrote, and its faults."""
    running = []
    for loop in loops:
        report = options.out / f"{loop}.jsonl"
        report.unlink(missing_ok=True)
        argv = [sys.executable, "-W", "error", "-m", "tests.soak", "--work", loop, "--out", str(report)]
        argv += ["--minutes", str(options.minutes), "--seed", str(options.seed), "--agents", str(options.agents)]
        stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed below
        running.append((loop, report, stderr, subprocess.Popen(argv, stdin=subprocess.DEVNULL, stderr=stderr)))
    results = {}
    try:
        for loop, report, stderr, process in running:
            status = process.wait()
            stderr.seek(0)
            results[loop] = read(report, status, stderr.read().decode(errors="replace"))
    finally:
        for _, _, stderr, process in running:
            process.kill()
            process.wait()
            stderr.close()
    return results


def read(report: Path, status: int, stderr: str) -> dict[str, Any]:
    """Return what a process wrote, with all its faults."""
    entries = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()] if report.exists() else []
    samples: list[Sample] = [entry for entry in entries if "seconds" in entry]
    summary = next((entry for entry in entries if "counts" in entry), {"counts": {}, "faults": []})
    faults = [*summary["faults"], *(not_flat(samples) if samples else ["no sample"])]
    if status or stderr:
        faults.append(f"exit status {status}, and on stderr: {stderr[-5000:]}")
    return {"samples": samples, "counts": summary["counts"], "faults": faults}


def told(loop: str, result: dict[str, Any]) -> list[str]:
    """Return what one process did and held, in lines."""
    counts = result["counts"]
    jobs = sum(count for name, count in counts.items() if name not in _QUIET)
    lines = [
        f"{loop}: {jobs} agents and loops in {counts.get('rounds', 0)} rounds;"
        f" {counts.get('written', 0)} records written and {counts.get('records', 0)} delivered to two readers,"
        f" through {counts.get('rotations', 0)} rotations and {counts.get('sessions', 0)} restarts"
    ]
    if result["samples"]:
        changes = [(measure, change_of(measure, result["samples"])) for measure in MEASURES]
        held = [f"{measure.name} {change.before:g} → {change.after:g}" for measure, change in changes]
        lines.append(f"{loop}: {', '.join(held)} (second quarter → last, {len(result['samples'])} samples)")
    return lines


if __name__ == "__main__":
    sys.exit(main())
