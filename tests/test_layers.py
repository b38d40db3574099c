"""The core does no I/O, the stages do not know each other, and importing lastbrace loads what it needs and no more."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import lastbrace

PACKAGE = Path(lastbrace.__file__).parent
FORBIDDEN = {
    "anyio", "asyncio", "concurrent", "multiprocessing", "selectors", "sniffio", "socket", "subprocess",
    "threading", "time", "trio",
}  # fmt: skip
STAGES = {
    "encoding", "noise", "start_after", "offsets", "automaton", "fences", "decoding", "completion", "schema",
    "thinking",
}  # fmt: skip
PARTS = {
    ("encoding", "offsets"),  # a map that a stage fills while it removes bytes
    ("noise", "offsets"),
    ("automaton", "fences"),  # the automaton alone knows which text is outside objects
    ("completion", "decoding"),
    ("schema", "decoding"),
}
EXTRAS = ("typer", "rich", "pydantic", "jsonschema", "tenacity", "asyncio", "trio")

MODULES = {".".join(path.relative_to(PACKAGE).with_suffix("").parts): path for path in sorted(PACKAGE.rglob("*.py"))}


def imports(path: Path) -> tuple[set[str], set[str]]:
    """Return what the module at `path` imports, wherever in it: its siblings, and top-level packages."""
    siblings, others = set(), set()
    for node in ast.walk(without_type_checking(ast.parse(path.read_text()))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top, _, rest = alias.name.partition(".")
                (siblings.add(rest) if top == "lastbrace" else others.add(top))
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level or module.split(".")[0] == "lastbrace":
                module = module.removeprefix("lastbrace").removeprefix(".")
                siblings |= {module} if module else {alias.name for alias in node.names}
            else:
                others.add(module.split(".")[0])
    return siblings & set(MODULES), others


def without_type_checking(tree: ast.Module) -> ast.Module:
    """Return the tree without what only type checkers read."""

    class Remove(ast.NodeTransformer):
        def visit_If(self, node: ast.If) -> ast.AST | None:
            return None if ast.unparse(node.test).endswith("TYPE_CHECKING") else self.generic_visit(node)

    result: ast.Module = Remove().visit(tree)
    return result


_EDGE_NAMES = {"process", "cli", "demo", "following", "looping", "__main__"}
EDGES = {
    module
    for module in MODULES
    if module.split(".")[0] in {"process", "cli", "demo", "following", "looping", "__main__"}
}
IMPORTS = {module: imports(path) for module, path in MODULES.items()}
CORE = set(MODULES) - EDGES


def test_the_core_imports_no_event_loop_and_no_clock() -> None:
    assert {module: others & FORBIDDEN for module, (_, others) in IMPORTS.items() if module in CORE} == {
        module: set() for module in CORE
    }


def test_the_core_imports_no_edge() -> None:
    assert not {(module, edge) for module in CORE for edge in IMPORTS[module][0] & EDGES}


def test_stages_do_not_import_each_other() -> None:
    pairs = {(module, other) for module in STAGES for other in IMPORTS[module][0] & STAGES}
    assert pairs <= PARTS


def test_there_are_no_cycles() -> None:
    left = {module: siblings - {module} for module, (siblings, _) in IMPORTS.items()}
    while left:
        done = {module for module, siblings in left.items() if not siblings & set(left)}
        assert done, f"these import each other: {sorted(left)}"
        for module in done:
            del left[module]


def loaded_by(program: str) -> set[str]:
    program += "; import sys, json; print(json.dumps(sorted(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(result.stdout))


def test_importing_lastbrace_loads_no_extra_and_no_event_loop() -> None:
    assert not loaded_by("import lastbrace") & set(EXTRAS)


def test_scanning_loads_no_extra_and_no_event_loop() -> None:
    program = 'import lastbrace; w = lastbrace.Watcher(); w.feed(b\'{"status": "done"}\'); assert w.close().ok'
    assert not loaded_by(program) & set(EXTRAS)


def test_edges_are_there_when_asked_for() -> None:
    assert "anyio" in loaded_by("import lastbrace; lastbrace.run")


def test_every_public_name_is_importable_and_documented() -> None:
    for name in lastbrace.__all__:
        value = getattr(lastbrace, name)
        if callable(value):
            assert value.__doc__, name
    assert set(lastbrace.__all__) <= set(dir(lastbrace))
