"""Programs that behave as badly as programs can, run by `lastbrace.run` under random cancellation.

    python -m tests.faults --programs 500 --seed 1

Each must end in time, leave nothing behind, and never be taken for a success that it is not.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import random
import reprlib
import signal
import sys
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio

import lastbrace

from .processes import DONE, descriptors, py, runs, sh

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

SLACK = 1.0  # seconds beyond all that was asked for
AT_ONCE = 4
LONG = 60  # seconds: longer than any run may take
_MARK = "LASTBRACE_FAULTS"


class Fault(NamedTuple):
    """A program; whether it prints a whole answer, and whether it then ends well."""

    argv: list[str]
    answers: bool = False
    succeeds: bool = False


def _torn(rng: random.Random) -> Fault:
    text = f'text {DONE[:-1]}, "summary": "all {{green}} é"}}'.encode()
    cut = rng.randrange(len(text))
    end = rng.choice(["os._exit(0)", "os._exit(3)", "os.kill(os.getpid(), 9)", "os.kill(os.getpid(), 11)"])
    return Fault(py(f"import os\nos.write(1, {text[:cut]!r})\n{end}"))


def _answer(rng: random.Random) -> Fault:
    status = rng.choice([0, 0, 1, 7])
    return Fault(sh(f"echo working; echo '{DONE}'; exit {status}"), answers=True, succeeds=status == 0)


def _flood(rng: random.Random) -> Fault:
    size, stream = rng.choice([1, 100, 65536, 1_000_000]), rng.choice([1, 2])
    text = rng.choice([b"x", b"{", b'{"a": 1}\n', b"\xff", b'"'])
    return Fault(py(f"import os\nwhile True: os.write({stream}, {text!r} * {size})"))


def _says_no_at_term(rng: random.Random) -> Fault:
    act = rng.choice(["pass", "os.write(1, b'x' * 1_000_000)", "os.write(2, b'x' * 1_000_000)", "os._exit(0)"])
    return Fault(
        py(
            "import os, signal, time\n"
            f"def told(*_):\n    {act}\n"
            f"signal.signal(signal.SIGTERM, told)\nos.write(1, b'{DONE}')\n"
            f"end = time.monotonic() + {LONG}\nwhile time.monotonic() < end: time.sleep(1)\n"
        ),
        answers=True,
    )


def _escapes(_: random.Random) -> Fault:
    code = (
        "import os, time\n"
        f"if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep({LONG})\n    os._exit(0)\n"
        f"os.write(1, b'{DONE}')\nos.wait()\n"
    )
    return Fault(py(code), answers=True, succeeds=True)


def _simple(script: str, **truth: bool) -> Callable[[random.Random], Fault]:
    return lambda _: Fault(sh(script), **truth)


KINDS: dict[str, Callable[[random.Random], Fault]] = {
    "answer": _answer,
    "torn": _torn,
    "flood": _flood,
    "says no": _says_no_at_term,
    "escapes": _escapes,
    "silent": _simple(f"exec sleep {LONG}"),
    "silent exit": _simple("exit 0"),
    "silent failure": _simple("echo why >&2; exit 2"),
    "ignores TERM": _simple(f"trap '' TERM; echo '{DONE}'; sleep {LONG}; sleep {LONG}", answers=True),
    "closes stdout": _simple(f"echo '{DONE}'; exec >&-; sleep 0.1; exit 5", answers=True),
    "closes both": _simple(f"echo '{DONE}'; exec >&- 2>&-; sleep {LONG}", answers=True),
    "writes after close": _simple(
        f"echo '{DONE}'; exec >&-; echo more 2>/dev/null; echo late >&2; exit 0", answers=True, succeeds=True
    ),
    "child holds": _simple(f"sleep {LONG} & echo '{DONE}'", answers=True, succeeds=True),
    "child holds and says no": _simple(f"(trap '' TERM; sleep {LONG}) & echo '{DONE}'", answers=True, succeeds=True),
    "child writes on": _simple(
        f"(while :; do echo more; sleep 0.01; done) & echo '{DONE}'", answers=True, succeeds=True
    ),
    "forks": _simple(f"for n in 1 2 3 4 5; do (sleep {LONG}; echo late) & done; echo '{DONE}'; wait", answers=True),
    "stops itself": _simple(f"echo '{DONE}'; kill -STOP $$; exit 0", answers=True, succeeds=True),
    "kills its group": _simple(f"echo '{DONE}'; sleep {LONG} & kill -9 0", answers=True),
    "hangs up its group": _simple("kill -HUP 0"),
    "drips": _simple("while :; do printf '{\"n\":'; sleep 0.02; printf '1}'; sleep 0.02; done"),
    "waits for input": _simple(f"cat >/dev/null; echo '{DONE}'", answers=True, succeeds=True),
    "refuses input": _simple(f"exec <&-; echo '{DONE}'; sleep 0.05", answers=True, succeeds=True),
    "echoes input": _simple("exec cat"),
    "no such program": lambda _: Fault(["/no/such/program"]),
}


async def _never() -> AsyncIterator[bytes]:
    yield b"x"
    await anyio.sleep_forever()


async def _endless() -> AsyncIterator[bytes]:
    while True:
        yield b"x" * 70_000


async def _broken() -> AsyncIterator[str]:
    yield "half"
    raise KeyError("input")


_INPUTS: list[Callable[[], Any]] = [lambda: None, lambda: None, lambda: b"y" * 1_000_000, _never, _endless, _broken]


class RefusalError(Exception):
    """What our own callbacks and blocks raise."""


@dataclass
class Report:
    """What went wrong, and how often each end was seen."""

    slack: float = SLACK
    faults: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    late: float = 0
    """Seconds in all by which the machine, busy with others, woke us too late."""


async def run_one(rng: random.Random, mark: str, report: Report) -> None:
    """Run one program and note what is wrong about its end."""
    kind = rng.choice(list(KINDS))
    fault = KINDS[kind](rng)
    grace, timeout = rng.choice([0, 0.05, 0.2]), rng.uniform(0.02, 0.8)
    options: dict[str, Any] = {
        "grace": grace,
        "input": rng.choice(_INPUTS)(),
        "timeout": timeout,
        "idle_timeout": rng.choice([None, None, 0.3]),
        "stop": rng.choice(["exit", "exit", "final"]),
        "stderr": rng.choice(["keep", "keep", "merge", _see, _refuse]),
        "encoding": rng.choice([None, None, "cp1252"]),
        "pty": rng.random() < 0.2,
    }
    leave = rng.choice(["read", "read", "loop", "break", "raise", "cancel", "cancel", "kill", "leave"])
    delay = rng.uniform(0, 0.4)
    shown = f"{kind}, {leave} after {delay:.2f}: " + ", ".join(
        f"{name}={_short(value)}" for name, value in options.items()
    )
    options["env"] = {**os.environ, _MARK: mark}
    backend = lastbrace.run(fault.argv, **options)
    began, late, end = time.monotonic(), report.late, "ended"
    try:
        with anyio.move_on_after(delay) if leave == "cancel" else anyio.CancelScope():
            await _use(backend, leave, delay)
    except (lastbrace.BackendError, KeyError, RefusalError, ExceptionGroup) as error:
        end = type(error).__name__
    took = time.monotonic() - began
    report.seen[end] += 1
    if took > timeout + grace + report.slack + 3 * (report.late - late):
        report.faults.append(f"took {took:.2f} s: {shown}")
    if kind == "no such program":
        if end != "BackendError":
            report.faults.append(f"{end}: {shown}")
        return
    outcome = backend.outcome
    by_us = leave in ("break", "raise", "cancel", "kill", "leave") or options["stop"] == "final"
    if outcome.ok and not (fault.answers and (by_us or fault.succeeds)):
        report.faults.append(f"a wrong success: {shown}")
    if outcome.ok and end == "BackendTimeout":
        report.faults.append(f"a success, too late: {shown}")
    if outcome.returncode is None:
        report.faults.append(f"not reaped: {shown}")


def _short(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else getattr(value, "__name__", reprlib.repr(value))


async def _use(backend: lastbrace.Backend[Any], leave: str, delay: float) -> None:
    async with backend:
        if leave in ("loop", "break", "raise"):
            async for _ in backend:
                if leave == "raise":
                    raise RefusalError
                if leave == "break":
                    break
        elif leave == "leave":
            with anyio.move_on_after(delay):
                await backend.wait()
        elif leave == "kill":
            await anyio.sleep(delay)
            backend.kill()


def _see(text: str) -> None:
    assert text


def _refuse(text: str) -> None:
    raise RefusalError(text)


async def run_many(count: int, rng: random.Random, mark: str, report: Report) -> None:
    """Run so many programs, some at once."""
    limit = anyio.CapacityLimiter(AT_ONCE)

    async def one(seed: float) -> None:
        async with limit:
            await run_one(random.Random(seed), mark, report)

    async def feel_the_pulse() -> None:
        while True:
            began = time.monotonic()
            await anyio.sleep(0.02)
            report.late += time.monotonic() - began - 0.02

    async with anyio.create_task_group() as pulse:
        pulse.start_soon(feel_the_pulse)
        async with anyio.create_task_group() as tasks:
            for _ in range(count):
                tasks.start_soon(one, rng.random())
        pulse.cancel_scope.cancel()


def left_behind(mark: str) -> Iterator[int]:
    """Return the processes that still run and were started under this mark. Linux."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if f"{_MARK}={mark}".encode() in (entry / "environ").read_bytes() and runs(int(entry.name)):
                yield int(entry.name)
        except OSError:
            continue


