"""The scanner in C beside the one in Python: which is used, and that it harms nobody however it is treated."""

from __future__ import annotations

import gc
import importlib.util
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import lastbrace
from lastbrace.implementation import AUTOMATA
from lastbrace.spans import FOUND

from .feeding import SCANNERS, in_bytes, in_chunks

BUILT = "c" if importlib.util.find_spec("lastbrace._native") else "python"  # also where LASTBRACE_PURE is set here
IN_C = [kind for kind in AUTOMATA if kind == "c"]  # nothing where there was no compiler
OPTIONS = {"roots": "object", "framing": "free", "strict": False, "max_object_bytes": 64, "max_depth": 5}
each_kind = pytest.mark.parametrize("kind", AUTOMATA)

# All that a scanner meets: objects, fragments, fences, what dies, what is too deep or too large, what is never closed.
TEXT = (
    b'log {word} %{x} {"a": {"b": [1, 2.5e3, true]}} ```json\n{"s": "\\u00e9\\n", "long": "' + b"x" * 80 + b'"}\n```\n'
    b'{"torn": {"usage": {"n": 1}, "t": "cut off\n{"status": "done"} ,"usage":{"n":1},{"m":2} {} '
    b'{"deep":[[[[[[1]]]]]]} {"number": ' + b"9" * 50 + b'x} {"open": {"inside": {}}, "\xc3\xa9": "'
)


def run(program: str, **environment: str) -> str:
    """Return what a program prints that must succeed."""
    result = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **environment}, capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


