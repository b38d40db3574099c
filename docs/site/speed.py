"""The speeds on the performance page: the section of the README, and the picture that the benchmarks write."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parent.parent.parent
PICTURE = ROOT / "benchmarks" / "speed.svg"
PLACE = "<!-- the section on speed of the README -->"


def on_files(files: Any, *, config: Any) -> Any:
    """Take the picture in, where the benchmarks have written one."""
    if PICTURE.exists():
        files.append(File.generated(config, "pictures/speed.svg", abs_src_path=str(PICTURE)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the section in its place."""
    return markdown.replace(PLACE, _section()) if PLACE in markdown else markdown


def _section() -> str:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^## Speed\n(.*?)^## ", readme, re.MULTILINE | re.DOTALL)
    if found is None:
        raise ValueError("README.md has no section ## Speed any more")
    section = found[1].replace("benchmarks/speed.svg", "pictures/speed.svg")
    if PICTURE.exists() and "pictures/speed.svg" not in section:
        section = f"![Speeds, as the benchmarks measured them](pictures/speed.svg)\n\n{section}"
    return section
