"""What the live view costs while nothing happens: ``python benchmarks/view.py --files 20 --seconds 20`` (Linux).

Writes transcripts of agents, lets `lastbrace follow` show them in a terminal in memory, and prints the processor time
and the memory of that process.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import pty
import signal
import struct
import sys
import tempfile
import termios
import threading
import time
import uuid
from pathlib import Path

SETTLED = 3.0  # seconds without output after which all is read and drawn, but for what goes on at rest
TICKS = os.sysconf("SC_CLK_TCK")


def write_transcripts(folder: Path, files: int, kilobytes: int) -> None:
    """Write sessions of Claude Code that stand in the middle of their work."""
    for number in range(files):
        session = str(uuid.UUID(int=number << 96, version=4))
        base = {"parentUuid": None, "isSidechain": False, "cwd": f"/home/dev/project-{number}", "sessionId": session}
        call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "pytest -q", "pad": "x" * 800}}
        message = {"role": "assistant", "content": [call], "stop_reason": "tool_use", "usage": {"output_tokens": 9}}
        entry = base | {"type": "assistant", "uuid": session, "version": "2.1.200", "message": message}
        path = folder / f"-home-dev-project-{number}" / f"{session}.jsonl"
        path.parent.mkdir()
        path.write_text((json.dumps(entry) + "\n") * kilobytes)


def times(pid: int) -> float:
    """Return the seconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--kilobytes", type=int, default=30, help="of each file, about")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--lines", action="store_true", help="without the view, for comparison")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_transcripts(Path(folder), args.files, args.kilobytes)
        option = "--lines" if args.lines else "--view"
        pid, terminal = pty.fork()
        if pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
            command = [sys.executable, "-m", "lastbrace", "follow", "--from", "start", option, folder]
            os.execvpe(command[0], command, os.environ | {"TERM": "xterm-256color"})
        shown = [0, time.monotonic()]

        def read() -> None:
            while True:
                try:
                    shown[0] += len(os.read(terminal, 65536))
                except OSError:  # the other end is closed
                    return

        reader = threading.Thread(target=read)
        reader.start()
        before = times(pid)
        while True:  # until it is at rest: starting, and reading what is there, is another matter
            time.sleep(SETTLED)
            used, before = times(pid) - before, times(pid)
            if used < SETTLED / 4 and shown[0]:
                break
        began, start, drawn = time.monotonic(), times(pid), shown[0]
        time.sleep(args.seconds)
        used, passed = times(pid) - start, time.monotonic() - began
        memory = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if "VmHWM" in line)
        os.kill(pid, signal.SIGINT)
        os.waitpid(pid, 0)
        reader.join()
    print(f"{args.files} files: {100 * used / passed:.2f} % of one core at rest over {passed:.0f} s, {option}")
    print(f"peak memory {int(memory.split()[1]) / 1000:.0f} MB; {(shown[0] - drawn) / passed / 1000:.1f} kB/s drawn")


if __name__ == "__main__":
    main()
