"""Each target of `tests/fuzzing` on its corpus, and on the faults that were found with it: nothing fails, on any."""

from __future__ import annotations

import pytest

from .fuzzing.targets import CORPORA, TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_fails_on_what_the_fuzzer_found(name: str) -> None:
    inputs = sorted((CORPORA / name).iterdir())
    assert inputs
    for path in inputs:
        try:
            TARGETS[name].check(path.read_bytes())
        except Exception as error:
            error.add_note(f"in {path}")
            raise
