"""What holds for all tests."""

from __future__ import annotations

import signal

# Where the tests run in the background their shell has them ignore Ctrl-C, and under nohup the end of the terminal; the
# programs that they start too, which respect that. These are to take both as at a terminal.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
