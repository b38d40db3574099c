from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lastbrace.agents.aider import Aider
from lastbrace.agents.crush import Crush

from .driving import (
    CAPTURES,
    SAMPLES,
    capture_id,
    captures_of,
    check_capture,
    check_prefixes,
    completion_in,
    drive,
    run_adapter,
)

if TYPE_CHECKING:
    from pathlib import Path

    from lastbrace.agents.plain import PlainText

AGENTS = {"aider-success.txt": Aider, "aider-failure.txt": Aider, "crush-success.txt": Crush}


@pytest.mark.parametrize("path", captures_of("aider"), ids=capture_id)
def test_captures_of_aider(path: Path) -> None:
    check_capture(Aider, path)


@pytest.mark.parametrize("name", AGENTS)
def test_the_answer_is_the_whole_text_and_no_error_is_invented(name: str) -> None:
    data = (SAMPLES / name).read_bytes()
    reply = drive(AGENTS[name], data)
    assert (reply.text, reply.is_error, reply.final) == (data.decode(), False, False)
    check_prefixes(AGENTS[name], data)


@pytest.mark.parametrize("agent", [Aider, Crush])
def test_a_failed_exit_is_an_error(agent: type[PlainText]) -> None:
    reply = drive(agent, b"words", 1, "no key\n")
    assert (reply.is_error, reply.error) == (True, "exit status 1: no key")


def test_aider_tells_the_cost_of_the_session_in_its_last_report() -> None:
    assert drive(Aider, (SAMPLES / "aider-success.txt").read_bytes()).cost_usd == 0.0021
    reports = "Tokens: 1k sent, 2 received. Cost: $0.10 message, $0.10 session.\n" * 2
    last = "Tokens: 1k sent, 2 received. Cost: $1.00 message,\n$1,234.50 session.\n"
    assert drive(Aider, (reports + last).encode()).cost_usd == 1234.5
    assert drive(Aider, b"Cost: $..., message, $., session.").cost_usd is None


@pytest.mark.parametrize("name", ["aider-success.txt", "aider-failure.txt"])
def test_aider_is_recognised_by_its_banner(name: str) -> None:
    assert Aider.recognises_text((SAMPLES / name).read_text())


@pytest.mark.parametrize("name", ["a_plain.plain", "b_braces.text"])
def test_aider_is_recognised_though_notices_come_first(name: str) -> None:
    assert Aider.recognises_text((CAPTURES / f"aider/{name}.stdout").read_text()[:4096])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Aider v0.86",
        "I ran Aider v0.86.2 today.\n",
        "# Aider v0.86.2 release notes\n",
        "Aider v0.86.2 is out\n",
        "aider v1.0\n",
    ],
)
def test_words_about_aider_are_not_its_banner(text: str) -> None:
    assert not Aider.recognises_text(text)


def test_crush_is_recognised_by_nothing() -> None:
    text = (SAMPLES / "crush-success.txt").read_text()
    assert not Crush.recognises_text(text)
    assert not Crush.recognises({"name": "demo", "n": 1})


def test_objects_belong_to_the_text_they_stand_in() -> None:
    adapter = run_adapter(Crush, b'a {"status":"done"} b {"n": 1} c {broken} d')
    assert adapter.text == 'a {"status":"done"} b {"n": 1} c {broken} d'
    completion = completion_in(adapter)
    assert completion is not None
    assert completion.status == "done"


def test_only_the_last_mebibyte_is_kept() -> None:
    reply = drive(Crush, b"begin " + b"x" * (3 << 20) + b" end")
    assert len(reply.text) == 1 << 20
    assert reply.text.endswith(" end")
