"""Little programs that behave as agents do on a bad day; what they print is numbered."""

from __future__ import annotations

import random

from ..processes import FOREVER, py, sh

_NUMBERED = r"""
import os, random, sys, time
count, pause, rng, hang = {count}, {pause}, random.Random({seed}), {hang}
noise = [b"", b"", b"prose with {{word}} and %{{name}}\n", b"\x1b[31mred\x1b[0m {{}} \x1b]0;title\x07\n",
         b'{{"torn": "half a \n', b'{{"torn": [1, {{"n": -1\n', "na\xefve \u2713 \0".encode(), b"```\n", b"}}}}]]\n"]
out = lambda data: os.write(1, data) and None
for number in range(count):
    data = b'{{"n": %d, "pad": "%s"}}\n' % (number, b"x" * rng.choice((0, 5, 50, 300, 3000)))
    cut = rng.randrange(len(data))
    if rng.random() < 0.3:
        data = rng.choice(noise) + b"\n" + data
    if rng.random() < 0.2:
        out(data[:cut]), time.sleep(pause), out(data[cut:])
    else:
        out(data)
    if rng.random() < 0.1:
        os.write(2, b"warning: {{\n" * rng.choice((1, 100)))
    time.sleep(pause)
out(b'so: {{"status": "done"}}\n')
time.sleep(hang)
"""


def numbered(count: int, rng: random.Random, *, pause: float = 0, hang: float = 0) -> list[str]:
    """Return a program that prints so many numbered records among noise, says ``done``, and stays a while."""
    return py(_NUMBERED.format(count=count, pause=pause, seed=rng.random(), hang=hang))


# It says who its child is; both ignore what asks them to end.
STUBBORN = sh(f"""trap '' TERM; sleep {FOREVER} & echo "{{\\"child\\": $!}}"; while :; do sleep {FOREVER}; done""")
# It exits, and its child keeps its output open.
LEAVES_A_CHILD = sh(f"""sleep {FOREVER} & echo "{{\\"child\\": $!}} {{\\"status\\": \\"done\\"}}" """)
SILENT = sh(f"exec sleep {FOREVER}")
FLOOD = py(
    "import os\n"
    "for n in range(40):\n"
    "    os.write(2, b'e' * 30_000)\n"
    "    os.write(1, (b'{\"n\": %d, \"pad\": \"' % n) + b'x' * 100_000 + b'\"}\\n')\n"
    "os.write(1, b'{\"status\": \"done\"}')"
)  # fmt: skip

HOSTILE = {
    "deep": '{"a":' * 50_000,
    "strings": '{"' * 50_000,
    "digits": '{"n": ' + "9" * 50_000 + "}",
    "escape": "\x1b]0;" + "x" * 50_000,
    "quotes": '{"a":"' + '\\"' * 50_000,
    "brackets": "[" * 50_000 + "]" * 50_000,
    "surrogates": '{"s": "\\ud83d"}' * 5_000,
    "duplicates": "{" + '"k": 1, ' * 20_000 + '"k": 2}',
    "nul": "\0" * 50_000,
}
