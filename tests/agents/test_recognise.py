"""Whose output it is: every sample and capture is recognised, and nothing that is no agent's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lastbrace
from lastbrace.agents import ADAPTERS

from .driving import CAPTURES, EXPECTED, SAMPLES, sample

NAMES = {
    "claude-transcript": "claude", "claude1": "claude", "claude-old": "claude",
    "codex-legacy": "codex", "codex-rollout": "codex", "codex-old": "codex",
    "qwen-old": "qwen", "kimi-cli": "kimi", "kimi-code": "kimi", "cline-legacy": "cline",
    "sse-openai": "openai", "sse-openai-responses": "openai", "sse-anthropic": "anthropic",
}  # fmt: skip
# Nothing in these tells whose they are: an empty output, and plain text without a banner.
UNRECOGNISABLE = {"cursor-json-failure.txt", "crush-success.txt"}

PLAIN = {path.stem: path for path in sorted((SAMPLES.parent / "plain").glob("*"))}


@pytest.mark.parametrize("name", EXPECTED)
def test_sample_is_recognised(name: str) -> None:
    data, stderr = sample(name)
    cli = EXPECTED[name]["cli"]
    reply = lastbrace.parse_reply(data, stderr=stderr)
    assert reply.agent == (None if name in UNRECOGNISABLE else NAMES.get(cli, cli))


def captures() -> list[Path]:
    return sorted(CAPTURES.glob("*/*.stdout"))


@pytest.mark.parametrize("path", captures(), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_capture_is_recognised(path: Path) -> None:
    expected = json.loads(path.with_suffix(".reply.json").read_text())
    errors = path.with_suffix(".stderr")
    reply = lastbrace.parse_reply(path.read_bytes(), stderr=errors.read_bytes() if errors.exists() else b"")
    assert reply.agent == expected.get("auto", NAMES.get(path.parent.name, path.parent.name))


def test_no_event_is_claimed_twice() -> None:
    files = [*captures(), *(SAMPLES / name for name in EXPECTED)]
    for path in files:
        for found in lastbrace.iter_objects(path.read_bytes()):
            claims = [adapter.name for adapter in ADAPTERS if adapter.recognises(found.value)]
            assert len(claims) <= 1, (path.name, claims, found)


@pytest.mark.parametrize("path", PLAIN.values(), ids=PLAIN)
def test_plain_text_is_nobodys(path: Path) -> None:
    data = path.read_bytes()
    assert lastbrace.parse_reply(data, returncode=0).agent is None
    assert not lastbrace.parse_reply(data, returncode=0).is_error


def test_there_are_twenty_plain_texts() -> None:
    assert len(PLAIN) >= 20


def test_unknown_agent_is_an_error_that_names_the_known() -> None:
    with pytest.raises(ValueError, match="claude, codex, gemini"):
        lastbrace.parse_reply("", agent="clod")
