"""``lastbrace replay``: a recording played back as the program would behave."""

from __future__ import annotations

import math
import os
import signal
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..printing import printable
from .lines import forget_unwritten, tell
from .recording import Ended, Wrote, read_recording

if TYPE_CHECKING:
    from collections.abc import Iterator

# No program ends by these, which would stop us.
STOPS = {getattr(signal, name, None) for name in ("SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU")}
_LONGEST = 86400.0  # seconds to sleep at a time: what the system takes without complaint


def replay(
    recording: Annotated[Path, typer.Argument(metavar="FILE", help="What 'run --save FILE' wrote.")],
    speed: Annotated[str, typer.Option(metavar="N", help="So many times as fast; 0 or 'max': without pauses.")] = "1",
) -> None:
    """Play a saved run back as the program would behave.

    Its bytes come at their times, then its exit status, or its last signal. What it wrote goes to stdout and stderr as
    it was, terminal sequences included. The exit status is the program's; 2 where FILE is no recording; 1 where it has
    no end, after all that is there.
    """
    rate = _rate(speed)
    try:
        with recording.open("rb") as file, _gone_when_nobody_reads():
            returncode = play(read_recording(file), rate)
            forget_unwritten(sys.stdout)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    except ValueError as error:
        raise typer.BadParameter(printable(f"{recording}: {error}", 1000), param_hint="FILE") from error
    except OSError as error:
        raise typer.BadParameter(printable(f"{recording}: {error.strerror}", 1000), param_hint="FILE") from error
    if returncode is None:
        tell(printable(f"{recording} has no end: the recording was cut", 1000))
        raise typer.Exit(1)
    if returncode < 0:
        _end_by_signal(-returncode)
    raise typer.Exit(returncode)


def play(events: Iterator[Wrote | Ended], rate: float) -> int | None:
    """Write what was written, ``rate`` times as fast, and return the exit status; None where there is none."""
    began = time.monotonic()
    for event in events:
        while (left := began + event.seconds / rate - time.monotonic()) > 0:
            time.sleep(min(left, _LONGEST))
        if isinstance(event, Ended):
            return event.returncode
        stream = getattr(sys, event.stream)
        if stream is not None:
            with suppress(OSError):  # closed, or full: programs that go on are the harder ones
                stream.buffer.write(event.data)
                stream.buffer.flush()
    return None


@contextmanager
def _gone_when_nobody_reads() -> Iterator[None]:
    """Let SIGPIPE end us, as it ends programs that are not Python's."""
    if sys.platform != "win32":
        before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        yield
    finally:
        if sys.platform != "win32":
            signal.signal(signal.SIGPIPE, before)


def _rate(speed: str) -> float:
    try:
        rate = math.inf if speed == "max" else float(speed)
    except ValueError:
        rate = math.nan
    if not rate >= 0:
        raise typer.BadParameter(f"a number from 0 up, or 'max', not {printable(speed)!r}", param_hint="--speed")
    return rate or math.inf


def _end_by_signal(number: int) -> None:
    """End as the program did, without leaving a core file; with the status that shells have for it where we cannot."""
    if number in STOPS:
        raise typer.Exit(128 + number)
    with suppress(OSError, ValueError):
        if sys.platform != "win32":
            import resource  # noqa: PLC0415 - there is none on Windows

            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if number != signal.SIGKILL:
                signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    raise typer.Exit(128 + number)