class TestChoice:
    def test_this_process_has_the_fastest_there_is(self) -> None:
        assert lastbrace.scanner_kind == ("c" if "c" in AUTOMATA else "python")
        assert next(iter(AUTOMATA)) == "python"

    @pytest.mark.parametrize(("value", "kind"), [("1", "python"), ("0", BUILT), ("", BUILT)])
    def test_lastbrace_pure(self, value: str, kind: str) -> None:
        kinds = "import lastbrace.implementation as i; print(i.scanner_kind, i.AUTOMATA[i.scanner_kind].__module__)"
        module = {"python": "lastbrace.automaton", "c": "lastbrace._native"}[kind]
        assert run(kinds, LASTBRACE_PURE=value) == f"{kind} {module}"

    @pytest.mark.parametrize("value", ["0", "1"])
    def test_the_command_says_which(self, value: str) -> None:
        result = subprocess.run(
            [sys.executable, "-m", "lastbrace", "--version"],
            env={**os.environ, "LASTBRACE_PURE": value}, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        kind = "python" if value == "1" else BUILT
        assert result.stdout == f"lastbrace {lastbrace.__version__} ({kind} scanner)\n"

    def test_an_extension_that_cannot_be_loaded_is_done_without(self) -> None:
        broken = "import sys; sys.modules['lastbrace._native'] = None; import lastbrace; print(lastbrace.scanner_kind)"
        assert run(broken) == "python"

    def test_another_error_in_loading_it_is_not_hidden(self) -> None:
        program = """
import sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "lastbrace._native":
            raise RuntimeError("boom")

sys.meta_path.insert(0, Finder())
try:
    import lastbrace
except RuntimeError as error:
    print(error)
"""
        assert run(program, LASTBRACE_PURE="") == "boom"


@each_kind
class TestSeam:
    def test_open_bytes(self, kind: str) -> None:
        automaton = AUTOMATA[kind](**OPTIONS)
        assert automaton.open_bytes(0) == b""
        automaton.feed(b'text {"a": ')
        assert (automaton.open_bytes(0), automaton.open_bytes(4), automaton.open_bytes(50)) == (b'{"a": ', b": ", b"")
        automaton.feed(b'[1, {"b": 2}, ')
        assert automaton.open_bytes(6) == b'[1, {"b": 2}, '
        automaton.feed(b"]")  # it dies, and the object inside it was found
        assert automaton.open_bytes(0) == b""
        with pytest.raises(ValueError, match="not negative"):
            automaton.open_bytes(-1)

    def test_open_bytes_of_what_is_too_large_to_keep(self, kind: str) -> None:
        automaton = AUTOMATA[kind](**OPTIONS)
        for chunk in (b'{"a": "', b"x" * 57):
            automaton.feed(chunk)
        assert len(automaton.open_bytes(0)) == 64
        automaton.feed(b"x")
        assert (automaton.open_bytes(0), automaton.open) == (b"", (0, 65))

    @pytest.mark.parametrize("size", [1, 7, 40, 10_000])
    def test_newest(self, kind: str, size: int) -> None:
        everything = AUTOMATA[kind](**OPTIONS)
        newest = AUTOMATA[kind](**OPTIONS, newest=True)
        keyed = AUTOMATA[kind](**OPTIONS, newest=True, key=b"status")
        for chunk in [*in_chunks(TEXT, size), None]:
            steps = [
                automaton.close() if chunk is None else automaton.feed(chunk)
                for automaton in (everything, newest, keyed)
            ]
            real = [span for span in steps[0] if span[0] == FOUND and not span[4] and span[3] != b"{}"]
            others = [span for span in steps[0] if span[0] != FOUND]
            assert steps[1] == sorted([*real[-1:], *others], key=lambda span: span[1:3])
            asked = [span for span in real if b'"status"' in span[3] or span == real[-1]]
            assert [span for span in steps[2] if b"\\u" not in span[3] or span == real[-1]] == sorted(
                [*asked, *others], key=lambda span: span[1:3]
            )
        assert everything.objects == newest.objects == keyed.objects > 2
        assert everything.fragments == newest.fragments == keyed.fragments > 2

    @pytest.mark.parametrize("key", [b'"status"', b'"st\\u0061tus"', b'"\\u0073tatus" '])
    def test_newest_with_a_key_misses_none_that_has_it(self, kind: str, key: bytes) -> None:
        text = b'{"a": 1, ' + key + b': "done"}\n{"other": 1}'
        for chunks in ([text], in_bytes(text), [text[:12], text[12:]]):
            automaton = AUTOMATA[kind](**OPTIONS, newest=True, key=b"status")
            spans = [span for chunk in chunks for span in automaton.feed(chunk)]
            assert [span[3] for span in spans if b"tus" in span[3]] == [text.split(b"\n")[0]]

    def test_what_is_no_bytes_is_refused(self, kind: str) -> None:
        with pytest.raises(TypeError):
            AUTOMATA[kind](**OPTIONS).feed("text")  # type: ignore[arg-type]

    def test_an_option_that_is_none_is_refused(self, kind: str) -> None:
        with pytest.raises(TypeError):
            AUTOMATA[kind](**OPTIONS, other=1)  # type: ignore[call-arg]
        with pytest.raises(TypeError):
            AUTOMATA[kind]()  # type: ignore[call-arg]


@each_kind
@pytest.mark.parametrize("left", [b"{", b'{"', b'{"a'])
@pytest.mark.parametrize("size", [1000, 262_144, 262_145, 600_000])  # until the room for it is given back
def test_an_object_that_begins_at_the_end_of_a_flood_of_braces(kind: str, size: int, left: bytes) -> None:
    scanner = SCANNERS[kind]()
    scanner.feed(b"{")
    scanner.feed(b"{" * size + left)
    (found,) = scanner.feed(b'{"a":1}'[len(left) :])
    assert isinstance(found, lastbrace.Found)
    assert (found.start, found.value) == (size + 1, {"a": 1})


class TestTreatment:
    def test_two_threads_that_feed_one_scanner_harm_only_themselves(self) -> None:
        refused = []
        for kind in IN_C:
            automaton = AUTOMATA[kind](**OPTIONS)

            def feed(automaton: object = automaton) -> None:
                for _ in range(2000):
                    try:
                        automaton.feed(TEXT)  # type: ignore[attr-defined]
                    except RuntimeError as error:
                        refused.append(str(error))

            threads = [threading.Thread(target=feed) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert automaton.objects > 0
        assert set(refused) <= {"this scanner is being fed"}

    def test_a_finalizer_that_feeds_the_scanner_is_kept_out(self) -> None:
        for kind in IN_C:
            automaton = AUTOMATA[kind](**OPTIONS)
            answers = []

            class Cycle:
                def __init__(self) -> None:
                    self.me = self

                def __del__(self, automaton: object = automaton, answers: list[object] = answers) -> None:
                    try:
                        answers.append(automaton.feed(b"{}"))  # type: ignore[attr-defined]
                    except RuntimeError as error:
                        answers.append(str(error))

            before = gc.get_threshold()
            gc.set_threshold(1)
            try:
                for _ in range(50):
                    Cycle()
                    automaton.feed(TEXT)
            finally:
                gc.set_threshold(*before)
            gc.collect()
            assert len(answers) == 50

    @each_kind
    def test_ten_thousand_scans_leave_nothing_behind(self, kind: str) -> None:
        def scan(times: int) -> None:
            for number in range(times):
                scanner = SCANNERS[kind](max_object_bytes=64, max_depth=5)
                size = (len(TEXT), 7, 64)[number % 3] if number % 50 == 0 else len(TEXT)
                for chunk in in_chunks(TEXT, size):
                    scanner.feed(chunk)
                if number % 2:  # half of them are left in the middle
                    scanner.close()

        scan(200)
        gc.collect()
        blocks, objects, memory = sys.getallocatedblocks(), len(gc.get_objects()), resident()
        scan(10_000)
        gc.collect()
        assert sys.getallocatedblocks() - blocks < 200
        assert len(gc.get_objects()) - objects < 50
        assert resident() - memory < 3_000_000

    def test_a_failed_allocation_is_a_memory_error(self) -> None:
        """Each allocation fails in turn, where this interpreter has the means to let it."""
        program = f"""
from lastbrace.implementation import AUTOMATA
try:
    from _testcapi import remove_mem_hooks, set_nomemory
except ImportError:
    print("no means")
    raise SystemExit
text = {TEXT!r}
chunks = [text, *(text[at : at + 40] for at in range(0, len(text), 40))]
failed = 0
for number in range(1, 300):
    feed = AUTOMATA["c"](**{OPTIONS!r}).feed
    try:
        set_nomemory(number, number + 1)
        for chunk in chunks:
            feed(chunk)
    except MemoryError:
        failed += 1
    finally:
        remove_mem_hooks()
    try:
        feed(text)  # harmless, and refused where something was lost
    except RuntimeError as error:
        assert str(error) == "this scanner ran out of memory"
print("failed" if failed > 20 else f"failed {{failed}} times")
"""
        assert [run(program) for _ in IN_C] in ([], ["failed"], ["no means"])

    def test_a_sub_interpreter_loads_the_extension(self) -> None:
        program = f"""
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
child = '''
import sys, types
package = types.ModuleType("lastbrace")
package.__path__ = [{str(Path(lastbrace.__file__).parent)!r}]
sys.modules["lastbrace"] = package  # alone: what else the package loads may not be made for it
from lastbrace._native import Automaton
spans = Automaton(**{OPTIONS!r}).feed(b"text {{}}")
assert [span[3] for span in spans] == [b"{{}}"], spans
'''
for _ in range(3):
    interpreter = interpreters.create()
    problem = interpreters.run_string(interpreter, child)
    assert problem is None, problem
    interpreters.destroy(interpreter)
print("loaded")
"""
        assert [run(program) for _ in IN_C] == ["loaded" for _ in IN_C]


def resident() -> int:
    """Return the memory of this process in bytes; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
