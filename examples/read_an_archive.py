"""Read an archive of agents' logs in parallel: `python examples/read_an_archive.py FOLDER`."""

import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import lastbrace


class Summary(NamedTuple):
    path: Path
    agent: str | None
    status: str
    cost_usd: float


def read(path: Path) -> Summary:
    """Return what one log says, in memory that does not depend on its length."""
    watcher = lastbrace.Watcher(agent="auto")
    with path.open("rb") as file:
        while chunk := file.read(1 << 16):
            watcher.feed(chunk)
    outcome = watcher.close()
    status = outcome.completion.status.value if outcome.completion is not None else "-"
    reply = outcome.reply or lastbrace.Reply()
    return Summary(path, reply.agent, status, reply.cost_usd or 0.0)


def make_archive() -> Path:
    """Return a folder with some logs to read: what the scripted agent prints."""
    folder = Path("archive")
    folder.mkdir(exist_ok=True)
    for status in ("done", "continue", "error"):
        with (folder / f"{status}.log").open("wb") as file:
            command = [sys.executable, "-m", "lastbrace.demo", "--fast", "--status", status]
            subprocess.run(command, stdout=file, stderr=subprocess.DEVNULL, check=True)
    return folder


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else make_archive()
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".jsonl", ".log"))
    with ProcessPoolExecutor() as pool:
        summaries = list(pool.map(read, paths, chunksize=1 + len(paths) // 64))
    for summary in summaries:
        print(f"{summary.path}: {summary.agent or 'no agent known'}, {summary.status}")
    print(f"{len(summaries)} logs, {sum(summary.cost_usd for summary in summaries):.2f} USD")


if __name__ == "__main__":  # the processes of the pool import this file
    main()
