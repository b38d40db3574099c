"""The cases of `tests/data/cases`, read and evaluated."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
_BUILTINS = {"bytes": bytes, "range": range, "len": len, "float": float}


@dataclass
class Case:
    """One case: its file's name, its fields, and its input as chunks."""

    name: str
    fields: dict[str, Any]
    chunks: list[bytes]
    expect: dict[str, Any]

    @property
    def text(self) -> bytes:
        return b"".join(self.chunks)

    @property
    def kind(self) -> str:
        return str(self.fields["kind"])

    @property
    def objects(self) -> list[Any]:
        """All objects that the case expects, fragments left out."""
        objects: list[Any] = self._value("objects", {})
        return objects

    @property
    def last(self) -> Any:
        """The answer, or None: what is right without any repair or filter."""
        if "strict_last" in self.expect:
            return self.expect["strict_last"]
        return self._value("last", {"objects": self.objects})

    @property
    def last_any(self) -> Any:
        """The newest object of any kind, empty ones included."""
        return self.expect.get("last_any", self.objects[-1] if self.objects else None)

    def _value(self, name: str, names: dict[str, Any]) -> Any:
        if f"{name}_py" in self.expect:
            return evaluate(self.expect[f"{name}_py"], **names)
        return self.expect[name]


def evaluate(expression: str, **names: Any) -> Any:
    """Return the value of an expression of this repository's own data, which needs a handful of builtins."""
    return eval(expression, {"__builtins__": _BUILTINS, **names})


def load(path: Path) -> Case:
    """Return the case that the file holds."""
    fields = json.loads(path.read_text())
    chunks = evaluate(fields["input_py"])
    name = path.relative_to(DATA / "cases").with_suffix("").as_posix()
    return Case(name, fields, [chunks] if isinstance(chunks, bytes) else chunks, fields["expect"])


ALL = [load(path) for path in sorted((DATA / "cases").glob("*/*.json"))]
