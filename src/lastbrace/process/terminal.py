"""A terminal of its own for a program that prints only to one: POSIX."""

from __future__ import annotations

import errno
import os
import struct
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .launch import Launch

COLUMNS, ROWS = 32767, 100
"""The size of the window. No line is as wide; more columns would be negative to programs that keep them in a short."""

# The program leads a session that has no terminal yet: the first one that it opens becomes its own (for /dev/tty, and
# for the hang-up when it ends). Only code in the new process can open it, and running Python's between fork and exec
# is not safe where there are threads; a shell is there anyway.
_TAKE_TERMINAL = ': <>"$0"; exec "$@"'


if sys.platform != "win32":
    import fcntl
    import pty
    import termios

    def open_terminal() -> tuple[int, int]:
        """Return our end of a new terminal, and the program's: a wide one, without echo, line ends as written."""
        ours, its = pty.openpty()
        mode = termios.tcgetattr(its)
        mode[1] &= ~termios.OPOST
        mode[3] &= ~termios.ECHO
        termios.tcsetattr(its, termios.TCSANOW, mode)
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        return ours, its

    def on_terminal(launch: Launch, its: int) -> list[str]:
        """Return the command that takes the terminal and becomes the program. Raises OSError where it is not there."""
        _check_executable(launch)
        return ["/bin/sh", "-c", _TAKE_TERMINAL, os.ttyname(its), *launch.argv]

    def terminal_environment() -> dict[str, str]:
        """Return our environment, for a program on this terminal instead of ours."""
        kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        return {"TERM": "xterm-256color", **kept}

    def _check_executable(launch: Launch) -> None:
        """Raise OSError as starting it would, where the shell could only print that."""
        name = launch.argv[0]
        where = os.fspath(launch.cwd or ".")
        os.stat(where)
        folders = [""] if os.path.dirname(name) else os.get_exec_path(launch.env)
        paths = [os.path.join(where, folder, name) for folder in folders]
        if not any(os.path.isfile(path) and os.access(path, os.X_OK) for path in paths):
            number = errno.EACCES if any(map(os.path.exists, paths)) else errno.ENOENT
            raise OSError(number, os.strerror(number), name)
