"""Two writers and one who rotates their log, for one round: `python -m tests.soak.writing FOLDER FIRST COUNT SEED`."""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

from ..follow.rotating import FORK, Rotation, Shared, write
from ..follow.torture import OPERATIONS


def main() -> None:
    """Write so many records with each of the writers FIRST and FIRST + 1; print what rotation destroyed."""
    folder, first, count, seed = Path(sys.argv[1]), *map(int, sys.argv[2:])
    shared = Shared(folder)
    shared.left.value = 2
    writers = [FORK.Process(target=write, args=(shared, number, count, seed)) for number in (first, first + 1)]
    rng = random.Random(seed)
    rotation = Rotation(shared, rng, OPERATIONS)
    for writer in writers:
        writer.start()
    while shared.left.value:
        time.sleep(rng.random() * 0.3)
        rotation.step()
    for writer in writers:
        writer.join()
    print(json.dumps({"destroyed": sorted(rotation.destroyed), "rotations": sum(rotation.counts.values())}))


if __name__ == "__main__":
    main()
