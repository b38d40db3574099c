"""What the figures were taken with and on: versions, the processor, and what else the machine was doing."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import lastbrace

PACKAGES = (
    "anyio", "trio", "msgspec", "orjson", "jiter", "ijson", "jsonfinder", "json_repair", "partial-json-parser",
    "jsonriver",
)  # fmt: skip


def cpu_model() -> str:
    """Return the name of the processor, as far as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def versions() -> dict[str, str]:
    """Return the version of everyone who takes part; those that are not installed are left out."""
    found = {"lastbrace": lastbrace.__version__, platform.python_implementation(): platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def load() -> float | None:
    """Return how many processes wanted to run, on average over the last minute."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def about() -> dict[str, object]:
    """Return what stays the same during a run."""
    return {
        "versions": versions(), "cpu": cpu_model(), "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }  # fmt: skip
