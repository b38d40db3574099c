"""Every sample and capture, through every way in, however it is cut: the reply and completion written beside it."""

from __future__ import annotations

import json
import random
import sys
from typing import TYPE_CHECKING, Any

import pytest

import lastbrace

from ..feeding import in_bytes, in_chunks, random_chunks
from .driving import CAPTURES, EXPECTED, check_reply, check_sample_reply, sample
from .test_recognise import NAMES, UNRECOGNISABLE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

BYTE_BY_BYTE_BELOW = 20_000  # bytes: a longer capture is cut into larger pieces

REPLAY = """
import sys
out, err, status = sys.argv[1:]
sys.stderr.buffer.write(open(err, "rb").read())
sys.stdout.buffer.write(open(out, "rb").read())
sys.exit(int(status))
"""


def agent_of(cli: str) -> str:
    return NAMES.get(cli, cli)


def cuts(data: bytes) -> list[Sequence[bytes]]:
    rng = random.Random(len(data))
    ways: list[Sequence[bytes]] = [[data], in_chunks(data, 7), random_chunks(data, rng), random_chunks(data, rng)]
    if len(data) < BYTE_BY_BYTE_BELOW:
        ways.append(in_bytes(data))
    return ways


def watch(chunks: Sequence[bytes], agent: str, returncode: int | None, stderr: bytes) -> lastbrace.Outcome[Any]:
    watcher = lastbrace.Watcher(agent=agent)
    for chunk in chunks:
        watcher.feed(chunk)
    return watcher.close(returncode, stderr)


@pytest.mark.parametrize("name", EXPECTED)
def test_sample_however_it_is_cut(name: str) -> None:
    data, stderr = sample(name)
    agents = [agent_of(EXPECTED[name]["cli"])] + ["auto"] * (name not in UNRECOGNISABLE)
    first: lastbrace.Outcome[Any] | None = None
    for agent in agents:
        check_sample_reply(lastbrace.parse_reply(data, agent=agent, stderr=stderr), name)
        for chunks in cuts(data):
            outcome = watch(chunks, agent, None, stderr)
            assert outcome.reply is not None
            check_sample_reply(outcome.reply, name)
            first = first or outcome
            assert (outcome.reply, outcome.completion, outcome.state) == (first.reply, first.completion, first.state)


@pytest.mark.parametrize("name", EXPECTED)
def test_sample_from_a_program(name: str, tmp_path: Path) -> None:
    data, stderr = sample(name)
    (tmp_path / "out").write_bytes(data)
    (tmp_path / "err").write_bytes(stderr)
    argv = [sys.executable, "-c", REPLAY, str(tmp_path / "out"), str(tmp_path / "err"), "0"]
    reply = lastbrace.run_sync(argv, agent=agent_of(EXPECTED[name]["cli"])).reply
    assert reply is not None
    check_sample_reply(reply, name)


def captures() -> list[Path]:
    return sorted(CAPTURES.glob("*/*.stdout"))


@pytest.mark.parametrize("path", captures(), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_capture_however_it_is_cut(path: Path) -> None:
    about = json.loads(path.with_suffix(".json").read_text())
    expected = json.loads(path.with_suffix(".reply.json").read_text())
    errors = path.with_suffix(".stderr")
    stderr = errors.read_bytes() if errors.exists() else b""
    data = path.read_bytes()
    returncode = about.get("exit_code", 0)
    first: lastbrace.Outcome[Any] | None = None
    named = expected.get("agent", agent_of(path.parent.name))
    agents = [] if named is None else [named]
    if named is None or "auto" not in expected:
        agents.append("auto")
    for agent in agents:
        for chunks in cuts(data):
            outcome = watch(chunks, agent, returncode, stderr)
            first = first or outcome
            assert outcome.reply is not None
            check_reply(outcome.reply, expected)
            if "completion" in expected:
                completion = outcome.completion
                assert completion is not None
                assert (None if completion.error else completion.as_dict()) == expected["completion"]
            if expected.get("is_error"):
                assert not outcome.ok
            assert (outcome.reply, outcome.completion, outcome.state) == (first.reply, first.completion, first.state)