def check(backend: str, count: int, seed: int, slack: float = SLACK) -> Report:
    """Run so many programs on this backend and report; nothing may be left of them but what escaped on purpose."""
    report, mark = Report(slack), uuid.uuid4().hex
    anyio.run(anyio.sleep, 0, backend=backend)  # what is loaded once is no leak
    gc.collect()
    before = descriptors()
    anyio.run(run_many, count, random.Random(f"{backend} {seed}"), mark, report, backend=backend)
    gc.collect()
    if len(after := descriptors()) != len(before):
        report.faults.append(f"descriptors left: {sorted(after - before)}")
    with contextlib.suppress(ChildProcessError):
        report.faults.append(f"a child left: {os.waitpid(-1, os.WNOHANG)}")
    for pid in left_behind(mark):
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        if b"os.setsid()" not in command:
            report.faults.append(f"left behind: {pid} {command!r}")
        os.kill(pid, signal.SIGKILL)
    return report


def main() -> int:
    """Run the programs that the command line asks for; the exit status is 1 where something is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--programs", type=int, default=500, metavar="N", help="on each backend")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--backend", choices=["asyncio", "trio", "both"], default="both")
    arguments = parser.parse_args()
    wrong = 0
    for backend in ["asyncio", "trio"] if arguments.backend == "both" else [arguments.backend]:
        began = time.monotonic()
        report = check(backend, arguments.programs, arguments.seed)
        wrong += len(report.faults)
        print(f"{backend}: {arguments.programs} programs in {time.monotonic() - began:.1f} s, {dict(report.seen)}")
        for text in report.faults:
            print(f"  {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
