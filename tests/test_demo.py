"""The scripted agent, read the way a user would."""

from __future__ import annotations

import io
import subprocess
import sys
import time

import pytest

import lastbrace
from lastbrace import BackendError, Completion, Status, demo

from .feeding import random_chunks

AGENT = [sys.executable, "-m", "lastbrace.demo"]
ANSWER = Completion(Status.DONE, summary="3 tests fixed, naïve café handled ✓ {really}")


def test_it_shows_what_its_page_promises() -> None:
    pieces = [data for _, data in demo.script("done")]
    text = b"".join(pieces)
    assert b"%{name}" in text
    assert b"\x1b[" in text
    assert max(map(len, text.split(b"\n"))) > 65536
    assert b"```json\n" in text
    assert sum(_cuts_a_character(piece) for piece in pieces) == 1
    objects = lastbrace.find_objects(text, fragments=True)
    assert objects[0].value["draft"] is True
    assert [found.value for found in objects if found.fragment] == [{"input": 12, "output": 34}, {"status": "done"}]
    assert [found.fence for found in objects if found.fence is not None] == ["json"]


def _cuts_a_character(piece: bytes) -> bool:
    try:
        piece.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return False


@pytest.mark.parametrize("status", list(Status))
def test_its_answer_is_found_whatever_the_chunks(status: Status) -> None:
    import random

    text = b"".join(data for _, data in demo.script(status))
    for seed in range(5):
        watcher = lastbrace.Watcher()
        for chunk in random_chunks(text, random.Random(seed)):
            watcher.feed(chunk)
        assert watcher.close().completion == Completion(status, summary=ANSWER.summary)


def test_as_a_program() -> None:
    outcome = lastbrace.run_sync([*AGENT, "--fast"])
    assert outcome.ok
    assert outcome.completion == ANSWER
    assert "stderr" in outcome.stderr_tail


def test_it_takes_its_time() -> None:
    began = time.monotonic()
    completions: list[Completion] = []
    assert lastbrace.run_sync(AGENT, on_completion=completions.append).ok
    assert time.monotonic() - began > 1
    assert [completion.status for completion in completions] == ["continue", "error", "done"]


def test_it_can_fail_and_hang() -> None:
    with pytest.raises(BackendError, match="no such model"):
        lastbrace.run_sync([*AGENT, "--fail"])
    outcome = lastbrace.run_sync([*AGENT, "--fast", "--hang"], stop="final")
    assert outcome.ok
    assert outcome.returncode == -15


def test_a_reader_that_leaves_is_no_traceback() -> None:
    with subprocess.Popen([*AGENT, "--fast"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        assert program.stdout.read(10)
        program.stdout.close()
        assert b"Traceback" not in program.stderr.read()


def test_in_this_process(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, write_through=True))
    assert demo.main(["--fast", "--status", "continue"]) == 0
    assert lastbrace.parse_completion(written.getvalue()).status == Status.CONTINUE
    assert demo.main(["--fail"]) == 1
    assert "no such model" in capsys.readouterr().err


def test_it_answers_what_it_is_told_to() -> None:
    outcome = lastbrace.run_sync(
        [sys.executable, "-m", "lastbrace.demo", "--fast", "--answer", '{"verdict": "approve"}']
    )
    assert outcome.last is not None
    assert outcome.last.value == {"verdict": "approve"}
