"""Exit statuses in words."""

from __future__ import annotations

import signal


def describe_exit(returncode: int) -> str:
    """Return an exit status in words.

    >>> describe_exit(3), describe_exit(-15)
    ('exit status 3', 'ended by SIGTERM')
    """
    try:
        return f"ended by {signal.Signals(-returncode).name}" if returncode < 0 else f"exit status {returncode}"
    except ValueError:
        return f"ended by signal {-returncode}"


def how_it_ended(returncode: int) -> str:
    """Return what goes after "the program".

    >>> how_it_ended(3), how_it_ended(-15)
    ('exited with status 3', 'was ended by SIGTERM')
    """
    words = describe_exit(returncode)
    return f"was {words}" if returncode < 0 else f"exited with {words.removeprefix('exit ')}"
