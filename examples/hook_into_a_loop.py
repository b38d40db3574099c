"""Callbacks inside a loop that reads a program already: three lines more."""

import subprocess
import sys

import lastbrace

DEMO = [sys.executable, "-m", "lastbrace.demo", "--fast"]

watcher = lastbrace.Watcher(
    on_text=lambda text: print(text, end=""),
    on_completion=lambda completion: print(f"\n>>> {completion.status}: {completion.summary or completion.next}"),
)
with subprocess.Popen(DEMO, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as agent:
    while chunk := agent.stdout.read1(65536):
        watcher.feed(chunk)
outcome = watcher.close(agent.returncode)
print(f"\nended: {outcome.state}, {outcome.stats.objects} objects, {outcome.stats.bytes} bytes")
