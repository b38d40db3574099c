"""Each place where `lastbrace.process` waits is on the list that says what bounds it."""

from __future__ import annotations

import ast
from pathlib import Path

from lastbrace.process import program

WAITS = (ast.Await, ast.AsyncFor, ast.AsyncWith)


def listed() -> set[str]:
    text = (program.__doc__ or "").partition("Why it cannot hang")[2]
    rows = text.split("=\n")[1].rpartition("\n")[0]
    return {name for row in rows.splitlines() for name in row[:38].replace(",", " ").split()}


def waiting() -> set[str]:
    """Return the functions that wait, by class and name."""
    found = set()

    def look(node: ast.AST, names: tuple[str, ...]) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names = (*names, node.name)
        if isinstance(node, WAITS):
            found.add(names)
        for child in ast.iter_child_nodes(node):
            look(child, names)

    for path in Path(program.__file__).parent.glob("*.py"):
        look(ast.parse(path.read_text()), ())
    return {".".join(names) for names in found}


def test_each_place_where_the_package_waits_is_listed_with_its_bound() -> None:
    names, places = listed(), waiting()
    assert len(places) > 20
    assert {place for place in places if not {place, place.split(".")[0]} & names} == set()
    assert {name for name in names if not any(f"{place}.".startswith(f"{name}.") for place in places)} == set()
